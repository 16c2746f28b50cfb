//! Starts the daemon's process, and learns from it how the start went.
//!
//! The daemon gets a pipe as its standard output and writes exactly one line there: that it serves, or why it does not.
//! Its standard error goes to a file until its own log takes over.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::oneshot;

use crate::paths::Paths;

/// Set in the environment of a daemon whose standard output is a pipe that waits for the report.
pub const REPORT_VARIABLE: &str = "SDL_REPORT_START";

/// Names the daemon's program, where it is neither beside the caller's nor in `PATH`.
pub const PROGRAM_VARIABLE: &str = "SDL_DAEMON";

const PROGRAM: &str = if cfg!(windows) { "sdld.exe" } else { "sdld" };

/// How long a daemon may take to start. Opening ledgers takes milliseconds; migrating a large one takes longer.
const PATIENCE: Duration = Duration::from_mins(1);

/// The longest report that is read.
const MAX_REPORT: u64 = 64 << 10;

/// How much of the daemon's standard error an error message quotes.
const MAX_QUOTE: u64 = 2000;

const READY: &str = "sdl-ready";
const FAILED: &str = "sdl-failed ";

/// Whether and how to start a daemon where none runs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Launch {
    /// Don't; that none runs is an error.
    Never,
    /// Run the program that [`daemon_program`] finds.
    #[default]
    Find,
    /// Run this program.
    Program(PathBuf),
}

/// Why no daemon was started.
#[derive(Debug, thiserror::Error)]
pub enum SpawnError {
    /// Its program is nowhere to be found.
    #[error(
        "the daemon's program `{PROGRAM}` was found neither beside {beside} nor in PATH: install it there, or name it \
         in {PROGRAM_VARIABLE}", beside = .beside.display()
    )]
    NotFound {
        /// The folder of the caller's own program.
        beside: PathBuf,
    },
    /// The caller does not want one to be started.
    #[error("no daemon is running: start one with `sdlctl start`")]
    NotAllowed,
    /// The system can't run it.
    #[error("can't run {program}: {source}", program = .program.display())]
    Run {
        /// The program.
        program: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// It ended and gave a reason.
    #[error("the daemon could not start: {0}")]
    Failed(String),
    /// It ended without a message.
    #[error("the daemon exited during start-up ({status}). {}", quote_stderr(.stderr, .log))]
    Died {
        /// How it ended.
        status: String,
        /// The end of its standard error.
        stderr: String,
        /// The whole of it.
        log: PathBuf,
    },
    /// It still starts.
    #[error("the daemon has not finished starting after {} s; it is still starting. See {log}", PATIENCE.as_secs(), log = .log.display())]
    Slow {
        /// Its standard error.
        log: PathBuf,
    },
    /// A daemon holds the state folder and does not listen where this program looks.
    #[error(
        "another daemon{} has the state folder and does not listen at {socket}: set the `XDG_RUNTIME_DIR` that it was started \
         with, or end it with: sdlctl stop",
        .pid.map_or_else(String::new, |pid| format!(" (process {pid})")),
        socket = .socket.display()
    )]
    Unheard {
        /// Its process, as far as known.
        pid: Option<u32>,
        /// Where it was looked for.
        socket: PathBuf,
    },
    /// The start-up lock can't be taken.
    #[error("can't take the start-up lock {path}: {source}", path = .path.display())]
    Lock {
        /// The lock file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// Some other client has been starting a daemon for too long.
    #[error("another program has been starting the daemon for {} s; see {log}", PATIENCE.as_secs(), log = .log.display())]
    Contended {
        /// Standard error of the daemon that is being started.
        log: PathBuf,
    },
    /// A daemon of an older build runs that can't be asked to stop.
    #[error(
        "an older daemon (build {build}) is running, and this program can't talk to it: stop it with the `sdlctl` of that \
         build, then try again"
    )]
    Stubborn {
        /// Its build.
        build: String,
    },
}

