//! `sdl-gate`: the program that the daemon starts. The library's documentation describes it.

use std::process::ExitCode;
use std::time::Duration;

use sdl_gate::{Clock, become_child, own_program, prepare_process, serve};
use tracing_subscriber::filter::EnvFilter;

/// How long a thread for work that blocks stays without any. With tokio's ten seconds the threads of a burst stay for ever, because
/// work comes now and then and goes to each of them in turn; and each keeps memory of its own that it has freed.
const KEEP_ALIVE: Duration = Duration::from_secs(1);

/// Threads of the runtime: none of them ever waits, and one busy upstream must leave one for the others.
const THREADS: usize = 2;

const HELP: &str = "\
Holds the connections to upstream MCP servers. The daemon starts it; people have no reason to run it.

Usage: sdl-gate

Options:
  -h, --help     Print this
  -V, --version  Print the version";

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    match args.next().as_deref() {
        Some("child") => return become_child(),
        Some("-h" | "--help") => return print_text(HELP),
        Some("-V" | "--version") => return print_text(&format!("sdl-gate {}", sdl_proto::BUILD)),
        Some("login") => return log_in(&args.next().unwrap_or_default()),
        _ => {}
    }
    // Of this crate alone: what rmcp logs may contain whole messages of upstreams.
    let filter = EnvFilter::new("off,sdl_gate=info");
    tracing_subscriber::fmt().with_env_filter(filter).with_ansi(false).with_writer(std::io::stderr).init();
    prepare_process();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(THREADS)
        .thread_keep_alive(KEEP_ALIVE)
        .enable_all()
        .build();
    let served = runtime.and_then(|runtime| {
        let holder = own_program()?;
        let served = runtime
            .block_on(async { serve(tokio::io::stdin(), tokio::io::stdout(), Clock::real(), holder).await });
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

fn print_text(text: &str) -> ExitCode {
    println!("{text}");
    ExitCode::SUCCESS
}

/// Logs in to an upstream, because a person asked for it. Nothing is logged, because rmcp's log lines have tokens in them.
#[cfg(feature = "oauth")]
fn log_in(request: &str) -> ExitCode {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let worked = runtime.is_ok_and(|runtime| {
        let worked = runtime.block_on(sdl_gate::run_login(request));
        runtime.shutdown_background();
        worked
    });
    if worked { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

#[cfg(not(feature = "oauth"))]
fn log_in(_: &str) -> ExitCode {
    println!(r#"{{"event":"failed","message":"this build has no logins (feature `oauth`)"}}"#);
    ExitCode::FAILURE
}
