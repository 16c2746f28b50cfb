//! Upstreams as a whole: the settings in force, the gate, and what the tools know of them.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use sdl_proto::gate::{Owner, ToGate, UpstreamCall, UpstreamState};
use sdl_proto::{Payload, WireError};
use sdl_settings::{Settings, read_settings};
use sdl_tools::audit::Row;
use sdl_tools::host::{Exchange, ListsOf, Outgoing, Upstreams};
use sdl_tools::{Cancel, Code, Explained as _, NoProgress, ToolError, Tools};
use serde_json::{Map, Value, json};
use tokio::runtime::Handle;
use tokio::sync::{Notify, mpsc};

use super::clients::Clients;
use super::exchange::GateExchange;
use super::gate::{Gate, Report, Site, Wanted};
use super::pending::{News, Unanswered, Waiting};
use super::report::{Times, describe_one};
use super::since::Since;

/// The protocol's number for an error that says what the client has to be able to do.
const MISSING_CAPABILITY: i64 = -32_021;

/// Calls that wait for upstreams at once.
pub(crate) const MOST_WAITING: usize = 256;
/// How much longer than the upstream may take a call is waited for: the gate knows the limits and tells when they are over.
const GRACE: Duration = Duration::from_secs(30);
/// How long a call waits for the gate to be started.
const STARTUP: Duration = Duration::from_secs(5);
/// How long the settings file has to be quiet before it is read: editors write in several steps.
const QUIET: Duration = Duration::from_millis(30);

/// Why the settings in force are not those of the file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ReloadError(pub String);

/// The settings in force.
struct InForce {
    generation: u64,
    text: Option<String>,
    settings: Arc<Settings>,
    since: Since,
    /// Why a newer text of the file is not in force.
    error: Option<String>,
}

/// Upstreams as a whole. Lives as long as the daemon.
pub struct UpstreamManager {
    state_dir: PathBuf,
    runtime: Handle,
    gate: Arc<Gate>,
    tools: Weak<Tools>,
    in_force: Mutex<InForce>,
    /// Held while settings or lists are taken, because lists must not be taken for a server that their key meant before.
    taking: Mutex<()>,
    /// How long calls took.
    times: Arc<Times>,
    /// Fires when the file may have changed.
    touched: Arc<Notify>,
    /// Called after the tools of some sessions may have changed.
    on_change: Box<dyn Fn() + Send + Sync>,
}

impl UpstreamManager {
    /// Sets everything up. [`UpstreamManager::reload`] puts the file in force. To be called within the runtime.
    pub fn start(
        state_dir: PathBuf,
        runtime_dir: PathBuf,
        tools: &Arc<Tools>,
        clients: Arc<Clients>,
        on_change: impl Fn() + Send + Sync + 'static,
    ) -> Arc<Self> {
        let site = Site { program: gate_program(), state_dir: state_dir.clone(), runtime_dir };
        let (gate, reports) = Gate::new(site, clients);
        let in_force = InForce {
            generation: 0,
            text: None,
            settings: Arc::default(),
            since: Since::default(),
            error: None,
        };
        let manager = Arc::new(Self {
            state_dir,
            runtime: Handle::current(),
            gate: Arc::clone(&gate),
            tools: Arc::downgrade(tools),
            in_force: Mutex::new(in_force),
            taking: Mutex::default(),
            times: Arc::default(),
            touched: Arc::default(),
            on_change: Box::new(on_change),
        });
        tokio::spawn(gate.supervise());
        tokio::spawn(take_reports(Arc::downgrade(&manager), reports));
        tokio::spawn(follow_file(Arc::downgrade(&manager), Arc::clone(&manager.touched)));
        manager
    }

