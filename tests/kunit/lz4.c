// SPDX-License-Identifier: GPL-2.0
/*
 * LZ4 in Rust through the crypto API, against LZ4 in C: each decompresses the
 * other's output, at every length, from scatterlists and from addresses.
 */

#include <crypto/acompress.h>
#include <kunit/test.h>
#include <linux/lz4.h>
#include <linux/prandom.h>
#include <linux/scatterlist.h>
#include <linux/sizes.h>
#include <linux/string.h>
#include <linux/unaligned.h>
#include <linux/vmalloc.h>

/* The longest input that lz4-rust compresses. */
#define LONGEST SZ_64K
/* More than the worst case of any input of these tests. */
#define ROOM(len) (64 + (len) * 9 / 8)
/* A guard zone detects writes past the end of a destination. */
#define GUARD 64
#define GUARD_BYTE 0xa5

enum { RUST, C };
static const char *const names[] = { [RUST] = "lz4-rust", [C] = "lz4" };

struct codecs {
	struct acomp_req *req[ARRAY_SIZE(names)];
	u8 *text, *packed, *back;
};

enum how { ADDRESSES, SCATTERED };

/* The result of an operation: an errno, or the length in @len. */
struct given {
	int err;
	u32 len;
};

static struct scatterlist *piece(struct scatterlist *sg, u8 *at, u32 len)
{
	sg_set_page(sg, vmalloc_to_page(at), len, offset_in_page(at));
	return sg_next(sg);
}

/*
 * Makes a scatterlist of @len bytes at @at, memory from vmalloc(), in pieces of different lengths
 * that don't cross pages.
 */
static void scatter(struct scatterlist *sg, int n, u8 *at, u32 len)
{
	struct scatterlist *last = sg;
	u32 part = 1;

	sg_init_table(sg, n);
	for (; len; part = part * 3 + 1) {
		u32 now = min3(part, len, (u32)(PAGE_SIZE - offset_in_page(at)));

		last = sg;
		sg = piece(sg, at, now);
		at += now;
		len -= now;
	}
	sg_mark_end(last);
}

/*
 * Runs an operation of @who, from @src into @dst, which must have room for a guard
 * zone after its end.
 */
static struct given operate(struct kunit *test, int who, bool compress, enum how how,
			    u8 *src, u32 slen, u8 *dst, u32 dlen)
{
	struct codecs *codecs = test->priv;
	struct acomp_req *req = codecs->req[who];
	struct scatterlist from[16], to;
	DECLARE_CRYPTO_WAIT(wait);
	struct given given;

	memset(dst + dlen, GUARD_BYTE, GUARD);
	acomp_request_set_callback(req, CRYPTO_TFM_REQ_MAY_BACKLOG, crypto_req_done, &wait);
	if (how == SCATTERED) {
		scatter(from, ARRAY_SIZE(from), src, slen);
		/* The crypto API requires a destination in one piece. */
		sg_init_table(&to, 1);
		piece(&to, dst, dlen);
		acomp_request_set_params(req, from, &to, slen, dlen);
	} else {
		acomp_request_set_src_nondma(req, src, slen);
		acomp_request_set_dst_nondma(req, dst, dlen);
	}
	given.err = crypto_wait_req(compress ? crypto_acomp_compress(req) :
				    crypto_acomp_decompress(req), &wait);
	given.len = req->dlen;
	if (memchr_inv(dst + dlen, GUARD_BYTE, GUARD))
		KUNIT_FAIL(test, "%s wrote behind %u bytes of %u", names[who], dlen, slen);
	return given;
}

/*
 * Writes text of a @kind: compressible, incompressible, or zeroes. It differs for
 * each length.
 */
static void write_text(u8 *text, u32 len, u32 kind)
{
	struct rnd_state rnd;
	u32 i;

	prandom_seed_state(&rnd, len);
	switch (kind % 3) {
	case 0:
		for (i = 0; i < len; i++)
			text[i] = "slots of a folio, "[prandom_u32_state(&rnd) % 24 ? i % 18 : 0];
		break;
	case 1:
		prandom_bytes_state(&rnd, text, len);
		break;
	default:
		memset(text, 0, len);
	}
}

