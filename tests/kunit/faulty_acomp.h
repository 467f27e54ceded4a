/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _FAULTY_ACOMP_H
#define _FAULTY_ACOMP_H

#include <linux/atomic.h>
#include <linux/mm.h>
#include <linux/types.h>

struct acomp_req;
struct crypto_acomp;

/* What a request to "zswap_faulty" ends with. */
enum fault {
	FAULT_NONE,	/* it works as it should */
	FAULT_EIO,	/* an error, after it has written garbage */
	FAULT_EINVAL,
	FAULT_ENOMEM,
	FAULT_ENOSPC,	/* as a compressor whose output was too large */
	FAULT_EMPTY,	/* success, and a length of 0 */
	FAULT_SHORT,	/* a length one byte too small */
	FAULT_LONG,	/* a length one byte too large */
	FAULT_PAGE,	/* a length of a page */
	FAULT_HUGE,	/* a length larger than the buffer */
	FAULT_GARBAGE,	/* the right length, and garbage for bytes */
	NR_FAULTS,
};

/* One kind of request; also a folder in debugfs, in zswap_faulty. */
struct fault_site {
	const char *name;
	enum fault last;	/* those after it make no sense here */
	enum fault fault;
	u32 skip;		/* so many requests work first */
	u32 every;		/* then every so many-th fails; 0 is as 1 */
	atomic_t calls;
	atomic_t injected;	/* how many of them have failed */
};

#define FAULTY_NAME "zswap_faulty"

extern struct fault_site faulty_compress;
extern struct fault_site faulty_decompress;
extern struct fault_site faulty_init;	/* setting up its context */

void acomp_inject(struct fault_site *site, enum fault fault);

/* What has become of a request's bytes, and will be said of it. */
struct faulty_result {
	u32 made;	/* bytes of bytes[] that go to the destination */
	u32 dlen;	/* as many as it says that it has made */
	u8 bytes[PAGE_SIZE];
};

/* The request's bytes are read; its destination isn't touched. May sleep. */
int faulty_pack(struct acomp_req *req, struct faulty_result *result);
int faulty_unpack(struct acomp_req *req, struct faulty_result *result);

/* The destination is written. Any context. Returns err. */
int faulty_give(struct acomp_req *req, const struct faulty_result *result, int err);

/* All of it, at once. May sleep. */
int faulty_pack_now(struct acomp_req *req);
int faulty_unpack_now(struct acomp_req *req);

int faulty_setup(struct crypto_acomp *tfm);

#endif
