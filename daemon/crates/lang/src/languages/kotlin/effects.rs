//! Calls that show side effects.

use sdl_model::facts::EffectKind::{Env, GlobalState, Io, Logging, Network, Process};

use crate::builder::{EffectEntries, EffectTable};

const ENTRIES: EffectEntries = &[
    (
        Io,
        &[
            "println",
            "print",
            "readLine",
            "readln",
            "readlnOrNull",
            "System.out",
            "System.err",
            "File",
            "Files",
            "FileInputStream",
            "FileOutputStream",
            "FileReader",
            "FileWriter",
            "RandomAccessFile",
            "createTempFile",
            "createTempDir",
            ".readText",
            ".writeText",
            ".appendText",
            ".readLines",
            ".bufferedReader",
            ".bufferedWriter",
        ],
    ),
    (
        Network,
        &[
            "HttpClient",
            "OkHttpClient",
            "Socket",
            "ServerSocket",
            "DatagramSocket",
            "URL",
            "embeddedServer",
            "Retrofit.Builder",
            "DriverManager.getConnection",
            "InetAddress",
            ".openConnection",
        ],
    ),
    (Env, &["System.getenv", "System.getProperty", "System.setProperty", "System.getProperties"]),
    (
        Process,
        &["ProcessBuilder", "Runtime.getRuntime", "exitProcess", "System.exit", "ProcessHandle", "thread"],
    ),
    (GlobalState, &["System.setOut", "System.setErr", "Locale.setDefault", "TimeZone.setDefault"]),
    (Logging, &["logger", "log", "LOG", "LOGGER", "Log", "Timber"]),
];

pub(super) static TABLE: EffectTable = EffectTable::new(ENTRIES);
