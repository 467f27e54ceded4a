// SPDX-License-Identifier: GPL-2.0

//! Sets of NUMA nodes.
//!
//! C header: [`include/linux/nodemask.h`](srctree/include/linux/nodemask.h)

use crate::{
    alloc::NumaNode,
    bindings,
    prelude::*, //
};

/// The NUMA nodes with memory that the kernel can use: at least one.
///
/// Mirrors `for_each_node_state(nid, N_NORMAL_MEMORY)`.
///
/// # Examples
///
/// ```
/// use kernel::nodemask::memory_nodes;
///
/// assert!(memory_nodes().next().is_some());
/// ```
pub fn memory_nodes() -> impl Iterator<Item = NumaNode> {
    // SAFETY: No requirement.
    let nr = unsafe { bindings::max_node_ids() } as c_int;
    (0..nr)
        .filter_map(|nid| NumaNode::new(nid).ok())
        // SAFETY: The node is possible, and so a bit of the map.
        .filter(|nid| unsafe {
            bindings::node_state(nid.as_raw(), bindings::node_states_N_NORMAL_MEMORY) != 0
        })
}
