//! Starts a child.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Stdio};

use tokio::net::unix::pipe;

use crate::child::held::{held_command, write_program};

/// A child to start.
pub(crate) struct Program {
    pub(crate) path: PathBuf,
    pub(crate) args: Vec<String>,
    pub(crate) folder: PathBuf,
    pub(crate) environment: BTreeMap<OsString, OsString>,
}

/// A child that runs, with its pipes.
pub(crate) struct Started {
    pub(crate) child: Child,
    pub(crate) stdin: OwnedFd,
    pub(crate) stdout: OwnedFd,
    pub(crate) stderr: OwnedFd,
}

/// Makes a folder that only the user can read.
pub(crate) fn make_private(folder: &Path) -> io::Result<()> {
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// Starts the program in a process group of its own, [held](super::held) by `holder` until `record` is done with its number.
/// Must not run on the runtime.
pub(crate) fn start_program(
    holder: &Path,
    program: &Program,
    record: impl FnOnce(u32) -> io::Result<()>,
) -> io::Result<Started> {
    let message = write_program(program)?;
    let mut child = held_command(holder)
        .current_dir(&program.folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()?;
    prefer_victim(child.id());
    let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let (Some(mut stdin), Some(stdout), Some(stderr)) = pipes else {
        return Err(give_up(child, io::Error::other("the child has no pipes")));
    };
    let let_go = |stdin: &mut ChildStdin| stdin.write_all(&message);
    if let Err(error) = record(child.id()).and_then(|()| let_go(&mut stdin)) {
        return Err(give_up(child, error));
    }
    Ok(Started { child, stdin: stdin.into(), stdout: stdout.into(), stderr: stderr.into() })
}

/// Ends a child that has not become its program.
fn give_up(mut child: Child, error: io::Error) -> io::Error {
    let _ = child.kill();
    let _ = child.wait();
    error
}

/// When memory runs out, the system should end a server rather than the daemon.
fn prefer_victim(pid: u32) {
    #[cfg(target_os = "linux")]
    let _ = std::fs::write(format!("/proc/{pid}/oom_score_adj"), "500");
    #[cfg(not(target_os = "linux"))]
    let _ = pid;
}

/// Children inherit this: a server's memory may hold credentials, so none writes a core file.
pub(crate) fn forbid_core_files() {
    use rustix::process::{Resource, Rlimit, setrlimit};
    let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
}

/// The pipes for the runtime.
pub(crate) fn into_async(
    stdin: OwnedFd,
    stdout: OwnedFd,
    stderr: OwnedFd,
) -> io::Result<(pipe::Sender, pipe::Receiver, pipe::Receiver)> {
    Ok((
        pipe::Sender::from_owned_fd(stdin)?,
        pipe::Receiver::from_owned_fd(stdout)?,
        pipe::Receiver::from_owned_fd(stderr)?,
    ))
}
