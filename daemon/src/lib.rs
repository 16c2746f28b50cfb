//! The symbol delta ledger daemon, as a library.
