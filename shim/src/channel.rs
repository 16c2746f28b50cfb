//! Messages from other agents, sent to the client as they come.

use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{CustomNotification, ServerNotification};
use rmcp::service::Peer;
use sdl_client::{CallOptions, Event, ReconnectingClient};
use serde::Deserialize;
use serde_json::Value;
use tokio::sync::broadcast::error::RecvError;

/// What the server declares among its experimental capabilities.
pub(crate) const CAPABILITY: &str = "claude/channel";
/// The notification of a message.
const NOTIFICATION: &str = "notifications/claude/channel";
/// How long the daemon is asked to wait for a message.
const WAIT: Duration = Duration::from_secs(600);

/// The daemon's answer.
#[derive(Deserialize)]
struct Messages {
    /// The parameters of a notification each.
    messages: Vec<Value>,
}

/// Asks the daemon for messages, again and again, and passes them on for as long as the client lives. Never returns. Does nothing
/// without a daemon to ask.
pub(crate) async fn pass_on(daemon: Option<ReconnectingClient>, client: Peer<RoleServer>) {
    let Some(daemon) = daemon else { return std::future::pending().await };
    let mut events = daemon.events();
    loop {
        let params = format!("{{\"waitMs\":{}}}", WAIT.as_millis());
        let options = CallOptions::mutation().deadline(WAIT * 2);
        let answer = daemon.call("work/channel", params.as_bytes(), options).await;
        let messages = answer.ok().and_then(|bytes| serde_json::from_slice::<Messages>(&bytes).ok());
        if let Some(Messages { messages }) = messages {
            for params in messages {
                let message = CustomNotification::new(NOTIFICATION, Some(params));
                // A failure means that the client is gone, which others notice.
                let _ = client.send_notification(ServerNotification::CustomNotification(message)).await;
            }
            continue;
        }
        // An older daemon, a module that is off, or no daemon: the next one may answer.
        loop {
            match events.recv().await {
                Ok(Event::Connected { .. }) => break,
                Ok(_) | Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => return std::future::pending().await,
            }
        }
    }
}
