//! Calls that show side effects.

use sdl_model::facts::EffectKind::{Env, GlobalState, Io, Logging, Network, Process};

use crate::builder::{EffectEntries, EffectTable};

const ENTRIES: EffectEntries = &[
    (
        Io,
        &[
            "System.out",
            "System.err",
            "System.in",
            "Files",
            "FileUtils",
            "IOUtils",
            "FileChannel",
            "DriverManager",
            "ImageIO",
            ".createNewFile",
            ".mkdirs",
            ".listFiles",
            ".deleteOnExit",
            ".executeQuery",
            ".executeUpdate",
        ],
    ),
    (
        Network,
        &[
            "HttpClient",
            "HttpRequest",
            "InetAddress",
            "SocketChannel",
            "ServerSocketChannel",
            "restTemplate",
            "webClient",
            "httpClient",
            ".openConnection",
            ".openStream",
        ],
    ),
    (Env, &["System.getenv", "System.getProperty", "System.getProperties"]),
    (Process, &["System.exit", "Runtime.getRuntime", "Runtime.halt", "ProcessBuilder", "ProcessHandle"]),
    (
        GlobalState,
        &[
            "System.setProperty",
            "System.setOut",
            "System.setErr",
            "System.setIn",
            "Locale.setDefault",
            "TimeZone.setDefault",
            "Thread.setDefaultUncaughtExceptionHandler",
        ],
    ),
    (
        Logging,
        &[
            "log",
            "logger",
            "LOG",
            "LOGGER",
            "Log",
            "this.log",
            "this.logger",
            "Logger.getGlobal",
            ".printStackTrace",
        ],
    ),
];

pub(super) static TABLE: EffectTable = EffectTable::new(ENTRIES);
