//! `sdl-ui`: the page of the daemon for a browser on this machine, and the server that answers the page.
//!
//! ```text
//! browser ──HTTP──> serve -> guard (Host, Origin, token) -> page | call | graph | events ──socket──> sdld
//! ```
//!
//! It listens on the loopback address alone. Who may call is who knows the token in the address that it prints: a new one at
//! each start. The page reads; the one action that changes something is `policy.set`. Nothing is fetched from elsewhere.

#![forbid(unsafe_code)]

mod allow;
mod answer;
mod args;
mod call;
mod daemon;
mod events;
mod graph;
mod guard;
mod page;
mod serve;
mod token;

use std::net::{Ipv4Addr, SocketAddr};
use std::process::ExitCode;
use std::sync::Arc;

use sdl_client::Paths;
use sdl_doors::Allowed;
use tokio::io::AsyncReadExt as _;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

use crate::args::{Args, Parsed};
use crate::daemon::Daemon;
use crate::token::Token;

/// Streams of events at once; each of them follows the daemon.
const MOST_STREAMS: usize = 8;

/// Everything that requests share.
pub(crate) struct App {
    pub(crate) allowed: Allowed,
    pub(crate) token: Token,
    pub(crate) daemon: Daemon,
    pub(crate) streams: Arc<Semaphore>,
}

/// The whole program.
pub fn main() -> ExitCode {
    let args = match args::parse_args(std::env::args_os().skip(1)) {
        Parsed::Run(args) => args,
        Parsed::Print(text) => {
            print_line(&text);
            return ExitCode::SUCCESS;
        }
        Parsed::Wrong(message) => return fail_with(&message),
    };
    let filter = tracing_subscriber::EnvFilter::try_from_env("SDL_LOG")
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("warn"));
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).with_ansi(false).init();
    let runtime = match tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return fail_with(&format!("can't start: {error}")),
    };
    let served = runtime.block_on(run_server(&args));
    runtime.shutdown_background();
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => fail_with(&message),
    }
}

#[allow(clippy::print_stdout, reason = "the answer to whoever started it")]
fn print_line(text: &str) {
    println!("{text}");
}

fn fail_with(message: &str) -> ExitCode {
    eprintln!("sdl-ui: {message}");
    ExitCode::from(2)
}

/// Serves until it is asked to end, or until nobody was connected for an hour.
async fn run_server(args: &Args) -> Result<(), String> {
    let paths = Paths::from_env().map_err(|error| error.to_string())?;
    // Only now, so that a daemon that a person stops later stays stopped.
    sdl_client::ensure_daemon(&paths, &sdl_client::Launch::default())
        .await
        .map_err(|error| error.to_string())?;
    let wanted = SocketAddr::from((Ipv4Addr::LOCALHOST, args.port));
    let listener =
        TcpListener::bind(wanted).await.map_err(|error| format!("can't listen on {wanted}: {error}"))?;
    let address = listener.local_addr().map_err(|error| error.to_string())?;
    let (token, text) = Token::draw().map_err(|error| format!("no token can be drawn: {error}"))?;
    let app = App {
        allowed: Allowed::exactly(address),
        token,
        daemon: Daemon::new(paths.socket().to_owned()),
        streams: Arc::new(Semaphore::new(MOST_STREAMS)),
    };
    print_line(&format!("http://{address}/?token={text}"));
    tokio::select! {
        () = serve::serve_browsers(Arc::new(app), listener, args.idle) => {}
        () = asked_to_end() => {}
        () = input_closed(), if args.with_parent => {}
    }
    Ok(())
}

/// Waits until the program that started this one has closed our input, or is gone.
async fn input_closed() {
    let mut input = tokio::io::stdin();
    let mut bytes = [0; 64];
    while input.read(&mut bytes).await.is_ok_and(|read| read > 0) {}
}

/// Waits until somebody asks for the end.
#[cfg(unix)]
async fn asked_to_end() {
    use tokio::signal::unix::{SignalKind, signal};

    let (Ok(mut terminate), Ok(mut interrupt)) =
        (signal(SignalKind::terminate()), signal(SignalKind::interrupt()))
    else {
        return std::future::pending().await;
    };
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
}

/// Waits until somebody asks for the end.
#[cfg(not(unix))]
async fn asked_to_end() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending().await
    }
}
