//! Starts a connection: the child or the endpoint, the lifecycle, the first reading of lists.

use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::ProtocolVersion;
use rmcp::service::{ClientInitializeError, ClientLifecycleMode, serve_client_with_lifecycle};
use rmcp::transport::Transport;
use sdl_proto::code;
use sdl_proto::gate::Owner;
use sdl_settings::{Protocol, SessionLookup, Transport as Way};

use crate::asks::{Asker, declared_capabilities};
use crate::entry::Entry;
use crate::eras::Era;
use crate::flag::Flag;
use crate::lists::{self, Reading};
use crate::slot::Slot;
use crate::slot::listening::Listening;
use crate::slot::live::{Body, Live, Parts};
use crate::slot::running::Running;
use crate::trouble::Trouble;
use crate::wire::link::Link;

/// A connection that works, and what it lists. Must be awaited to its end, because a child that was started must not be lost.
pub(crate) async fn start_connection(slot: &Arc<Slot>) -> Result<(Live, Reading), Trouble> {
    let entry = slot.entry();
    let most = Duration::from_millis(entry.upstream.own.start_timeout_ms);
    let until = slot.world.clock.now() + most;
    let opened = open_body(slot, &entry).await?;
    let body = opened.body.clone();
    let hang_up = opened.hang_up.clone();
    let link = Arc::clone(&opened.link);
    let started = tokio::select! {
        started = opened.begin(slot, &entry) => started,
        () = slot.closing.raised() => Err(Trouble::down("the upstream was removed from the settings")),
        () = slot.world.clock.until(Some(until)) => {
            Err(Trouble::down(format!("the upstream did not start within {} ms (startTimeoutMs)", most.as_millis())))
        }
    };
    match started {
        Ok(started) => Ok(started),
        Err(trouble) => {
            hang_up.raise();
            // What we found wrong with its messages says more than that the connection ended.
            let trouble = link.fault().unwrap_or(trouble);
            let trouble = body.explain(trouble).await;
            let world = Arc::clone(&slot.world);
            tokio::spawn(async move { body.end(&world).await });
            Err(trouble)
        }
    }
}

/// Something to speak with, before the first message.
struct Opened {
    body: Body,
    link: Arc<Link>,
    hang_up: Flag,
    way: Open,
}

/// A transport of one of the kinds.
enum Open {
    #[cfg(unix)]
    Pipes(crate::wire::pipes::Pipes),
    #[cfg(feature = "http")]
    Web(Box<crate::http::Web>),
}

async fn open_body(slot: &Slot, entry: &Entry) -> Result<Opened, Trouble> {
    match &entry.upstream.transport {
        #[cfg(unix)]
        Way::Stdio { .. } => open_child(slot, entry).await,
        #[cfg(not(unix))]
        Way::Stdio { .. } => {
            let message = "servers that run as commands are not supported on this platform";
            Err(Trouble::new(code::UNSUPPORTED_TRANSPORT, message))
        }
        #[cfg(feature = "http")]
        Way::Http { .. } => {
            let link = Link::new(slot.world.clock.clone(), remote_notes(slot).await);
            let hang_up = Flag::default();
            let web = crate::http::open_web(slot, entry, Arc::clone(&link), hang_up.clone()).await?;
            Ok(Opened { body: Body::Remote, link, hang_up, way: Open::Web(Box::new(web)) })
        }
        #[cfg(not(feature = "http"))]
        Way::Http { .. } => {
            Err(Trouble::new(code::UNSUPPORTED_TRANSPORT, "this build has no HTTP (feature `http`)"))
        }
    }
}

/// Where notes about a server go that has no standard error.
#[cfg(feature = "http")]
async fn remote_notes(slot: &Slot) -> crate::wire::link::Notes {
    #[cfg(unix)]
    {
        let path = slot.world.log_path(&slot.key);
        let folder = slot.world.state_dir.join("log");
        let _ = crate::shared::run_blocking(move || crate::child::spawn::make_private(&folder)).await;
        let log = crate::child::log::Log::start(path, slot.world.masks.clone(), None::<tokio::io::Empty>);
        Box::new(move |text| log.note(text))
    }
    #[cfg(not(unix))]
    {
        let key = slot.key.clone();
        Box::new(move |_| tracing::debug!("{key}: something odd came"))
    }
}

