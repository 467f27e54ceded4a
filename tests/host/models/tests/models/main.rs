// SPDX-License-Identifier: GPL-2.0-or-later

//! Models: small programs of two or three threads, tried in every order of their steps.

mod every_order;
mod promises;
