//! A gate to test, and the daemon's side of it.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use sdl_gate::{Clock, Hands, serve};
use sdl_proto::gate::{
    FromGate, Owner, ToGate, UpstreamCall, UpstreamLists, UpstreamState, decode_from_gate, encode_to_gate,
};
use sdl_proto::{BUILD, FrameDecoder, MAX_FRAME, Payload, WireError};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::process::{Child, Command};
use tokio::task::JoinHandle;

/// A test that waits longer for one message has failed.
const PATIENCE: Duration = Duration::from_secs(15);

/// The daemon's side of a gate.
pub(crate) struct Gate {
    pub(crate) folder: TempDir,
    input: Option<Box<dyn AsyncWrite + Unpin + Send>>,
    output: Box<dyn AsyncRead + Unpin + Send>,
    decoder: FrameDecoder,
    /// Messages that came while others were waited for.
    seen: Vec<FromGate>,
    next_id: u64,
    generation: u64,
    pub(crate) process: Option<Child>,
    task: Option<JoinHandle<std::io::Result<()>>>,
}

/// The gate's program.
pub(crate) fn gate_program() -> PathBuf {
    env!("CARGO_BIN_EXE_sdl-gate").into()
}

/// The server that misbehaves.
pub(crate) fn hostile() -> PathBuf {
    let own = std::env::current_exe().unwrap();
    let path = own.parent().unwrap().parent().unwrap().join("examples/hostile-server");
    assert!(path.is_file(), "{} is missing: cargo build -p sdl-gate --examples", path.display());
    path
}

/// An entry for it.
pub(crate) fn entry(words: &[&str], own: Value) -> Value {
    json!({ "command": hostile(), "args": words, "sdl": own })
}

/// The parameters of a `tools/call`.
pub(crate) fn tool(name: &str, arguments: Value) -> Value {
    json!({ "name": name, "arguments": arguments })
}

pub(crate) fn detail(error: &WireError) -> Value {
    serde_json::from_slice(&error.detail).unwrap()
}

pub(crate) type Lists = UpstreamLists<Box<RawValue>>;

impl Gate {
    /// The gate as a process of its own.
    pub(crate) async fn start() -> Self {
        Self::start_in(tempfile::tempdir().unwrap()).await
    }

    pub(crate) async fn start_in(folder: TempDir) -> Self {
        let mut process = Command::new(gate_program())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .env("SDL_GATE_TEST_LEAK", "not for children")
            .spawn()
            .unwrap();
        let (input, output) = (process.stdin.take().unwrap(), process.stdout.take().unwrap());
        Self::greet(folder, Box::new(input), Box::new(output), Some(process), None).await
    }

    /// The gate in this process, with a clock to turn.
    pub(crate) async fn with_clock() -> (Self, Hands) {
        let (clock, hands) = Clock::manual();
        let (ours, theirs) = tokio::io::duplex(1 << 20);
        let (input, output) = tokio::io::split(theirs);
        let task = tokio::spawn(async move { serve(input, output, clock, gate_program()).await });
        let (output, input) = tokio::io::split(ours);
        let folder = tempfile::tempdir().unwrap();
        (Self::greet(folder, Box::new(input), Box::new(output), None, Some(task)).await, hands)
    }

    async fn greet(
        folder: TempDir,
        input: Box<dyn AsyncWrite + Unpin + Send>,
        output: Box<dyn AsyncRead + Unpin + Send>,
        process: Option<Child>,
        task: Option<JoinHandle<std::io::Result<()>>>,
    ) -> Self {
        let decoder = FrameDecoder::new(MAX_FRAME);
        let mut gate = Self {
            folder,
            input: Some(input),
            output,
            decoder,
            seen: Vec::new(),
            next_id: 0,
            generation: 0,
            process,
            task,
        };
        let folder = |name: &str| gate.folder.path().join(name).to_str().unwrap().to_owned();
        let (state_dir, runtime_dir) = (folder("state"), folder("run"));
        gate.send(ToGate::Hello { build: BUILD.to_owned(), state_dir, runtime_dir }).await;
        gate.wait(|message| matches!(message, FromGate::Hello { build, .. } if build == BUILD).then_some(()))
            .await;
        gate
    }

