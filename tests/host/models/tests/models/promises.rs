// SPDX-License-Identifier: GPL-2.0-or-later

//! What the models take for granted of C: a model fails without it.

use super::every_order::{try_alone, MODELS};
use kernel::sim::{Promise, PROMISES};

/// Which models fail without which promise.
#[test]
#[ignore = "takes long: for docs/models.md"]
fn table() {
    for promise in PROMISES {
        for model in MODELS {
            if let (false, said) = try_alone(model.name, Some(*promise)) {
                println!(
                    "{promise:?}: {}: {}",
                    model.name,
                    said.lines().next().unwrap_or("")
                );
            }
        }
    }
}