/* Compresses @len bytes with @writer, and decompresses them with both. */
static void there_and_back(struct kunit *test, enum how how, int writer, u32 len)
{
	struct codecs *codecs = test->priv;
	struct given packed, back;
	u8 *to = codecs->packed;
	int reader;

	/* A contiguous destination must fit into a page. */
	packed = operate(test, writer, true, how, codecs->text, len, to,
			 how == SCATTERED ? PAGE_SIZE - GUARD : ROOM(len));
	if (how == SCATTERED && packed.err && LZ4_COMPRESSBOUND(len) > PAGE_SIZE - GUARD)
		return; /* no room for incompressible data */
	KUNIT_ASSERT_EQ_MSG(test, packed.err, 0, "%s, %u bytes", names[writer], len);

	for (reader = 0; reader < ARRAY_SIZE(names); reader++) {
		memset(codecs->back, 0, len);
		if (len > PAGE_SIZE - GUARD)
			how = ADDRESSES;
		back = operate(test, reader, false, how, to, packed.len, codecs->back, len);
		KUNIT_ASSERT_EQ_MSG(test, back.err, 0, "%s of %s, %u bytes", names[reader],
				    names[writer], len);
		KUNIT_ASSERT_EQ(test, back.len, len);
		KUNIT_ASSERT_EQ_MSG(test, memcmp(codecs->back, codecs->text, len), 0,
				    "%s of %s, %u bytes", names[reader], names[writer], len);
	}
}

static void each_length(struct kunit *test, enum how how)
{
	struct codecs *codecs = test->priv;
	u32 len;

	/* Not each length of a page of more than 4 KiB, which would take minutes. */
	for (len = 1; len <= PAGE_SIZE; len += len < SZ_4K || len > PAGE_SIZE - SZ_512 ? 1 : 61) {
		write_text(codecs->text, len, len);
		there_and_back(test, how, RUST, len);
		there_and_back(test, how, C, len);
		cond_resched();
	}
}

static void every_length_by_address(struct kunit *test)
{
	each_length(test, ADDRESSES);
}

static void every_length_scattered(struct kunit *test)
{
	each_length(test, SCATTERED);
}

static void long_inputs(struct kunit *test)
{
	struct codecs *codecs = test->priv;
	u32 len, kind;
	int by;

	for (len = SZ_8K; len <= LONGEST; len += SZ_4K) {
		for (by = -1; by <= (len < LONGEST); by++) {
			kind = len / SZ_4K + by + 1;
			write_text(codecs->text, len + by, kind);
			there_and_back(test, ADDRESSES, RUST, len + by);
			there_and_back(test, ADDRESSES, C, len + by);
		}
		cond_resched();
	}
}

/* A destination of the exact size suffices, and one that is a byte shorter doesn't; also for C. */
static void exact_room(struct kunit *test)
{
	static const u32 lengths[] = { 1, 13, 100, 1000, 4095, 4096, SZ_16K, LONGEST - 1, LONGEST };
	struct codecs *codecs = test->priv;
	struct given packed, again;
	int i, who;

	for (i = 0; i < ARRAY_SIZE(lengths) * 3; i++) {
		u32 len = lengths[i / 3];

		write_text(codecs->text, len, i);
		for (who = 0; who < ARRAY_SIZE(names); who++) {
			packed = operate(test, who, true, ADDRESSES, codecs->text, len,
					 codecs->packed, ROOM(len));
			KUNIT_ASSERT_EQ(test, packed.err, 0);
			again = operate(test, who, true, ADDRESSES, codecs->text, len,
					codecs->back, packed.len);
			/* C requires room for the worst case. */
			if (who == RUST) {
				KUNIT_EXPECT_EQ(test, again.err, 0);
				KUNIT_EXPECT_EQ(test, again.len, packed.len);
				KUNIT_EXPECT_MEMEQ(test, codecs->back, codecs->packed, packed.len);
			}
			if (packed.len > 1) {
				again = operate(test, who, true, ADDRESSES, codecs->text, len,
						codecs->back, packed.len - 1);
				KUNIT_EXPECT_EQ_MSG(test, again.err, -EINVAL, "%s, %u bytes",
						    names[who], len);
			}

			again = operate(test, who, false, ADDRESSES, codecs->packed, packed.len,
					codecs->back, len - 1 ?: 1);
			if (len > 1)
				KUNIT_EXPECT_EQ_MSG(test, again.err, -EINVAL, "%s, %u bytes",
						    names[who], len);
		}
	}
}

