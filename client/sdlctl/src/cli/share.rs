//! The arguments of `share`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Subcommand)]
pub(crate) enum ShareCommand {
    /// Publish a snapshot of HEAD, and of it only the packs that the store lacks; the tree must be clean
    Push {
        /// The tree (default: the working directory); registered and indexed if necessary
        path: Option<PathBuf>,
        #[command(flatten)]
        store: ShareStoreArgs,
    },
    /// Register a tree that starts from the nearest snapshot of its history; without one it is indexed from its files
    Pull {
        /// The tree (default: the working directory)
        path: Option<PathBuf>,
        #[command(flatten)]
        store: ShareStoreArgs,
    },
    /// Remove old snapshots, and the packs that no other one needs
    Gc {
        /// Keep snapshots that were pushed in this many days (default: keepDays of share.json, else 30)
        #[arg(long, value_name = "N")]
        keep_days: Option<u64>,
        #[command(flatten)]
        store: ShareStoreArgs,
    },
    /// Make a team key, with which the store is encrypted
    Key {
        /// The file to write it into (default: print it)
        file: Option<PathBuf>,
    },
}

/// The store, if it is not that of the settings.
#[derive(Args)]
pub(crate) struct ShareStoreArgs {
    /// The store, such as s3://bucket/prefix (default: store of share.json in the state folder)
    #[arg(long, value_name = "URL")]
    pub(crate) store: Option<String>,
    /// The file with the team key (default: keyFile of share.json)
    #[arg(long, value_name = "FILE")]
    pub(crate) key_file: Option<PathBuf>,
}
