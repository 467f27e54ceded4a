// SPDX-License-Identifier: GPL-2.0-or-later

//! Which pages of a folio to compress. Pure arithmetic.
//!
//! Incompressible pages occur in runs, such as a folio of media, of an archive, or of ciphertext. A compressor needs
//! as much time for an incompressible page as for another one. With `skip_incompressible`, after [`MIN_RUN`]
//! incompressible pages in a row, only every [`PROBE_INTERVAL`]th page of the folio is tried; the first page that
//! compresses ends the run. C has no counterpart.

/// The number of incompressible pages in a row after which pages are skipped.
const MIN_RUN: u32 = 2;

/// In a run, one page in this many is tried.
const PROBE_INTERVAL: u32 = 4;

/// The run of incompressible pages that the last pages of a folio are part of, if any.
pub(crate) struct SkipIncompressible {
    enabled: bool,
    /// Pages in a row that were tried and didn't compress.
    raw: u32,
    /// Pages that were skipped since the last try.
    skipped: u32,
}

impl SkipIncompressible {
    /// The state at the first page of a folio. If not `enabled`, every page is tried.
    pub(crate) fn new(enabled: bool) -> Self {
        Self {
            enabled,
            raw: 0,
            skipped: 0,
        }
    }

    /// Whether to try the next page. If so, the caller must [`record`](Self::record) the result.
    pub(crate) fn try_next(&mut self) -> bool {
        if !self.enabled || self.raw < MIN_RUN {
            return true;
        }
        if self.skipped < PROBE_INTERVAL - 1 {
            self.skipped = self.skipped.wrapping_add(1);
            return false;
        }
        true
    }

    /// Records whether a page that was tried compressed.
    pub(crate) fn record(&mut self, compressed: bool) {
        self.skipped = 0;
        self.raw = if compressed {
            0
        } else {
            self.raw.saturating_add(1)
        };
    }
}
