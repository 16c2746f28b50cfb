//! The process that holds the connections: started when upstreams are configured, started again when it ends by itself, and
//! ended with the last of them.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sdl_proto::gate::{FromGate, Owner, ToGate, UpstreamState, decode_from_gate, encode_to_gate};
use sdl_proto::{FrameDecoder, MAX_FRAME, Payload, WireError, code};
use sdl_tools::Tools;
use sdl_tools::host::{Client as _, OpenQuestion, Question};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;

use super::clients::Clients;
use super::exchange::reply_by;
use super::manager::unix_ms;
use super::pending::{News, Pending};

/// Messages to the gate that wait to be written.
const QUEUE: usize = 512;
/// Readings of lists that wait to be stored.
const READINGS: usize = 32;
/// The shortest and the longest pause before a gate that ended is started again.
const PAUSES: (Duration, Duration) = (Duration::from_millis(200), Duration::from_secs(30));
/// A gate that ran this long is healthy: the next one is started at once.
const HEALTHY: Duration = Duration::from_secs(60);
/// How long the gate may take to end its children and itself.
const FAREWELL: Duration = Duration::from_secs(10);

/// The settings that the gate works by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Wanted {
    pub(super) generation: u64,
    /// The text of `mcp.json`.
    pub(super) text: String,
}

/// What the gate reports that others have to act on, in its order.
pub(super) enum Report {
    /// The lists of an upstream, read under the settings of a generation.
    Lists { key: String, generation: u64, lists: Vec<u8> },
    /// A request for lists is done. Comes after the lists.
    Done { id: u64, result: Result<(), WireError> },
}

/// The gate's program and folders.
#[derive(Clone, Debug)]
pub(super) struct Site {
    pub(super) program: PathBuf,
    pub(super) state_dir: PathBuf,
    pub(super) runtime_dir: PathBuf,
}

/// The gate, whether it runs or not.
pub(super) struct Gate {
    site: Site,
    pub(super) pending: Arc<Pending>,
    wanted: watch::Sender<Option<Wanted>>,
    /// To the gate that runs.
    line: watch::Sender<Option<mpsc::Sender<ToGate>>>,
    clients: Arc<Clients>,
    /// Questions to sessions that belong to no call.
    open: Arc<Mutex<HashMap<u64, OpenQuestion>>>,
    /// The newest settings that are on their way to a gate, by their generation.
    sent: watch::Sender<u64>,
    states: Mutex<BTreeMap<(String, Owner), UpstreamState>>,
    secrets: Mutex<BTreeSet<String>>,
    /// Why there is no gate, if there should be one.
    trouble: Mutex<Option<String>>,
    reports: mpsc::Sender<Report>,
}

impl Gate {
    /// A gate that does not run yet, and its reports.
    pub(super) fn new(site: Site, clients: Arc<Clients>) -> (Arc<Self>, mpsc::Receiver<Report>) {
        let (reports, receiver) = mpsc::channel(READINGS);
        let gate = Self {
            site,
            pending: Arc::default(),
            wanted: watch::Sender::new(None),
            line: watch::Sender::new(None),
            clients,
            open: Arc::default(),
            sent: watch::Sender::new(0),
            states: Mutex::default(),
            secrets: Mutex::default(),
            trouble: Mutex::default(),
            reports,
        };
        (Arc::new(gate), receiver)
    }

    /// Sets what the gate works by; none ends it.
    pub(super) fn want(&self, wanted: Option<Wanted>) {
        self.wanted.send_replace(wanted);
    }

    /// The line to the gate that runs. An error says why there is none.
    pub(super) fn current_line(&self) -> Result<mpsc::Sender<ToGate>, WireError> {
        self.line.borrow().clone().ok_or_else(|| {
            let why = lock(&self.trouble).clone().unwrap_or_else(|| "it is being started".to_owned());
            let text = format!("the process that holds the connections does not run: {why}");
            WireError::new(code::UPSTREAM_DOWN, text)
        })
    }

