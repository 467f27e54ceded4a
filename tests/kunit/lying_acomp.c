// SPDX-License-Identifier: GPL-2.0
/*
 * A compressor for tests: it compresses pages that repeat one word, and fails
 * or lies on request.
 */

#include <crypto/internal/acompress.h>
#include <crypto/scatterwalk.h>
#include <linux/module.h>

#include "lying_acomp.h"

enum liar liar;

/* What a page is compressed to. */
struct squeezed {
	u64 magic;
	u64 word;
};

#define MAGIC 0x7a73776170000001ULL

static int liar_compress(struct acomp_req *req)
{
	struct squeezed out = { .magic = MAGIC };
	u64 word;
	u32 off;

	switch (liar) {
	case LIAR_COMPRESS_EIO:
		return -EIO;
	case LIAR_COMPRESS_ENOSPC:
		return -ENOSPC;
	case LIAR_COMPRESS_EMPTY:
		req->dlen = 0;
		return 0;
	case LIAR_COMPRESS_PAGE:
		req->dlen = PAGE_SIZE;
		return 0;
	case LIAR_COMPRESS_HUGE:
		req->dlen = 4 * PAGE_SIZE;
		return 0;
	default:
		break;
	}

	memcpy_from_sglist(&out.word, req->src, 0, sizeof(out.word));
	for (off = 0; off < req->slen; off += sizeof(word)) {
		memcpy_from_sglist(&word, req->src, off, sizeof(word));
		if (word != out.word)
			return -ENOSPC;
	}
	if (req->dlen < sizeof(out))
		return -ENOSPC;
	memcpy_to_sglist(req->dst, 0, &out, sizeof(out));
	req->dlen = sizeof(out);
	return 0;
}

static int liar_decompress(struct acomp_req *req)
{
	struct squeezed in;
	u32 off;

	if (req->slen != sizeof(in))
		return -EINVAL;
	memcpy_from_sglist(&in, req->src, 0, sizeof(in));
	if (in.magic != MAGIC)
		return -EINVAL;
	if (liar != LIAR_HONEST)
		in.word = ~in.word;
	for (off = 0; off < req->dlen; off += sizeof(in.word))
		memcpy_to_sglist(req->dst, off, &in.word, sizeof(in.word));

	switch (liar) {
	case LIAR_DECOMPRESS_EIO:
		return -EIO;
	case LIAR_DECOMPRESS_SHORT:
		req->dlen = PAGE_SIZE - 1;
		return 0;
	case LIAR_DECOMPRESS_LONG:
		req->dlen = PAGE_SIZE + 1;
		return 0;
	default:
		req->dlen = off;
		return 0;
	}
}

static struct acomp_alg liar_alg = {
	.compress = liar_compress,
	.decompress = liar_decompress,
	.base = {
		.cra_name = LIAR_NAME,
		.cra_driver_name = LIAR_NAME "-test",
		.cra_module = THIS_MODULE,
	},
};

/* Never unregistered: pools made with it die when they want to. */
int liar_register(void)
{
	static bool registered;
	int ret;

	if (registered)
		return 0;
	ret = crypto_register_acomp(&liar_alg);
	registered = !ret;
	return ret;
}
