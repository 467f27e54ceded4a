/* SPDX-License-Identifier: GPL-2.0 */
/* Shared by the parts of stress. */
#ifndef STRESS_H
#define STRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "../pages.h"

#define CG "/cg/stress"
#define PARAM "/sys/module/zswap/parameters/"
#define ACCEL "/sys/kernel/debug/zswap_accel/"
#define FAULTY "/sys/kernel/debug/zswap_faulty/compress/"
#define THP "/sys/kernel/mm/transparent_hugepage/"

#define WORKERS 5
#define WORKER_PAGES 4096UL
#define SWAPS 2
#define REPORTS 20 /* wrong pages and faults that are described, of all that are counted */

enum {
	COMPARED, WRONG, OLD_ZERO, KILLED, FAULTS, FORKS, REFUSED, CGROUPS, CPUS, LIMITS, RECLAIMS,
	FLIPS, ACCELS, COUNTS
};

/* Shared by all processes, and never swapped. */
struct all {
	unsigned long count[COUNTS];
	unsigned long swapoffs[SWAPS], back[SWAPS];
	unsigned long swapped;
	unsigned int owners;
	bool stop, last;
};

struct swap {
	const char *path, *disk;
};

extern struct all *all;
extern struct swap swaps[SWAPS];
extern int nr_swaps;

/* --- helpers.c: counters, output, random numbers, files, children */

/* This process's random state; its name. */
extern uint64_t dice;
extern const char *role;

void count(int what);
unsigned long counted(int what);
bool over(bool *flag);
__attribute__((format(printf, 1, 2))) void say(const char *format, ...);
void fault(const char *what, int error);
__attribute__((noreturn)) void die(const char *what);
uint64_t now_us(void);
uint64_t now(void);
unsigned long roll(unsigned long n);
bool one_in(unsigned long n);
void rest(unsigned long ms);
int put(const char *text, const char *format, ...);
unsigned long number(const char *path, const char *word);
int reap(int flags);
pid_t begin(const char *as, unsigned long number);
void join(const char *format, unsigned long number);

/* --- pages.c: pages with known contents */

enum kind { ZERO, WORD, TEXT, RANDOM };

struct mark {
	uint32_t owner; /* who wrote the page */
	uint32_t generation : 30, kind : 2;
};

/* This process's memory, and the owner as which it writes. */
extern unsigned char *mem;
extern size_t pages;
extern bool shared;
extern uint32_t me;

/* Never swapped, except in a child. */
extern struct mark marks[WORKER_PAGES];

void write_pages(size_t first, size_t n, int zeros);
void compare(size_t first, size_t n, const char *when);
void advise(size_t first, size_t n, int advice);
void map(size_t n, bool huge);

/* --- worker.c: the workers */

void split_off(void);
__attribute__((noreturn)) void worker(unsigned long nr);

/* --- agents.c: the agents */

struct agent {
	const char *name;
	void (*run)(void);
};

#define AGENTS 8
extern const struct agent agents[AGENTS];

bool swap_off(int i);
void swap_on(int i);

#endif
