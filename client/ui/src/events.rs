//! `GET /api/events`: what the daemon does, as server-sent events.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::State;
use axum::http::{Response, StatusCode};
use axum::response::IntoResponse as _;
use axum::response::sse::{Event, KeepAlive, Sse};
use futures::stream;
use sdl_client::{ClientError, Feed, News};
use serde_json::{Value, json};
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at};

use crate::App;
use crate::answer::{failure_response, refusal};
use crate::daemon::own_hello;

/// How often the state of the daemon is sent, even if it is the same, because memory and processor time always change.
const STATUS_EVERY: Duration = Duration::from_secs(2);

/// Versions that the page begins with.
const RECENT: usize = 50;

/// How often a comment says that the stream lives.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// Answers the request. The stream ends when the daemon goes away; the page asks again then.
pub(crate) async fn stream_events(State(app): State<Arc<App>>) -> Response<Body> {
    let Ok(place) = Arc::clone(&app.streams).try_acquire_owned() else {
        let message = "too many pages follow the daemon; close one";
        return refusal(StatusCode::TOO_MANY_REQUESTS, "busy", message);
    };
    let params = json!({ "calls": true, "recent": RECENT }).to_string();
    let mut feed = Feed::new(app.daemon.socket(), own_hello(), params);
    match feed.next().await {
        Ok(News::Began(_)) => {}
        Ok(News::Away(why)) => return refusal(StatusCode::SERVICE_UNAVAILABLE, "unreachable", why),
        Ok(News::Event { .. } | News::Lost(_)) => {
            return refusal(
                StatusCode::BAD_GATEWAY,
                "internal",
                "the daemon sent an event before its answer",
            );
        }
        Err(refused) => return failure_response(ClientError::Answer(refused)),
    }
    let mut ticks = interval_at(Instant::now() + STATUS_EVERY, STATUS_EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let follower = Follower { app, feed, ticks, has_begun: false, _place: place };
    let events = stream::unfold(follower, |mut follower| async move {
        let event = follower.next().await?;
        Some((Ok::<_, Infallible>(event), follower))
    });
    let heartbeat = KeepAlive::new().interval(HEARTBEAT).text("alive");
    Sse::new(events).keep_alive(heartbeat).into_response()
}

/// One stream. While the browser does not read it, nothing is taken from the daemon.
struct Follower {
    app: Arc<App>,
    feed: Feed,
    ticks: Interval,
    has_begun: bool,
    _place: OwnedSemaphorePermit,
}

impl Follower {
    async fn next(&mut self) -> Option<Event> {
        // The state of the daemon comes before any event. A tick that is due at once could come after one.
        if !std::mem::replace(&mut self.has_begun, true) {
            return self.status(Value::Null).await;
        }
        loop {
            tokio::select! {
                told = self.feed.next() => match told.ok()? {
                    News::Event { method, params } => match method.as_str() {
                        "feed/version" => return Some(to_event("version", &params)),
                        "feed/call" => return Some(to_event("call", &params)),
                        "feed/lost" => return Some(to_event("lost", &params)),
                        "feed/status" => {
                            let change = serde_json::from_slice(&params).unwrap_or_default();
                            return self.status(change).await;
                        }
                        _ => {}
                    },
                    News::Lost(count) => {
                        return Some(to_event("lost", json!({ "count": count }).to_string().as_bytes()));
                    }
                    News::Began(_) => {}
                    News::Away(_) => return None,
                },
                _ = self.ticks.tick() => return self.status(Value::Null).await,
            }
        }
    }

    /// The state of the daemon, with the change that made it one to tell. The stream ends if there is none.
    async fn status(&self, change: Value) -> Option<Event> {
        let answer = self.app.daemon.call("daemon/status", "{}").await.ok()?;
        let mut status: Value = serde_json::from_slice(&answer).ok()?;
        if !change.is_null() {
            status["change"] = change;
        }
        Some(to_event("status", status.to_string().as_bytes()))
    }
}

/// JSON of the daemon has no line end, which would end the event.
fn to_event(kind: &str, json: &[u8]) -> Event {
    let text = String::from_utf8_lossy(json).replace(['\n', '\r'], " ");
    Event::default().event(kind).data(text)
}
