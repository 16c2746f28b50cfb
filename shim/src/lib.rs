//! `sdl-mcp`: a stdio MCP server that passes everything on to the daemon.
//!
//! It answers `initialize` by itself and at once; tools, resources and prompts are the daemon's, and their parameters
//! and results pass through as raw bytes. It holds no state but the connection.
//!
//! ```text
//! stdin -> transport -> rmcp (lifecycle, cancellation) -> forward -> daemon
//! stdout <- transport <- rmcp                           <- forward <-
//! ```

mod args;
mod asking;
mod channel;
mod closing;
mod compose;
#[cfg(feature = "embed")]
pub mod embed;
mod events;
mod forward;
mod in_flight;
mod lifecycle;
mod parent;
mod skipped;
mod stdio;
mod transport;

use std::process::ExitCode;
use std::time::Duration;

use rmcp::ServiceExt;
use sdl_client::{Launch, Paths, ReconnectOptions, ReconnectingClient};
use sdl_proto::{ClientKind, SessionHello};

use crate::args::{Args, Parsed};
use crate::closing::Closing;

/// How long a client may take to read the answers from before the end.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// The whole program.
pub fn main() -> ExitCode {
    match args::parse_args(std::env::args_os().skip(1)) {
        Parsed::Run(args) => run_shim(args),
        Parsed::Print(text) => {
            #[allow(clippy::print_stdout, reason = "the answer to --help and --version")]
            {
                println!("{text}");
            }
            ExitCode::SUCCESS
        }
        Parsed::Wrong(message) => fail_with(&message),
    }
}

fn fail_with(message: &str) -> ExitCode {
    eprintln!("sdl-mcp: {message}");
    ExitCode::from(2)
}

fn run_shim(args: Args) -> ExitCode {
    let paths = match Paths::from_env() {
        Ok(paths) => paths,
        Err(error) => return fail_with(&error.to_string()),
    };
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return fail_with(&format!("can't start: {error}")),
    };
    let result = runtime.block_on(serve_client(args, paths));
    // A read of standard input may still hang in another thread; it must not keep the process.
    runtime.shutdown_background();
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => fail_with(&message),
    }
}

/// The session that the flags ask for.
fn make_hello(args: Args) -> SessionHello {
    SessionHello {
        repo: args.repo,
        // An older daemon reads an unknown value as its default.
        surface: if args.dotted { args.surface + "+dotted" } else { args.surface },
        output_schemas: args.output_schemas,
        ..SessionHello::of_this(ClientKind::Shim, "")
    }
}

/// Serves until the client, or the process that started this one, is gone.
async fn serve_client(args: Args, paths: Paths) -> Result<(), String> {
    let has_channel = args.channel;
    let cwd = std::env::current_dir().ok().map(|cwd| cwd.to_string_lossy().into_owned());
    let hello = SessionHello { cwd, ..make_hello(args) };
    let daemon = ReconnectingClient::new(ReconnectOptions { paths, hello, launch: Launch::Find });
    let events = daemon.events();
    let (to, questions) = tokio::sync::mpsc::channel(asking::QUEUE);
    daemon.send_questions(to);
    let closing = Closing::new();
    let (input, output) =
        stdio::open_stdio().map_err(|error| format!("can't use standard input and output: {error}"))?;
    let (transport, writer) = transport::Stdio::new(input, output, closing.clone());
    let listeners = events::Listeners::default();
    let shim = forward::Shim::new(daemon.clone(), listeners.clone(), closing.clone());
    let shim = shim.with_channel(has_channel);

    tokio::select! {
        served = async {
            // A client that leaves before it has said anything is no error.
            let Ok(service) = shim.serve(transport).await else { return };
            let passing_on = events::pass_on(events, daemon.clone(), Some(service.peer().clone()), listeners);
            let asking = asking::pass_on(questions, service.peer().clone());
            let channel = channel::pass_on(has_channel.then(|| daemon.clone()), service.peer().clone());
            tokio::select! {
                _ = service.waiting() => {}
                () = passing_on => {}
                () = asking => {}
                () = channel => {}
            }
        } => served,
        () = parent::parent_gone() => {}
    }
    closing.close();
    // The last answers may still be on their way.
    let _ = tokio::time::timeout(LAST_WORDS, writer).await;
    Ok(())
}
