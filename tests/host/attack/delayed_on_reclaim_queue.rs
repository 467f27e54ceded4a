// SPDX-License-Identifier: GPL-2.0-or-later
// Destroying a queue doesn't wait for delayed work, which would be queued on the freed queue.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{
    prelude::*,
    sync::Arc,
    workqueue::{RawWorkItem, ReclaimQueue},
};

pub fn attack<W>(queue: &ReclaimQueue, work: Arc<W>)
where
    Arc<W>: RawWorkItem<0>,
    W: Send + Sync + 'static,
{
    #[cfg(attack)]
    let _ = queue.enqueue_delayed(work, 1); //~[attack] E0599
    #[cfg(control)]
    let _ = queue.enqueue::<Arc<W>, 0>(work);
}
