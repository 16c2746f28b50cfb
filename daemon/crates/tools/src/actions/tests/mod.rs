//! Tests that hold for every action and that need all of them.

mod find;
mod reads;
mod registry;
