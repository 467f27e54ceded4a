// SPDX-License-Identifier: GPL-2.0

#include <linux/cpumask.h>
#include <linux/topology.h>

__rust_helper bool rust_helper_cpu_possible(unsigned int cpu)
{
	return cpu_possible(cpu);
}

__rust_helper int rust_helper_cpu_to_node(int cpu)
{
	return cpu_to_node(cpu);
}