    /// What to call when the file may have changed. Never waits.
    pub fn touch(&self) -> impl Fn() + Send + Sync + 'static + use<> {
        let touched = Arc::clone(&self.touched);
        move || touched.notify_one()
    }

    /// Reads the file and puts it in force, whole or not at all. With an error the former settings stay. Blocks.
    pub fn reload(&self) -> Result<(), ReloadError> {
        let read = read_settings(&self.state_dir);
        let taking = self.taking.lock().unwrap_or_else(PoisonError::into_inner);
        let mut in_force = self.in_force.lock().unwrap_or_else(PoisonError::into_inner);
        let (text, settings) = match read {
            Ok(Some(file)) => (Some(file.text), Arc::new(file.parsed.settings)),
            Ok(None) => (None, Arc::default()),
            Err(error) => {
                let error = error.to_string();
                if in_force.error.as_ref() != Some(&error) {
                    tracing::warn!("the settings of upstreams stay as they were: {error}");
                }
                in_force.error = Some(error.clone());
                return Err(ReloadError(error));
            }
        };
        in_force.error = None;
        if in_force.generation > 0 && in_force.text == text {
            return Ok(());
        }
        let Some(tools) = self.tools.upgrade() else { return Ok(()) };
        tools.configure_upstreams(Arc::clone(&settings)).map_err(|error| ReloadError(error.to_string()))?;
        in_force.generation += 1;
        let generation = in_force.generation;
        let former = std::mem::replace(&mut in_force.settings, Arc::clone(&settings));
        in_force.since.follow(&former, &settings, generation);
        in_force.text = text;
        let has_upstreams = settings.upstreams.iter().any(|upstream| upstream.enabled);
        let wanted = in_force.text.clone().filter(|_| has_upstreams);
        self.gate.want(wanted.map(|text| Wanted { generation, text }));
        drop(in_force);
        drop(taking);
        for key in tools.upstreams_to_read() {
            self.read_beside(&ListsOf::shared(&key));
        }
        (self.on_change)();
        Ok(())
    }

    /// Why a newer text of the file is not in force, and how often settings were put in force.
    pub fn config_state(&self) -> (u64, Option<String>) {
        let in_force = self.in_force.lock().unwrap_or_else(PoisonError::into_inner);
        (in_force.generation, in_force.error.clone().or_else(|| self.gate.trouble()))
    }

    /// The keys of the upstreams that are enabled, in the order of the file.
    pub fn enabled_keys(&self) -> Vec<String> {
        let in_force = self.in_force.lock().unwrap_or_else(PoisonError::into_inner);
        let enabled = in_force.settings.upstreams.iter().filter(|upstream| upstream.enabled);
        enabled.map(|upstream| upstream.key.clone()).collect()
    }

    /// Ends the connections of an upstream and starts those again that ran.
    pub fn restart(&self, key: &str, patience: Duration, cancel: &Cancel) -> Result<(), ToolError> {
        let waiting = self.begin_waiting()?;
        let message = ToGate::Restart { id: waiting.id, key: key.to_owned() };
        self.gate.post(message).map_err(tool_error)?;
        done(waiting.wait(patience, &NoProgress, cancel), "it is still being restarted")
    }

    /// Closes the connections that a session had for itself.
    pub fn session_ended(&self, session: u64) {
        let has_own = self.gate.states().iter().any(|state| state.owner == Owner::Session(session));
        if has_own {
            let _ = self.gate.post(ToGate::OwnerGone { owner: Owner::Session(session) });
        }
    }

    /// Upstreams as a person wants to see them: JSON with `configGeneration`, `configError` and `upstreams`. Asks no child.
    pub fn describe(&self) -> Value {
        let (generation, error) = self.config_state();
        let in_force = self.in_force.lock().unwrap_or_else(PoisonError::into_inner);
        let settings = Arc::clone(&in_force.settings);
        drop(in_force);
        let (states, times) = (self.gate.states(), self.times.shares());
        let known = self.tools.upgrade().map(|tools| tools.upstream_report()).unwrap_or_default();
        let now_ms = unix_ms();
        let upstreams = settings.upstreams.iter().map(|upstream| {
            let state = states.iter().find(|state| state.key == upstream.key);
            let known = known.iter().find(|known| known["key"] == upstream.key.as_str());
            describe_one(upstream, state, known, times.get(&upstream.key), now_ms)
        });
        let mut all = json!({ "configGeneration": generation, "upstreams": upstreams.collect::<Vec<_>>() });
        if let Some(error) = error {
            all["configError"] = error.into();
        }
        all
    }

    /// The tools of an upstream as a person wants to see them.
    pub fn describe_tools(&self, key: &str) -> Value {
        self.tools.upgrade().map(|tools| tools.upstream_tools(key)).unwrap_or_default()
    }

    /// The definitions of an upstream that differ from the known ones, or that of one tool, for a person.
    pub fn compare_definitions(&self, key: &str, tool: Option<&str>) -> Result<Value, ToolError> {
        self.tools()?.compare_definitions(key, tool)
    }

    /// Approves definitions of an upstream for a person: see [`Tools::approve_definitions`].
    pub fn approve_definitions(
        &self,
        key: &str,
        tool: Option<&str>,
        mark: Option<&str>,
        who: &Row,
    ) -> Result<Value, ToolError> {
        let answer = self.tools()?.approve_definitions(key, tool, mark, who)?;
        (self.on_change)();
        Ok(answer)
    }

    fn tools(&self) -> Result<Arc<Tools>, ToolError> {
        let stopping = || ToolError::new(Code::Unavailable, "the daemon is stopping");
        self.tools.upgrade().ok_or_else(stopping)
    }

    /// One tool of an upstream with its whole definition, by its own name or the one that clients see.
    pub fn describe_tool(&self, key: &str, tool: &str) -> Option<Value> {
        self.tools.upgrade().and_then(|tools| tools.upstream_tool(key, tool))
    }

    /// What an upstream says of itself, and its prompts and resources: a JSON object.
    pub fn describe_lists(&self, key: &str) -> Value {
        self.tools.upgrade().map_or_else(|| json!({}), |tools| tools.upstream_lists(key))
    }

    /// Has the lists of an upstream read without waiting for them.
    pub fn read_beside(&self, of: &ListsOf<'_>) {
        let (key, message) = (of.key.to_owned(), read_message(0, of));
        // The gate has to know these settings first, because it would read the server that the key meant before.
        let (generation, _) = self.config_state();
        let gate = Arc::clone(&self.gate);
        let runtime = self.runtime.clone();
        self.runtime.spawn_blocking(move || {
            gate.await_settings(&runtime, generation, STARTUP);
            // Nobody waits for the answer: the lists come by themselves.
            if let Err(error) = gate.post(message) {
                tracing::warn!(upstream = key, %error, "its lists are not read");
            }
        });
    }

    fn begin_waiting(&self) -> Result<Waiting, ToolError> {
        self.gate.await_line(&self.runtime, STARTUP);
        self.gate.pending.begin(MOST_WAITING).ok_or_else(|| {
            let message = format!("{MOST_WAITING} calls wait for upstreams already; try again in a moment");
            ToolError::new(Code::Busy, message)
        })
    }

    /// The longest that the gate may take with a call.
    fn patience(&self, key: &str) -> Duration {
        let in_force = self.in_force.lock().unwrap_or_else(PoisonError::into_inner);
        let own = in_force.settings.upstream(key).map(|upstream| &upstream.own);
        let most = own.map_or(0, |own| own.start_timeout_ms + own.max_total_ms);
        Duration::from_millis(most) * 2 + GRACE
    }

    /// Takes the lists that the gate read, unless its key means another server now. Blocks.
    fn take_lists(&self, key: &str, generation: u64, lists: &[u8]) {
        let Some(tools) = self.tools.upgrade() else { return };
        let taking = self.taking.lock().unwrap_or_else(PoisonError::into_inner);
        let in_force = self.in_force.lock().unwrap_or_else(PoisonError::into_inner);
        let is_current = in_force.since.is_current(key, generation);
        drop(in_force);
        if !is_current {
            tracing::info!(upstream = key, "lists of the server that the key meant before are not taken");
            return;
        }
        let taken = tools.take_lists(key, lists, unix_ms());
        drop(taking);
        match taken {
            Ok(true) => (self.on_change)(),
            Ok(false) => {}
            Err(error) => tracing::error!(upstream = key, %error, "its lists are not taken"),
        }
    }
}

