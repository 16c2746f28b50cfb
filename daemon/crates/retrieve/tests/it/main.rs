//! Search, cards, slices, deltas and wire formats over small repositories in memory.

mod cards;
mod deltas;
mod ledger;
mod refreshes;
mod searches;
mod shop;
mod slices;
mod wires;