    /// Queues a message for the gate that runs. An error says why that is not possible.
    pub(super) fn post(&self, message: ToGate) -> Result<(), WireError> {
        self.current_line()?.try_send(message).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => {
                WireError::new(code::BUSY, "too many requests wait for the upstreams already")
            }
            mpsc::error::TrySendError::Closed(_) => {
                WireError::new(code::UPSTREAM_DOWN, "the process that holds the connections has just ended")
            }
        })
    }

    /// Waits until a gate runs, or gives up. Blocks.
    pub(super) fn await_line(&self, runtime: &tokio::runtime::Handle, patience: Duration) {
        wait_within(runtime, patience, self.line.subscribe(), Option::is_some);
    }

    /// Waits until a request can't overtake these settings, or gives up. Blocks.
    pub(super) fn await_settings(
        &self,
        runtime: &tokio::runtime::Handle,
        generation: u64,
        patience: Duration,
    ) {
        self.await_line(runtime, patience);
        wait_within(runtime, patience, self.sent.subscribe(), |sent| *sent >= generation);
    }

    /// The last state of each connection.
    pub(super) fn states(&self) -> Vec<UpstreamState> {
        lock(&self.states).values().cloned().collect()
    }

    /// Values that must be masked.
    pub(super) fn secrets(&self) -> Vec<String> {
        lock(&self.secrets).iter().cloned().collect()
    }

    /// Why there is no gate, if there should be one.
    pub(super) fn trouble(&self) -> Option<String> {
        lock(&self.trouble).clone()
    }

    /// Runs gates for as long as the daemon lives.
    pub(super) async fn supervise(self: Arc<Self>) {
        let mut wanted = self.wanted.subscribe();
        let mut pause = PAUSES.0;
        loop {
            if wanted.wait_for(Option::is_some).await.is_err() {
                return;
            }
            let began = Instant::now();
            let ended = self.run_once(&mut wanted).await;
            self.line.send_replace(None);
            self.note_end(&ended);
            let Err(error) = ended else { continue };
            tracing::warn!(%error, "the process that holds the connections to upstreams ended");
            pause = if began.elapsed() >= HEALTHY { PAUSES.0 } else { (pause * 2).min(PAUSES.1) };
            tokio::time::sleep(pause).await;
        }
    }

    /// Whoever waits must not wait for a gate that is gone.
    fn note_end(&self, ended: &io::Result<()>) {
        *lock(&self.trouble) = ended.as_ref().err().map(ToString::to_string);
        let text = "the process that holds the connections ended while the request was under way";
        self.pending.fail_all(&WireError::new(code::OUTCOME_UNKNOWN, text));
        let open = std::mem::take(&mut *lock(&self.open));
        drop(open);
        match ended {
            Ok(()) => lock(&self.states).clear(),
            Err(error) => {
                for state in lock(&self.states).values_mut() {
                    "stopped".clone_into(&mut state.state);
                    (state.pid, state.rss_kb, state.in_flight, state.waiting) = (None, None, 0, 0);
                    state.last_error = Some(format!("the process that held the connection ended: {error}"));
                    state.last_error_at_ms = Some(unix_ms());
                }
            }
        }
    }

    /// Starts a gate and talks with it until it ends (an error) or is not wanted any more.
    async fn run_once(&self, wanted: &mut watch::Receiver<Option<Wanted>>) -> io::Result<()> {
        let mut child = self.start_program()?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::Error::other("its pipes are missing"));
        };
        let (line, queue) = mpsc::channel(QUEUE);
        let hello = ToGate::Hello {
            build: sdl_proto::BUILD.to_owned(),
            state_dir: self.site.state_dir.to_string_lossy().into_owned(),
            runtime_dir: self.site.runtime_dir.to_string_lossy().into_owned(),
        };
        line.send(hello).await.map_err(io::Error::other)?;
        let ended = {
            let mut writing = std::pin::pin!(write_messages(input, queue));
            let mut reading = std::pin::pin!(self.read_messages(output));
            let mut following = std::pin::pin!(self.follow_settings(&line, wanted));
            tokio::select! {
                error = &mut writing => Err(error),
                error = &mut reading => Err(error),
                ended = &mut following => {
                    // The farewell goes out, and what the gate still says is heard.
                    let rest = async { tokio::select! { e = writing => e, e = reading => e } };
                    let _ = tokio::time::timeout(FAREWELL, rest).await;
                    ended
                }
            }
        };
        end_program(&mut child).await;
        ended
    }

    fn start_program(&self) -> io::Result<Child> {
        let Site { program, state_dir, .. } = &self.site;
        let logs = state_dir.join("log");
        std::fs::create_dir_all(&logs)?;
        let log = std::fs::OpenOptions::new().create(true).append(true).open(logs.join("sdl-gate.log"))?;
        let mut command = Command::new(program);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(log).current_dir(state_dir);
        // As many as its runtime has threads: glibc's default would be eight for each core, which fill up for hours. Servers get
        // nothing of its environment.
        command.env("MALLOC_ARENA_MAX", "2");
        command.spawn().map_err(|error| {
            io::Error::new(error.kind(), format!("can't run {}: {error}", program.display()))
        })
    }

    /// Tells the gate about each change of the settings. Returns once it is not wanted any more and knows it.
    async fn follow_settings(
        &self,
        line: &mpsc::Sender<ToGate>,
        wanted: &mut watch::Receiver<Option<Wanted>>,
    ) -> io::Result<()> {
        loop {
            let now = wanted.borrow_and_update().clone();
            let Some(Wanted { generation, text }) = now else {
                line.send(ToGate::Stop).await.map_err(io::Error::other)?;
                self.line.send_replace(None);
                return Ok(());
            };
            line.send(ToGate::Configure { generation, text }).await.map_err(io::Error::other)?;
            self.sent.send_replace(generation);
            // Requests come after the settings that they rely on.
            self.line.send_replace(Some(line.clone()));
            if wanted.changed().await.is_err() {
                return Ok(());
            }
        }
    }

    /// Takes what the gate says, until it breaks off.
    async fn read_messages(&self, mut output: ChildStdout) -> io::Error {
        let mut decoder = FrameDecoder::new(MAX_FRAME);
        let mut is_greeted = false;
        loop {
            loop {
                let message = match decoder.next_frame() {
                    Ok(Some(payload)) => decode_from_gate(payload),
                    Ok(None) => break,
                    Err(error) => return io::Error::other(error),
                };
                match message {
                    Ok(FromGate::Hello { build, .. }) if build == sdl_proto::BUILD => is_greeted = true,
                    Ok(FromGate::Hello { build, .. }) => {
                        return io::Error::other(format!(
                            "it is of another build, {build}; install both again"
                        ));
                    }
                    Ok(message) if is_greeted => self.take_message(message).await,
                    Ok(_) => return io::Error::other("it did not say hello"),
                    Err(error) => return io::Error::other(error),
                }
            }
            match output.read_buf(decoder.space()).await {
                Ok(0) => return io::ErrorKind::UnexpectedEof.into(),
                Ok(_) => {}
                Err(error) => return error,
            }
        }
    }

    /// Asks the client of a session something that belongs to no call.
    fn ask_session(&self, key: &str, owner: &Owner, question: Question) {
        let Ok(line) = self.current_line() else { return };
        let Question { number, method, params } = question;
        let reply = reply_by(line, number);
        let client = match owner {
            Owner::Session(session) => self.clients.find(*session),
            Owner::Shared | Owner::Root(_) => None,
        };
        let Some(client) = client else { return reply(Err("nobody can be asked".to_owned())) };
        let params = Tools::mark_question(key, &method, &params);
        // Whether it is answered is known under the lock, so that no answered question is kept.
        let (open, is_answered) = (Arc::clone(&self.open), Arc::<AtomicBool>::default());
        let said = Arc::clone(&is_answered);
        let answered = move |answer| {
            reply(answer);
            let mut open = lock(&open);
            said.store(true, Ordering::Relaxed);
            let known = open.remove(&number);
            drop(open);
            drop(known);
        };
        let asked = client.ask(&method, params, Box::new(answered));
        let mut open = lock(&self.open);
        if !is_answered.load(Ordering::Relaxed) {
            open.insert(number, asked);
        }
    }

    async fn take_message(&self, message: FromGate) {
        match message {
            FromGate::Answer { id, result } => {
                self.pending.tell(id, News::Answer(result.map(|Payload(bytes)| bytes)));
            }
            FromGate::Progress { id, bytes } => {
                self.pending.tell(id, News::Progress(bytes.0));
            }
            FromGate::Lists { key, generation, lists, .. } => {
                let _ = self.reports.send(Report::Lists { key, generation, lists: lists.0 }).await;
            }
            FromGate::Done { id, result } => {
                let _ = self.reports.send(Report::Done { id, result }).await;
            }
            FromGate::State(state) => {
                let mut states = lock(&self.states);
                let place = (state.key.clone(), state.owner.clone());
                if state.state == "off" {
                    states.remove(&place);
                } else {
                    states.insert(place, state);
                }
            }
            FromGate::Secrets { values } => lock(&self.secrets).extend(values),
            FromGate::Ask { ask, call, key, owner, method, params } => {
                let question = Question { number: ask, method, params: params.0 };
                let is_told = call.is_some_and(|id| self.pending.tell(id, News::Asked(question.clone())));
                if !is_told {
                    self.ask_session(&key, &owner, question);
                }
            }
            FromGate::AskOver { ask, call } => {
                if let Some(id) = call {
                    self.pending.tell(id, News::Withdrawn(ask));
                }
                let open = lock(&self.open).remove(&ask);
                // Without the lock, because the client is written to.
                drop(open);
            }
            FromGate::Hello { .. } | FromGate::Pong { .. } => {}
        }
    }
}