/* A longer input is refused, however large the destination. */
static void longest_input(struct kunit *test)
{
	struct codecs *codecs = test->priv;
	u8 *from = codecs->text, *to = codecs->packed;
	struct given given;

	write_text(from, LONGEST + 1, 0);
	given = operate(test, RUST, true, ADDRESSES, from, LONGEST, to, LONGEST);
	KUNIT_EXPECT_EQ(test, given.err, 0);
	given = operate(test, RUST, true, ADDRESSES, from, LONGEST + 1, to, ROOM(LONGEST + 1));
	KUNIT_EXPECT_EQ(test, given.err, -EINVAL);
}

/* An input for decompression that is longer than any output of lz4-rust is refused. */
static void longest_packed_input(struct kunit *test)
{
	struct codecs *codecs = test->priv;
	u8 *text = codecs->text, *packed = codecs->packed;
	struct given given, back;

	write_text(text, LONGEST + SZ_8K, 1);
	given = operate(test, RUST, true, ADDRESSES, text, LONGEST, packed, ROOM(LONGEST));
	KUNIT_EXPECT_EQ(test, given.err, 0);
	KUNIT_EXPECT_GT(test, given.len, LONGEST);
	back = operate(test, RUST, false, ADDRESSES, packed, given.len, codecs->back, LONGEST);
	KUNIT_EXPECT_EQ(test, back.err, 0);

	given = operate(test, C, true, ADDRESSES, text, LONGEST + SZ_8K, packed,
			ROOM(LONGEST + SZ_8K));
	KUNIT_EXPECT_EQ(test, given.err, 0);
	back = operate(test, RUST, false, ADDRESSES, packed, given.len, codecs->back,
		       LONGEST + SZ_8K);
	KUNIT_EXPECT_EQ(test, back.err, -EINVAL);
}

/* Source and destination in one buffer: the source is copied before the codec writes. */
static void overlapping_buffers(struct kunit *test)
{
	struct codecs *codecs = test->priv;
	u8 *from = codecs->text + 8;
	struct given apart, packed, back;
	int by;

	for (by = -8; by <= 8; by += 8) {
		write_text(from, PAGE_SIZE, 0);
		/* So long that the guard zone lies after the end of the source. */
		apart = operate(test, RUST, true, ADDRESSES, from, PAGE_SIZE, codecs->packed,
				PAGE_SIZE + 8);
		packed = operate(test, RUST, true, ADDRESSES, from, PAGE_SIZE, from + by,
				 PAGE_SIZE + 8);
		KUNIT_ASSERT_EQ(test, packed.err, 0);
		KUNIT_EXPECT_EQ(test, packed.len, apart.len);
		KUNIT_EXPECT_MEMEQ(test, from + by, codecs->packed, packed.len);

		back = operate(test, RUST, false, ADDRESSES, from + by, packed.len, from,
			       PAGE_SIZE);
		KUNIT_EXPECT_EQ(test, back.err, 0);
		write_text(codecs->packed, PAGE_SIZE, 0);
		KUNIT_EXPECT_MEMEQ(test, from, codecs->packed, PAGE_SIZE);
	}
}

