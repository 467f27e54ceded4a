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
    tag::Tag, //
};
use kernel::{
    impl_kept,
    impl_list_lru_item,
    mm::{
        list_lru::{
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
    object: ZswapCharged<Object>,
    lru: Links,
}

// There are as many as pages in zswap: C's have 56 bytes.
const _: () = assert!(size_of::<Entry>() == 40);

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
    /// The identity of the entry.
    pub(crate) fn identity(&self) -> Identity {
        Identity {
            swap: self.swap(),
            address: core::ptr::from_ref(self).addr(),
        }
    }

    /// Takes the second chance away, and returns whether there was one. The list must be locked.
    ///
    /// Mirrors `entry->referenced` in `shrink_memcg_cb()`.
    pub(crate) fn use_second_chance(&self) -> bool {
        let had = self.tag().referenced();
        if had {
            self.change_tag(Tag::without_second_chance);
        }
        had
    }

    #[inline]
    fn tag(&self) -> Tag {
        Tag::from_bits(self.object.tag())
    }

    /// Only the holder of the list's lock, or the owner of an entry that is on no list, may change a tag.
    #[inline]
    fn change_tag(&self, f: impl FnOnce(Tag) -> Tag) {
        self.object
            .change_tag(|bits| f(Tag::from_bits(bits)).bits());
    }

    /// The slot that the entry was stored for.
    pub(crate) fn swap(&self) -> SwapEntry {
        self.tag().swap()
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

/// Entries that are being made: they are counted together, when this is dropped.
///
/// Mirrors the part of `zswap_store_page()` that C runs after publication.
pub(crate) struct Making(Pages);

impl Making {
    #[inline]
    pub(crate) fn new() -> Self {
        Self(Pages::default())
    }

    /// An entry of an object whose tag is a [`Tag`]. It is charged when it is published, with the others of
    /// its folio.
    #[inline]
    pub(crate) fn entry(&mut self, object: Object) -> Entry {
        self.0.add(Form::of(&object));
        Entry {
            object: ZswapCharged::new(object),
            lru: Links::new(),
        }
    }
}

impl Drop for Making {
    #[inline]
    fn drop(&mut self) {
        zswap_stored_pages.fetch_add(self.0.stored, Relaxed);
        if self.0.incompressible != 0 {
            zswap_stored_incompressible_pages.fetch_add(self.0.incompressible, Relaxed);
        }
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
            entry.change_tag(Tag::without_count);
            self.pages.add(Form::of(entry.object()));
        });
    }
}

impl Drop for Entry {
    #[inline]
    fn drop(&mut self) {
        // The first step is done, the others follow: see `Entry`. `Freeing` has taken those that it frees out
        // of the count.
        if !self.tag().counted() {
            return;
        }
        zswap_stored_pages.fetch_sub(1, Relaxed);
        if Form::of(self.object()) == Form::Raw {
            zswap_stored_incompressible_pages.fetch_sub(1, Relaxed);
        }
    }
}
