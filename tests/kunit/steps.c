// SPDX-License-Identifier: GPL-2.0
/*
 * The cost of clearing and copying a page, in ticks of the time stamp counter: reading
 * /sys/kernel/debug/page_steps does each once. Where that counter counts instructions, as in QEMU
 * with -icount, this shows whether the kernel does it byte by byte. The first line is for a loop of
 * 200,000 instructions.
 */

#include <linux/debugfs.h>
#include <linux/gfp.h>
#include <linux/init.h>
#include <linux/irqflags.h>
#include <linux/mm.h>
#include <linux/seq_file.h>
#include <linux/string.h>

#include <asm/msr.h>
#include <asm/tsc.h>

#define PUT_TICKS(m, name, act) do {			\
	unsigned long flags;				\
	u64 start, end;					\
							\
	local_irq_save(flags);				\
	start = rdtsc_ordered();			\
	act;						\
	end = rdtsc_ordered();				\
	local_irq_restore(flags);			\
	seq_printf(m, "%s %llu\n", name, end - start);	\
} while (0)

static int page_steps_show(struct seq_file *m, void *unused)
{
	void *from __free(free_page) = (void *)get_zeroed_page(GFP_KERNEL);
	void *to __free(free_page) = (void *)get_zeroed_page(GFP_KERNEL);
	unsigned long rounds = 100000;
	/* Hidden from the compiler, which would inline short copies. */
	size_t size = PAGE_SIZE;

	OPTIMIZER_HIDE_VAR(size);
	if (!from || !to)
		return -ENOMEM;
	PUT_TICKS(m, "loop", asm volatile("1: dec %0; jnz 1b" : "+r"(rounds)));
	PUT_TICKS(m, "clear_page", clear_page(to));
	PUT_TICKS(m, "copy_page", copy_page(to, from));
	PUT_TICKS(m, "memset", memset(to, 0, size));
	PUT_TICKS(m, "memcpy", memcpy(to, from, size));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(page_steps);

static int __init page_steps_init(void)
{
	debugfs_create_file("page_steps", 0400, NULL, NULL, &page_steps_fops);
	return 0;
}
late_initcall(page_steps_init);
