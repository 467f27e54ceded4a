// SPDX-License-Identifier: GPL-2.0-or-later
// Numbers that can't be made up: nodes, frames, shadows, allocation flags.
//@[control] check-pass
#![deny(unsafe_code)]
use kernel::{
    alloc::{Flags, NumaNode},
    crypto::acompress::{Algorithm, Compressor},
    mm::swap_table::{Pfn, Shadow},
    prelude::*,
};

// C looks up the memory of an impossible node, beyond the end of an array or through a null
// pointer. The constructor checks that a node is possible, and the policy has no other constructor.
#[cfg(any(control, node_of_a_number))]
pub mod node_of_a_number {
    use super::*;

    pub fn attack(algorithm: &Algorithm) -> Result<Compressor> {
        #[cfg(node_of_a_number)]
        let node = NumaNode(1023); //~[node_of_a_number] E0423
        #[cfg(node_of_a_number)]
        let node = NumaNode::from_possible(1023); //~[node_of_a_number] E0624
        #[cfg(control)]
        let node = NumaNode::new(1023)?;
        Compressor::new(algorithm, node)
    }
}

// A page frame number made from any number.
#[cfg(any(control, frame_of_a_number))]
pub mod frame_of_a_number {
    use super::*;

    pub fn attack(pfn: Pfn) -> Pfn {
        #[cfg(frame_of_a_number)]
        let pfn = Pfn::new(pfn.get() + 1); //~[frame_of_a_number] E0624
        pfn
    }
}

// An invalid shadow, such as null, is written into a slot: the workingset code decodes it as an
// eviction, and looks up its node.
#[cfg(any(control, shadow_of_a_number))]
pub mod shadow_of_a_number {
    use super::*;

    pub fn attack() -> Shadow {
        #[cfg(shadow_of_a_number)]
        return Shadow(0); //~[shadow_of_a_number] E0423
        Shadow::NONE
    }
}

// Allocation flags made from a number, for an allocation that must not sleep or reclaim.
#[cfg(any(control, gfp_of_a_number))]
pub mod gfp_of_a_number {
    use super::*;

    pub fn attack() -> Flags {
        #[cfg(gfp_of_a_number)]
        return Flags::from_raw(!0); //~[gfp_of_a_number] E0133
        #[cfg(control)]
        return GFP_NOWAIT;
    }
}
