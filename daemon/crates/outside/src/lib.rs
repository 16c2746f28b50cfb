//! The source of dependencies where it is on the disk: the packages of a virtual environment, `node_modules`, and what
//! cargo and Go have downloaded.
//!
//! Nothing of it is indexed, stored or watched. A question about one symbol looks up the packages that the symbol's file
//! imports ([`Outside::packages_of`]) and reads the few files that lead to the definitions it calls, as a [`DiskTree`]. What one
//! question reads is bounded in files, bytes and time ([`Reading`]). Parsed files are kept by path, size and time of
//! change, so that an edited file is parsed again.
//!
//! A file is read only if its real path is below an allowed folder: the repository itself, the folders of cargo and Go,
//! and those in the settings. Links that lead elsewhere, devices, large files and files of secrets are not read.

#![forbid(unsafe_code)]

mod cache;
mod disk;
mod interpreter;
mod manifests;
mod packages;
mod settings;

pub use cache::FactsCache;
pub use disk::{DiskTree, Reading};
pub use packages::{Package, has_packages};
pub use settings::{Outside, Places};
