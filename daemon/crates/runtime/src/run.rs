//! Runs one command, from its start to the end of everything that it started.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use crate::Output;
use sdl_contract::{Cancel, Code, Explained, Refusal};

/// Commands that may run at once.
const MOST_AT_ONCE: u32 = 2;
static RUNNING: AtomicU32 = AtomicU32::new(0);

/// A command to run, with all its limits.
#[derive(Clone, Debug)]
pub struct Command {
    /// The program, by its path.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
    /// The folder in which it runs.
    pub folder: PathBuf,
    /// Its whole environment.
    pub env: BTreeMap<OsString, OsString>,
    /// How long it may take.
    pub timeout: Duration,
    /// Address space in MiB. 0 for no limit.
    pub memory_mb: u64,
    /// Processes and threads beside those that the user has already. 0 for no limit.
    pub max_processes: u64,
}

/// How a command ended.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Its exit code; none if a signal ended it.
    pub exit_code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// Whether it was killed for taking too long.
    pub timed_out: bool,
    /// How long it ran.
    pub duration_ms: u64,
    /// Its standard output.
    pub stdout: Output,
    /// Its standard error.
    pub stderr: Output,
    /// Whether a process that left the command's process group still held its output open at the end.
    pub held: bool,
}

struct Turn;

impl Turn {
    fn take() -> Result<Self, Refusal> {
        let one_more = |running: u32| (running < MOST_AT_ONCE).then_some(running + 1);
        match RUNNING.fetch_update(Ordering::SeqCst, Ordering::SeqCst, one_more) {
            Ok(_) => Ok(Self),
            Err(running) => {
                let message = format!("{running} commands are running; send the call again when one is done");
                Err(Refusal::new(Code::Conflict, message))
            }
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        RUNNING.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Runs the command. `mask` removes secrets from its output.
pub fn run_command(
    command: &Command,
    cancel: &Cancel,
    mask: &dyn Fn(String) -> String,
) -> Result<Outcome, Refusal> {
    let _turn = Turn::take()?;
    platform::run(command, cancel, mask)
}

#[cfg(unix)]
mod platform {
    use std::os::fd::OwnedFd;
    use std::os::unix::net::UnixStream;
    use std::os::unix::process::{CommandExt, ExitStatusExt};
    use std::process::{Child, Stdio};
    use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
    use std::sync::{Arc, Mutex, PoisonError};
    use std::time::Instant;

    use rustix::event::{PollFd, PollFlags, poll};
    use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

    use super::{Cancel, Code, Command, Duration, Explained, Outcome, Refusal};
    use crate::capture::Capture;

    /// How long processes that left the group may hold the output open.
    const GRACE: Duration = Duration::from_secs(2);

    enum Event {
        Exited,
        Closed,
        Cancelled,
    }

    /// A running command. Kills its process group when it ends. The leader is reaped only after that, because then no
    /// other process can get its number before the group is killed.
    struct Running {
        child: Child,
        reaped: bool,
    }

    impl Running {
        fn end(&mut self) -> std::io::Result<std::process::ExitStatus> {
            if !self.reaped {
                // An error means that the group is empty, which is fine.
                let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
            }
            let status = self.child.wait();
            self.reaped = true;
            status
        }
    }

    impl Drop for Running {
        fn drop(&mut self) {
            if !self.reaped {
                let _ = self.end();
            }
        }
    }

    pub(super) fn run(
        command: &Command,
        cancel: &Cancel,
        mask: &dyn Fn(String) -> String,
    ) -> Result<Outcome, Refusal> {
        let began = Instant::now();
        let child = start(command)?;
        let mut running = Running { child, reaped: false };
        let (tell, events) = channel();
        // When this end is dropped, the reader closes the pipes, even if a process that was left still holds their
        // other ends.
        let (stop, stopped) = UnixStream::pair().map_err(|e| Refusal::internal("making a socket pair", e))?;
        let pipes =
            [running.child.stdout.take().map(OwnedFd::from), running.child.stderr.take().map(OwnedFd::from)];
        let captured = Arc::new(Mutex::new([Capture::default(), Capture::default()]));
        read(pipes, stopped, Arc::clone(&captured), &tell)?;
        wait(Pid::from_child(&running.child), &tell)?;
        let on_cancel = Mutex::new(tell.clone());
        let _wake = cancel.on_cancel(move || {
            let _ = on_cancel.lock().unwrap_or_else(PoisonError::into_inner).send(Event::Cancelled);
        });
        let limit = cancel.at_most(command.timeout);
        let mut closed = false;
        let timed_out = loop {
            match events.recv_timeout(limit.saturating_sub(began.elapsed())) {
                Ok(Event::Exited) => break false,
                Ok(Event::Closed) => closed = true,
                Ok(Event::Cancelled) => {
                    let _ = running.end();
                    return Err(Refusal::new(
                        Code::Cancelled,
                        "the request was cancelled; the command was killed",
                    ));
                }
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => break true,
            }
        };
        // Ends all processes that are still in the group.
        let status = running.end().map_err(|e| Refusal::internal("waiting for the command", e))?;
        let duration_ms = began.elapsed().as_millis() as u64;
        let held = !closed && !drained(&events);
        drop(stop);
        let [stdout, stderr] = std::mem::take(&mut *captured.lock().unwrap_or_else(PoisonError::into_inner));
        Ok(Outcome {
            exit_code: status.code(),
            signal: status.signal(),
            timed_out,
            duration_ms,
            stdout: stdout.finish(mask),
            stderr: stderr.finish(mask),
            held,
        })
    }

    /// Waits until both streams are closed.
    fn drained(events: &Receiver<Event>) -> bool {
        let until = Instant::now() + GRACE;
        loop {
            match events.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(Event::Closed) => return true,
                Ok(_) => {}
                Err(_) => return false,
            }
        }
    }

    fn start(command: &Command) -> Result<Child, Refusal> {
        let mut start = limited(command);
        start
            .args(&command.args)
            .current_dir(&command.folder)
            .env_clear()
            .envs(&command.env)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0);
        start.spawn().map_err(|error| {
            let message = format!("{} cannot be started: {error}", command.program.display());
            Refusal::new(Code::Unavailable, message).at("executable")
        })
    }

    /// Runs the program through a shell that sets the limits and then replaces itself with the program. The limits
    /// hold from the first instruction on, and for everything that the program starts. Both letters are tried,
    /// because shells differ in the letter for processes: bash has `-u`, dash has `-p`. A lower limit that is set
    /// already stays.
    #[cfg(target_os = "linux")]
    const LIMITED: &str =
        r#"ulimit -v "$1" && { ulimit -p "$2" || ulimit -u "$2" || :; } 2>/dev/null && shift 2 && exec "$@""#;

    /// A larger value is no limit, and its bytes would overflow the system's number.
    #[cfg(target_os = "linux")]
    const MOST_MEMORY_MB: u64 = 1 << 30;

    #[cfg(target_os = "linux")]
    fn limited(command: &Command) -> std::process::Command {
        if command.memory_mb == 0 && command.max_processes == 0 {
            return std::process::Command::new(&command.program);
        }
        let limit = |number: u64| if number == 0 { "unlimited".to_owned() } else { number.to_string() };
        let processes = match command.max_processes {
            0 => 0,
            more => tasks_of_user().saturating_add(more),
        };
        let mut start = std::process::Command::new("/bin/sh");
        start.args(["-c", LIMITED, "sh"]);
        start.arg(limit(command.memory_mb.min(MOST_MEMORY_MB) * 1_024)).arg(limit(processes));
        start.arg(&command.program);
        start
    }

    /// Counts the processes and threads of this user, because the system counts them all against the limit.
    #[cfg(target_os = "linux")]
    fn tasks_of_user() -> u64 {
        use std::os::unix::fs::MetadataExt;
        let user = rustix::process::geteuid().as_raw();
        let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        let own = processes.filter(|entry| {
            entry.file_name().as_encoded_bytes().first().is_some_and(u8::is_ascii_digit)
                && entry.metadata().is_ok_and(|about| about.uid() == user)
        });
        own.map(|entry| std::fs::read_dir(entry.path().join("task")).map_or(1, Iterator::count) as u64).sum()
    }

    #[cfg(not(target_os = "linux"))]
    fn limited(command: &Command) -> std::process::Command {
        std::process::Command::new(&command.program)
    }

    /// Reads both streams in a separate thread until they are closed or `stopped` is. A process that left the group and
    /// holds their other ends costs nothing after that.
    fn read(
        mut pipes: [Option<OwnedFd>; 2],
        stopped: UnixStream,
        into: Arc<Mutex<[Capture; 2]>>,
        tell: &Sender<Event>,
    ) -> Result<(), Refusal> {
        let tell = tell.clone();
        thread(move || {
            let mut buffer = [0; 16 << 10];
            while pipes.iter().any(Option::is_some) {
                let Some(ready) = readable(&pipes, &stopped) else { return };
                for (at, pipe) in pipes.iter_mut().enumerate() {
                    if !ready.get(at).copied().unwrap_or_default() {
                        continue;
                    }
                    let Some(open) = pipe else { continue };
                    match rustix::io::read(&*open, &mut buffer) {
                        Err(rustix::io::Errno::INTR) => {}
                        Ok(0) | Err(_) => *pipe = None,
                        Ok(count) => {
                            let mut into = into.lock().unwrap_or_else(PoisonError::into_inner);
                            if let Some(capture) = into.get_mut(at) {
                                capture.add(buffer.get(..count).unwrap_or_default());
                            }
                        }
                    }
                }
            }
            let _ = tell.send(Event::Closed);
        })
    }

    /// Waits until one of the pipes can be read, and returns which. None once the reader has to stop.
    fn readable(pipes: &[Option<OwnedFd>; 2], stopped: &UnixStream) -> Option<[bool; 2]> {
        let mut fds = vec![PollFd::new(stopped, PollFlags::IN)];
        fds.extend(pipes.iter().flatten().map(|pipe| PollFd::new(pipe, PollFlags::IN)));
        loop {
            match poll(&mut fds, None) {
                Ok(_) => break,
                Err(rustix::io::Errno::INTR) => {}
                Err(_) => return None,
            }
        }
        let mut ready = fds.iter().map(|fd| !fd.revents().is_empty());
        if ready.next().unwrap_or(true) {
            return None;
        }
        let mut one = |pipe: &Option<OwnedFd>| pipe.is_some() && ready.next().unwrap_or_default();
        let [stdout, stderr] = pipes;
        Some([one(stdout), one(stderr)])
    }

    /// Reports when the process ended, without reaping it.
    fn wait(pid: Pid, tell: &Sender<Event>) -> Result<(), Refusal> {
        let tell = tell.clone();
        thread(move || {
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
            while let Err(rustix::io::Errno::INTR) = waitid(WaitId::Pid(pid), options) {}
            let _ = tell.send(Event::Exited);
        })
    }

    fn thread(work: impl FnOnce() + Send + 'static) -> Result<(), Refusal> {
        let started = std::thread::Builder::new().name("sdl-command".to_owned()).spawn(work);
        started.map(drop).map_err(|e| Refusal::internal("starting a thread for the command", e))
    }
}

#[cfg(not(unix))]
mod platform {
    use super::{Cancel, Code, Command, Explained, Outcome, Refusal};

    pub(super) fn run(
        _command: &Command,
        _cancel: &Cancel,
        _mask: &dyn Fn(String) -> String,
    ) -> Result<Outcome, Refusal> {
        let message = "commands cannot be run on this platform: nothing here ends all that a command starts";
        Err(Refusal::new(Code::Unavailable, message))
    }
}
