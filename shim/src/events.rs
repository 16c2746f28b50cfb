//! The daemon's unsolicited events, for everybody who subscribes.

use std::sync::{Arc, Mutex, PoisonError};

use rmcp::RoleServer;
use rmcp::service::{Peer, SubscriptionSink};
use sdl_client::{Event, ReconnectingClient};
use serde::Deserialize;
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

/// The open subscriptions. A client of the `initialize` era has none and gets every event.
#[derive(Clone, Default)]
pub(crate) struct Listeners(Arc<Mutex<Vec<SubscriptionSink>>>);

/// Ends a subscription when dropped.
pub(crate) struct Listening {
    listeners: Listeners,
    sink: SubscriptionSink,
}

impl Listeners {
    pub(crate) fn add(&self, sink: SubscriptionSink) -> Listening {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(sink.clone());
        Listening { listeners: self.clone(), sink }
    }

    fn all(&self) -> Vec<SubscriptionSink> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        let mut sinks = self.listeners.0.lock().unwrap_or_else(PoisonError::into_inner);
        sinks.retain(|sink| sink.id() != self.sink.id());
    }
}

/// A list that can change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum List {
    Tools,
    Prompts,
    Resources,
}

/// Details of `surface/changed`.
#[derive(Deserialize)]
struct SurfaceChanged {
    surface: String,
}

/// Passes the daemon's notifications on for as long as the client lives. Never returns. Without a `client` only
/// subscriptions hear them.
pub(crate) async fn pass_on(
    mut events: broadcast::Receiver<Event>,
    daemon: ReconnectingClient,
    client: Option<Peer<RoleServer>>,
    listeners: Listeners,
) {
    let mut build: Option<String> = None;
    loop {
        let changed: &[List] = match events.recv().await {
            Ok(Event::Notify { method, params }) => match method.as_str() {
                "tools/list_changed" => &[List::Tools],
                "prompts/list_changed" => &[List::Prompts],
                "resources/list_changed" => &[List::Resources],
                "surface/changed" => {
                    // The next daemon should start where this one was.
                    if let Ok(SurfaceChanged { surface }) = serde_json::from_slice(&params) {
                        daemon.update_hello(|hello| hello.surface = surface);
                    }
                    &[List::Tools]
                }
                _ => &[],
            },
            // Another build may offer other tools.
            Ok(Event::Connected { build: now, .. }) => match build.replace(now.clone()) {
                Some(before) if before != now => &[List::Tools, List::Prompts, List::Resources],
                _ => &[],
            },
            Ok(Event::Disconnected) => &[],
            Err(RecvError::Lagged(_)) => &[List::Tools, List::Prompts, List::Resources],
            Err(RecvError::Closed) => std::future::pending().await,
        };
        for &list in changed {
            announce_change(list, client.as_ref(), &listeners).await;
        }
    }
}

/// Failures mean that the client, or its subscription, is gone.
async fn announce_change(list: List, client: Option<&Peer<RoleServer>>, listeners: &Listeners) {
    if let Some(client) = client.filter(|client| client.peer_info().is_some()) {
        let _ = match list {
            List::Tools => client.notify_tool_list_changed().await,
            List::Prompts => client.notify_prompt_list_changed().await,
            List::Resources => client.notify_resource_list_changed().await,
        };
    }
    for sink in listeners.all() {
        let _ = match list {
            List::Tools => sink.notify_tool_list_changed().await,
            List::Prompts => sink.notify_prompt_list_changed().await,
            List::Resources => sink.notify_resource_list_changed().await,
        };
    }
}
