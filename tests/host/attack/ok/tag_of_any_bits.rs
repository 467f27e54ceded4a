// SPDX-License-Identifier: GPL-2.0-or-later
// A tag is the policy's: any bits name a slot, and of two tasks that change a tag at a time one may
// be undone. A device is got by a slot's name only if it is in use and has that slot. The owner's
// number and the length, next to the tag, stay as they are.
//@ check-pass
#![forbid(unsafe_code)]
use kernel::mm::{
    swap::SwapDevice,
    swapops::SwapEntry,
    zsmalloc::{HasPool, Object},
};

pub fn device<P: HasPool>(object: &Object<P>) -> Option<SwapDevice> {
    SwapDevice::get(SwapEntry::unpack(object.tag()))
}

pub fn changed<P: HasPool>(object: &Object<P>) {
    object.change_tag(|tag| {
        object.change_tag(|_| u64::MAX);
        !tag
    });
}
