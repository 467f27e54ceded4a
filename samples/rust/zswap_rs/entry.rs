// SPDX-License-Identifier: GPL-2.0-or-later

//! What is kept for a swap slot.

use super::{
    compress::{
        Form,
        Object, //
    },
    stats::{
        zswap_stored_incompressible_pages,
        zswap_stored_pages, //
    },
};
use kernel::{
    impl_kept,
    impl_list_lru_item,
    mm::{
        list_lru::{
            Batch,
            Links,
            ListLru, //
        },
        memcontrol::{
            ObjCgroup,
            Uncharges,
            ZswapCharged, //
        },
        swapops::SwapEntry,
    },
    slab,
    sync::atomic::ordering::Relaxed, //
};

/// One page in zswap. Mirrors `struct zswap_entry`.
///
/// Everything in it is set before it is published in a tree. An entry that is taken out of its tree is
/// owned, and freed by dropping it, once. That is allowed wherever a slot may be freed, under spin
/// locks with interrupts off: no step sleeps.
///
/// Mirrors `zswap_entry_free()` when dropped. The steps, in this order:
///
/// | step                          | where                                                          |
/// |-------------------------------|----------------------------------------------------------------|
/// | `zswap_lru_del()`             | [`ListLru::remove`], which [`slab`] calls while all of the entry is there |
/// | `atomic_long_dec()` of counts | `Entry::drop`, below; [`Freeing`] for a run of entries         |
/// | `obj_cgroup_uncharge_zswap()` | drop of [`ZswapCharged`], the field `object`; [`Uncharges`] for a run |
/// | `zs_free()`                   | drop of the [`Object`] in it                                   |
/// | `zswap_pool_put()`            | drop of the reference to the pool in that                      |
/// | `obj_cgroup_put()`            | drop of the reference to the cgroup in the [`ZswapCharged`]; [`Uncharges`] |
/// | `zswap_entry_cache_free()`    | [`slab`], last                                                 |
pub(crate) struct Entry {
    swap: SwapEntry,
    object: ZswapCharged<Object>,
    lru: Links,
}

// There are as many as pages in zswap: no larger than C's.
const _: () = assert!(size_of::<Entry>() == 56);

/// An entry, owned. A walk over the LRU may be looking at it.
pub(crate) type StoredEntry = slab::Object<Entry>;

/// The entries in LRU order, a list for each node and cgroup: C's `zswap_list_lru`.
pub(crate) static LRU: ListLru<Entry> = ListLru::new();

impl_list_lru_item! {
    impl Item for Entry { links: self.lru, charged: self.object: ZswapCharged<Object>, lru: LRU }
}

/// The identity of an entry: it can be compared, not dereferenced.
///
/// An equal identity is that of the same entry, or of one allocated at the same address for the same
/// slot, which is as good: the owner of the slot may treat either the same.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Identity {
    swap: SwapEntry,
    address: usize,
}

impl Identity {
    /// The slot that the entry was stored for.
    pub(crate) fn swap(self) -> SwapEntry {
        self.swap
    }
}

impl_kept! {
    impl Kept for Entry { owned: StoredEntry, name: c"zswap_tree" }
}

impl Entry {
    /// An entry for slot `swap`. It is charged and counted when it is published, with the others of its
    /// folio.
    #[inline]
    pub(crate) fn new(swap: SwapEntry, object: Object) -> Self {
        Self {
            swap,
            object: ZswapCharged::new(object),
            lru: Links::new(),
        }
    }

    /// The identity of the entry.
    pub(crate) fn identity(&self) -> Identity {
        Identity {
            swap: self.swap,
            address: core::ptr::from_ref(self).addr(),
        }
    }

    /// Takes the second chance away, and returns whether there was one. The list must be locked.
    ///
    /// Mirrors `entry->referenced` in `shrink_memcg_cb()`.
    pub(crate) fn use_second_chance(&self) -> bool {
        let referenced = &self.object.meta.referenced;
        let had = referenced.load(Relaxed);
        if had {
            referenced.store(false, Relaxed);
        }
        had
    }

    /// The slot that the entry was stored for.
    pub(crate) fn swap(&self) -> SwapEntry {
        self.swap
    }

    /// The bytes.
    pub(crate) fn object(&self) -> &Object {
        &self.object
    }

    /// The cgroup that the entry is charged to.
    pub(crate) fn objcg(&self) -> Option<&ObjCgroup> {
        self.object.objcg()
    }
}

/// Pages, as zswap counts them.
#[derive(Default)]
struct Pages {
    stored: isize,
    incompressible: isize,
}

impl Pages {
    #[inline]
    fn add(&mut self, form: Form) {
        self.stored = self.stored.wrapping_add(1);
        if form == Form::Raw {
            self.incompressible = self.incompressible.wrapping_add(1);
        }
    }
}

/// Counts entries that are about to be published.
///
/// Mirrors the part of `zswap_store_page()` that C runs after publication.
#[inline]
pub(crate) fn count(entries: &Batch<Entry>) {
    let mut pages = Pages::default();
    for entry in entries.iter() {
        let meta = &entry.object.meta;
        meta.counted.store(true, Relaxed);
        pages.add(meta.form);
    }
    zswap_stored_pages.fetch_add(pages.stored, Relaxed);
    if pages.incompressible != 0 {
        zswap_stored_incompressible_pages.fetch_add(pages.incompressible, Relaxed);
    }
}

/// Entries that are being freed together: with one uncharge and one count for a run.
pub(crate) struct Freeing<'a> {
    uncharges: &'a mut Uncharges,
    pages: Pages,
}

impl Freeing<'_> {
    /// Calls `f` to free entries. Any context in which a slot may be freed.
    #[inline]
    pub(crate) fn together<R>(f: impl FnOnce(&mut Freeing<'_>) -> R) -> R {
        let (ret, pages) = Uncharges::together(|uncharges| {
            let mut freeing = Freeing {
                uncharges,
                pages: Pages::default(),
            };
            (f(&mut freeing), freeing.pages)
        });
        if pages.stored != 0 {
            zswap_stored_pages.fetch_sub(pages.stored, Relaxed);
        }
        if pages.incompressible != 0 {
            zswap_stored_incompressible_pages.fetch_sub(pages.incompressible, Relaxed);
        }
        ret
    }

    /// Frees an entry: as if it were dropped, but that its charge and its count end later.
    #[inline]
    pub(crate) fn free(&mut self, entry: StoredEntry) {
        entry.drop_after(|entry| {
            entry.object.uncharge(self.uncharges);
            let meta = &entry.object.meta;
            if meta.counted.load(Relaxed) {
                meta.counted.store(false, Relaxed);
                self.pages.add(meta.form);
            }
        });
    }
}

impl Drop for Entry {
    #[inline]
    fn drop(&mut self) {
        // The first step is done, the others follow: see `Entry`.
        let meta = &self.object.meta;
        if !meta.counted.load(Relaxed) {
            return;
        }
        zswap_stored_pages.fetch_sub(1, Relaxed);
        if meta.form == Form::Raw {
            zswap_stored_incompressible_pages.fetch_sub(1, Relaxed);
        }
    }
}
