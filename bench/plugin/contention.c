// SPDX-License-Identifier: GPL-2.0
/*
 * A QEMU TCG plugin that counts what makes CPUs wait for each other: locked instructions, and accesses to
 * cache lines that another CPU has. For one thread that runs all CPUs in turn (-icount), so nothing here is
 * locked, and the same guest gives the same counts.
 *
 * out=FILE      what was counted: for each window a line "window CPUS INSTRUCTIONS COUNTS", then a line "ADDRESS
 *               COUNTS" for each instruction of the kernel that had to do with it. The COUNTS are of locked
 *               instructions, transfers of modified lines from another CPU, invalidations of shared ones, and
 *               calls of zswap; and again the four, of what happened between such a call and its return
 * entries=FILE  lines "ADDRESS irq" and "ADDRESS exc", where the kernel is entered, and "ADDRESS zswap", where zswap is
 * seed=N        of the lengths of the CPUs' turns
 * turn=N        their mean, in instructions
 *
 * The guest's program marks its windows by no-ops that have a number in them. A window is what the CPUs do
 * between their begin and their end, in the kernel and not in interrupts; user windows count user mode
 * instead, for proofs of this plugin. While a window is armed, CPUs take turns of some instructions, as if they ran side by side.
 *
 * Each line of memory is Modified in the cache of one CPU, or shared by some, or in none: MESI, of which E
 * makes no difference here. Caches are taken to be of any size: nothing is ever evicted.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "qemu-plugin.h"

#define LINE_SHIFT 6
#define MEMORY (4UL << 30) /* a guest has less, and without a hole */
#define MOST_CPUS 8
#define MODIFIED (1 << MOST_CPUS)

/* nopl MARK + (what << 8) + CPUS(%rax), of seven bytes */
#define MARK 0x434d0000U
enum { TRACK = 1, ARM, BEGIN, BEGIN_USER, END };

enum kind { LOCKED, TRANSFERS, INVALIDATIONS, CALLS, KINDS };

/* What an instruction of the kernel did in this window; all of the user's are one. */
struct site {
	uint64_t pc, all[KINDS], zswap[KINDS];
	struct site *next, *next_used;
	enum { PLAIN, EXCEPTION, INTERRUPT, ZSWAP } entry;
	bool used;
};

/* Instructions that are translated as one, and entered only at the first. */
struct block {
	uint64_t pc, length;
	bool is_user;
};

/*
 * The running CPU is told by its base of per-CPU data in the kernel. The index that QEMU passes to callbacks is
 * no use: where one thread runs all CPUs, it is that of the CPU for which the code was translated.
 */
static struct cpu {
	uint64_t base;
	bool counts, counts_user;
	uint64_t interrupts; /* which entries not returned from are interrupts, the last one the lowest bit */
	uint64_t return_to; /* from zswap, if it is there */
} cpus[MOST_CPUS], *cpu = cpus;
static struct qemu_plugin_register *gs_base, *k_gs_base, *rsp;
static GByteArray *value;

#define BUCKETS (1 << 16)
static struct site *sites[BUCKETS], *used, user;

static uint16_t *lines; /* a bit for each CPU that has the line, and MODIFIED */
static bool tracks, armed;
static int nr_begun, nr_ended;
static uint64_t instructions;
static uint64_t seed = 1, turn = 64;
static int64_t left;
static const void *control;
static FILE *out;
static pthread_t thread;

QEMU_PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_VERSION;

static void die(const char *what, const char *which)
{
	fprintf(stderr, "contention: %s%s\n", what, which);
	exit(1);
}

static struct site *site_of(uint64_t pc)
{
	struct site **first = &sites[(pc ^ pc >> 16) % BUCKETS], *site;

	for (site = *first; site; site = site->next)
		if (site->pc == pc)
			return site;
	site = calloc(1, sizeof(*site));
	if (!site)
		die("no memory", "");
	site->pc = pc;
	site->next = *first;
	*first = site;
	return site;
}

/* If what this instruction does is to be counted now. */
static void count(struct site *site, enum kind kind)
{
	if (site == &user ? !cpu->counts_user : !cpu->counts || cpu->interrupts)
		return;
	if (!site->used) {
		site->used = true;
		site->next_used = used;
		used = site;
	}
	site->all[kind]++;
	if (cpu->return_to)
		site->zswap[kind]++;
}

static void touch(uint64_t address, bool write, struct site *site)
{
	uint16_t *line = &lines[address >> LINE_SHIFT], me = 1 << (cpu - cpus);

	if (address >= MEMORY)
		die("the guest has more memory than 4 GiB", "");
	if (*line == (me | MODIFIED) || (!write && *line & me))
		return;
	if (*line & MODIFIED)
		count(site, TRANSFERS);
	else if (write && *line & ~me)
		count(site, INVALIDATIONS);
	*line = write ? me | MODIFIED : (*line & ~MODIFIED) | me;
}