fn quote_stderr(stderr: &str, log: &Path) -> String {
    match stderr.trim() {
        "" => format!("It left no message in {}", log.display()),
        text => format!("It wrote: {text}"),
    }
}

/// The report of a daemon that serves.
pub fn ready_line() -> String {
    format!("{READY}\n")
}

/// The report of a daemon that gives up.
pub fn failed_line(reason: &str) -> String {
    format!("{FAILED}{}\n", reason.replace('\\', "\\\\").replace('\n', "\\n"))
}

fn parse_report(line: &str) -> Option<Result<(), String>> {
    let line = line.strip_suffix('\n')?;
    if line == READY {
        return Some(Ok(()));
    }
    let mut reason = String::new();
    let mut characters = line.strip_prefix(FAILED)?.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => match characters.next() {
                Some('n') => reason.push('\n'),
                Some(other) => reason.push(other),
                None => {}
            },
            other => reason.push(other),
        }
    }
    Some(Err(reason))
}

/// Finds the daemon's program.
pub fn daemon_program() -> Result<PathBuf, SpawnError> {
    if let Some(named) = std::env::var_os(PROGRAM_VARIABLE).filter(|named| !named.is_empty()) {
        return Ok(PathBuf::from(named));
    }
    let own = std::env::current_exe().unwrap_or_default();
    let beside = own.parent().unwrap_or(Path::new("")).to_owned();
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::iter::once(beside.clone())
        .chain(std::env::split_paths(&path))
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(PROGRAM))
        .find(|candidate| candidate.is_file())
        .ok_or(SpawnError::NotFound { beside })
}

/// Runs the daemon's program and waits for its report. The caller holds the start-up lock.
pub(crate) async fn spawn_daemon(paths: &Paths, launch: &Launch) -> Result<(), SpawnError> {
    reap_children();
    let program = match launch {
        Launch::Never => return Err(SpawnError::NotAllowed),
        Launch::Find => daemon_program()?,
        Launch::Program(program) => program.clone(),
    };
    let log = paths.start_log();
    let run_failed = |source| SpawnError::Run { program: program.clone(), source };
    let mut child = daemon_command(&program, paths, File::create(&log).map_err(run_failed)?)
        .spawn()
        .map_err(run_failed)?;
    let report = child.stdout.take();
    let Ok(line) = tokio::time::timeout(PATIENCE, read_report(report)).await else {
        keep_child(child);
        return Err(SpawnError::Slow { log });
    };
    match parse_report(&line) {
        Some(Ok(())) => {
            keep_child(child);
            Ok(())
        }
        Some(Err(reason)) => {
            keep_child(child);
            Err(SpawnError::Failed(reason))
        }
        None => Err(SpawnError::Died { status: describe_end(child), stderr: log_tail(&log), log }),
    }
}

fn daemon_command(program: &Path, paths: &Paths, stderr: File) -> Command {
    let mut command = Command::new(program);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(stderr)
        .env(REPORT_VARIABLE, "1")
        .env("SDL_STATE_DIR", paths.state())
        .env("SDL_RUNTIME_DIR", paths.runtime())
        // A daemon must not keep the caller's working directory busy.
        .current_dir(paths.state());
    // Variables that a service manager set for the caller, such as `NOTIFY_SOCKET`, are not meant for the daemon.
    for variable in
        ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_FDS", "LISTEN_PID", "LISTEN_FDNAMES"]
    {
        command.env_remove(variable);
    }
    detach_process(&mut command);
    command
}

/// Takes the daemon out of the caller's session, so that no terminal's hang-up or interrupt reaches it.
#[cfg(unix)]
fn detach_process(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    // SAFETY: the closure runs between fork and exec, where only calls that neither allocate nor lock are allowed.
    // `setsid` is a bare system call.
    unsafe {
        command.pre_exec(|| rustix::process::setsid().map(|_| ()).map_err(io::Error::from));
    }
}

