/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _FAULTY_ACOMP_H
#define _FAULTY_ACOMP_H

#include <linux/atomic.h>
#include <linux/mm.h>
#include <linux/types.h>

struct acomp_req;
struct crypto_acomp;

/* The result of a request to "zswap_faulty". */
enum fault {
	FAULT_NONE,	/* correct */
	FAULT_EIO,	/* an error, after writing garbage */
	FAULT_EINVAL,
	FAULT_ENOMEM,
	FAULT_ENOSPC,	/* as a compressor whose output was too large */
	FAULT_EMPTY,	/* success, with a length of 0 */
	FAULT_SHORT,	/* a length one byte too small */
	FAULT_LONG,	/* a length one byte too large */
	FAULT_PAGE,	/* a length of a page */
	FAULT_HUGE,	/* a length larger than the buffer */
	FAULT_GARBAGE,	/* the right length, with garbage as contents */
	NR_FAULTS,
};

/* One kind of request; also a directory in debugfs, in zswap_faulty. */
struct fault_site {
	const char *name;
	enum fault last;	/* later faults don't apply to this site */
	enum fault fault;
	u32 skip;		/* number of requests that succeed first */
	u32 every;		/* then every n-th fails; 0 is like 1 */
	atomic_t calls;
	atomic_t injected;	/* number of calls that failed */
};

#define FAULTY_NAME "zswap_faulty"
#define ACCEL_NAME "zswap_accel"	/* asynchronous: accel.c */

extern struct fault_site faulty_compress;
extern struct fault_site faulty_decompress;
extern struct fault_site faulty_init;	/* setup of a context */

void acomp_inject(struct fault_site *site, enum fault fault);

/* The output for a request, and the length to report. */
struct faulty_result {
	u32 made;	/* how much of bytes[] to copy to the destination */
	u32 dlen;	/* the length to report */
	u8 bytes[PAGE_SIZE];
};

/* Reads the request's source, and doesn't write its destination. May sleep. */
int faulty_pack(struct acomp_req *req, struct faulty_result *result);
int faulty_unpack(struct acomp_req *req, struct faulty_result *result);

/* Writes the destination. Any context. Returns err. */
int faulty_give(struct acomp_req *req, const struct faulty_result *result, int err);

/* Both steps at once. May sleep. */
int faulty_pack_now(struct acomp_req *req);
int faulty_unpack_now(struct acomp_req *req);

int faulty_setup(struct crypto_acomp *tfm);

#endif
