/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LYING_ACOMP_H
#define _LYING_ACOMP_H

#include <linux/atomic.h>
#include <linux/types.h>

/* What "zswap_liar" says when it is asked to do something. */
enum lie {
	LIE_HONEST,
	LIE_EIO,	/* an error, after it has written garbage */
	LIE_EINVAL,
	LIE_ENOMEM,
	LIE_ENOSPC,	/* as a compressor whose output was too large */
	LIE_EMPTY,	/* that it made no bytes */
	LIE_SHORT,	/* that it made a byte less than it did */
	LIE_LONG,	/* or a byte more */
	LIE_PAGE,	/* that it made a page's bytes */
	LIE_HUGE,	/* that it made more than there was room for */
	LIE_GARBAGE,	/* the truth; but what it has made is garbage */
	NR_LIES,
};

/* What it can be asked for; also in debugfs, in the folder zswap_liar. */
struct liar {
	const char *name;
	enum lie last;	/* those after it make no sense here */
	enum lie lie;
	u32 skip;	/* honest that many times first */
	u32 every;	/* then a liar every so many times; 0 is as 1 */
	atomic_t asked;
	atomic_t told;	/* how many lies so far */
};

#define LIAR_NAME "zswap_liar"

extern struct liar liar_compress;
extern struct liar liar_decompress;
extern struct liar liar_init;	/* its context's making */

void liar_says(struct liar *liar, enum lie lie);

#endif
