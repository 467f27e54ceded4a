// SPDX-License-Identifier: GPL-2.0-or-later

//! Models: small programs of two or three threads, tried in every order of their steps; a larger
//! one in random orders; random sequences of operations on pages; and batches of objects, by one task.

mod batches;
mod every_order;
mod large;
mod leaves;
mod promises;
mod random_order;
mod requests;
mod sequences;
