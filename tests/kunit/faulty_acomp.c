// SPDX-License-Identifier: GPL-2.0
/*
 * A fault-injecting compressor for tests: LZ4 with a checksum, so that it detects any change of its
 * output. On request it fails, or returns wrong lengths or wrong data. It is synchronous; accel.c
 * has an asynchronous one.
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

#include "faulty_acomp.h"
#include "race.h"

static const char * const fault_names[] = {
	[FAULT_NONE]	= "none",
	[FAULT_EIO]	= "eio",
	[FAULT_EINVAL]	= "einval",
	[FAULT_ENOMEM]	= "enomem",
	[FAULT_ENOSPC]	= "enospc",
	[FAULT_EMPTY]	= "empty",
	[FAULT_SHORT]	= "short",
	[FAULT_LONG]	= "long",
	[FAULT_PAGE]	= "page",
	[FAULT_HUGE]	= "huge",
	[FAULT_GARBAGE]	= "garbage",
};

static_assert(ARRAY_SIZE(fault_names) == NR_FAULTS);

struct fault_site faulty_compress = { .name = "compress", .last = FAULT_GARBAGE };
struct fault_site faulty_decompress = { .name = "decompress", .last = FAULT_GARBAGE };
struct fault_site faulty_init = { .name = "init", .last = FAULT_ENOSPC };

/* Injects @fault from now on, and resets the counters. */
void acomp_inject(struct fault_site *site, enum fault fault)
{
	WRITE_ONCE(site->fault, FAULT_NONE);
	atomic_set(&site->calls, 0);
	atomic_set(&site->injected, 0);
	WRITE_ONCE(site->fault, fault);
}

static enum fault next_fault(struct fault_site *site)
{
	enum fault fault = READ_ONCE(site->fault);
	u32 every = max(READ_ONCE(site->every), 1);
	u32 skip = READ_ONCE(site->skip);
	u32 nth;

	if (fault == FAULT_NONE)
		return fault;
	nth = atomic_inc_return(&site->calls);
	if (nth <= skip || (nth - skip) % every)
		return FAULT_NONE;
	atomic_inc(&site->injected);
	return fault;
}

static int error_of(enum fault fault)
{
	switch (fault) {
	case FAULT_EIO:
		return -EIO;
	case FAULT_EINVAL:
		return -EINVAL;
	case FAULT_ENOMEM:
		return -ENOMEM;
	case FAULT_ENOSPC:
		return -ENOSPC;
	default:
		return 0;
	}
}

static u32 length_of(enum fault fault, u32 made)
{
	switch (fault) {
	case FAULT_EMPTY:
		return 0;
	case FAULT_SHORT:
		return made - 1;
	case FAULT_LONG:
		return made + 1;
	case FAULT_PAGE:
		return PAGE_SIZE;
	case FAULT_HUGE:
		return 4 * PAGE_SIZE;
	default:
		return made;
	}
}

/* Makes the use of a failed request's output visible as corruption. */
static void make_garbage(enum fault fault, u8 *bytes, u32 len)
{
	u32 i;

	if (error_of(fault) || fault == FAULT_GARBAGE)
		for (i = 0; i < len; i++)
			bytes[i] = ~bytes[i];
}

/* The format of a compressed page. */
struct packed {
	u32 crc;
	u32 len;
	u8 lz4[PAGE_SIZE - 2 * sizeof(u32)];
};

/* Serialises the use of the buffers: this needn't be fast. */
static DEFINE_MUTEX(buffers);
static struct packed packed;
static u8 page[PAGE_SIZE];
static u8 work[LZ4_MEM_COMPRESS] __aligned(8);

/* Fills in the result: the output in bytes[], with the fault applied. */
static int answer(struct faulty_result *result, enum fault fault, const void *bytes, u32 made)
{
	memcpy(result->bytes, bytes, made);
	make_garbage(fault, result->bytes, made);
	result->made = made;
	result->dlen = length_of(fault, made);
	return error_of(fault);
}

