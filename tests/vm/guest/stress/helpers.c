// SPDX-License-Identifier: GPL-2.0
/* Counters, output, random numbers, files, children: see stress.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "stress.h"

uint64_t dice;
const char *role = "stress";


void count(int what)
{
	__atomic_add_fetch(&all->count[what], 1, __ATOMIC_RELAXED);
}

unsigned long counted(int what)
{
	return __atomic_load_n(&all->count[what], __ATOMIC_RELAXED);
}

bool over(bool *flag)
{
	return __atomic_load_n(flag, __ATOMIC_ACQUIRE);
}

/* A single write, so that lines of several processes don't mix. */
__attribute__((format(printf, 1, 2))) void say(const char *format, ...)
{
	char line[400];
	va_list args;

	va_start(args, format);
	int n = vsnprintf(line, sizeof(line) - 1, format, args);
	va_end(args);
	if (n > (int)sizeof(line) - 2)
		n = sizeof(line) - 2;
	line[n++] = '\n';
	if (write(1, line, n) != n)
		_exit(1);
}

/* Reports an unexpected result of a system call. */
void fault(const char *what, int error)
{
	count(FAULTS);
	if (counted(FAULTS) <= REPORTS)
		say("FAULT %s: %s: %s", role, what, strerror(error));
}

void die(const char *what)
{
	fault(what, errno);
	_exit(1);
}

uint64_t now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000ULL + t.tv_nsec / 1000;
}

/* In milliseconds. */
uint64_t now(void)
{
	return now_us() / 1000;
}

/* 0 to n - 1 */
unsigned long roll(unsigned long n)
{
	return (next(&dice) >> 16) % n;
}

bool one_in(unsigned long n)
{
	return !roll(n);
}

/* Sleeps up to that many milliseconds. */
void rest(unsigned long ms)
{
	for (uint64_t end = now() + roll(ms) + 1; now() < end && !over(&all->stop);)
		usleep(5000);
}

/* A single write(2) of a short text: 0 or the errno. */
int put(const char *text, const char *format, ...)
{
	char path[200];
	int fd, error = 0;
	va_list args;

	va_start(args, format);
	vsnprintf(path, sizeof(path), format, args);
	va_end(args);
	fd = open(path, O_WRONLY);
	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		error = errno;
	if (fd >= 0)
		close(fd);
	return error;
}

/* The number after a word at the start of a line; with no word, the first in the file. */
unsigned long number(const char *path, const char *word)
{
	char line[400];
	size_t n = word ? strlen(word) : 0;
	unsigned long value = 0;
	FILE *file = fopen(path, "r");

	while (file && fgets(line, sizeof(line), file)) {
		if (!word || (!strncmp(line, word, n) && (line[n] == ' ' || line[n] == '\t'))) {
			value = strtoul(line + n, NULL, 10);
			break;
		}
	}
	if (file)
		fclose(file);
	return value;
}

int reap(int flags)
{
	int status;
	pid_t pid = waitpid(-1, &status, flags);

	if (pid <= 0)
		return 0;
	if (WIFSIGNALED(status)) {
		count(KILLED);
		say("KILLED a child of %s, by signal %d (%s)", role, WTERMSIG(status),
		    strsignal(WTERMSIG(status)));
	}
	return 1;
}

pid_t begin(const char *as, unsigned long number)
{
	static char name[60];
	uint64_t own = next(&dice) * 0x9e3779b97f4a7c15ULL | 1;
	char text[60];
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (pid)
		return pid;
	snprintf(text, sizeof(text), "%s%s%lu", as, strchr(as, ' ') ? ", child " : " ", number);
	strcpy(name, text);
	role = name;
	dice = own;
	return 0;
}

void join(const char *format, unsigned long number)
{
	char group[40];
	int error;

	snprintf(group, sizeof(group), format, number);
	error = put("0", CG "/%s/cgroup.procs", group);
	if (error)
		fault("cgroup.procs", error);
}