/// Waits until a value fits, or gives up. Blocks.
fn wait_within<T>(
    runtime: &tokio::runtime::Handle,
    patience: Duration,
    mut value: watch::Receiver<T>,
    fits: impl Fn(&T) -> bool,
) {
    if fits(&value.borrow()) {
        return;
    }
    // The timer is made within the runtime, because the thread that waits may not belong to it.
    let waiting = async {
        let _ = tokio::time::timeout(patience, value.wait_for(|now| fits(now))).await;
    };
    runtime.block_on(waiting);
}

async fn write_messages(mut input: ChildStdin, mut queue: mpsc::Receiver<ToGate>) -> io::Error {
    let mut bytes = Vec::new();
    loop {
        let Some(message) = queue.recv().await else { return io::ErrorKind::BrokenPipe.into() };
        bytes.clear();
        if let Err(error) = encode_to_gate(&message, MAX_FRAME, &mut bytes) {
            tracing::warn!(%error, "a message to the gate is too large");
            continue;
        }
        if let Err(error) = input.write_all(&bytes).await {
            return error;
        }
    }
}

/// Waits for the end of a program whose input is closed; ends it if it stays.
async fn end_program(child: &mut Child) {
    if tokio::time::timeout(FAREWELL, child.wait()).await.is_err() {
        tracing::warn!("the process that holds the connections does not end; it is killed");
        let _ = child.kill().await;
    }
}

/// A poisoned lock is used all the same, because nothing done under these locks leaves a value half changed.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_outside_of_the_runtime_may_wait() {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let (sender, receiver) = watch::channel(0);
        let handle = runtime.handle();
        let wait = |wanted: u64| {
            let receiver = receiver.clone();
            let waits = || wait_within(handle, Duration::ZERO, receiver, |now| *now >= wanted);
            std::thread::scope(|scope| scope.spawn(waits).join().is_ok())
        };
        assert!(wait(0) && wait(1));
        sender.send_replace(1);
        assert!(wait(1));
    }
}