#[cfg(unix)]
async fn open_child(slot: &Slot, entry: &Entry) -> Result<Opened, Trouble> {
    use crate::child::group::Group;
    use crate::child::log::Log;
    use crate::child::spawn::{into_async, start_program};
    use crate::slot::live::end_child;
    use crate::wire::pipes::Pipes;

    let world = &slot.world;
    let (program, resolved) = resolve_program(slot, entry).await?;
    world.learn_secrets(&resolved).await;
    let log_path = world.log_path(&slot.key);
    let (key, for_thread) = (slot.key.clone(), Arc::clone(world));
    let program = Arc::new(program);
    let same = Arc::clone(&program);
    let started = crate::shared::run_blocking(move || {
        let mut recorded = None;
        let record = |pid| for_thread.registry.add(&key, pid).map(|()| recorded = Some(pid));
        let started = start_program(&for_thread.holder, &same, record);
        if let (Err(_), Some(pid)) = (&started, recorded) {
            for_thread.registry.remove(pid);
        }
        started
    });
    let failed = |error: String| Trouble::not_started(&program.path, &error);
    let started = started.await.map_err(failed)?.map_err(|error| failed(error.to_string()))?;
    let pid = started.child.id();
    let group = match Group::watch(started.child, world.clock.clone()) {
        Ok(group) => group,
        Err(error) => {
            let world = Arc::clone(world);
            let _ = crate::shared::run_blocking(move || world.registry.remove(pid)).await;
            return Err(failed(error.to_string()));
        }
    };
    tracing::info!("{}: started as process {pid}", slot.key);
    let pipes = into_async(started.stdin, started.stdout, started.stderr);
    let (stdin, stdout, stderr) = match pipes {
        Ok(pipes) => pipes,
        Err(error) => {
            let world = Arc::clone(world);
            tokio::spawn(async move { end_child(&group, &world).await });
            return Err(failed(error.to_string()));
        }
    };
    let log = Log::start(log_path, world.masks.clone(), Some(stderr));
    let for_notes = log.clone();
    let link = Link::new(world.clock.clone(), Box::new(move |text| for_notes.note(text)));
    let hang_up = Flag::default();
    let pipes = Pipes::new(stdin, stdout, Arc::clone(&link), hang_up.clone());
    let path: Arc<std::path::Path> = program.path.as_path().into();
    Ok(Opened { body: Body::Child { group, log, program: path }, link, hang_up, way: Open::Pipes(pipes) })
}

/// The program to start, and the values that it was made of.
#[cfg(unix)]
async fn resolve_program(
    slot: &Slot,
    entry: &Entry,
) -> Result<(crate::child::spawn::Program, Vec<sdl_settings::Resolved>), Trouble> {
    use crate::child::environment::{child_environment, find_program};
    use crate::child::spawn::{Program, make_private};

    let root = match &slot.owner {
        Owner::Root(root) => Some(root.clone()),
        Owner::Shared | Owner::Session(_) => None,
    };
    let credentials = slot.world.credentials();
    let upstream = entry.upstream.clone();
    let own_folder = slot.world.state_dir.join("upstreams").join(&slot.key);
    let log_folder = slot.world.state_dir.join("log");
    let work = move || {
        let Way::Stdio { command, args, env } = &upstream.transport else {
            return Err(Trouble::down("not a command"));
        };
        let lookup = SessionLookup { inner: &credentials, root: root.as_deref(), cwd: root.as_deref() };
        let mut all = Vec::new();
        let mut resolve = |template: &sdl_settings::Template| {
            let resolved = template.resolve(&lookup);
            let resolved = resolved.map_err(|unset| Trouble::new(code::MISCONFIGURED, unset.to_string()))?;
            let value = resolved.expose().to_owned();
            all.push(resolved);
            Ok::<_, Trouble>(value)
        };
        let command = resolve(command)?;
        let args = args.iter().map(&mut resolve).collect::<Result<Vec<_>, _>>()?;
        let mut own = Vec::new();
        for (name, value) in env {
            own.push((name.clone(), resolve(value)?));
        }
        let folder = match &upstream.own.cwd {
            Some(cwd) => resolve(cwd)?.into(),
            None => own_folder.clone(),
        };
        let environment = child_environment(std::env::vars_os(), own.into_iter());
        let path = environment.get(std::ffi::OsStr::new("PATH")).map(std::ffi::OsString::as_os_str);
        let path = find_program(&command, path).map_err(Trouble::down)?;
        let made = make_private(&log_folder).and_then(|()| make_private(&own_folder));
        made.map_err(|error| Trouble::down(format!("{} cannot be made: {error}", own_folder.display())))?;
        if !folder.is_absolute() || !folder.is_dir() {
            let message = format!("cwd {} is not a folder", folder.display());
            return Err(Trouble::new(code::MISCONFIGURED, message));
        }
        Ok((Program { path, args, folder, environment }, all))
    };
    crate::shared::run_blocking(work).await.map_err(Trouble::down)?
}

