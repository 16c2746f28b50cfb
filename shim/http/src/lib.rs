//! `sdl-http`: MCP over streamable HTTP, for clients that can't start a program of their own.
//!
//! ```text
//! client ──HTTP──> allowed -> auth -> the shim's reader -> rmcp's transport -> handler -> the shim ──socket──> sdld
//! ```
//!
//! Each request shows who it is from. What the daemon gets to know of that is a principal: the name of a token and its scopes.
//! One connection to the daemon belongs to one principal, and to one session of the `initialize` era or to all requests
//! without a session.

mod args;
mod auth;
mod carried;
mod fronts;
mod handler;
mod listen;
#[cfg(feature = "oauth")]
mod oauth;
mod refusal;
mod server;
mod tokens;

use std::process::ExitCode;
use std::sync::Arc;

use sdl_client::Paths;

use crate::args::{Args, Parsed};
use crate::auth::Auth;
use crate::fronts::Fronts;
use crate::server::Server;

/// The whole program.
pub fn main() -> ExitCode {
    let args = match args::parse_args(std::env::args_os().skip(1)) {
        Parsed::Run(args) => *args,
        Parsed::Print(text) => {
            #[allow(clippy::print_stdout, reason = "the answer to --help and --version")]
            {
                println!("{text}");
            }
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
    let served = runtime.block_on(run_server(args));
    runtime.shutdown_background();
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => fail_with(&message),
    }
}

fn fail_with(message: &str) -> ExitCode {
    eprintln!("sdl-http: {message}");
    ExitCode::from(2)
}

/// Serves until a signal asks for the end.
async fn run_server(args: Args) -> Result<(), String> {
    let auth = Auth::new(&args)?;
    let paths = Paths::from_env().map_err(|error| error.to_string())?;
    let listener = listen::open_listener(args.listen, args.allow_remote).await?;
    let address = listener.local_addr().map_err(|error| error.to_string())?;
    let server =
        Server { allowed: args.allowed.and_listener(address), auth, fronts: Fronts::new(paths, args.hello) };
    #[allow(clippy::print_stdout, reason = "whoever started it may want the port")]
    {
        println!("listening on http://{address}/mcp");
    }
    tokio::select! {
        () = Arc::new(server).serve(listener) => {}
        () = listen::asked_to_end() => {}
    }
    Ok(())
}
