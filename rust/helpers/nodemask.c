// SPDX-License-Identifier: GPL-2.0

#include <linux/nodemask.h>

__rust_helper bool rust_helper_node_has_normal_memory(int nid)
{
	return node_state(nid, N_NORMAL_MEMORY);
}

__rust_helper bool rust_helper_node_is_possible(int nid)
{
	return nid >= 0 && nid < nr_node_ids && node_possible(nid);
}

__rust_helper int rust_helper_max_node_ids(void)
{
	return nr_node_ids;
}
