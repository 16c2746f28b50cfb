//! Calls that show side effects.

use sdl_model::facts::EffectKind::{Env, GlobalState, Io, Logging, Network, Process};

use crate::builder::{EffectEntries, EffectTable};

#[rustfmt::skip]
const ENTRIES: EffectEntries = &[
    (Io, &[
        "file_get_contents", "file_put_contents", "fopen", "fwrite", "fputs", "fread", "fgets", "fclose", "file",
        "readfile", "unlink", "rename", "copy", "mkdir", "rmdir", "touch", "chmod", "chown", "scandir", "glob",
        "tempnam", "tmpfile", "symlink", "move_uploaded_file", "opendir", "readdir", "fputcsv", "fgetcsv",
        "mysqli_connect", "mysqli_query", "pg_connect", "pg_query", "printf", "print_r", "var_dump", "pdo.query",
        "pdo.prepare", "pdo.exec", "Storage::put", "Storage::get", "DB::table", "DB::select", "DB::statement",
    ]),
    (Network, &[
        "curl_init", "curl_exec", "curl_multi_exec", "fsockopen", "pfsockopen", "stream_socket_client",
        "stream_socket_server", "socket_create", "socket_connect", "gethostbyname", "dns_get_record", "mail",
        "header", "setcookie", "http_response_code", "Http::get", "Http::post", "httpClient.request", "client.request",
    ]),
    (Env, &["getenv", "putenv", "$_ENV", "$_SERVER", "env"]),
    (Process, &["exec", "shell_exec", "system", "passthru", "proc_open", "popen", "pcntl_fork", "pcntl_exec", "posix_kill"]),
    (GlobalState, &[
        "ini_set", "set_error_handler", "set_exception_handler", "register_shutdown_function",
        "spl_autoload_register", "date_default_timezone_set", "setlocale", "session_start", "define", "chdir",
    ]),
    (Logging, &["error_log", "trigger_error", "syslog", "logger", "log", "Log"]),
];

pub(super) static TABLE: EffectTable = EffectTable::new(ENTRIES);