    pub(crate) fn state_dir(&self) -> PathBuf {
        self.folder.path().join("state")
    }

    pub(crate) fn children_file(&self) -> PathBuf {
        let pid = self.process.as_ref().and_then(Child::id).unwrap();
        self.folder.path().join(format!("run/children-{pid}.json"))
    }

    pub(crate) async fn send(&mut self, message: ToGate) {
        let mut frame = Vec::new();
        encode_to_gate(&message, MAX_FRAME, &mut frame).unwrap();
        let input = self.input.as_mut().unwrap();
        input.write_all(&frame).await.unwrap();
        input.flush().await.unwrap();
    }

    /// The next message, however it came.
    async fn read(&mut self) -> FromGate {
        loop {
            if let Some(frame) = self.decoder.next_frame().unwrap() {
                return decode_from_gate(frame).unwrap();
            }
            let read = self.output.read_buf(self.decoder.space());
            let count = tokio::time::timeout(PATIENCE, read).await.expect("no message in time").unwrap();
            assert!(count > 0, "the gate is gone");
        }
    }

    /// Waits for a message that `pick` takes. Others are kept for later.
    pub(crate) async fn wait<T>(&mut self, mut pick: impl FnMut(&FromGate) -> Option<T>) -> T {
        if let Some((at, picked)) =
            self.seen.iter().enumerate().find_map(|(at, message)| Some((at, pick(message)?)))
        {
            self.seen.remove(at);
            return picked;
        }
        loop {
            let message = self.read().await;
            if let Some(picked) = pick(&message) {
                return picked;
            }
            self.seen.push(message);
        }
    }

    /// How many of the messages that came and were not waited for fit.
    pub(crate) fn count_seen(&self, fits: impl Fn(&FromGate) -> bool) -> usize {
        self.seen.iter().filter(|message| fits(message)).count()
    }

    /// Forgets the messages that came and were not waited for.
    pub(crate) fn forget_seen(&mut self) {
        self.seen.clear();
    }

    /// Gives the gate these entries.
    pub(crate) async fn configure(&mut self, entries: Value) {
        self.configure_all(json!({ "mcpServers": entries })).await;
    }

    pub(crate) async fn configure_all(&mut self, settings: Value) {
        self.generation += 1;
        let generation = self.generation;
        self.send(ToGate::Configure { generation, text: settings.to_string() }).await;
    }

    pub(crate) fn new_id(&mut self) -> u64 {
        self.next_id += 1;
        self.next_id
    }

    /// Begins a call of the upstream `a`.
    pub(crate) async fn begin(&mut self, name: &str, arguments: Value) -> u64 {
        self.begin_with(|call| call.params = Payload(tool(name, arguments).to_string().into_bytes())).await
    }

    pub(crate) async fn begin_with(&mut self, change: impl FnOnce(&mut UpstreamCall)) -> u64 {
        let id = self.new_id();
        let mut call = UpstreamCall {
            id,
            key: "a".to_owned(),
            owner: Owner::Shared,
            method: "tools/call".to_owned(),
            params: Payload(b"{}".to_vec()),
            want_progress: true,
            is_repeatable: false,
            client: None,
        };
        change(&mut call);
        self.send(ToGate::Call(call)).await;
        id
    }

    /// The text of the result of a call, or its error.
    pub(crate) async fn answer(&mut self, call: u64) -> Result<String, WireError> {
        let result = self.wait(|message| match message {
            FromGate::Answer { id, result } if *id == call => Some(result.clone()),
            _ => None,
        });
        result.await.map(|Payload(bytes)| String::from_utf8(bytes).unwrap())
    }

    pub(crate) async fn call(&mut self, name: &str, arguments: Value) -> Result<String, WireError> {
        let id = self.begin(name, arguments).await;
        self.answer(id).await
    }