impl Opened {
    /// Goes through the lifecycle and reads the lists.
    async fn begin(self, slot: &Arc<Slot>, entry: &Entry) -> Result<(Live, Reading), Trouble> {
        let declared = declared_capabilities(entry.upstream.own.ask, slot.client().as_ref());
        let running = Arc::<Running>::default();
        let remembered = slot.world.eras.find(&entry.hash);
        let (lifecycle, version) = lifecycle_of(entry.upstream.own.protocol, remembered);
        let asker = Asker {
            world: Arc::clone(&slot.world),
            key: slot.key.clone(),
            owner: slot.owner.clone(),
            link: Arc::clone(&self.link),
            running: Arc::clone(&running),
            declared: declared.clone(),
            version,
        };
        let served = match self.way {
            #[cfg(unix)]
            Open::Pipes(pipes) => serve(asker, pipes, lifecycle).await,
            #[cfg(feature = "http")]
            Open::Web(web) => serve(asker, *web, lifecycle).await,
        };
        let service = match served {
            Ok(service) => service,
            Err(error) => {
                // It may have been replaced by a version that speaks another revision.
                slot.world.eras.remember(&entry.hash, None);
                return Err(start_trouble(&error));
            }
        };
        let Some(info) = service.peer().peer_info() else {
            return Err(Trouble::down("the upstream did not say what it is"));
        };
        let era = if info.protocol_version.has_initialize() { Era::Initialize } else { Era::Discover };
        slot.world.eras.remember(&entry.hash, Some(era));
        let listening = match era {
            Era::Initialize => Listening::unasked(&info),
            Era::Discover => Listening::asked(&info),
        };
        let (link, body, hang_up) = (self.link, self.body, self.hang_up);
        let live = Live::new(Parts { service, info, link, running, declared, body, hang_up, listening });
        let reading = lists::read_of(slot, &live).await?;
        Ok((live, reading))
    }
}

async fn serve<T>(
    asker: Asker,
    transport: T,
    lifecycle: ClientLifecycleMode,
) -> Result<rmcp::service::RunningService<RoleClient, Asker>, ClientInitializeError>
where
    T: Transport<RoleClient> + 'static,
{
    // Boxed, because the future of a whole handshake is large.
    Box::pin(serve_client_with_lifecycle(asker, transport, lifecycle)).await
}

/// How to begin, and the revision to name in `initialize`.
fn lifecycle_of(protocol: Protocol, remembered: Option<Era>) -> (ClientLifecycleMode, ProtocolVersion) {
    let newest = ProtocolVersion::V_2025_11_25;
    let modern = || ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] };
    match (protocol, remembered) {
        (Protocol::Auto, None) => {
            let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
            let legacy_version = Some(newest.clone());
            (ClientLifecycleMode::Auto { preferred_versions, legacy_version }, newest)
        }
        (Protocol::Auto, Some(Era::Discover)) | (Protocol::V20260728, _) => (modern(), newest),
        (Protocol::Auto, Some(Era::Initialize)) => (ClientLifecycleMode::Initialize, newest),
        (other, _) => {
            let version = serde_json::from_value(serde_json::Value::from(other.as_str())).unwrap_or(newest);
            (ClientLifecycleMode::Initialize, version)
        }
    }
}

/// Why a start failed, in our words: rmcp's may contain whole messages.
fn start_trouble(error: &ClientInitializeError) -> Trouble {
    match error {
        ClientInitializeError::TransportError { .. }
        | ClientInitializeError::ConnectionClosed(_)
        | ClientInitializeError::Cancelled => {
            Trouble::down("the upstream closed the connection while it started")
        }
        ClientInitializeError::JsonRpcError(error) => {
            let shown: String = error.message.chars().take(2_000).collect();
            Trouble::down(format!("the upstream refused to start: {shown}"))
        }
        ClientInitializeError::NoCompatibleProtocolVersion { server_supported, .. } => {
            let theirs: Vec<String> = server_supported.iter().take(20).map(ToString::to_string).collect();
            let message =
                format!("the upstream speaks no revision of the protocol that is spoken here: {theirs:?}");
            Trouble::down(message)
        }
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => start_trouble(fallback),
        _ => Trouble::down("the upstream's first answer is not of the protocol"),
    }
}