impl Upstreams for UpstreamManager {
    fn begin(&self, request: &Outgoing<'_>) -> Result<Box<dyn Exchange>, ToolError> {
        let waiting = self.begin_waiting()?;
        let client = (!request.client.is_empty()).then(|| Value::Object(request.client.clone()).to_string());
        let call = UpstreamCall {
            id: waiting.id,
            key: request.key.to_owned(),
            owner: request.owner.clone(),
            method: request.method.to_owned(),
            params: Payload(request.params.clone().into_bytes()),
            want_progress: true,
            is_repeatable: request.is_repeatable,
            client: client.map(|client| Payload(client.into_bytes())),
        };
        let line = self.gate.current_line().map_err(tool_error)?;
        self.gate.post(ToGate::Call(call)).map_err(tool_error)?;
        let began = Instant::now();
        Ok(Box::new(GateExchange {
            waiting,
            line,
            key: request.key.to_owned(),
            times: Arc::clone(&self.times),
            began,
            until: began + self.patience(request.key),
            is_over: false,
        }))
    }

    fn read_lists(&self, of: &ListsOf<'_>, patience: Duration, cancel: &Cancel) -> Result<(), ToolError> {
        let waiting = self.begin_waiting()?;
        // Lists of the server that the key meant before would not be taken.
        let (generation, _) = self.config_state();
        self.gate.await_settings(&self.runtime, generation, STARTUP);
        self.gate.post(read_message(waiting.id, of)).map_err(tool_error)?;
        done(waiting.wait(patience, &NoProgress, cancel), "its lists are still being read")
    }