int faulty_pack(struct acomp_req *req, struct faulty_result *result)
{
	const u32 header = offsetof(struct packed, lz4);
	u32 room = min(req->dlen, sizeof(packed));

	result->made = 0;
	if (req->slen != PAGE_SIZE || room <= header)
		return -EINVAL;
	guard(mutex)(&buffers);
	memcpy_from_sglist(page, req->src, 0, PAGE_SIZE);
	packed.len = header + LZ4_compress_default(page, packed.lz4, PAGE_SIZE,
						   room - header, work);
	packed.crc = crc32(0, page, PAGE_SIZE);
	if (packed.len == header)
		return -ENOSPC;
	return answer(result, next_fault(&faulty_compress), &packed, packed.len);
}

int faulty_unpack(struct acomp_req *req, struct faulty_result *result)
{
	const u32 header = offsetof(struct packed, lz4);

	result->made = 0;
	if (req->dlen != PAGE_SIZE || req->slen > sizeof(packed))
		return -EINVAL;
	guard(mutex)(&buffers);
	memcpy_from_sglist(&packed, req->src, 0, req->slen);
	if (packed.len != req->slen || packed.len <= header ||
	    LZ4_decompress_safe(packed.lz4, page, packed.len - header, PAGE_SIZE) != PAGE_SIZE ||
	    packed.crc != crc32(0, page, PAGE_SIZE))
		return -EINVAL;
	return answer(result, next_fault(&faulty_decompress), page, PAGE_SIZE);
}

int faulty_give(struct acomp_req *req, const struct faulty_result *result, int err)
{
	memcpy_to_sglist(req->dst, 0, result->bytes, result->made);
	if (!err)
		req->dlen = result->dlen;
	return err;
}

/* Requests are serialised: this needn't be fast. */
static DEFINE_MUTEX(one);
static struct faulty_result made;

int faulty_pack_now(struct acomp_req *req)
{
	guard(mutex)(&one);
	return faulty_give(req, &made, faulty_pack(req, &made));
}

int faulty_unpack_now(struct acomp_req *req)
{
	guard(mutex)(&one);
	return faulty_give(req, &made, faulty_unpack(req, &made));
}

static int pack(struct acomp_req *req)
{
	race_point("acomp:before_compress");
	return faulty_pack_now(req);
}

static int unpack(struct acomp_req *req)
{
	race_point("acomp:before_decompress");
	return faulty_unpack_now(req);
}

int faulty_setup(struct crypto_acomp *tfm)
{
	return error_of(next_fault(&faulty_init));
}

static struct acomp_alg alg = {
	.compress = pack,
	.decompress = unpack,
	.init = faulty_setup,
	.base = {
		.cra_name = FAULTY_NAME,
		.cra_driver_name = FAULTY_NAME "-test",
		.cra_module = THIS_MODULE,
	},
};

static ssize_t fault_read(struct file *file, char __user *to, size_t len, loff_t *pos)
{
	struct fault_site *site = file->private_data;
	char word[16];

	return simple_read_from_buffer(to, len, pos, word,
				       scnprintf(word, sizeof(word), "%s\n",
						 fault_names[site->fault]));
}

static ssize_t fault_write(struct file *file, const char __user *from, size_t len, loff_t *pos)
{
	struct fault_site *site = file->private_data;
	char word[16] = "";
	int fault;

	if (len >= sizeof(word) || copy_from_user(word, from, len))
		return -EINVAL;
	fault = sysfs_match_string(fault_names, word);
	if (fault < 0 || fault > site->last)
		return -EINVAL;
	acomp_inject(site, fault);
	return len;
}

static const struct file_operations fault_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.read = fault_read,
	.write = fault_write,
	.llseek = default_llseek,
};

static void make_files(struct fault_site *site, struct dentry *root)
{
	struct dentry *dir = debugfs_create_dir(site->name, root);

	debugfs_create_file("fault", 0600, dir, site, &fault_fops);
	debugfs_create_u32("skip", 0600, dir, &site->skip);
	debugfs_create_u32("every", 0600, dir, &site->every);
	debugfs_create_atomic_t("calls", 0400, dir, &site->calls);
	debugfs_create_atomic_t("injected", 0400, dir, &site->injected);
}

/* Never unregistered, since pools that use the algorithm may still exist. */
static int __init faulty_register(void)
{
	struct dentry *root = debugfs_create_dir(FAULTY_NAME, NULL);

	make_files(&faulty_compress, root);
	make_files(&faulty_decompress, root);
	make_files(&faulty_init, root);
	return crypto_register_acomp(&alg);
}
module_init(faulty_register);
