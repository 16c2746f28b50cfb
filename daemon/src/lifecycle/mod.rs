//! Start and end of the process: arguments, log, readiness, signals.

pub mod logging;
mod run;
mod service_manager;
mod signals;

pub use run::run_daemon;
