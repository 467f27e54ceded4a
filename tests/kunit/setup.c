// SPDX-License-Identifier: GPL-2.0
/*
 * Setup that otherwise requires user space: a swap device, cgroups, and fault injection for
 * allocations. KUnit may run at boot, before user space.
 */

#include <linux/blkdev.h>
#include <linux/cgroup.h>
#include <linux/file.h>
#include <linux/fs_struct.h>
#include <linux/kthread.h>
#include <linux/major.h>
#include <linux/mman.h>
#include <linux/mount.h>
#include <linux/namei.h>
#include <linux/syscalls.h>
#include <linux/uaccess.h>

#include "swap_test.h"

/* --- System calls ------------------------------------------------------------ */

#if defined(CONFIG_X86_64) && !defined(CONFIG_UML)
asmlinkage long __x64_sys_swapon(const struct pt_regs *regs);
asmlinkage long __x64_sys_swapoff(const struct pt_regs *regs);
#define CALL(name, path) __x64_sys_##name(&(struct pt_regs){ .di = (unsigned long)(path) })
#elif defined(CONFIG_ARM64)
asmlinkage long __arm64_sys_swapon(const struct pt_regs *regs);
asmlinkage long __arm64_sys_swapoff(const struct pt_regs *regs);
#define CALL(name, path) __arm64_sys_##name(&(struct pt_regs){ .orig_x0 = (unsigned long)(path) })
#elif defined(CONFIG_RISCV)
asmlinkage long __riscv_sys_swapon(const struct pt_regs *regs);
asmlinkage long __riscv_sys_swapoff(const struct pt_regs *regs);
#define CALL(name, path) __riscv_sys_##name(&(struct pt_regs){ .orig_a0 = (unsigned long)(path) })
#else
#define CALL(name, path) call_##name(path)

static long call_swapon(const char __user *path)
{
	return sys_swapon(path, 0);
}

static long call_swapoff(const char __user *path)
{
	return sys_swapoff(path);
}
#endif

/* An operation on a string in user memory. */
struct call {
	long (*run)(struct call *call, const char __user *text);
	const char *text;
	char *into;	/* the buffer for a read */
	struct file *file;
	long ret;
	struct completion done;
};

static long do_swapon(struct call *call, const char __user *path)
{
	return CALL(swapon, path);
}

static long do_swapoff(struct call *call, const char __user *path)
{
	return CALL(swapoff, path);
}

static long do_write(struct call *call, const char __user *text)
{
	loff_t pos = 0;

	return vfs_write(call->file, text, strlen(call->text), &pos);
}

/* The maximum length of a read. */
#define READ_MAX 32

static long do_read(struct call *call, const char __user *text)
{
	loff_t pos = 0;
	long ret = vfs_read(call->file, (char __user *)text, READ_MAX, &pos);

	if (ret >= 0 && copy_from_user(call->into, text, ret))
		return -EFAULT;
	if (ret >= 0)
		call->into[ret] = 0;
	return ret;
}

static int call_thread(void *data)
{
	struct call *call = data;
	size_t len = strlen(call->text) + 1;
	unsigned long addr;

	call->ret = kunit_attach_mm();
	if (call->ret)
		goto out;
	addr = vm_mmap(NULL, 0, PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, 0);
	if (IS_ERR_VALUE(addr))
		call->ret = addr;
	else if (copy_to_user((void __user *)addr, call->text, len))
		call->ret = -EFAULT;
	else
		scoped_with_init_fs() /* a kernel thread has no file system root */
			call->ret = call->run(call, (const char __user *)addr);
out:
	complete(&call->done);
	return 0;
}

/* Runs in a separate thread: its address space is freed when it exits. */
static long call(struct call *call)
{
	struct task_struct *task;

	init_completion(&call->done);
	task = kthread_run(call_thread, call, "swap_test_call");
	if (IS_ERR(task))
		return PTR_ERR(task);
	wait_for_completion(&call->done);
	return call->ret;
}

/* --- Files ------------------------------------------------------------------- */

/* A kernel-internal mount of a file system, until kern_unmount(). */
static struct vfsmount *mount(const char *name)
{
	struct file_system_type *type = get_fs_type(name);
	struct vfsmount *mnt;

	if (!type)
		return ERR_PTR(-ENODEV);
	mnt = kern_mount(type);
	put_filesystem(type);
	return mnt;
}

static int write_to(struct vfsmount *mnt, const char *path, const char *text)
{
	struct file *file = file_open_root_mnt(mnt, path, O_WRONLY, 0);
	long ret;

	if (IS_ERR(file))
		return PTR_ERR(file);
	ret = call(&(struct call){ .run = do_write, .text = text, .file = file });
	fput(file);
	return ret < 0 ? ret : 0;
}