/// No console, and a process group of its own. Not yet run on Windows.
#[cfg(windows)]
fn detach_process(command: &mut Command) {
    use std::os::windows::process::CommandExt;
    const DETACHED_PROCESS: u32 = 0x0000_0008;
    const CREATE_NEW_PROCESS_GROUP: u32 = 0x0000_0200;
    command.creation_flags(DETACHED_PROCESS | CREATE_NEW_PROCESS_GROUP);
}

/// Reads the report in a thread of its own, because pipes of children can't be read asynchronously on every system.
/// The thread ends with the daemon at the latest.
async fn read_report(report: Option<ChildStdout>) -> String {
    let (sender, receiver) = oneshot::channel();
    let read = move || {
        let mut line = String::new();
        if let Some(report) = report {
            let _ = BufReader::new(report.take(MAX_REPORT)).read_line(&mut line);
        }
        let _ = sender.send(line);
    };
    match std::thread::Builder::new().name("start-report".into()).spawn(read) {
        Ok(_) => receiver.await.unwrap_or_default(),
        Err(_) => String::new(),
    }
}

fn describe_end(mut child: Child) -> String {
    match child.try_wait() {
        Ok(Some(status)) => status.to_string(),
        Ok(None) => {
            keep_child(child);
            "it closed its standard output without a report".to_owned()
        }
        Err(error) => error.to_string(),
    }
}

fn log_tail(log: &Path) -> String {
    let read = || -> io::Result<String> {
        let mut file = File::open(log)?;
        let length = file.metadata()?.len();
        io::Seek::seek(&mut file, io::SeekFrom::Start(length.saturating_sub(MAX_QUOTE)))?;
        let mut bytes = Vec::new();
        file.take(MAX_QUOTE).read_to_end(&mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    };
    read().unwrap_or_default()
}

/// Daemons that this process has started and that have not been waited for.
static CHILDREN: Mutex<Vec<Child>> = Mutex::new(Vec::new());

fn keep_child(child: Child) {
    CHILDREN.lock().unwrap_or_else(PoisonError::into_inner).push(child);
}

/// Waits for started daemons that have ended, so that a long-lived client does not collect zombies.
pub(crate) fn reap_children() {
    CHILDREN
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .retain_mut(|child| !matches!(child.try_wait(), Ok(Some(_))));
}

/// Takes the lock that one client at a time holds while it starts a daemon. For as long as the file is open, no client
/// starts one. The folders must exist ([`Paths::create`]).
pub async fn start_lock(paths: &Paths) -> Result<File, SpawnError> {
    let path = paths.start_lock();
    let failed = |source| SpawnError::Lock { path: path.clone(), source };
    let file = File::options().write(true).create(true).truncate(false).open(&path).map_err(failed)?;
    match file.try_lock() {
        Ok(()) => return Ok(file),
        Err(std::fs::TryLockError::WouldBlock) => {}
        Err(std::fs::TryLockError::Error(error)) => return Err(failed(error)),
    }
    let (sender, receiver) = oneshot::channel();
    let lock = move || {
        let result = file.lock().map(|()| file);
        let _ = sender.send(result);
    };
    std::thread::Builder::new().name("start-lock".into()).spawn(lock).map_err(failed)?;
    match tokio::time::timeout(PATIENCE, receiver).await {
        Ok(Ok(result)) => result.map_err(failed),
        _ => Err(SpawnError::Contended { log: paths.start_log() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_survive_the_pipe() {
        assert_eq!(parse_report(&ready_line()), Some(Ok(())));
        let reason = "ledger: bad\\n page\nset aside";
        assert_eq!(parse_report(&failed_line(reason)), Some(Err(reason.to_owned())));
        assert_eq!(failed_line(reason).matches('\n').count(), 1);
        for noise in ["", "sdl-ready", "hello\n", "sdl-failed half"] {
            assert_eq!(parse_report(noise), None, "{noise}");
        }
    }
}
