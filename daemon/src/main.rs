//! The symbol delta ledger daemon.
fn main() {}
