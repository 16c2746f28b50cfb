//! Finds, starts and calls the daemon.