    fn states(&self) -> Vec<UpstreamState> {
        self.gate.states()
    }

    fn secrets(&self) -> Vec<String> {
        self.gate.secrets()
    }
}

/// The message that has lists read.
fn read_message(id: u64, of: &ListsOf<'_>) -> ToGate {
    let client = (!of.client.is_empty()).then(|| Value::Object(of.client.clone()).to_string());
    let client = client.map(|client| Payload(client.into_bytes()));
    ToGate::Read { id, key: of.key.to_owned(), owner: of.owner.clone(), client }
}

/// The outcome of a request that has no result.
fn done(answer: Result<Result<Vec<u8>, WireError>, Unanswered>, unfinished: &str) -> Result<(), ToolError> {
    match answer {
        Ok(answer) => answer.map(drop).map_err(tool_error),
        Err(Unanswered::Cancelled) => Err(ToolError::new(Code::Cancelled, "the call was cancelled")),
        Err(Unanswered::TooLong) => Err(ToolError::new(Code::UpstreamTimeout, unfinished)),
    }
}

/// The same error for a caller of a tool.
pub(super) fn tool_error(error: WireError) -> ToolError {
    let known = Code::of_upstream(&error.code);
    let message = match known {
        Some(_) => error.message,
        None => format!("{} ({})", error.message, error.code),
    };
    let mut details: Map<String, Value> = serde_json::from_slice(&error.detail).unwrap_or_default();
    let mut code = known.unwrap_or(Code::UpstreamProtocol);
    let of_upstream = details.get("error").filter(|error| error["code"] == MISSING_CAPABILITY);
    if let Some(wanted) = of_upstream.map(|error| error["data"]["requiredCapabilities"].clone()) {
        code = Code::MissingCapability;
        details.insert("requiredCapabilities".to_owned(), wanted);
    }
    let mut made = ToolError::new(code, message);
    for (name, value) in details {
        made = made.with(&name, value);
    }
    made
}

/// Stores the lists that the gate read, one after the other.
async fn take_reports(manager: Weak<UpstreamManager>, mut reports: mpsc::Receiver<Report>) {
    while let Some(report) = reports.recv().await {
        let Some(manager) = manager.upgrade() else { return };
        let taken = tokio::task::spawn_blocking(move || match report {
            Report::Lists { key, generation, lists } => manager.take_lists(&key, generation, &lists),
            Report::Done { id, result } => {
                manager.gate.pending.tell(id, News::Answer(result.map(|()| Vec::new())));
            }
        });
        if let Err(error) = taken.await {
            tracing::error!(%error, "a reading of an upstream was not taken");
        }
    }
}

/// Puts the file in force whenever it may have changed.
async fn follow_file(manager: Weak<UpstreamManager>, touched: Arc<Notify>) {
    loop {
        touched.notified().await;
        while tokio::time::timeout(QUIET, touched.notified()).await.is_ok() {}
        let Some(manager) = manager.upgrade() else { return };
        // An error stays in the status.
        let _ = tokio::task::spawn_blocking(move || manager.reload()).await;
    }
}

/// The gate's program: beside this one.
fn gate_program() -> PathBuf {
    let name = if cfg!(windows) { "sdl-gate.exe" } else { "sdl-gate" };
    if let Some(named) = std::env::var_os("SDL_GATE") {
        return named.into();
    }
    let beside = std::env::current_exe().ok().and_then(|own| Some(own.parent()?.join(name)));
    beside.filter(|program| program.is_file()).unwrap_or_else(|| name.into())
}

pub(super) fn unix_ms() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.map_or(0, |now| now.as_millis() as u64)
}