    /// The result of a call that succeeds.
    pub(crate) async fn call_ok(&mut self, name: &str, arguments: Value) -> Value {
        serde_json::from_str(&self.call(name, arguments).await.unwrap()).unwrap()
    }

    /// The error of a call that fails.
    pub(crate) async fn call_err(&mut self, name: &str, arguments: Value) -> WireError {
        self.call(name, arguments).await.unwrap_err()
    }

    /// Reads the lists of the upstream `a`.
    pub(crate) async fn read_lists(&mut self) -> Result<Lists, WireError> {
        let id = self.new_id();
        self.send(ToGate::Read { id, key: "a".to_owned(), owner: Owner::Shared, client: None }).await;
        let mut lists = None;
        let done = self.wait(|message| match message {
            FromGate::Lists { lists: Payload(bytes), .. } => {
                lists = Some(bytes.clone());
                None
            }
            FromGate::Done { id: done, result } if *done == id => Some(result.clone()),
            _ => None,
        });
        done.await?;
        Ok(serde_json::from_slice(&lists.expect("no lists before the end of the reading")).unwrap())
    }

    /// The next lists that come by themselves.
    pub(crate) async fn next_lists(&mut self) -> Lists {
        let lists = self.wait(|message| match message {
            FromGate::Lists { lists: Payload(bytes), .. } => Some(bytes.clone()),
            _ => None,
        });
        serde_json::from_slice(&lists.await).unwrap()
    }

    /// Waits until a connection of `a` reports this state.
    pub(crate) async fn state(&mut self, state: &str) -> UpstreamState {
        self.wait(|message| match message {
            FromGate::State(now) if now.state == state && now.key == "a" => Some(now.clone()),
            _ => None,
        })
        .await
    }

    /// The number that was counted under a name, as soon as it was reported.
    pub(crate) async fn counted(&mut self, what: &str) -> u64 {
        self.wait(|message| match message {
            FromGate::State(now) => now.counts.get(what).copied(),
            _ => None,
        })
        .await
    }

    /// Ends the daemon's side, and waits for the end of the gate.
    pub(crate) async fn hang_up(mut self) -> TempDir {
        let _ = self.input.take().unwrap().shutdown().await;
        if let Some(process) = &mut self.process {
            let status =
                tokio::time::timeout(PATIENCE, process.wait()).await.expect("the gate stays").unwrap();
            assert!(status.success(), "{status}");
        }
        if let Some(task) = self.task.take() {
            // Read on, because the gate may have more to say.
            let mut rest = Vec::new();
            let end = async {
                let _ = self.output.read_to_end(&mut rest).await;
                task.await.unwrap().unwrap();
            };
            tokio::time::timeout(PATIENCE, end).await.expect("the gate stays");
        }
        self.folder
    }

    /// Kills the gate, as a crash would.
    pub(crate) async fn kill(mut self) -> TempDir {
        self.process.as_mut().unwrap().kill().await.unwrap();
        self.folder
    }
}

/// Whether a process runs. One that has ended and was not reaped by whoever has it now does not.
pub(crate) fn is_running(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(')').is_some_and(|(_, rest)| !rest.trim_start().starts_with('Z'))
}

/// Waits until a process is gone. Nothing tells that of a process which is not ours, so this asks again and again.
pub(crate) async fn gone(pid: u32) {
    let is_gone = async {
        while is_running(pid) {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, is_gone).await.expect("the process stays");
}

/// The lines of a file that match, as soon as there are any.
pub(crate) async fn lines_with(path: &Path, what: &str) -> Vec<String> {
    let find = async {
        loop {
            let text = std::fs::read_to_string(path).unwrap_or_default();
            let lines: Vec<String> = text
                .split_inclusive('\n')
                .filter(|l| l.ends_with('\n') && l.contains(what))
                .map(str::to_owned)
                .collect();
            if !lines.is_empty() {
                return lines;
            }
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, find).await.unwrap_or_else(|_| panic!("no {what:?} in {}", path.display()))
}

/// The most memory that a process ever had resident, in KiB.
pub(crate) fn peak_memory(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}
