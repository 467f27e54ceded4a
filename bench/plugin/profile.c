// SPDX-License-Identifier: GPL-2.0
/*
 * A QEMU TCG plugin that counts the kernel's instructions by where they are, in windows that the guest's program
 * marks. For one CPU.
 *
 * out=FILE   a line "windows N", then lines "ADDRESS INSTRUCTIONS" of the blocks that were executed in them
 * skip=N     so many windows aren't counted first
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "qemu-plugin.h"

/* nopl MARK + what(%rax), of seven bytes */
#define MARK 0x50524600U
enum { BEGIN = 1, END };

/* Instructions that are translated as one, and entered only at the first. */
struct block {
	uint64_t pc, length, times;
	struct block *next;
};

QEMU_PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_VERSION;

static struct block *blocks;
static const char *out;
static long skip, windows;
static bool open;

static void executed(unsigned int cpu, void *block)
{
	((struct block *)block)->times += open;
}

static void marked(unsigned int cpu, void *what)
{
	bool begins = (uintptr_t)what == BEGIN;

	if (begins)
		windows++;
	open = begins && windows > skip;
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t n = qemu_plugin_tb_n_insns(tb);
	uint64_t pc = qemu_plugin_tb_vaddr(tb);
	unsigned char code[16];
	struct block *block;
	uint32_t mark;

	if (pc >> 63) { /* the kernel's */
		block = malloc(sizeof(*block));
		if (!block)
			abort();
		*block = (struct block){ .pc = pc, .length = n, .next = blocks };
		blocks = block;
		qemu_plugin_register_vcpu_tb_exec_cb(tb, executed, QEMU_PLUGIN_CB_NO_REGS, block);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);

		if (qemu_plugin_insn_data(insn, code, sizeof(code)) != 7 || memcmp(code, "\x0f\x1f\x80", 3))
			continue;
		memcpy(&mark, code + 3, sizeof(mark));
		if (mark == MARK + BEGIN || mark == MARK + END)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, marked, QEMU_PLUGIN_CB_NO_REGS,
							       (void *)(uintptr_t)(mark - MARK));
	}
}

static void ended(qemu_plugin_id_t id, void *data)
{
	FILE *file = fopen(out, "w");

	if (!file) {
		perror(out);
		exit(1);
	}
	fprintf(file, "windows %ld\n", windows > skip ? windows - skip : 0);
	for (struct block *block = blocks; block; block = block->next)
		if (block->times)
			fprintf(file, "%" PRIx64 " %" PRIu64 "\n", block->pc, block->times * block->length);
	if (fclose(file)) {
		perror(out);
		exit(1);
	}
}

QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
	for (int i = 0; i < argc; i++) {
		if (!strncmp(argv[i], "out=", 4))
			out = strdup(argv[i] + 4);
		else if (!strncmp(argv[i], "skip=", 5))
			skip = atol(argv[i] + 5);
		else
			return -1;
	}
	if (!out)
		return -1;
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	qemu_plugin_register_atexit_cb(id, ended, NULL);
	return 0;
}
