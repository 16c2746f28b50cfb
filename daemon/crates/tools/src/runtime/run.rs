//! One command, from its start to the end of everything that it started.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use super::Output;
use crate::{Cancel, Code, ToolError};

/// Commands that run at once.
const MOST_AT_ONCE: u32 = 2;
static RUNNING: AtomicU32 = AtomicU32::new(0);

/// What to run, with every limit.
#[derive(Clone, Debug)]
pub(crate) struct Command {
    pub(crate) program: PathBuf,
    pub(crate) args: Vec<String>,
    pub(crate) folder: PathBuf,
    pub(crate) env: BTreeMap<OsString, OsString>,
    pub(crate) timeout: Duration,
    /// 0 for no limit.
    pub(crate) memory_mb: u64,
}

/// How it ended.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    pub(crate) exit_code: Option<i32>,
    pub(crate) signal: Option<i32>,
    pub(crate) timed_out: bool,
    pub(crate) duration_ms: u64,
    pub(crate) stdout: Output,
    pub(crate) stderr: Output,
    /// Whether something that left the command's process group still held its output at the end.
    pub(crate) held: bool,
}

struct Turn;

impl Turn {
    fn take() -> Result<Self, ToolError> {
        let one_more = |running: u32| (running < MOST_AT_ONCE).then_some(running + 1);
        match RUNNING.fetch_update(Ordering::SeqCst, Ordering::SeqCst, one_more) {
            Ok(_) => Ok(Self),
            Err(running) => {
                let message = format!("{running} commands are running; send the call again when one is done");
                Err(ToolError::new(Code::Conflict, message))
            }
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        RUNNING.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Runs the command. `mask` takes out of its output what must not be shown.
pub(crate) fn run(
    command: &Command,
    cancel: &Cancel,
    mask: &dyn Fn(String) -> String,
) -> Result<Outcome, ToolError> {
    let _turn = Turn::take()?;
    platform::run(command, cancel, mask)
}

#[cfg(unix)]
mod platform {
    use std::io::Read;
    use std::os::unix::process::{CommandExt, ExitStatusExt};
    use std::process::{Child, Stdio};
    use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
    use std::sync::{Arc, Mutex, PoisonError};
    use std::time::Instant;

    use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

    use super::super::capture::Capture;
    use super::{Cancel, Code, Command, Duration, Outcome, ToolError};

    /// How long the output may be held by what left the group.
    const GRACE: Duration = Duration::from_secs(2);

    enum Event {
        Exited,
        Closed,
        Cancelled,
    }

    /// Kills the command's process group. Its leader is not reaped before, so that no one else can have its number.
    struct Running {
        child: Child,
        reaped: bool,
    }

    impl Running {
        fn end(&mut self) -> std::io::Result<std::process::ExitStatus> {
            if !self.reaped {
                // An empty group is an error that means that all is well.
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
    ) -> Result<Outcome, ToolError> {
        let began = Instant::now();
        let child = start(command)?;
        let mut running = Running { child, reaped: false };
        let (tell, events) = channel();
        let stdout = read(running.child.stdout.take(), &tell)?;
        let stderr = read(running.child.stderr.take(), &tell)?;
        wait(Pid::from_child(&running.child), &tell)?;
        let on_cancel = Mutex::new(tell.clone());
        let _wake = cancel.on_cancel(move || {
            let _ = on_cancel.lock().unwrap_or_else(PoisonError::into_inner).send(Event::Cancelled);
        });
        let limit = cancel.at_most(command.timeout);
        let mut closed = 0;
        let timed_out = loop {
            match events.recv_timeout(limit.saturating_sub(began.elapsed())) {
                Ok(Event::Exited) => break false,
                Ok(Event::Closed) => closed += 1,
                Ok(Event::Cancelled) => {
                    let _ = running.end();
                    return Err(ToolError::new(
                        Code::Cancelled,
                        "the request was cancelled; the command was killed",
                    ));
                }
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => break true,
            }
        };
        // Whatever it left behind in its group ends with it.
        let status = running.end().map_err(|e| ToolError::internal("waiting for the command", e))?;
        let duration_ms = began.elapsed().as_millis() as u64;
        let held = !drained(&events, closed);
        let take = |capture: &Arc<Mutex<Capture>>| {
            std::mem::take(&mut *capture.lock().unwrap_or_else(PoisonError::into_inner)).finish(mask)
        };
        Ok(Outcome {
            exit_code: status.code(),
            signal: status.signal(),
            timed_out,
            duration_ms,
            stdout: take(&stdout),
            stderr: take(&stderr),
            held,
        })
    }

    /// Waits until both streams are closed.
    fn drained(events: &Receiver<Event>, mut closed: u32) -> bool {
        let until = Instant::now() + GRACE;
        while closed < 2 {
            match events.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(Event::Closed) => closed += 1,
                Ok(_) => {}
                Err(_) => return false,
            }
        }
        true
    }

    fn start(command: &Command) -> Result<Child, ToolError> {
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
            ToolError::new(Code::Unavailable, message).at("executable")
        })
    }

    /// The program behind a shell that sets the limit and then becomes the program: so it holds from the first instruction
    /// on, and for everything that the program starts.
    #[cfg(target_os = "linux")]
    fn limited(command: &Command) -> std::process::Command {
        if command.memory_mb == 0 {
            return std::process::Command::new(&command.program);
        }
        let mut start = std::process::Command::new("/bin/sh");
        start.args(["-c", "ulimit -v \"$1\" && shift && exec \"$@\"", "sh"]);
        start.arg((command.memory_mb * 1_024).to_string()).arg(&command.program);
        start
    }

    #[cfg(not(target_os = "linux"))]
    fn limited(command: &Command) -> std::process::Command {
        std::process::Command::new(&command.program)
    }

    fn read(
        stream: Option<impl Read + Send + 'static>,
        tell: &Sender<Event>,
    ) -> Result<Arc<Mutex<Capture>>, ToolError> {
        let capture = Arc::new(Mutex::new(Capture::default()));
        let (into, tell) = (Arc::clone(&capture), tell.clone());
        thread(move || {
            let mut buffer = [0; 16 << 10];
            if let Some(mut stream) = stream {
                loop {
                    match stream.read(&mut buffer) {
                        Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                        Ok(0) | Err(_) => break,
                        Ok(count) => {
                            let bytes = buffer.get(..count).unwrap_or_default();
                            into.lock().unwrap_or_else(PoisonError::into_inner).add(bytes);
                        }
                    }
                }
            }
            let _ = tell.send(Event::Closed);
        })?;
        Ok(capture)
    }

    /// Says when the process ended, without reaping it.
    fn wait(pid: Pid, tell: &Sender<Event>) -> Result<(), ToolError> {
        let tell = tell.clone();
        thread(move || {
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
            while let Err(rustix::io::Errno::INTR) = waitid(WaitId::Pid(pid), options) {}
            let _ = tell.send(Event::Exited);
        })
    }

    fn thread(work: impl FnOnce() + Send + 'static) -> Result<(), ToolError> {
        let started = std::thread::Builder::new().name("sdl-command".to_owned()).spawn(work);
        started.map(drop).map_err(|e| ToolError::internal("starting a thread for the command", e))
    }
}

#[cfg(not(unix))]
mod platform {
    use super::{Cancel, Code, Command, Outcome, ToolError};

    pub(super) fn run(
        _command: &Command,
        _cancel: &Cancel,
        _mask: &dyn Fn(String) -> String,
    ) -> Result<Outcome, ToolError> {
        let message = "commands cannot be run on this platform: nothing here ends all that a command starts";
        Err(ToolError::new(Code::Unavailable, message))
    }
}
