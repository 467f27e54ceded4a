// SPDX-License-Identifier: GPL-2.0

#include <linux/nodemask.h>

__rust_helper int rust_helper_node_state(int node, enum node_states state)
{
	return node_state(node, state);
}

__rust_helper bool rust_helper_node_possible(int node)
{
	return node_possible(node);
}

/* nr_node_ids is a variable or a constant. */
__rust_helper unsigned int rust_helper_max_node_ids(void)
{
	return nr_node_ids;
}
