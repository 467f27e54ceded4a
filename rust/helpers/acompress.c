// SPDX-License-Identifier: GPL-2.0

#include <crypto/acompress.h>
#include <linux/crypto.h>

__rust_helper int rust_helper_crypto_has_acomp(const char *alg_name, u32 type,
					       u32 mask)
{
	return crypto_has_acomp(alg_name, type, mask);
}

__rust_helper void rust_helper_crypto_free_acomp(struct crypto_acomp *tfm)
{
	crypto_free_acomp(tfm);
}

__rust_helper bool rust_helper_acomp_is_async(struct crypto_acomp *tfm)
{
	return acomp_is_async(tfm);
}

/* A variadic macro in C. */
__rust_helper struct acomp_req *
rust_helper_acomp_request_alloc(struct crypto_acomp *tfm)
{
	return acomp_request_alloc(tfm);
}

__rust_helper void rust_helper_acomp_request_free(struct acomp_req *req)
{
	acomp_request_free(req);
}

__rust_helper void
rust_helper_acomp_request_set_callback(struct acomp_req *req, u32 flags,
				       crypto_completion_t complete, void *data)
{
	acomp_request_set_callback(req, flags, complete, data);
}

__rust_helper void
rust_helper_acomp_request_set_params(struct acomp_req *req,
				     struct scatterlist *src,
				     struct scatterlist *dst, unsigned int slen,
				     unsigned int dlen)
{
	acomp_request_set_params(req, src, dst, slen, dlen);
}

__rust_helper void rust_helper_crypto_init_wait(struct crypto_wait *wait)
{
	crypto_init_wait(wait);
}

__rust_helper int rust_helper_crypto_wait_req(int err, struct crypto_wait *wait)
{
	return crypto_wait_req(err, wait);
}
