//! `sdl-share`: moves snapshots of ledgers between the daemon and a team's store. `sdlctl share` starts it.
//!
//! ```text
//! sdld ──files in a folder── push | pull ── store (seal, opendal) ── folder | S3 | GCS | Azure | Redis
//! ```
//!
//! A program of its own, because neither the daemon nor `sdlctl` has a network client in it. It knows which objects a snapshot
//! has, but not the rows in them: the daemon makes and checks those.
//!
//! * [`settings`], [`place`]: which store; * [`store`]: reads and writes whole objects, sealed; * [`layout`]: their names;
//! * [`push`], [`pull`], [`gc`], [`key`]: the commands.

#![forbid(unsafe_code)]

mod args;
mod crew;
mod daemon;
mod gc;
mod key;
mod layout;
mod manifest;
mod nearest;
mod place;
mod pull;
mod push;
mod report;
mod settings;
mod store;
mod trouble;

use std::process::ExitCode;

use crate::args::{Args, Command, Parsed};
use crate::report::{Report, print_report, print_trouble};
use crate::settings::Settings;
use crate::store::Store;
use crate::trouble::Trouble;

/// The whole program.
pub fn main() -> ExitCode {
    let args = match args::parse_args(std::env::args_os().skip(1)) {
        Parsed::Run(args) => args,
        Parsed::Print(text) => {
            report::print_text(&text);
            return ExitCode::SUCCESS;
        }
        Parsed::Wrong(message) => return print_trouble(&Trouble::Usage(message), false),
    };
    match run_command(&args) {
        Ok(report) => print_report(&report, args.json),
        Err(trouble) => print_trouble(&trouble, args.json),
    }
}

fn run_command(args: &Args) -> Result<Report, Trouble> {
    if args.command == Command::Key {
        return key::make_key(args.path.as_deref());
    }
    let settings = Settings::load(args)?;
    // The first one that is installed stays. Only an error if there is one already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    opendal_http_transport_reqwest::install_default();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|error| Trouble::Local(format!("can't start: {error}")))?;
    let done = runtime.block_on(async {
        let keep_days = args.keep_days.unwrap_or(settings.keep_days);
        let store = Store::open(settings)?;
        match args.command {
            Command::Push => push::push_snapshot(&store, args.path.as_deref()).await,
            Command::Pull => pull::pull_snapshot(&store, args.path.as_deref()).await,
            Command::Gc => gc::collect_garbage(&store, keep_days).await,
            Command::Key => Err(Trouble::Usage("a key needs no store".into())),
        }
    });
    runtime.shutdown_background();
    done
}
