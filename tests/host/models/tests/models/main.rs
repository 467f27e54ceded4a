// SPDX-License-Identifier: GPL-2.0-or-later

//! Models: small programs of two or three threads, tried in every order of their steps; a larger
//! one in random orders; and random sequences of operations on pages.

mod every_order;
mod leaves;
mod promises;
mod random_order;
mod requests;
mod sequences;