static int write_to_debugfs(const char *path, const char *text)
{
	struct vfsmount *mnt = mount("debugfs");
	int ret;

	if (IS_ERR(mnt))
		return PTR_ERR(mnt);
	ret = write_to(mnt, path, text);
	kern_unmount(mnt);
	return ret;
}

int swap_test_read_debugfs(const char *path, char *text, size_t size)
{
	struct vfsmount *mnt = mount("debugfs");
	struct file *file;
	long ret;

	if (IS_ERR(mnt))
		return PTR_ERR(mnt);
	file = file_open_root_mnt(mnt, path, O_RDONLY, 0);
	ret = size > READ_MAX ? PTR_ERR_OR_ZERO(file) : -EINVAL;
	if (!ret)
		ret = call(&(struct call){
			.run = do_read, .text = "", .into = text, .file = file,
		});
	if (!IS_ERR(file))
		fput(file);
	kern_unmount(mnt);
	return ret < 0 ? ret : 0;
}

/* Resets all once-only warnings, so that they are printed again. */
int swap_test_warn_again(void)
{
	return write_to_debugfs("clear_warn_once", "1");
}

/* Makes fail_nth apply to each allocation, including those that may sleep. */
static int any_may_fail(void)
{
	static const char *const settings[][2] = {
		{ "failslab/verbose", "0" },
		{ "failslab/ignore-gfp-wait", "N" },
		{ "fail_page_alloc/verbose", "0" },
		{ "fail_page_alloc/ignore-gfp-wait", "N" },
		{ "fail_page_alloc/min-order", "0" },
	};
	int i, ret = 0;

	if (!IS_ENABLED(CONFIG_FAULT_INJECTION_DEBUG_FS))
		return 0;
	for (i = 0; i < ARRAY_SIZE(settings) && !ret; i++) {
		ret = write_to_debugfs(settings[i][0], settings[i][1]);
		if (ret == -ENOENT) /* one of the two isn't configured */
			ret = 0;
	}
	return ret;
}

/* --- Zswap ------------------------------------------------------------------- */

#ifdef CONFIG_ZSWAP
/*
 * The parameters that are restored after the suite. The pool of a compressor that the suite has set
 * is freed with its last page.
 */
static const char *const params[] = {
	"zswap.compressor", "zswap.max_pool_percent", "zswap.accept_threshold_percent",
	"zswap.shrinker_enabled", "zswap.enabled",
};

static char kept[ARRAY_SIZE(params)][64];

static int keep_params(void)
{
	int i, ret = 0;

	for (i = 0; i < ARRAY_SIZE(params) && !ret; i++)
		ret = get_param(params[i], kept[i], sizeof(kept[i]));
	return ret;
}

static int restore_params(void)
{
	int i, ret = 0;

	for (i = 0; i < ARRAY_SIZE(params); i++)
		ret = set_param(params[i], kept[i]) ?: ret;
	return ret;
}
#else
static int keep_params(void)
{
	return 0;
}

static int restore_params(void)
{
	return 0;
}
#endif

/* --- The swap device --------------------------------------------------------- */

#define NODE "/swap_test"

/* The path of the device that is active, or was active last. */
static char device[64];
/* Whether the suite has set up the device. */
static bool own;

static int make_node(void)
{
	struct dentry *dentry;
	struct path path;
	int ret;

	dentry = start_creating_path(AT_FDCWD, NODE, &path, 0);
	if (IS_ERR(dentry))
		return PTR_ERR(dentry);
	ret = vfs_mknod(mnt_idmap(path.mnt), d_inode(path.dentry), dentry, S_IFBLK | 0600,
			MKDEV(RAMDISK_MAJOR, 0), NULL);
	end_creating_path(&path, dentry);
	return ret;
}

static void remove_node(void)
{
	struct dentry *dentry;
	struct path path;

	dentry = start_removing_path(NODE, &path);
	if (IS_ERR(dentry))
		return;
	vfs_unlink(mnt_idmap(path.mnt), d_inode(path.dentry), dentry, NULL);
	end_removing_path(&path, dentry);
}

/* The active swap device. */
struct swap_info_struct *swap_test_device(void)
{
	int type;

	for (type = 0; type < MAX_SWAPFILES; type++)
		if (swap_info[type] && swap_info[type]->flags & SWP_WRITEOK)
			return swap_info[type];
	return NULL;
}

unsigned int swap_test_pages = SMALL_DEVICE;

/* Like mkswap. */
static int make_swap(void)
{
	union swap_header *header;
	struct file *file;
	loff_t pos = 0;
	ssize_t ret = -ENOMEM;

	file = bdev_file_open_by_dev(MKDEV(RAMDISK_MAJOR, 0), BLK_OPEN_READ | BLK_OPEN_WRITE,
				     &own, NULL);
	if (IS_ERR(file))
		return PTR_ERR(file);
	header = kzalloc(PAGE_SIZE, GFP_KERNEL);
	if (header) {
		header->info.version = 1;
		header->info.last_page = min_t(loff_t, swap_test_pages,
					       bdev_nr_bytes(file_bdev(file)) >> PAGE_SHIFT) - 1;
		memcpy(header->magic.magic, "SWAPSPACE2", 10);
		ret = kernel_write(file, header, PAGE_SIZE, &pos);
	}
	kfree(header);
	bdev_fput(file);
	if (ret < 0)
		return ret;
	return ret == PAGE_SIZE ? 0 : -EIO;
}

