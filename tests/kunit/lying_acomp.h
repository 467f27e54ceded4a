/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LYING_ACOMP_H
#define _LYING_ACOMP_H

#include <linux/types.h>

/* What the compressor "zswap_liar" does. */
enum liar {
	LIAR_HONEST,
	LIAR_COMPRESS_EIO,	/* fails */
	LIAR_COMPRESS_ENOSPC,	/* fails as one whose output was too large */
	LIAR_COMPRESS_EMPTY,	/* says that it made no bytes */
	LIAR_COMPRESS_PAGE,	/* says that it made a page's bytes */
	LIAR_COMPRESS_HUGE,	/* says that it made more than there was room for */
	LIAR_DECOMPRESS_EIO,	/* fails, after it has written garbage */
	LIAR_DECOMPRESS_SHORT,	/* says that it made less than a page */
	LIAR_DECOMPRESS_LONG,	/* says that it made more than a page */
};

#define LIAR_NAME "zswap_liar"

extern enum liar liar;

int liar_register(void);

#endif
