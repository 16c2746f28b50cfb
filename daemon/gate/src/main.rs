//! `sdl-gate`: the program that the daemon starts. The library's documentation describes it.

use std::process::ExitCode;

use sdl_gate::{Clock, prepare_process, serve};
use tracing_subscriber::filter::EnvFilter;

/// Threads of the runtime: none of them ever waits, and one busy upstream must leave one for the others.
const THREADS: usize = 2;

fn main() -> ExitCode {
    // Of this crate alone: what rmcp logs may contain whole messages of upstreams.
    let filter = EnvFilter::new("off,sdl_gate=info");
    tracing_subscriber::fmt().with_env_filter(filter).with_ansi(false).with_writer(std::io::stderr).init();
    prepare_process();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(THREADS).enable_all().build();
    let served = runtime.and_then(|runtime| {
        let served =
            runtime.block_on(async { serve(tokio::io::stdin(), tokio::io::stdout(), Clock::real()).await });
        // A thread may still wait for input that nobody needs.
        runtime.shutdown_background();
        served
    });
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!("{error}");
            ExitCode::FAILURE
        }
    }
}
