// SPDX-License-Identifier: GPL-2.0

//! `#[export]`, as in the kernel, except that a failed model unwinds through the function.

use proc_macro::{Delimiter, Group, Literal, TokenStream, TokenTree};

/// The function gets its own name as its symbol, and the ABI of C.
#[proc_macro_attribute]
pub fn export(_: TokenStream, item: TokenStream) -> TokenStream {
    let mut out: TokenStream = "#[no_mangle]".parse().unwrap();
    out.extend(item.into_iter().map(|token| match token {
        TokenTree::Literal(abi) if abi.to_string() == "\"C\"" => Literal::string("C-unwind").into(),
        TokenTree::Group(group) if group.delimiter() == Delimiter::None => {
            Group::new(Delimiter::None, group.stream()).into()
        }
        token => token,
    }));
    out
}
