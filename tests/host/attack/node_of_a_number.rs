// SPDX-License-Identifier: GPL-2.0-or-later
// C looks up the memory of an impossible node, beyond the end of an array or through a null
// pointer. The constructor checks that a node is possible, and the policy has no other constructor.
//@revisions: control attack
//@[control] check-pass
#![deny(unsafe_code)]
use kernel::{
    alloc::NumaNode,
    crypto::acompress::{Algorithm, Compressor},
    prelude::*,
};

pub fn attack(algorithm: &Algorithm) -> Result<Compressor> {
    #[cfg(attack)]
    let node = NumaNode(1023); //~[attack] E0423
    #[cfg(attack)]
    let node = NumaNode::from_possible(1023); //~[attack] E0624
    #[cfg(control)]
    let node = NumaNode::new(1023)?;
    Compressor::new(algorithm, node)
}
