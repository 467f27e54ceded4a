// SPDX-License-Identifier: GPL-2.0
/*
 * A compressor for tests. Honest, it is LZ4 with a checksum, so that it notices
 * everything that was done to its output; on request it fails, or lies.
 */

#include <crypto/internal/acompress.h>
#include <crypto/scatterwalk.h>
#include <linux/crc32.h>
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/lz4.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "lying_acomp.h"
#include "race.h"

static const char * const lies[] = {
	[LIE_HONEST]	= "honest",
	[LIE_EIO]	= "eio",
	[LIE_EINVAL]	= "einval",
	[LIE_ENOMEM]	= "enomem",
	[LIE_ENOSPC]	= "enospc",
	[LIE_EMPTY]	= "empty",
	[LIE_SHORT]	= "short",
	[LIE_LONG]	= "long",
	[LIE_PAGE]	= "page",
	[LIE_HUGE]	= "huge",
	[LIE_GARBAGE]	= "garbage",
};

static_assert(ARRAY_SIZE(lies) == NR_LIES);

struct liar liar_compress = { .name = "compress", .last = LIE_GARBAGE };
struct liar liar_decompress = { .name = "decompress", .last = LIE_GARBAGE };
struct liar liar_init = { .name = "init", .last = LIE_ENOSPC };

/* From now on; what was asked and told before is forgotten. */
void liar_says(struct liar *liar, enum lie lie)
{
	WRITE_ONCE(liar->lie, LIE_HONEST);
	atomic_set(&liar->asked, 0);
	atomic_set(&liar->told, 0);
	WRITE_ONCE(liar->lie, lie);
}

static enum lie next_lie(struct liar *liar)
{
	enum lie lie = READ_ONCE(liar->lie);
	u32 every = max(READ_ONCE(liar->every), 1);
	u32 skip = READ_ONCE(liar->skip);
	u32 nth;

	if (lie == LIE_HONEST)
		return lie;
	nth = atomic_inc_return(&liar->asked);
	if (nth <= skip || (nth - skip) % every)
		return LIE_HONEST;
	atomic_inc(&liar->told);
	return lie;
}

static int error_of(enum lie lie)
{
	switch (lie) {
	case LIE_EIO:
		return -EIO;
	case LIE_EINVAL:
		return -EINVAL;
	case LIE_ENOMEM:
		return -ENOMEM;
	case LIE_ENOSPC:
		return -ENOSPC;
	default:
		return 0;
	}
}

static u32 length_of(enum lie lie, u32 made)
{
	switch (lie) {
	case LIE_EMPTY:
		return 0;
	case LIE_SHORT:
		return made - 1;
	case LIE_LONG:
		return made + 1;
	case LIE_PAGE:
		return PAGE_SIZE;
	case LIE_HUGE:
		return 4 * PAGE_SIZE;
	default:
		return made;
	}
}

/* Whoever believes a failed request, or nonsense, shall see that it is wrong. */
static void make_garbage(enum lie lie, u8 *bytes, u32 len)
{
	u32 i;

	if (error_of(lie) || lie == LIE_GARBAGE)
		for (i = 0; i < len; i++)
			bytes[i] = ~bytes[i];
}

/* What a page is compressed to. */
struct packed {
	u32 crc;
	u32 len;
	u8 lz4[PAGE_SIZE - 2 * sizeof(u32)];
};

/* One page at a time: it needn't be fast. */
static DEFINE_MUTEX(buffers);
static struct packed packed;
static u8 page[PAGE_SIZE];
static u8 work[LZ4_MEM_COMPRESS] __aligned(8);

static int say(struct acomp_req *req, enum lie lie, u8 *bytes, u32 made)
{
	int ret = error_of(lie);

	make_garbage(lie, bytes, made);
	memcpy_to_sglist(req->dst, 0, bytes, made);
	if (!ret)
		req->dlen = length_of(lie, made);
	return ret;
}

static int pack(struct acomp_req *req)
{
	const u32 header = offsetof(struct packed, lz4);
	u32 room = min(req->dlen, sizeof(packed));
	int ret = -ENOSPC;

	if (req->slen != PAGE_SIZE || room <= header)
		return -EINVAL;
	race_point("acomp:before_compress");
	guard(mutex)(&buffers);
	memcpy_from_sglist(page, req->src, 0, PAGE_SIZE);
	packed.len = header + LZ4_compress_default(page, packed.lz4, PAGE_SIZE,
						   room - header, work);
	packed.crc = crc32(0, page, PAGE_SIZE);
	if (packed.len != header)
		ret = say(req, next_lie(&liar_compress), (u8 *)&packed, packed.len);
	return ret;
}

static int unpack(struct acomp_req *req)
{
	const u32 header = offsetof(struct packed, lz4);

	if (req->dlen != PAGE_SIZE || req->slen > sizeof(packed))
		return -EINVAL;
	race_point("acomp:before_decompress");
	guard(mutex)(&buffers);
	memcpy_from_sglist(&packed, req->src, 0, req->slen);
	if (packed.len != req->slen || packed.len <= header ||
	    LZ4_decompress_safe(packed.lz4, page, packed.len - header, PAGE_SIZE) != PAGE_SIZE ||
	    packed.crc != crc32(0, page, PAGE_SIZE))
		return -EINVAL;
	return say(req, next_lie(&liar_decompress), page, PAGE_SIZE);
}

static int init(struct crypto_acomp *tfm)
{
	return error_of(next_lie(&liar_init));
}

static struct acomp_alg alg = {
	.compress = pack,
	.decompress = unpack,
	.init = init,
	.base = {
		.cra_name = LIAR_NAME,
		.cra_driver_name = LIAR_NAME "-test",
		.cra_module = THIS_MODULE,
	},
};

static ssize_t lie_read(struct file *file, char __user *to, size_t len, loff_t *pos)
{
	struct liar *liar = file->private_data;
	char word[16];

	return simple_read_from_buffer(to, len, pos, word,
				       scnprintf(word, sizeof(word), "%s\n", lies[liar->lie]));
}

static ssize_t lie_write(struct file *file, const char __user *from, size_t len, loff_t *pos)
{
	struct liar *liar = file->private_data;
	char word[16] = "";
	int lie;

	if (len >= sizeof(word) || copy_from_user(word, from, len))
		return -EINVAL;
	lie = sysfs_match_string(lies, word);
	if (lie < 0 || lie > liar->last)
		return -EINVAL;
	liar_says(liar, lie);
	return len;
}

static const struct file_operations lie_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.read = lie_read,
	.write = lie_write,
	.llseek = default_llseek,
};

static void make_files(struct liar *liar, struct dentry *root)
{
	struct dentry *dir = debugfs_create_dir(liar->name, root);

	debugfs_create_file("lie", 0600, dir, liar, &lie_fops);
	debugfs_create_u32("skip", 0600, dir, &liar->skip);
	debugfs_create_u32("every", 0600, dir, &liar->every);
	debugfs_create_atomic_t("asked", 0400, dir, &liar->asked);
	debugfs_create_atomic_t("told", 0400, dir, &liar->told);
}

/* Never unregistered: pools made with it die when they want to. */
static int __init liar_register(void)
{
	struct dentry *root = debugfs_create_dir(LIAR_NAME, NULL);

	make_files(&liar_compress, root);
	make_files(&liar_decompress, root);
	make_files(&liar_init, root);
	return crypto_register_acomp(&alg);
}
module_init(liar_register);
