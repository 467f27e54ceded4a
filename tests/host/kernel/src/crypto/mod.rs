// SPDX-License-Identifier: GPL-2.0

//! Compressors, at their API. A page whose last byte is 0 can be compressed, to its first half and
//! the name of the compressor, which it can't be had back without.

pub mod acompress {
    use crate::{
        alloc::{KBox, NumaNode},
        bindings::{self, Fault},
        error::{
            code::{EINVAL, ENOENT, ENOSPC},
            Result,
        },
        mm::folio::{Contents, Filled, FolioPage},
        page::PAGE_SIZE,
        str::BStr,
    };
    use core::{fmt, marker::PhantomData};

    const LEN: usize = PAGE_SIZE / 2;

    #[derive(Clone)]
    pub struct Algorithm([u8; 16]);

    impl Algorithm {
        pub fn new(name: &[u8]) -> Option<Self> {
            let mut buf = [0; 16];
            buf.get_mut(..name.len())?.copy_from_slice(name);
            Some(Self(buf))
        }
        pub fn as_bytes(&self) -> &[u8] {
            self.0.split(|&b| b == 0).next().unwrap_or_default()
        }
        pub fn is_available(&self) -> bool {
            matches!(self.as_bytes(), b"lzo" | b"lz4")
        }
    }

    impl fmt::Display for Algorithm {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            BStr::from_bytes(self.as_bytes()).fmt(f)
        }
    }

    pub struct Input<'a> {
        sg: *mut bindings::scatterlist,
        len: usize,
        _p: PhantomData<&'a [u8]>,
    }

    impl Input<'_> {
        pub(crate) unsafe fn from_raw(sg: *mut bindings::scatterlist, len: usize) -> Self {
            let _p = PhantomData;
            Self { sg, len, _p }
        }
    }

    pub struct Compressor(u8);

    impl Compressor {
        pub fn new(algorithm: &Algorithm, _: NumaNode) -> Result<Self> {
            if !algorithm.is_available() {
                return Err(ENOENT);
            }
            Ok(Self(algorithm.0[2]))
        }

        pub fn compress<'a>(
            &mut self,
            page: FolioPage<'_>,
            dst: &'a mut KBox<[u8; PAGE_SIZE]>,
        ) -> Result<&'a [u8]> {
            if bindings::fails(Fault::Compress) {
                return Err(EINVAL);
            }
            // SAFETY: A page is mapped, of that many bytes.
            let page = page.with_mapped(|src| unsafe { *src.cast::<[u8; PAGE_SIZE]>() });
            if page[PAGE_SIZE - 1] != 0 {
                return Err(ENOSPC);
            }
            dst[..LEN].copy_from_slice(&page[..LEN]);
            dst[LEN] = self.0;
            Ok(&dst[..LEN + 1])
        }

        pub fn decompress<'a>(
            &mut self,
            src: Input<'_>,
            mut dst: Contents<'a>,
        ) -> Result<Filled<'a>, usize> {
            if bindings::fails(Fault::Decompress) {
                return Err(1);
            }
            let mut page = [0; PAGE_SIZE];
            // SAFETY: An `Input` is a list of that length, of an object that stays.
            let bytes = unsafe { bindings::sg_bytes(src.sg, src.len) };
            assert_eq!(
                bytes.len(),
                LEN + 1,
                "what was compressed has another length"
            );
            assert_eq!(
                bytes[LEN], self.0,
                "what was compressed by another compressor"
            );
            page[..LEN].copy_from_slice(&bytes[..LEN]);
            // SAFETY: A page is mapped, to be written.
            dst.write_page(|to| unsafe { to.write(page) });
            Ok(dst.filled())
        }
    }
}
