//! A scripted daemon, for tests of programs that call one. Speaks the real protocol over a real socket.

use std::io;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use sdl_proto::{
    ClientIdentity, ClientMessage, FrameDecoder, Handshake, MAX_FRAME, Payload, Principal, Progress, Request,
    ServerMessage, SessionHello, Welcome, WireError, decode_client, encode_server,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{broadcast, oneshot};
use tokio::task::{JoinHandle, JoinSet};

/// How to handle a request.
#[derive(Debug, Clone)]
pub enum Reply {
    /// Answer it.
    Answer(Result<Vec<u8>, WireError>),
    /// Send progress, then do the other thing.
    Progress(Vec<Vec<u8>>, Box<Reply>),
    /// Ask the client: a method and its parameters. The client's answer becomes the answer of the request.
    Ask(String, Vec<u8>),
    /// Close the connection without an answer.
    HangUp,
    /// Let the caller wait.
    Never,
    /// Do nothing more on this connection, like a stopped process.
    FallSilent,
}

impl Reply {
    /// A result.
    pub fn ok(result: impl Into<Vec<u8>>) -> Self {
        Self::Answer(Ok(result.into()))
    }

    /// An error.
    pub fn error(code: &str, message: &str) -> Self {
        Self::Answer(Err(WireError::new(code, message)))
    }
}

/// The messages that the daemon has received so far.
#[derive(Debug, Clone, Default)]
pub struct Heard {
    /// One for each session.
    pub hellos: Vec<SessionHello>,
    /// One for each session that has one.
    pub principals: Vec<Principal>,
    /// All requests.
    pub requests: Vec<Request>,
    /// The ids of cancelled ones.
    pub cancelled: Vec<u64>,
    /// Pings.
    pub pings: usize,
    /// What clients said that they can be asked.
    pub identities: Vec<ClientIdentity>,
}

type Script = dyn Fn(&Request) -> Reply + Send + Sync;

/// A daemon that does what the test says. Stops when dropped.
pub struct FakeDaemon {
    heard: Arc<Mutex<Heard>>,
    notifications: broadcast::Sender<(String, Vec<u8>)>,
    accepting: JoinHandle<()>,
    /// Ends `accepting` in good order.
    stopping: Option<oneshot::Sender<()>>,
}

impl FakeDaemon {
    /// Listens on `socket` as a daemon of `build`; `script` decides how to handle each request.
    pub fn start(
        socket: &Path,
        build: &str,
        script: impl Fn(&Request) -> Reply + Send + Sync + 'static,
    ) -> io::Result<Self> {
        if std::fs::symlink_metadata(socket).is_ok_and(|metadata| metadata.file_type().is_socket()) {
            std::fs::remove_file(socket)?;
        }
        let listener = UnixListener::bind(socket)?;
        let heard = Arc::new(Mutex::new(Heard::default()));
        let notifications = broadcast::Sender::new(64);
        let handshake = Handshake { build: build.to_owned(), ..Handshake::ours() };
        let script: Arc<Script> = Arc::new(script);
        let connection =
            Connection { handshake, script, heard: Arc::clone(&heard), notifications: notifications.clone() };
        let (stopping, mut stopped) = oneshot::channel();
        let accepting = tokio::spawn(async move {
            let mut connections = JoinSet::new();
            loop {
                tokio::select! {
                    Ok((stream, _)) = listener.accept() => {
                        connections.spawn(connection.clone().serve(stream));
                    }
                    _ = &mut stopped => break,
                }
            }
            drop(listener);
            connections.shutdown().await;
        });
        Ok(Self { heard, notifications, accepting, stopping: Some(stopping) })
    }

    /// The messages that it has received so far.
    pub fn heard(&self) -> Heard {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Sends a notification to every session.
    pub fn notify(&self, method: &str, params: &[u8]) {
        let _ = self.notifications.send((method.to_owned(), params.to_vec()));
    }

    /// Closes every connection and the socket, and waits until that is done.
    pub async fn stop(mut self) {
        // Aborting would not wait for the connections.
        drop(self.stopping.take());
        let _ = (&mut self.accepting).await;
    }
}

impl Drop for FakeDaemon {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

#[derive(Clone)]
struct Connection {
    handshake: Handshake,
    script: Arc<Script>,
    heard: Arc<Mutex<Heard>>,
    notifications: broadcast::Sender<(String, Vec<u8>)>,
}

impl Connection {
    async fn serve(self, mut stream: UnixStream) {
        // Whatever breaks ends this connection; the test sees that.
        let _ = self.converse(&mut stream).await;
    }

    async fn converse(&self, stream: &mut UnixStream) -> io::Result<()> {
        let mut notifications = self.notifications.subscribe();
        stream.write_all(&self.handshake.encode().map_err(io::Error::other)?).await?;
        let mut first = Vec::new();
        let used = loop {
            match Handshake::decode(&first).map_err(io::Error::other)? {
                Some((_, used)) => break used,
                None if stream.read_buf(&mut first).await? == 0 => return Ok(()),
                None => {}
            }
        };
        let mut decoder = FrameDecoder::new(MAX_FRAME);
        decoder.push(first.get(used..).unwrap_or_default());
        loop {
            while let Some(payload) = decoder.next_frame().map_err(io::Error::other)? {
                let message = decode_client(payload).map_err(io::Error::other)?;
                let replies = match self.take(message) {
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => std::future::pending().await,
                    replies => replies?,
                };
                for reply in replies {
                    send_message(stream, &reply).await?;
                }
            }
            tokio::select! {
                read = stream.read_buf(decoder.space()) => if read? == 0 { return Ok(()) },
                Ok((method, params)) = notifications.recv() => {
                    send_message(stream, &ServerMessage::Notify { method, params }).await?;
                }
            }
        }
    }

    fn take(&self, message: ClientMessage) -> io::Result<Vec<ServerMessage>> {
        let mut heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        match message {
            ClientMessage::HelloAs(hello, principal) => {
                heard.principals.push(principal);
                drop(heard);
                self.take(ClientMessage::Hello(hello))
            }
            ClientMessage::Hello(hello) => {
                heard.hellos.push(hello);
                let session = heard.hellos.len() as u64;
                let welcome = Welcome {
                    session,
                    pid: std::process::id(),
                    max_frame: MAX_FRAME as u32,
                    instance: session,
                };
                Ok(vec![ServerMessage::Welcome(welcome)])
            }
            ClientMessage::Request(request) => {
                heard.requests.push(request.clone());
                drop(heard);
                reply_messages((self.script)(&request), request.id)
            }
            ClientMessage::Cancel { id } => {
                heard.cancelled.push(id);
                Ok(Vec::new())
            }
            ClientMessage::Ping { nonce } => {
                heard.pings += 1;
                Ok(vec![ServerMessage::Pong { nonce }])
            }
            ClientMessage::Identity(identity) => {
                heard.identities.push(identity);
                Ok(Vec::new())
            }
            // The question has the number of its request.
            ClientMessage::Answer { ask, result } => Ok(vec![ServerMessage::Response { id: ask, result }]),
            ClientMessage::Token { .. } | ClientMessage::Pong { .. } | ClientMessage::Run { .. } => {
                Ok(Vec::new())
            }
        }
    }
}

fn reply_messages(reply: Reply, id: u64) -> io::Result<Vec<ServerMessage>> {
    match reply {
        Reply::Answer(result) => Ok(vec![ServerMessage::Response { id, result: result.map(Payload) }]),
        Reply::Progress(steps, then) => {
            let mut all: Vec<_> =
                steps.into_iter().map(|bytes| ServerMessage::Progress(Progress { id, bytes })).collect();
            all.extend(reply_messages(*then, id)?);
            Ok(all)
        }
        Reply::Ask(method, params) => {
            let request = Some(id);
            Ok(vec![ServerMessage::Ask { ask: id, request, method, params: Payload(params) }])
        }
        Reply::HangUp => Err(io::ErrorKind::ConnectionAborted.into()),
        Reply::Never => Ok(Vec::new()),
        Reply::FallSilent => Err(io::ErrorKind::WouldBlock.into()),
    }
}

async fn send_message(stream: &mut UnixStream, message: &ServerMessage) -> io::Result<()> {
    let mut bytes = Vec::new();
    encode_server(message, MAX_FRAME, &mut bytes).map_err(io::Error::other)?;
    stream.write_all(&bytes).await
}
