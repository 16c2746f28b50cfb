//! One connection, from accepted to closed.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use interprocess::local_socket::tokio::Stream;
use sdl_proto::{
    ClientMessage, FrameDecoder, Request, ServerMessage, Welcome, WireError, code, decode_client,
    encode_server,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::handle::{Phase, Shared};
use super::opening::{OpeningError, open, protocol_error};
use super::outbox::{Outbox, Outlet, outbox};
use super::request::Requests;
use super::{Options, Service, Session};

/// Answers that are ready together are written together, up to about this many bytes.
const WRITE_BATCH: usize = 64 << 10;

/// How long a farewell may take.
const FAREWELL: Duration = Duration::from_secs(1);

/// Serves one connection until it is over.
pub(super) async fn run<S: Service>(stream: Stream, shared: Arc<Shared<S>>) {
    let opened =
        tokio::time::timeout(shared.options.opening_timeout, open(&stream, shared.options.max_frame)).await;
    let (hello, decoder) = match opened {
        Ok(Ok(opened)) => opened,
        Ok(Err(error)) => {
            if let OpeningError::Refused(reason) = &error {
                farewell(&stream, &shared.options, reason.clone()).await;
            }
            tracing::debug!(%error, "a connection did not become a session");
            return;
        }
        Err(_) => {
            let reason = WireError::new(code::PROTOCOL, "no handshake and hello in time");
            return farewell(&stream, &shared.options, reason).await;
        }
    };

    let (outbox, outlet) = outbox();
    let session = Arc::new(Session::new(shared.next_session(), hello, Some(outbox.clone())));
    let accepted = session
        .with_token(|token| shared.options.token.check(token))
        .and_then(|()| shared.service.session_opened(&session));
    if let Err(reason) = accepted {
        tracing::info!(%reason, "a session was refused");
        return farewell(&stream, &shared.options, reason).await;
    }
    tracing::debug!(session = session.id(), name = session.hello().name, "session opened");
    let registered = shared.register(&session);

    let requests = Requests::new(&shared.options);
    let connection = Connection { stream: &stream, shared: &shared, session: &session, requests: &requests };
    let reason = connection.serve(outbox, outlet, decoder).await;

    requests.cancel_all();
    requests.finished().await;
    drop(registered);
    if let Some(reason) = reason {
        farewell(&stream, &shared.options, reason).await;
    }
    // The connection goes first, so that a client that waits for its end may rely on nothing else being done for it.
    drop(stream);
    shared.service.session_closed(&session);
    tracing::debug!(session = session.id(), "session closed");
}

/// Tells the client why there is no connection for it, as far as it listens.
pub(super) async fn farewell(stream: &Stream, options: &Options, reason: WireError) {
    let mut bytes = Vec::new();
    if encode_server(&ServerMessage::Closing(reason), options.max_frame, &mut bytes).is_ok() {
        let mut io = stream;
        let _ = tokio::time::timeout(FAREWELL, io.write_all(&bytes)).await;
    }
}

struct Connection<'a, S: Service> {
    stream: &'a Stream,
    shared: &'a Arc<Shared<S>>,
    session: &'a Arc<Session>,
    requests: &'a Requests,
}

