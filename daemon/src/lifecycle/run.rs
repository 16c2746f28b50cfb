//! The life of the process, from lock to drained.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::Parser;
use sdl_client::Paths;
use tokio::runtime::Runtime;
use tokio::sync::Notify;
use tracing_appender::non_blocking::WorkerGuard;

use super::{logging, service_manager, signals};
use crate::engine::Engine;
use crate::index::memory;
use crate::router::Router;
use crate::server::{self, Instance, Listener, Options, StartupReport};
use crate::upstream::{MOST_WAITING, UpstreamManager};

/// How long to wait for a predecessor that is about to end: longer than it may take to drain.
const PATIENCE_MS: u64 = 30_000;

/// How long requests that were cancelled may take to notice.
const LAST_REQUESTS: Duration = Duration::from_secs(2);

/// Threads that may block: on stores and barriers (see the router for how many work at once), and on upstreams.
const BLOCKING_THREADS: usize = 24 + MOST_WAITING;

/// The daemon of the symbol delta ledger. Clients start it by themselves; run it by hand only to watch its log.
#[derive(Parser)]
#[command(name = "sdld", version = sdl_proto::BUILD)]
struct Args {
    /// Log to standard error instead of files in the state folder
    #[arg(long)]
    foreground: bool,
    /// Wait at most this long for a predecessor that is about to end, in milliseconds
    #[arg(long, default_value_t = PATIENCE_MS)]
    patience: u64,
}

/// Runs the daemon until it is asked to end. The code is 0 after an orderly end.
pub fn run_daemon() -> ExitCode {
    memory::set_up_heap();
    let args = Args::parse();
    let report = StartupReport::from_env();
    match serve_clients(&args, report) {
        Ok(()) => ExitCode::SUCCESS,
        Err((report, error)) => {
            tracing::error!("{error}");
            if args.foreground || report.is_none() {
                eprintln!("sdld: {error}");
            }
            if let Some(report) = report {
                report.failed(&error);
            }
            ExitCode::FAILURE
        }
    }
}

/// Sets up the connections to upstreams, so that the first client sees their tools. Starts nothing if none is configured.
async fn start_upstreams(engine: &Arc<Engine>, router: &Arc<Router>, runtime_dir: PathBuf) {
    let announcing = Arc::downgrade(router);
    let announce = move || {
        if let Some(router) = announcing.upgrade() {
            router.announce_lists();
        }
    };
    let state_dir = engine.state_dir().to_owned();
    let upstreams =
        UpstreamManager::start(state_dir, runtime_dir, router.tools(), router.open_sessions(), announce);
    engine.set_upstreams(Arc::clone(&upstreams));
    let touch = upstreams.touch();
    tokio::spawn(signals::follow_hangups(touch));
    // An error is in the status, and in the log.
    let _ = tokio::task::spawn_blocking(move || upstreams.reload()).await;
}

type Failure = (Option<StartupReport>, Box<dyn std::error::Error + Send + Sync>);

fn serve_clients(args: &Args, report: StartupReport) -> Result<(), Failure> {
    let (_log, runtime, engine, (listeners, runtime_dir)) = match prepare_daemon(args) {
        Ok(started) => started,
        Err(error) => return Err((Some(report), error)),
    };
    tracing::info!(build = sdl_proto::BUILD, pid = std::process::id(), "serving");
    runtime.block_on(async {
        let stop = Arc::new(Notify::new());
        let router = Arc::new(Router::new(engine.clone(), stop.clone()));
        start_upstreams(&engine, &router, runtime_dir).await;
        let handle = server::make_server(router.clone(), Options::default());
        let serving = tokio::spawn(server::serve_listeners(handle.clone(), listeners));
        let watchdog = tokio::spawn(service_manager::feed_watchdog());
        report.ready();
        service_manager::notify_ready();
        let tools = Arc::clone(router.tools());
        tokio::task::spawn_blocking(move || tools.sweep());
        tokio::select! {
            () = stop.notified() => tracing::info!("asked to stop by a client"),
            ended = signals::asked_to_end() => {
                if let Err(error) = ended {
                    tracing::error!(%error, "signals can't be received; stopping");
                }
            }
        }
        service_manager::notify_stopping();
        router.tools().begin_stopping();
        handle.shutdown();
        let _ = serving.await;
        watchdog.abort();
        router.flush();
    });
    engine.close();
    // Bounded, because a request that hangs in a system call must not keep the process alive.
    runtime.shutdown_timeout(LAST_REQUESTS);
    tracing::info!("stopped");
    Ok(())
}

type Prepared = (Option<WorkerGuard>, Runtime, Arc<Engine>, (Vec<Listener>, PathBuf));

/// Takes the instance's lock, opens the stores and the socket.
fn prepare_daemon(args: &Args) -> Result<Prepared, Box<dyn std::error::Error + Send + Sync>> {
    let paths = Paths::from_env()?;
    let instance = Instance::acquire(&paths, Duration::from_millis(args.patience))?;
    // While the lock is held, no other daemon opens these ledgers. They are open until their last user is gone, which only
    // the end of the process makes certain: nothing less lets go of the lock.
    let instance: &'static Instance = Box::leak(Box::new(instance));
    let log = if args.foreground || std::env::var_os("JOURNAL_STREAM").is_some() {
        logging::to_stderr();
        None
    } else {
        Some(logging::to_files(&paths.logs())?)
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(BLOCKING_THREADS)
        .thread_keep_alive(Duration::from_secs(2))
        .build()?;
    // Named, because threads would otherwise inherit the name of the first repository that needs them.
    rayon::ThreadPoolBuilder::new().thread_name(|n| format!("sdl index {n}")).build_global()?;
    let engine = Engine::open(paths.state())?;
    let listeners = runtime.block_on(async {
        let inherited = Listener::inherited()?;
        if inherited.is_empty() {
            return Ok::<_, server::BindError>(vec![Listener::bind(paths.socket(), instance).await?]);
        }
        Ok(inherited)
    });
    match listeners {
        Ok(listeners) => Ok((log, runtime, engine, (listeners, paths.runtime().to_owned()))),
        Err(error) => {
            engine.close();
            Err(error.into())
        }
    }
}
