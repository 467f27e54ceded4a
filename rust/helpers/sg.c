// SPDX-License-Identifier: GPL-2.0

#include <linux/scatterlist.h>

__rust_helper void rust_helper_sg_set_page(struct scatterlist *sg,
					   struct page *page, unsigned int len,
					   unsigned int offset)
{
	sg_set_page(sg, page, len, offset);
}