impl<S: Service> Connection<'_, S> {
    /// Reads and writes until one of the two ends, or the daemon does; why, if the client should be told.
    async fn serve(&self, outbox: Outbox, mut outlet: Outlet, decoder: FrameDecoder) -> Option<WireError> {
        outbox
            .send(ServerMessage::Welcome(Welcome {
                session: self.session.id(),
                pid: std::process::id(),
                max_frame: self.shared.options.max_frame as u32,
                instance: self.shared.instance,
            }))
            .await;
        let reading = self.read(&outbox, decoder);
        let stopping = self.stop(&outbox);
        // After the reader or the drain has ended, what is queued still goes out.
        let (reason, finished) = tokio::select! {
            reason = reading => (reason, false),
            error = self.write(&mut outlet) => {
                tracing::debug!(session = self.session.id(), %error, "a client could not be written to");
                return None;
            }
            () = stopping => {
                (Some(WireError::new(code::STOPPING, "the daemon is stopping")), true)
            }
        };
        if finished {
            drop(outbox);
            let _ = tokio::time::timeout(FAREWELL, self.flush(&mut outlet)).await;
        }
        reason
    }

    /// Takes in messages until the client closes (`None`) or breaks the rules.
    async fn read(&self, outbox: &Outbox, mut decoder: FrameDecoder) -> Option<WireError> {
        let mut io = self.stream;
        loop {
            loop {
                let message = match decoder.next_frame() {
                    Ok(Some(payload)) => decode_client(payload),
                    Ok(None) => break,
                    Err(error) => Err(error.into()),
                };
                match message {
                    Ok(message) => {
                        if let Err(reason) = self.take(message, outbox).await {
                            return Some(reason);
                        }
                    }
                    Err(error) => {
                        tracing::info!(session = self.session.id(), %error, "a client sent nonsense");
                        return Some(protocol_error(&error));
                    }
                }
            }
            match io.read_buf(decoder.space()).await {
                Ok(0) => {
                    if let Err(error) = decoder.finish() {
                        tracing::debug!(session = self.session.id(), %error, "a client broke off");
                    }
                    return None;
                }
                Ok(_) => {}
                Err(error) => {
                    tracing::debug!(session = self.session.id(), %error, "a client could not be read from");
                    return None;
                }
            }
        }
    }

    async fn take(&self, message: ClientMessage, outbox: &Outbox) -> Result<(), WireError> {
        match message {
            ClientMessage::Request(request) => self.request(request, outbox).await,
            ClientMessage::Cancel { id } => {
                self.requests.cancel(id);
                Ok(())
            }
            ClientMessage::Token { token } => {
                self.session.set_token(token);
                Ok(())
            }
            ClientMessage::Ping { nonce } => {
                outbox.send(ServerMessage::Pong { nonce }).await;
                Ok(())
            }
            ClientMessage::Pong { .. } => Ok(()),
            ClientMessage::Hello(_) => Err(WireError::new(code::PROTOCOL, "hello was said already")),
        }
    }

    async fn request(&self, request: Request, outbox: &Outbox) -> Result<(), WireError> {
        if self.shared.phase() != Phase::Running {
            let reason = WireError::new(code::STOPPING, "the daemon is stopping; ask the next one");
            outbox.answer(request.id, Err(reason), None).await;
            return Ok(());
        }
        if let Err(reason) = self.session.with_token(|token| self.shared.options.token.check(token)) {
            outbox.answer(request.id, Err(reason), None).await;
            return Ok(());
        }
        let Some(admission) = self.requests.admit(&request).await else { return Ok(()) };
        self.requests.start(&self.shared.service, self.session, outbox, request, admission)
    }

    /// Ends when the daemon stops and all answers of this connection are queued.
    async fn stop(&self, outbox: &Outbox) {
        self.shared.reached(Phase::Draining).await;
        tokio::select! {
            () = self.requests.finished() => {}
            () = self.shared.reached(Phase::Stopped) => {
                self.requests.cancel_all();
                self.requests.finished().await;
            }
        }
        let _ = outbox;
    }

    /// Writes whatever is queued, for as long as the client takes it.
    async fn write(&self, outlet: &mut Outlet) -> io::Error {
        let mut bytes = Vec::new();
        loop {
            let Some(first) = outlet.next().await else { return io::ErrorKind::BrokenPipe.into() };
            if let Err(error) = self.write_batch(first, outlet, &mut bytes).await {
                return error;
            }
        }
    }

    /// Writes what is queued now, and no more.
    async fn flush(&self, outlet: &mut Outlet) {
        let mut bytes = Vec::new();
        while let Some(first) = outlet.try_next() {
            if self.write_batch(first, outlet, &mut bytes).await.is_err() {
                return;
            }
        }
    }

    async fn write_batch(
        &self,
        first: super::outbox::Outgoing,
        outlet: &mut Outlet,
        bytes: &mut Vec<u8>,
    ) -> io::Result<()> {
        let mut held = Vec::new();
        let mut next = Some(first);
        while let Some(outgoing) = next {
            self.encode(&outgoing.message, bytes)?;
            held.push(outgoing);
            next = if bytes.len() < WRITE_BATCH { outlet.try_next() } else { None };
        }
        self.write_all(bytes).await?;
        if bytes.capacity() > WRITE_BATCH {
            *bytes = Vec::new();
        }
        bytes.clear();
        Ok(())
    }

    /// Like `write_all`, but gives up only when nothing at all moves for a while: a slow client is not a dead one.
    async fn write_all(&self, mut bytes: &[u8]) -> io::Result<()> {
        let mut io = self.stream;
        while !bytes.is_empty() {
            let written = tokio::time::timeout(self.shared.options.write_stall, io.write(bytes))
                .await
                .map_err(|_| io::Error::new(io::ErrorKind::TimedOut, "the client does not read"))??;
            if written == 0 {
                return Err(io::ErrorKind::WriteZero.into());
            }
            bytes = bytes.get(written..).unwrap_or_default();
        }
        Ok(())
    }

    /// Appends the message to `bytes`; an answer that is too large to be sent becomes an error.
    fn encode(&self, message: &ServerMessage, bytes: &mut Vec<u8>) -> io::Result<()> {
        let limit = self.shared.options.max_frame;
        let Err(error) = encode_server(message, limit, bytes) else { return Ok(()) };
        let ServerMessage::Response { id, .. } = message else {
            tracing::warn!(%error, "a message could not be sent");
            return Ok(());
        };
        let text = format!("the answer can't be sent: {error}; ask for less");
        let reply = ServerMessage::Response { id: *id, result: Err(WireError::new(code::TOO_LARGE, text)) };
        encode_server(&reply, limit, bytes).map_err(io::Error::other)
    }
}
