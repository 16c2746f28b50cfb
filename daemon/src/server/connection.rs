//! One connection, from accepted to closed.

use std::sync::Arc;
use std::time::Duration;

use interprocess::local_socket::tokio::Stream;
use sdl_proto::{
    ClientKind, ClientMessage, FrameDecoder, Request, ServerMessage, Welcome, WireError, code, decode_client,
    encode_server,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::accept::full_error;
use super::handle::{Phase, Shared};
use super::opening::{OpeningError, open_session, protocol_error};
use super::outbox::{Outbox, Outlet, outbox_channel};
use super::places::Place;
use super::request::{Admission, Requests};
use super::writer::Writer;
use super::{Options, Peer, Service};

/// How long a farewell may take.
const FAREWELL: Duration = Duration::from_secs(1);

/// How often the daemon sends a sign of life to a client from which it reads nothing. Clients ask after 5 s of silence.
const SIGN_OF_LIFE: Duration = Duration::from_secs(3);

/// Serves one connection until it is over.
pub(super) async fn run_connection<S: Service>(stream: Stream, shared: Arc<Shared<S>>, place: Place) {
    let opening =
        tokio::time::timeout(shared.options.opening_timeout, open_session(&stream, shared.options.max_frame));
    let opened = tokio::select! {
        opened = opening => opened,
        () = place.evicted() => return send_farewell(&stream, &shared.options, full_error(&shared.options)).await,
    };
    let (hello, principal, decoder) = match opened {
        Ok(Ok(opened)) => opened,
        Ok(Err(error)) => {
            if let OpeningError::Refused(reason) = &error {
                send_farewell(&stream, &shared.options, reason.clone()).await;
            }
            tracing::debug!(%error, "a connection did not become a session");
            return;
        }
        Err(_) => {
            let reason = WireError::new(code::PROTOCOL, "no handshake and hello in time");
            return send_farewell(&stream, &shared.options, reason).await;
        }
    };

    if place.is_spare && hello.kind != ClientKind::Ctl {
        return send_farewell(&stream, &shared.options, full_error(&shared.options)).await;
    }
    let (outbox, outlet) = outbox_channel();
    let session = Arc::new(Peer::new(shared.next_session(), hello, principal, Some(outbox.clone())));
    let accepted = session
        .with_token(|token| shared.options.token.check(token))
        .and_then(|()| shared.service.session_opened(&session));
    if let Err(reason) = accepted {
        tracing::info!(%reason, "a session was refused");
        return send_farewell(&stream, &shared.options, reason).await;
    }
    tracing::debug!(session = session.id(), name = session.hello().name, "session opened");
    let registered = shared.register(&session);

    let requests = Requests::new(&shared.options);
    let connection = Connection {
        stream: &stream,
        shared: &shared,
        session: &session,
        requests: &requests,
        place: &place,
    };
    connection.serve(outbox, outlet, decoder).await;

    session.questions().close();
    requests.cancel_all();
    requests.finished().await;
    drop(registered);
    // The connection is dropped first, because a client that sees its end relies on nothing else being done for it.
    drop(stream);
    shared.service.session_closed(&session);
    tracing::debug!(session = session.id(), "session closed");
}

/// Tells a client without a session why it is refused, if it still reads.
pub(super) async fn send_farewell(stream: &Stream, options: &Options, reason: WireError) {
    let mut bytes = Vec::new();
    if encode_server(&ServerMessage::Closing(reason), options.max_frame, &mut bytes).is_ok() {
        let mut io = stream;
        let _ = tokio::time::timeout(FAREWELL, io.write_all(&bytes)).await;
    }
}

struct Connection<'a, S: Service> {
    stream: &'a Stream,
    shared: &'a Arc<Shared<S>>,
    session: &'a Arc<Peer>,
    requests: &'a Requests,
    place: &'a Place,
}

impl<S: Service> Connection<'_, S> {
    /// Reads and writes until one of the two ends, or the daemon does.
    async fn serve(&self, outbox: Outbox, outlet: Outlet, decoder: FrameDecoder) {
        outbox
            .send(ServerMessage::Welcome(Welcome {
                session: self.session.id(),
                pid: std::process::id(),
                max_frame: self.shared.options.max_frame as u32,
                instance: self.shared.instance,
            }))
            .await;
        let mut writer = Writer::new(self.stream, &self.shared.options, outlet);
        let reason = tokio::select! {
            reason = self.read(&outbox, decoder) => reason,
            error = writer.run() => {
                tracing::debug!(session = self.session.id(), %error, "a client could not be written to");
                None
            }
            text = self.stop() => {
                // The farewell comes after the last answer, because it says that requests without an answer were
                // never begun.
                let flushed = tokio::select! {
                    flushed = writer.flush() => flushed.is_ok(),
                    () = self.shared.reached(Phase::Stopped) => {
                        tokio::time::timeout(FAREWELL, writer.flush()).await.is_ok_and(|flushed| flushed.is_ok())
                    }
                };
                flushed.then(|| WireError::new(code::STOPPING, text))
            }
        };
        if let Some(reason) = reason {
            let _ = tokio::time::timeout(FAREWELL, writer.say_farewell(reason)).await;
        }
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
                        tracing::info!(session = self.session.id(), %error, "a client sent an invalid message");
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
        self.place.touch();
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
            ClientMessage::Identity(identity) => {
                self.session.questions().set_identity(identity);
                Ok(())
            }
            ClientMessage::Run { run } => {
                self.session.caller().run.set(run);
                Ok(())
            }
            ClientMessage::Answer { ask, result } => {
                self.session.questions().answer(ask, result);
                Ok(())
            }
            ClientMessage::Hello(_) | ClientMessage::HelloAs(..) => {
                Err(WireError::new(code::PROTOCOL, "hello was sent already"))
            }
        }
    }

    async fn request(&self, request: Request, outbox: &Outbox) -> Result<(), WireError> {
        if self.shared.phase() != Phase::Running || self.place.is_evicted() {
            let reason = WireError::new(code::STOPPING, "the daemon is stopping; ask the next one");
            outbox.answer(request.id, Err(reason), None).await;
            return Ok(());
        }
        if let Err(reason) = self.session.with_token(|token| self.shared.options.token.check(token)) {
            outbox.answer(request.id, Err(reason), None).await;
            return Ok(());
        }
        let running = self.place.begin();
        let Some(admission) = self.admit(&request, outbox).await else { return Ok(()) };
        self.requests.start(&self.shared.service, self.session, outbox, request, (admission, running))
    }

    /// Waits until there is room for the request. The daemon sends signs of life unasked, because it reads nothing
    /// meanwhile, not even pings.
    async fn admit(&self, request: &Request, outbox: &Outbox) -> Option<Admission> {
        let mut admitted = std::pin::pin!(self.requests.admit(request));
        loop {
            tokio::select! {
                biased;
                admission = &mut admitted => return admission,
                () = tokio::time::sleep(SIGN_OF_LIFE) => {
                    outbox.send(ServerMessage::Ping { nonce: 0 }).await;
                }
            }
        }
    }

    /// Ends when the daemon stops, or the connection is to make room, and all its answers are queued. Says which it is.
    async fn stop(&self) -> &'static str {
        let text = tokio::select! {
            biased;
            () = self.shared.reached(Phase::Draining) => "the daemon is stopping",
            () = self.place.evicted() => "the connection was idle and makes room for another",
        };
        tokio::select! {
            () = self.requests.finished() => {}
            () = self.shared.reached(Phase::Stopped) => {
                self.requests.cancel_all();
                self.requests.finished().await;
            }
        }
        text
    }
}
