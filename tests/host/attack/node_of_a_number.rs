// SPDX-License-Identifier: GPL-2.0-or-later
// C looks for the memory of a node that the machine can't have, beyond the end of an array or behind a
// null pointer. What is a node is asked when it is made, and there is no other way to make one.
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
