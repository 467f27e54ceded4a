// SPDX-License-Identifier: GPL-2.0-or-later

//! From a page to bytes in a pool, and back.

use super::{
    entry::Object,
    pool::Pool,
    stats,
    store::Refused, //
};
use kernel::{
    alloc::{
        flags::{
            __GFP_HIGHMEM,
            __GFP_MOVABLE,
            __GFP_NORETRY, //
        },
        Flags,
    },
    cpu::CpuId,
    cpuhotplug,
    crypto::acompress::{
        Algorithm,
        Compressor, //
    },
    error::code::EINVAL,
    mm::folio::{
        Contents,
        Filled,
        FolioPage, //
    },
    new_mutex,
    page::PAGE_SIZE,
    percpu::{
        node_of,
        PerCpu, //
    },
    prelude::*,
    race_point,
    str::BStr,
    sync::{
        atomic::Atomic,
        generations::Ref,
        Mutex, //
    },
};

/// How a page's bytes are kept.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Form {
    /// Compressed to fewer bytes than a page has.
    Compressed,
    /// As they are, since no compressor could make them fewer.
    Raw,
}

/// What an entry wants to know of its object. (It stands where the object would have padding.)
pub(crate) struct Meta {
    /// How the bytes are kept.
    pub(crate) form: Form,
    /// Whether the entry has a second chance, when the shrinker comes to it.
    pub(crate) referenced: Atomic<bool>,
}

impl Meta {
    fn new(form: Form) -> Self {
        Self {
            form,
            referenced: Atomic::new(true),
        }
    }
}

/// Reclaim is under way: memory for an object is had at once, or the page goes to the swap device.
fn object_gfp() -> Flags {
    GFP_NOWAIT | __GFP_NORETRY | __GFP_HIGHMEM | __GFP_MOVABLE
}

/// What a CPU needs to compress.
struct Context {
    compressor: Compressor,
    // On the heap and on the CPU's node, since it is what hardware compressors write to.
    buffer: KBox<[u8; PAGE_SIZE]>,
}

/// The contexts of all CPUs for one algorithm.
///
/// A CPU's is made before it first comes up, and stays until the pool goes, so that a task which
/// has moved to another CPU meanwhile can go on using it.
pub(crate) struct Contexts {
    algorithm: Algorithm,
    cpus: PerCpu<Mutex<Option<Context>>>,
}

impl Contexts {
    /// No contexts yet.
    pub(crate) fn new(algorithm: Algorithm) -> Result<Self> {
        let cpus = PerCpu::new(|| new_mutex!(None, "zswap_acomp_ctx"), GFP_KERNEL)
            .inspect_err(|_| pr_err!("percpu alloc failed\n"))?;
        Ok(Self { algorithm, cpus })
    }

    /// The algorithm that they are for.
    pub(crate) fn algorithm(&self) -> &Algorithm {
        &self.algorithm
    }
}

impl cpuhotplug::Prepare for Contexts {
    const SLOT: cpuhotplug::Slot = cpuhotplug::Slot::MmZswapPoolPrepare;

    fn prepare(&self, cpu: CpuId) -> Result {
        let context = self.cpus.get(cpu).ok_or(EINVAL)?;
        // The CPU has been up before.
        if context.lock().is_some() {
            return Ok(());
        }
        // Not under the mutex: this may reclaim, and so come to compress.
        let node = node_of(cpu);
        let buffer = KBox::zeroed_node(GFP_KERNEL, node)?;
        let compressor = Compressor::new(&self.algorithm, node).inspect_err(|error| {
            let algorithm = &self.algorithm;
            match error.name() {
                Some(name) => {
                    let name = BStr::from_bytes(name.to_bytes());
                    pr_err!("could not alloc crypto acomp {algorithm} : -{name}\n");
                }
                None => {
                    let errno = error.to_errno();
                    pr_err!("could not alloc crypto acomp {algorithm} : {errno}\n");
                }
            }
        })?;
        race_point!("prepare:made");
        *context.lock() = Some(Context { compressor, buffer });
        Ok(())
    }
}

/// Compresses `page` into `pool`.
///
/// A page that can't be made smaller is kept as it is, which keeps the order in which pages go to
/// the swap device; unless they never do (`may_go_to_device` says so): then keeping it would only
/// cost memory.
#[inline]
pub(crate) fn compress(
    pool: &Ref<Pool>,
    page: FolioPage<'_>,
    may_go_to_device: impl FnOnce() -> bool,
) -> Result<Object, Refused> {
    let mut context = pool.contexts().cpus.this_cpu().lock();
    let Some(Context { compressor, buffer }) = &mut *context else {
        return Err(stats::RejectCompressFail::refused());
    };
    let object = match compressor.compress(page, buffer) {
        Ok(bytes) if bytes.len() < PAGE_SIZE => {
            let nid = page.nid();
            Object::from_bytes(
                pool.clone(),
                bytes,
                Meta::new(Form::Compressed),
                object_gfp(),
                nid,
            )
        }
        _ if may_go_to_device() => {
            Object::from_page(pool.clone(), page, Meta::new(Form::Raw), object_gfp())
        }
        Err(ENOSPC) => return Err(stats::RejectCompressPoor::refused()),
        _ => return Err(stats::RejectCompressFail::refused()),
    };
    object.map_err(|error| match error {
        ENOSPC => stats::RejectCompressPoor::refused(),
        _ => stats::RejectAllocFail::refused(),
    })
}

/// Puts the page that `object` was made from into `dst`.
///
/// On failure, returns the number of bytes that the compressor made instead of a page's.
pub(crate) fn decompress<'a>(object: &Object, dst: Contents<'a>) -> Result<Filled<'a>, usize> {
    match object.meta.form {
        Form::Raw => object
            .read(|view| view.copy_to(dst))
            .map_err(|_| object.len()),
        Form::Compressed => {
            let mut context = object.owner().contexts().cpus.this_cpu().lock();
            let Some(Context { compressor, .. }) = &mut *context else {
                return Err(0);
            };
            object.read(|view| compressor.decompress(view.as_input(), dst))
        }
    }
}
