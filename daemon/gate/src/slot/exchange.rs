//! One request and its answer.

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{ClientRequest, CustomRequest};
use rmcp::service::{PeerRequestOptions, ServiceError};
use serde_json::{Map, Value};

use crate::clock::Clock;
use crate::flag::Flag;
use crate::slot::live::Live;
use crate::slot::progress::Progress;
use crate::trouble::Trouble;
use crate::wire::track::{Outcome, RawRequest, Track};

/// Requests that an upstream has not read yet. While there are more it gets no others.
const MAX_UNREAD: usize = 96;

/// A request to send.
pub(crate) struct Wish {
    pub(crate) method: String,
    /// A JSON object.
    pub(crate) params: Arc<str>,
    /// What its client can be asked, for an upstream that hears that with each request. None for what the connection declares.
    pub(crate) client: Option<Map<String, Value>>,
    /// How long it may take without progress.
    pub(crate) timeout: Duration,
    /// How long it may take in all.
    pub(crate) max_total: Duration,
}

/// How a request ended.
pub(crate) enum End {
    /// It was answered.
    Answered(Outcome),
    /// The caller wants no answer any more.
    Cancelled,
    /// It took longer than this.
    TimedOut(Duration),
    /// The connection ended first.
    Died {
        /// Whether the request may have arrived.
        has_left: bool,
    },
    /// It could not be sent.
    Refused(Trouble),
}

/// Sends a request and waits for its answer. Its progress goes to `forward`.
pub(crate) async fn exchange(
    live: &Live,
    clock: &Clock,
    wish: Wish,
    cancel: &Flag,
    mut forward: Option<&mut Progress<'_>>,
) -> End {
    if live.link.unread() >= MAX_UNREAD {
        return End::Refused(Trouble::new(
            sdl_proto::code::BUSY,
            "the upstream does not read what it is sent",
        ));
    }
    let track = Track::new();
    let mut progress = track.progress();
    let mut request = CustomRequest::new(wish.method, None);
    let raw = RawRequest { params: wish.params, track: Arc::clone(&track), client: wish.client };
    request.extensions.insert(raw);
    let began = clock.now();
    let send = live
        .peer
        .send_request_with_option(ClientRequest::CustomRequest(request), PeerRequestOptions::no_options());
    let Ok(mut handle) = send.await else { return died(&track) };
    let id = handle.id.clone();
    let mut idle_until = began + wish.timeout;
    let end = loop {
        tokio::select! {
            biased;
            answer = &mut handle.rx => {
                break match (track.take_outcome(), answer) {
                    (Some(outcome), _) => End::Answered(outcome),
                    (None, Ok(Err(ServiceError::McpError(error)))) => {
                        End::Answered(Err(Trouble::protocol(error.message.into_owned())))
                    }
                    (None, _) => died(&track),
                };
            }
            () = live.link.closed.raised() => break died(&track),
            () = cancel.raised() => break End::Cancelled,
            changed = progress.changed() => {
                let newest = progress.borrow_and_update().clone();
                if let (Ok(()), Some(newest)) = (changed, newest) {
                    idle_until = clock.now() + wish.timeout;
                    if let Some(forward) = &mut forward {
                        forward.forward(newest).await;
                    }
                }
            }
            () = clock.until(Some(idle_until.min(began + wish.max_total))) => {
                // While the upstream waits for its client, it is not the one that hangs.
                if live.running.is_asking() && clock.now() < began + wish.max_total {
                    idle_until = clock.now() + wish.timeout;
                    continue;
                }
                break End::TimedOut(clock.now().saturating_sub(began));
            }
        }
    };
    // What came with the answer.
    if let (End::Answered(Ok(_)), Some(forward), Ok(true)) = (&end, &mut forward, progress.has_changed()) {
        let newest = progress.borrow_and_update().clone();
        if let Some(newest) = newest {
            forward.forward(newest).await;
        }
    }
    if matches!(end, End::Cancelled | End::TimedOut(_)) {
        live.link.forget(&id);
        track.withdraw();
        let reason = if matches!(end, End::Cancelled) { "cancelled by the client" } else { "timeout" };
        // Waits until the upstream reads, which the caller need not.
        tokio::spawn(handle.cancel(Some(reason.to_owned())));
    }
    end
}

fn died(track: &Track) -> End {
    match track.take_outcome() {
        Some(outcome) => End::Answered(outcome),
        None => End::Died { has_left: !track.withdraw() },
    }
}
