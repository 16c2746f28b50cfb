//! What must hold for every action, and needs all of them to be asked.

mod find;
mod reads;
mod registry;