/* Uses the active swap device, or else sets one up on the first RAM disk. */
int swap_test_begin(struct kunit_suite *suite)
{
	struct swap_info_struct *si = swap_test_device();
	const char *name;
	int ret;

	own = false;
	ret = keep_params();
	if (ret)
		return ret;
	ret = any_may_fail();
	if (ret) {
		pr_err("%s: allocations can't be made to fail (%d)\n", suite->name, ret);
		return ret;
	}
	if (si) {
		char *buf __free(kfree) = kmalloc(sizeof(device), GFP_KERNEL);

		if (!buf)
			return -ENOMEM;
		name = file_path(si->swap_file, buf, sizeof(device));
		if (IS_ERR(name))
			return PTR_ERR(name);
		strscpy(device, name);
		return 0;
	}
	ret = make_swap();
	if (ret) {
		pr_err("%s: no swap is on, and no RAM disk can be used (%d): CONFIG_BLK_DEV_RAM\n",
		       suite->name, ret);
		return ret;
	}
	ret = make_node();
	if (ret && ret != -EEXIST)
		return ret;
	strscpy(device, NODE);
	ret = swap_test_swapon();
	own = !ret;
	return ret;
}

void swap_test_end(struct kunit_suite *suite)
{
	if (own && swap_test_swapoff())
		pr_err("%s: the swap device can't be taken out of use\n", suite->name);
	if (own)
		remove_node();
	own = false;
	if (restore_params())
		pr_err("%s: zswap's parameters can't be set to what they were\n", suite->name);
}

int swap_test_swapon(void)
{
	return call(&(struct call){ .run = do_swapon, .text = device });
}

int swap_test_swapoff(void)
{
	int ret = call(&(struct call){ .run = do_swapoff, .text = device });

	/* The files of a kernel thread are put later, and the device stays claimed until then. */
	flush_delayed_fput();
	return ret;
}

/* --- Cgroups ----------------------------------------------------------------- */

#ifdef CONFIG_MEMCG
/* Creates a cgroup of this name. Returns it with a reference. */
struct mem_cgroup *swap_test_make_group(const char *name)
{
	struct vfsmount *mnt = mount("cgroup2");
	struct cgroup_subsys_state *css;
	struct cgroup *cgroup;
	struct dentry *dentry;
	int ret;

	if (IS_ERR(mnt))
		return ERR_CAST(mnt);
	ret = write_to(mnt, "cgroup.subtree_control", "+memory");
	dentry = ret ? ERR_PTR(ret) : start_creating_noperm(mnt->mnt_root, &QSTR(name));
	if (!IS_ERR(dentry)) {
		dentry = vfs_mkdir(mnt_idmap(mnt), d_inode(mnt->mnt_root), dentry, 0755, NULL);
		end_creating(dentry);
	}
	kern_unmount(mnt);
	if (IS_ERR(dentry))
		return ERR_CAST(dentry);
	cgroup = cgroup_get_from_path(name);
	if (IS_ERR(cgroup))
		return ERR_CAST(cgroup);
	css = cgroup_get_e_css(cgroup, &memory_cgrp_subsys);
	cgroup_put(cgroup);
	return mem_cgroup_from_css(css);
}

/* Moves this task to a cgroup, by its path from the root with a slash at the end. */
int swap_test_enter_group(const char *path)
{
	struct vfsmount *mnt = mount("cgroup2");
	char procs[64], pid[16];
	int ret;

	if (IS_ERR(mnt))
		return PTR_ERR(mnt);
	snprintf(procs, sizeof(procs), "%scgroup.procs", path);
	/* Another task writes. */
	snprintf(pid, sizeof(pid), "%d", task_pid_nr(current));
	ret = write_to(mnt, procs, pid);
	kern_unmount(mnt);
	return ret;
}

int swap_test_remove_group(const char *name)
{
	struct vfsmount *mnt = mount("cgroup2");
	struct dentry *dentry;
	int ret;

	if (IS_ERR(mnt))
		return PTR_ERR(mnt);
	dentry = start_removing_noperm(mnt->mnt_root, &QSTR(name));
	ret = PTR_ERR_OR_ZERO(dentry);
	if (!ret) {
		ret = vfs_rmdir(mnt_idmap(mnt), d_inode(mnt->mnt_root), dentry, NULL);
		end_removing(dentry);
	}
	kern_unmount(mnt);
	return ret;
}
#endif