/* Random or corrupted input: an error, or a length that fits. */
static void damaged_input(struct kunit *test)
{
	struct codecs *codecs = test->priv;
	u8 *from = codecs->packed;
	struct rnd_state rnd;
	int i, refused = 0;

	prandom_seed_state(&rnd, 4711);
	for (i = 0; i < 20000; i++) {
		u32 len = 1 + prandom_u32_state(&rnd) % PAGE_SIZE, slen = len, n;
		struct given packed, back;

		if (i % 2) {
			write_text(codecs->text, len, 0);
			packed = operate(test, i & 2 ? RUST : C, true, ADDRESSES, codecs->text, len,
					 from, ROOM(len));
			slen = packed.len;
			for (n = 1 + i / 4 % 3; n; n--)
				from[prandom_u32_state(&rnd) % slen] = prandom_u32_state(&rnd);
		} else {
			prandom_bytes_state(&rnd, from, slen);
		}
		back = operate(test, RUST, false, ADDRESSES, from, slen, codecs->back, len);
		if (back.err)
			refused++;
		else
			KUNIT_ASSERT_LE(test, back.len, len);
		if (back.err && back.err != -EINVAL)
			KUNIT_FAIL(test, "errno %d", back.err);
		if (!(i % 64))
			cond_resched();
	}
	KUNIT_EXPECT_GT(test, refused, 10000);
	KUNIT_EXPECT_LT(test, refused, 20000);
}

static int init(struct kunit *test)
{
	struct codecs *codecs = kunit_kzalloc(test, sizeof(*codecs), GFP_KERNEL);
	struct crypto_acomp *tfm;
	int i;

	KUNIT_ASSERT_NOT_NULL(test, codecs);
	test->priv = codecs;
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		tfm = crypto_alloc_acomp(names[i], 0, 0);
		KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(tfm), "%s: %pe", names[i], tfm);
		codecs->req[i] = acomp_request_alloc(tfm);
		if (!codecs->req[i])
			crypto_free_acomp(tfm);
		KUNIT_ASSERT_NOT_NULL(test, codecs->req[i]);
	}
	codecs->text = vmalloc(ROOM(LONGEST + SZ_8K) + GUARD);
	codecs->packed = vmalloc(ROOM(LONGEST + SZ_8K) + GUARD);
	codecs->back = vmalloc(ROOM(LONGEST + SZ_8K) + GUARD);
	KUNIT_ASSERT_NOT_NULL(test, codecs->text);
	KUNIT_ASSERT_NOT_NULL(test, codecs->packed);
	KUNIT_ASSERT_NOT_NULL(test, codecs->back);
	return 0;
}

static void done(struct kunit *test)
{
	struct codecs *codecs = test->priv;
	struct crypto_acomp *tfm;
	int i;

	if (!codecs)
		return;
	vfree(codecs->text);
	vfree(codecs->packed);
	vfree(codecs->back);
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (!codecs->req[i])
			continue;
		tfm = crypto_acomp_reqtfm(codecs->req[i]);
		acomp_request_free(codecs->req[i]);
		crypto_free_acomp(tfm);
	}
}

static struct kunit_case cases[] = {
	KUNIT_CASE_SLOW(every_length_by_address),
	KUNIT_CASE_SLOW(every_length_scattered),
	KUNIT_CASE_SLOW(long_inputs),
	KUNIT_CASE(exact_room),
	KUNIT_CASE(longest_input),
	KUNIT_CASE(longest_packed_input),
	KUNIT_CASE(overlapping_buffers),
	KUNIT_CASE_SLOW(damaged_input),
	{}
};

static struct kunit_suite suite = {
	.name = "rust_crypto_lz4",
	.init = init,
	.exit = done,
	.test_cases = cases,
};

kunit_test_suite(suite);

MODULE_DESCRIPTION("KUnit tests of LZ4 in Rust");
MODULE_LICENSE("GPL");