/* By what it is in memory: the kernel and the user know the same page by two addresses. */
static void touch_at(qemu_plugin_meminfo_t info, uint64_t address, struct site *site)
{
	struct qemu_plugin_hwaddr *memory = qemu_plugin_get_hwaddr(info, address);

	if (memory && !qemu_plugin_hwaddr_is_io(memory))
		touch(qemu_plugin_hwaddr_phys_addr(memory), qemu_plugin_mem_is_store(info), site);
}

static void access(unsigned int index, qemu_plugin_meminfo_t info, uint64_t address, void *site)
{
	uint64_t last = address + (1UL << qemu_plugin_mem_size_shift(info)) - 1;

	if (!tracks)
		return;
	touch_at(info, address, site);
	if (address >> LINE_SHIFT != last >> LINE_SHIFT)
		touch_at(info, last, site);
}

static void locked(unsigned int index, void *udata)
{
	count(udata, LOCKED);
}

static uint64_t read_register(struct qemu_plugin_register *which)
{
	uint64_t read;

	g_byte_array_set_size(value, 0);
	if (qemu_plugin_read_register(which, value) != sizeof(read))
		die("a register isn't of 8 bytes", "");
	memcpy(&read, value->data, sizeof(read));
	return read;
}

static void entry(unsigned int index, void *udata)
{
	const struct site *site = udata;

	if (!tracks)
		return;
	if (site->entry != ZSWAP) {
		cpu->interrupts = cpu->interrupts << 1 | (site->entry == INTERRUPT);
	} else if (!cpu->return_to) {
		count(udata, CALLS);
		g_byte_array_set_size(value, 0);
		if (!qemu_plugin_read_memory_vaddr(read_register(rsp), value, sizeof(cpu->return_to)))
			die("can't read a return address", "");
		memcpy(&cpu->return_to, value->data, sizeof(cpu->return_to));
	}
}

static void interrupt_return(unsigned int index, void *udata)
{
	if (tracks)
		cpu->interrupts >>= 1;
}

/* Of different lengths, so that no CPU keeps meeting another at the same place. */
static int64_t next_turn(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return turn / 2 + seed % (turn + 1);
}

/* In the kernel it is the first of these two, else, and on the kernel's first and last steps, the second. */
static struct cpu *this_cpu(void)
{
	uint64_t base = read_register(gs_base);

	if (!(base >> 63))
		base = read_register(k_gs_base);
	for (struct cpu *it = cpus; it < cpus + MOST_CPUS; it++) {
		if (!it->base)
			it->base = base;
		if (it->base == base)
			return it;
	}
	die("there are more CPUs than 8", "");
	return NULL;
}

static void find_registers(qemu_plugin_id_t id, unsigned int index)
{
	g_autoptr(GArray) registers = qemu_plugin_get_registers();

	for (size_t i = 0; i < registers->len; i++) {
		qemu_plugin_reg_descriptor *it = &g_array_index(registers, qemu_plugin_reg_descriptor, i);

		if (!strcmp(it->name, "gs_base"))
			gs_base = it->handle;
		else if (!strcmp(it->name, "k_gs_base"))
			k_gs_base = it->handle;
		else if (!strcmp(it->name, "rsp"))
			rsp = it->handle;
	}
	if (!gs_base || !k_gs_base || !rsp)
		die("the CPU has no gs_base, k_gs_base or rsp", "");
}

static void block(unsigned int index, void *udata)
{
	const struct block *it = udata;

	if (!tracks)
		return;
	cpu = this_cpu();
	if (it->is_user || it->pc == cpu->return_to)
		cpu->return_to = 0;
	if (it->is_user)
		cpu->interrupts = 0;
	if (it->is_user ? cpu->counts_user : cpu->counts && !cpu->interrupts)
		instructions += it->length;
	if (!armed)
		return;
	left -= it->length;
	if (left > 0)
		return;
	left = next_turn();
	/* A time that is past: all that comes of it is that the CPU stops, and QEMU goes on with the next. */
	qemu_plugin_update_ns(control, 1);
}

static void put_counts(const struct site *site)
{
	for (int kind = 0; kind < KINDS; kind++)
		fprintf(out, " %lu", site->all[kind]);
	for (int kind = 0; kind < KINDS; kind++)
		fprintf(out, " %lu%s", site->zswap[kind], kind == KINDS - 1 ? "\n" : "");
}

static void end_window(void)
{
	struct site total = { 0 }, *site;

	for (site = used; site; site = site->next_used)
		for (int kind = 0; kind < KINDS; kind++) {
			total.all[kind] += site->all[kind];
			total.zswap[kind] += site->zswap[kind];
		}
	fprintf(out, "window %d %lu", nr_ended, instructions);
	put_counts(&total);
	while ((site = used)) {
		fprintf(out, "%lx", site->pc);
		put_counts(site);
		used = site->next_used;
		memset(site->all, 0, sizeof(site->all));
		memset(site->zswap, 0, sizeof(site->zswap));
		site->used = false;
	}
	if (fflush(out))
		die("can't write what was counted", "");
	nr_begun = nr_ended = 0;
	instructions = 0;
	armed = false;
}

