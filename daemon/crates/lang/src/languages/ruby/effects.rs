//! Calls that show side effects.

use sdl_model::facts::EffectKind::{Env, GlobalState, Io, Logging, Network, Process};

use crate::builder::{EffectEntries, EffectTable};

#[rustfmt::skip]
const ENTRIES: EffectEntries = &[
    (Io, &["puts", "print", "p", "pp", "gets", "File", "IO", "Dir", "FileUtils", "Tempfile", "Pathname", "$stdout", "$stderr", "STDOUT", "STDERR"]),
    (Network, &["TCPSocket", "TCPServer", "UDPSocket", "Socket", "HTTP", "Faraday", "HTTParty", "RestClient"]),
    (Env, &["ENV"]),
    (Process, &["system", "exec", "spawn", "fork", "exit", "abort", "Process", "Open3", "Kernel.exit", "Kernel.system"]),
    (GlobalState, &["at_exit", "trap", "srand", "Signal"]),
    (Logging, &["warn", "logger", "Logger", "@logger", "Rails.logger"]),
];

pub(super) static TABLE: EffectTable = EffectTable::new(ENTRIES);
