//! The server with an echo service and real clients, over real sockets.

mod asking;
mod hostile;
mod requests;
mod restart;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use sdl_client::proto::{
    ClientKind, ClientMessage, Handshake, MAX_FRAME, SessionHello, WireError, code, encode_client,
};
use sdl_client::{Client, Paths};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

use sdl_contract::Cancel;

use super::*;

/// Long enough to never pass on a machine that works at all.
const LONG: Duration = Duration::from_mins(1);

/// Answers with what it got, or does what the method's name says.
pub(super) struct Echo {
    /// `wait` needs one of its permits to go on.
    gate: Semaphore,
    running: AtomicUsize,
    most_running: AtomicUsize,
    cancelled: Arc<AtomicUsize>,
    opened: AtomicUsize,
    closed: AtomicUsize,
    begun: Semaphore,
    last: std::sync::Mutex<Option<Arc<Peer>>>,
}

impl Echo {
    fn new() -> Arc<Self> {
        Arc::new(Self {
            gate: Semaphore::new(0),
            running: AtomicUsize::new(0),
            most_running: AtomicUsize::new(0),
            cancelled: Arc::default(),
            opened: AtomicUsize::new(0),
            closed: AtomicUsize::new(0),
            begun: Semaphore::new(0),
            last: std::sync::Mutex::default(),
        })
    }

    /// The session that was opened last.
    fn last_session(&self) -> Arc<Peer> {
        Arc::clone(self.last.lock().unwrap().as_ref().unwrap())
    }

    /// Waits until `count` calls of `wait` have begun.
    async fn begun(&self, count: u32) {
        tokio::time::timeout(LONG, self.begun.acquire_many(count)).await.unwrap().unwrap().forget();
    }
}

/// Counts a dropped call whose flag is set.
struct OnDrop(Cancel, Arc<AtomicUsize>);

impl Drop for OnDrop {
    fn drop(&mut self) {
        if self.0.is_cancelled() {
            self.1.fetch_add(1, Ordering::SeqCst);
        }
    }
}

impl Service for Echo {
    async fn call(
        &self,
        session: Arc<Peer>,
        call: Call,
        progress: ProgressFrames,
    ) -> Result<Vec<u8>, WireError> {
        let number = || String::from_utf8_lossy(&call.params).parse::<usize>().unwrap_or(0);
        match call.method.as_str() {
            "echo" => Ok(call.params),
            "wait" => {
                let _on_drop = OnDrop(call.cancel.clone(), Arc::clone(&self.cancelled));
                let now = self.running.fetch_add(1, Ordering::SeqCst) + 1;
                self.most_running.fetch_max(now, Ordering::SeqCst);
                self.begun.add_permits(1);
                self.gate.acquire().await.unwrap().forget();
                self.running.fetch_sub(1, Ordering::SeqCst);
                Ok(call.params)
            }
            "ask" => {
                let (sender, answer) = tokio::sync::oneshot::channel();
                let reply = Box::new(move |answer| drop(sender.send(answer)));
                session.ask(Some(call.id), "elicitation/create", call.params, reply);
                let answer = answer.await.unwrap_or_else(|_| Err("nobody answered".to_owned()));
                answer.map_err(|why| WireError::new("unanswered", why))
            }
            "panic" => panic!("as asked"),
            "bytes" => Ok(vec![b'x'; number()]),
            "progress" => {
                for step in 0..number() {
                    progress.send(step.to_string().into_bytes());
                    tokio::task::yield_now().await;
                }
                Ok(progress.wanted().to_string().into_bytes())
            }
            "notify" => {
                for _ in 0..number() {
                    session.notify("happened", b"{}");
                }
                Ok(Vec::new())
            }
            "surface" => {
                session.set_surface(&String::from_utf8_lossy(&call.params));
                Ok(session.surface().as_bytes().to_vec())
            }
            other => Err(WireError::new(code::UNKNOWN_METHOD, format!("there is no method {other}"))),
        }
    }

    fn session_opened(&self, session: &Arc<Peer>) -> Result<(), WireError> {
        if session.hello().name == "unwanted" {
            return Err(WireError::new("unwanted", "not you"));
        }
        self.opened.fetch_add(1, Ordering::SeqCst);
        *self.last.lock().unwrap() = Some(Arc::clone(session));
        Ok(())
    }

    fn session_closed(&self, _session: &Peer) {
        self.closed.fetch_add(1, Ordering::SeqCst);
    }
}

/// A served echo in a folder of its own.
pub(super) struct Fixture {
    service: Arc<Echo>,
    handle: ServerHandle<Echo>,
    serving: JoinHandle<()>,
    paths: Paths,
    /// Removed with the fixture, unless the test has its own.
    folder: Option<tempfile::TempDir>,
}

pub(super) fn test_options() -> Options {
    Options { token: TokenSource::None, ..Options::default() }
}

impl Fixture {
    async fn start(options: Options) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let paths = Paths::new(folder.path().join("state"), None);
        let mut fixture = Self::start_in(paths, options).await;
        fixture.folder = Some(folder);
        fixture
    }

    async fn start_in(paths: Paths, options: Options) -> Self {
        let service = Echo::new();
        let handle = make_server(Arc::clone(&service), options);
        let instance = Instance::acquire(&paths, LONG).unwrap();
        let listener = Listener::bind(paths.socket(), &instance).await.unwrap();
        let serving = tokio::spawn({
            let handle = handle.clone();
            async move {
                serve_listeners(handle, vec![listener]).await;
                drop(instance);
            }
        });
        Self { service, handle, serving, paths, folder: None }
    }

    fn socket(&self) -> PathBuf {
        self.paths.socket().to_owned()
    }

    async fn client(&self) -> Client {
        Client::connect(self.paths.socket(), test_hello("test")).await.unwrap()
    }

    /// Stops the server and waits for its end.
    async fn stop(self) -> Arc<Echo> {
        self.handle.shutdown();
        tokio::time::timeout(LONG, self.serving).await.unwrap().unwrap();
        self.service
    }
}

pub(super) fn test_hello(name: &str) -> SessionHello {
    SessionHello {
        kind: ClientKind::Other,
        name: name.to_owned(),
        cwd: None,
        repo: None,
        surface: "gateway".to_owned(),
        output_schemas: false,
        token: None,
        pid: std::process::id(),
    }
}

/// A raw connection that has said nothing yet.
async fn raw_connection(socket: &Path) -> tokio::net::UnixStream {
    tokio::net::UnixStream::connect(socket).await.unwrap()
}

fn our_handshake() -> Vec<u8> {
    Handshake::ours().encode().unwrap()
}

fn frame_message(message: &ClientMessage) -> Vec<u8> {
    let mut out = Vec::new();
    encode_client(message, MAX_FRAME, &mut out).unwrap();
    out
}

/// Handshake and hello of a client that behaves so far.
fn polite_opening() -> Vec<u8> {
    let mut bytes = our_handshake();
    bytes.extend(frame_message(&ClientMessage::Hello(test_hello("raw"))));
    bytes
}
