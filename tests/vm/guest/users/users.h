/* SPDX-License-Identifier: GPL-2.0 */
/* Shared by the scenes (helpers.c): areas of memory, their state, swapping them out. */
#ifndef USERS_H
#define USERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/types.h>

#include "../pages.h"

#define HUGE_PAGES (HUGE / PAGE)
#define GROUP "/cg/users"
#define STUCK 150 /* seconds after which a process is ended: its fault may fail forever */
#define THP "/sys/kernel/mm/transparent_hugepage/"

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

#define ZERO 0
#define GONE UINT32_MAX

/* Memory, and the expected contents of each page: ZERO, GONE, or the seed of a pattern. */
struct area {
	unsigned char *mem;
	size_t pages;
	uint32_t *seeds;
};

/* A scene has one of the two functions. */
struct scene {
	const char *name;
	void (*play)(void);
	void (*play_with)(const char *argument);
};

/* The scenes of each file; one without a name ends the array. */
extern const struct scene fork_scenes[], ksm_scenes[], thp_scenes[], large_scenes[];
extern const struct scene shared_scenes[], uffd_scenes[], cache_scenes[], swapoff_scenes[];
extern const struct scene readahead_scenes[], whole_scenes[];

/* This process's pagemap file. */
extern int pagemap;

/* The current step, for error messages. */
extern const char *step;

/* Set as long as other threads should continue. */
extern bool racing;

/* --- Output */
__attribute__((format(printf, 1, 2))) void say(const char *format, ...);
__attribute__((noreturn)) void die(const char *what);
void write_to(const char *file, const char *text);
long read_from(const char *file);
long number_in(const char *file, const char *name);
long vmstat(const char *name);
long folio_stat(long kib, const char *name);

/* --- Memory */
void make_page(uint64_t *to, uint32_t seed, size_t index);
void same(const unsigned char *mem, uint32_t seed, size_t index);
void check_page(const struct area *a, size_t i);
void check(const struct area *a, const char *now);
void touch(const struct area *a, size_t i);
void fill_page(struct area *a, size_t i, uint32_t seed);
void fill(struct area *a, size_t first, size_t every, uint32_t seed);
unsigned char *room(size_t pages);
struct area map(size_t pages, int fd);
struct area anon(size_t pages, bool huge);
struct area shared(size_t pages, int *fd);

void advise(const struct area *a, size_t first, size_t n, int advice, const char *name);
#define ADVISE(a, first, n, advice) advise(a, first, n, advice, #advice)
#define ADVISE_ALL(a, advice) advise(a, 0, (a)->pages, advice, #advice)

/* --- State */
bool is_swapped(const struct area *a, size_t i);
uint64_t slot(const struct area *a, size_t i);
size_t swapped(const struct area *a);
size_t resident(const struct area *a);
size_t cached(bool *there);
bool settled(void);
bool soon(bool (*what)(void));
long major(void);

/* --- Swapping out */
void reclaim(void);
size_t squeeze(const struct area *a, size_t (*there)(const struct area *), size_t want);
size_t in_memory(const struct area *a);
void drop(void);
void out_some(const struct area *a, size_t first, size_t n);
size_t out(const struct area *a);
void leave(void);

/* --- Children */
pid_t spawn(void);
int reap(int n);
__attribute__((noreturn)) void end_child(void);
void any_cpu(void);

#endif
