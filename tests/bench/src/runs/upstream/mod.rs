//! What upstream servers cost through the daemon: tokens, time and memory, beside the servers themselves and other proxies.

mod cost;
mod memory;
mod peers;
mod tokens;

use std::path::{Path, PathBuf};

use crate::Outcome;
use crate::options::Options;

/// The folders of a run.
struct Folders {
    /// Where the reference servers are installed.
    servers: PathBuf,
    /// Where the other proxies are.
    peers: PathBuf,
}

pub(crate) fn run_upstream(options: &Options) -> Outcome {
    let mut paths = options.paths.iter();
    let servers = paths.next().cloned().ok_or("upstream wants the FOLDER of the reference servers")?;
    let peers = paths.next().cloned().unwrap_or_else(|| servers.clone());
    let folders = Folders { servers: servers.canonicalize()?, peers: peers.canonicalize()? };
    let part = |name: &str| options.number(name, 1) > 0;
    if part("tokens") {
        tokens::print_tokens(&folders.servers)?;
    }
    if part("cost") {
        cost::print_costs(&folders, options)?;
    }
    if part("memory") {
        memory::print_memory(&folders)?;
    }
    Ok(())
}

/// Says which servers are not there.
fn report_missing(folder: &Path, missing: &[String]) {
    if !missing.is_empty() {
        println!("skipped, not installed below {}: {}", folder.display(), missing.join(", "));
    }
}
