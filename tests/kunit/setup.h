/* SPDX-License-Identifier: GPL-2.0 */
/* Setup that user space does otherwise. */
#ifndef _SETUP_H
#define _SETUP_H

struct kunit_suite;
struct swap_info_struct;
struct mem_cgroup;

/* In pages: small, so that freed slots are reused soon. */
#define SMALL_DEVICE 8192

/* How many pages swap_test_begin() sets up at most: SMALL_DEVICE, unless a suite wants more. */
extern unsigned int swap_test_pages;

/* A suite's suite_init and suite_exit. */
int swap_test_begin(struct kunit_suite *suite);
void swap_test_end(struct kunit_suite *suite);

/* The active swap device, or NULL. */
struct swap_info_struct *swap_test_device(void);

/* Swapon of the device that swap_test_begin() has found or set up. */
int swap_test_swapon(void);
int swap_test_swapoff(void);

/* Called at the start of a case that counts warnings. */
int swap_test_warn_again(void);

/* Reads a file of at most 32 bytes in debugfs. @text must also have room for a NUL. */
int swap_test_read_debugfs(const char *path, char *text, size_t size);

/* Creates a cgroup below the root. Returns it with a reference. */
struct mem_cgroup *swap_test_make_group(const char *name);
/* Moves this task to the cgroup "NAME/", or with "" to the root. */
int swap_test_enter_group(const char *path);
int swap_test_remove_group(const char *name);

#endif
