// SPDX-License-Identifier: GPL-2.0

#include <linux/cpumask.h>
#include <linux/percpu.h>
#include <linux/topology.h>

__rust_helper void __percpu *rust_helper_alloc_percpu_gfp(size_t size,
							  size_t align,
							  gfp_t gfp)
{
	return __alloc_percpu_gfp(size, align, gfp);
}

__rust_helper void *rust_helper_per_cpu_ptr(void __percpu *ptr,
					    unsigned int cpu)
{
	return per_cpu_ptr(ptr, cpu);
}

__rust_helper void *rust_helper_raw_cpu_ptr(void __percpu *ptr)
{
	return raw_cpu_ptr(ptr);
}

__rust_helper bool rust_helper_cpu_possible(unsigned int cpu)
{
	return cpu_possible(cpu);
}

__rust_helper int rust_helper_cpu_to_node(int cpu)
{
	return cpu_to_node(cpu);
}
