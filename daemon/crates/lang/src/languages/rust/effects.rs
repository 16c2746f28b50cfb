//! Calls that show side effects.

use sdl_model::facts::EffectKind::{Env, GlobalState, Io, Logging, Network, Process};

use super::kinds::{Context, Node};
use crate::builder::{EffectEntries, EffectTable};

/// The longest callee that is looked up as a whole for side effects.
pub(super) const LONG_CALLEE: u32 = 120;

const ENTRIES: EffectEntries = &[
    (
        Io,
        &[
            "std::fs",
            "fs",
            "tokio::fs",
            "async_std::fs",
            "File::open",
            "File::create",
            "File::options",
            "OpenOptions::new",
            "io::stdin",
            "io::stdout",
            "io::stderr",
            "io::copy",
            "std::io::stdin",
            "std::io::stdout",
            "std::io::stderr",
            "std::io::copy",
            "stdin",
            "stdout",
            "stderr",
            "tempfile",
            "rusqlite::Connection",
            "print!",
            "println!",
            "eprint!",
            "eprintln!",
            "dbg!",
            "std::print!",
            "std::println!",
            "std::eprintln!",
            ".read_to_string",
            ".read_to_end",
            ".read_line",
            ".read_exact",
            ".write_all",
            ".write_fmt",
            ".sync_all",
            ".set_len",
            ".symlink_metadata",
            ".read_dir",
        ],
    ),
    (
        Network,
        &[
            "std::net",
            "net",
            "tokio::net",
            "TcpStream::connect",
            "TcpStream::connect_timeout",
            "TcpListener::bind",
            "UdpSocket::bind",
            "UnixStream::connect",
            "UnixListener::bind",
            "reqwest",
            "ureq",
            "hyper::Client",
            "hyper::Server",
            "axum::serve",
            ".send_to",
            ".recv_from",
        ],
    ),
    (Env, &["std::env", "env", "env!", "option_env!", "std::env!", "dotenvy"]),
    (
        Process,
        &[
            "std::process",
            "process",
            "tokio::process",
            "Command::new",
            "nix::unistd",
            "nix::sys::signal",
            "libc::fork",
            "libc::kill",
            "libc::execv",
            "libc::_exit",
            "signal::ctrl_c",
            "tokio::signal",
        ],
    ),
    (
        GlobalState,
        &[
            "panic::set_hook",
            "std::panic::set_hook",
            "std::panic::take_hook",
            "thread::spawn",
            "std::thread::spawn",
            "tokio::spawn",
            "log::set_logger",
            "log::set_max_level",
            "log::set_boxed_logger",
            "libc::umask",
            "libc::setrlimit",
        ],
    ),
    (
        Logging,
        &[
            "log",
            "tracing",
            "slog",
            "error!",
            "warn!",
            "info!",
            "debug!",
            "trace!",
            "event!",
            "env_logger",
            "defmt",
        ],
    ),
];

pub(super) static TABLE: EffectTable = EffectTable::new(ENTRIES);

/// The side effect of calling the path `text`.
pub(super) fn note_effect(cx: &mut Context<'_>, text: &str) {
    if text.starts_with("Command::") && !cx.state.runs_processes {
        return;
    }
    cx.b.effect_of(text);
}

/// The side effect of calling the method `name`, whose receiver starts at `start`.
pub(super) fn method_effect<'a>(cx: &mut Context<'a>, start: u32, name: Node<'a>) {
    let whole = cx.b.slice(start, name.end());
    // The receiver was made by a call, which has its own side effects.
    if whole.len() <= LONG_CALLEE as usize && !whole.contains(['(', '\n']) {
        cx.b.effect_of(whole);
    } else {
        let method = cx.b.slice(name.start().saturating_sub(1), name.end());
        if method.starts_with('.') {
            cx.b.effect_of(method);
        }
    }
}
