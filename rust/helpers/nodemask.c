// SPDX-License-Identifier: GPL-2.0

#include <linux/nodemask.h>

/* The next node with normal memory after @node, which may be -1; -1 after the last one. */
__rust_helper int rust_helper_next_memory_node(int node)
{
	node = next_node(node, node_states[N_NORMAL_MEMORY]);
	return node < MAX_NUMNODES ? node : NUMA_NO_NODE;
}

__rust_helper bool rust_helper_node_possible(int node)
{
	return node_possible(node);
}

/* nr_node_ids is a variable, or a macro without CONFIG_NUMA. */
__rust_helper unsigned int rust_helper_max_node_ids(void)
{
	return nr_node_ids;
}
