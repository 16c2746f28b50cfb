//! The person's tool for the symbol delta ledger.
fn main() {}
