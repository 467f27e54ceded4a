/* SPDX-License-Identifier: GPL-2.0 */
/* What user space has elsewhere. */
#ifndef _SETUP_H
#define _SETUP_H

struct kunit_suite;
struct mem_cgroup;

/* In pages: small, to get the same slot again. */
#define SMALL_DEVICE 8192

/* For a suite to begin and to end with. */
int swap_test_begin(struct kunit_suite *suite);
void swap_test_end(struct kunit_suite *suite);

/* The device that swap_test_begin() has found or made. */
int swap_test_swapon(void);
int swap_test_swapoff(void);

/* For a case that counts warnings to begin with. */
int swap_test_warn_again(void);

/* A new cgroup below the root, with a reference. */
struct mem_cgroup *swap_test_make_group(const char *name);
int swap_test_remove_group(const char *name);

#endif
