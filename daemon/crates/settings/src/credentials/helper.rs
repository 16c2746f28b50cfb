//! The command that knows credentials. It gets a name and writes the value to its standard output.

use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use zeroize::Zeroizing;

/// What an argument of the command has where the name belongs.
const PLACE: &str = "{name}";

/// Asks the command for a value. None if it ends with a failure or writes nothing, as commands do that don't know the
/// name.
///
/// The name replaces `{name}` in the arguments; without such an argument it is written to the standard input as a line.
pub(super) fn ask_helper(
    words: &[String],
    name: &str,
    timeout: Duration,
    most: u64,
) -> Result<Option<Vec<u8>>, String> {
    let Some((program, args)) = words.split_first() else { return Ok(None) };
    let is_argument = args.iter().any(|arg| arg.contains(PLACE));
    let mut command = Command::new(program);
    command
        .args(args.iter().map(|arg| arg.replace(PLACE, name)))
        // So that a relative entry of PATH can't lead into somebody's tree.
        .current_dir("/")
        .stdin(if is_argument { Stdio::null() } else { Stdio::piped() })
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .process_group(0);
    let child = command
        .spawn()
        .map_err(|error| format!("can't be asked for: {program} can't be started: {error}"))?;
    let mut running = Running { child, is_reaped: false };
    if let Some(mut stdin) = running.child.stdin.take() {
        // A command that does not read it may know the name otherwise.
        let _ = stdin.write_all(format!("{name}\n").as_bytes());
    }
    let (tell, told) = channel();
    let pid = Pid::from_child(&running.child);
    if let Some(stdout) = running.child.stdout.take() {
        let work = move || read_value(stdout, pid, most, &tell);
        let started = std::thread::Builder::new().name("sdl-helper".to_owned()).spawn(work);
        started.map_err(|error| format!("can't be asked for: no thread: {error}"))?;
    }
    let Ok(value) = told.recv_timeout(timeout) else {
        return Err(format!("can't be asked for: {program} did not end within {} s", timeout.as_secs()));
    };
    let status = running.end_all().map_err(|error| format!("can't be asked for: {program}: {error}"))?;
    if value.len() as u64 > most {
        return Err(format!("can't be asked for: {program} wrote more than {most} bytes"));
    }
    if !status.success() || value.is_empty() {
        return Ok(None);
    }
    Ok(Some(value.to_vec()))
}

/// Reads the value and waits for the end of the command, without reaping it: its process group keeps its number until
/// then, so that nothing else is killed by that number.
fn read_value(stdout: ChildStdout, pid: Pid, most: u64, tell: &Sender<Zeroizing<Vec<u8>>>) {
    let mut value = Zeroizing::new(Vec::with_capacity(most as usize + 1));
    let _ = stdout.take(most + 1).read_to_end(&mut value);
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    // One that writes too much waits for its reader; it is killed without waiting for its end.
    if value.len() as u64 <= most {
        while let Err(rustix::io::Errno::INTR) = waitid(WaitId::Pid(pid), options) {}
    }
    let _ = tell.send(value);
}

/// A command that is ended with all that it started.
struct Running {
    child: Child,
    is_reaped: bool,
}

impl Running {
    fn end_all(&mut self) -> std::io::Result<ExitStatus> {
        if !self.is_reaped {
            // An error means that the group is empty, which is fine.
            let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
        }
        let status = self.child.wait();
        self.is_reaped = true;
        status
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.end_all();
    }
}
