//! Search, cards, slices, deltas and wire formats over small repositories in memory.
#![allow(clippy::unwrap_used, clippy::panic, reason = "what a test's helper can't do fails the test")]

mod best_first;
mod cards;
mod changes;
mod deltas;
mod fit;
mod histories;
mod law;
mod law_trees;
mod layers;
mod ledger;
mod localize;
mod long_texts;
mod meanings;
mod measure;
mod refreshes;
mod searches;
mod shop;
mod slices;
mod wire_page;
mod wires;