static void mark(unsigned int index, void *udata)
{
	int what = (uintptr_t)udata >> 8 & 0xff, nr = (uintptr_t)udata & 0xff;

	if (!tracks) {
		thread = pthread_self();
		cpu = this_cpu();
	}
	if (!pthread_equal(thread, pthread_self()))
		die("the CPUs aren't run by one thread: start QEMU with -icount", "");
	switch (what) {
	case TRACK:
		tracks = true;
		break;
	case ARM:
		armed = true;
		break;
	case BEGIN:
	case BEGIN_USER:
		cpu->counts = what == BEGIN;
		cpu->counts_user = what == BEGIN_USER;
		nr_begun++;
		break;
	case END:
		if (!cpu->counts && !cpu->counts_user)
			die("a window ends that wasn't begun", "");
		cpu->counts = cpu->counts_user = false;
		if (++nr_ended > nr_begun)
			die("more windows end than begin", "");
		if (nr_ended == nr)
			end_window();
		break;
	default:
		die("a mark that isn't known", "");
	}
}

/* A lock prefix; or an exchange with memory, which needs none. */
static bool is_locked(const uint8_t *code, size_t size)
{
	for (size_t i = 0; i < size; i++)
		switch (code[i]) {
		case 0xf0:
			return true;
		case 0x26: case 0x2e: case 0x36: case 0x3e: case 0x64: case 0x65: case 0x66: case 0x67:
		case 0xf2: case 0xf3: case 0x40 ... 0x4f:
			break;
		case 0x86: case 0x87:
			return i + 1 < size && code[i + 1] >> 6 != 3;
		default:
			return false;
		}
	return false;
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t n = qemu_plugin_tb_n_insns(tb);
	bool is_user = !(qemu_plugin_tb_vaddr(tb) >> 63);
	struct block *it = malloc(sizeof(*it)); /* not freed, as QEMU doesn't say when */

	if (!it)
		die("no memory", "");
	*it = (struct block){ .pc = qemu_plugin_tb_vaddr(tb), .length = n, .is_user = is_user };
	qemu_plugin_register_vcpu_tb_exec_cb(tb, block, QEMU_PLUGIN_CB_R_REGS, it);
	for (size_t i = 0; i < n; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		struct site *site = is_user ? &user : site_of(qemu_plugin_insn_vaddr(insn));
		uint8_t code[15];
		uint32_t number;
		size_t size = qemu_plugin_insn_data(insn, code, sizeof(code));

		qemu_plugin_register_vcpu_mem_cb(insn, access, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW, site);
		if (is_locked(code, size))
			qemu_plugin_register_vcpu_insn_exec_cb(insn, locked, QEMU_PLUGIN_CB_NO_REGS, site);
		if (site->entry)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, entry, QEMU_PLUGIN_CB_R_REGS, site);
		if (!is_user && size == 2 && !memcmp(code, "\x48\xcf", 2))
			qemu_plugin_register_vcpu_insn_exec_cb(insn, interrupt_return, QEMU_PLUGIN_CB_NO_REGS, NULL);
		if (!is_user || size != 7 || memcmp(code, "\x0f\x1f\x80", 3))
			continue;
		memcpy(&number, code + 3, sizeof(number));
		if ((number ^ MARK) >> 16 == 0)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, mark, QEMU_PLUGIN_CB_R_REGS,
							       (void *)(uintptr_t)(number & 0xffff));
	}
}

static void read_entries(const char *path)
{
	FILE *file = fopen(path, "r");
	unsigned long pc;
	char kind[8];
	int found = 0;

	if (!file)
		die("can't read ", path);
	while (fscanf(file, "%lx %7s", &pc, kind) == 2) {
		site_of(pc)->entry = !strcmp(kind, "irq") ? INTERRUPT : !strcmp(kind, "exc") ? EXCEPTION : ZSWAP;
		found++;
	}
	fclose(file);
	if (!found)
		die("no entries of the kernel in ", path);
}

QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
	if (!info->system_emulation || info->system.max_vcpus > MOST_CPUS)
		die("for a machine of at most 8 CPUs", "");
	for (int i = 0; i < argc; i++) {
		const char *text = strchr(argv[i], '=');

		text = text ? text + 1 : "";
		if (!strncmp(argv[i], "out=", 4))
			out = fopen(text, "w");
		else if (!strncmp(argv[i], "entries=", 8))
			read_entries(text);
		else if (!strncmp(argv[i], "seed=", 5))
			seed = strtoull(text, NULL, 10) * 0x9e3779b97f4a7c15ULL | 1;
		else if (!strncmp(argv[i], "turn=", 5))
			turn = strtoull(text, NULL, 10);
		else
			die("what is ", argv[i]);
	}
	if (!out || !turn)
		die("needs out=FILE, which can be written to, and turns", "");
	lines = mmap(NULL, (MEMORY >> LINE_SHIFT) * sizeof(*lines), PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (lines == MAP_FAILED)
		die("no memory", "");
	control = qemu_plugin_request_time_control();
	if (!control)
		die("another plugin has QEMU's time", "");
	value = g_byte_array_new();
	qemu_plugin_register_vcpu_init_cb(id, find_registers);
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	return 0;
}
