//! Where the log goes: to standard error in the foreground and under a service manager, else to a file a day in the
//! state folder's `log`, of which the last week's stay. Never to standard output.

use std::path::Path;

use tracing_appender::non_blocking::{NonBlockingBuilder, WorkerGuard};
use tracing_appender::rolling::{InitError, RollingFileAppender, Rotation};
use tracing_subscriber::EnvFilter;

const PREFIX: &str = "sdld";
const SUFFIX: &str = "log";
const KEPT_FILES: usize = 7;
/// Lines that wait to be written; room for all of them is taken at the start.
const WAITING_LINES: usize = 2_000;

/// Sends the log to standard error.
pub fn to_stderr() {
    let _ = tracing_subscriber::fmt().with_env_filter(log_filter()).with_writer(std::io::stderr).try_init();
}

/// Sends the log to files below `folder`. Pending lines are written when the guard is dropped.
pub fn to_files(folder: &Path) -> Result<WorkerGuard, InitError> {
    let files = RollingFileAppender::builder()
        .rotation(Rotation::DAILY)
        .filename_prefix(PREFIX)
        .filename_suffix(SUFFIX)
        .max_log_files(KEPT_FILES)
        .build(folder)?;
    // Lossy and bounded, because a full disk must not hold up an answer.
    let (writer, guard) = NonBlockingBuilder::default().buffered_lines_limit(WAITING_LINES).finish(files);
    let _ = tracing_subscriber::fmt()
        .with_env_filter(log_filter())
        .with_ansi(false)
        .with_writer(writer)
        .try_init();
    Ok(guard)
}

/// The newest log file in the state folder, if the log goes to files.
pub fn log_file(state: &Path) -> Option<String> {
    let entries = std::fs::read_dir(state.join("log")).ok()?;
    let names = entries.filter_map(|entry| entry.ok()?.path().to_str().map(str::to_owned));
    names.filter(|name| name.contains("/sdld.")).max()
}

/// `SDL_LOG` in the syntax of `tracing`, for example `sdl_watch=debug`. Default: `info`.
fn log_filter() -> EnvFilter {
    EnvFilter::try_from_env("SDL_LOG").unwrap_or_else(|_| EnvFilter::new("info"))
}
