// SPDX-License-Identifier: GPL-2.0

//! Sets of NUMA nodes.
//!
//! C header: [`include/linux/nodemask.h`](srctree/include/linux/nodemask.h)

use crate::{
    alloc::NumaNode,
    bindings, //
};

/// The NUMA nodes that have normal memory: at least one. Any context.
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
#[inline]
pub fn memory_nodes() -> impl Iterator<Item = NumaNode> {
    let mut nid = -1;
    core::iter::from_fn(move || {
        // SAFETY: `nid` is -1 or a node. A node that has memory is possible.
        unsafe {
            nid = bindings::next_memory_node(nid);
            (nid >= 0).then(|| NumaNode::from_possible(nid))
        }
    })
    .fuse()
}
