//! Following what the daemon does, over its restarts.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use sdl_proto::{SessionHello, WireError, code};
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

use crate::call::CallOptions;
use crate::client::{Client, Event};
use crate::error::ClientError;

/// Events that wait for a slow program. It misses those that find no room.
const EVENTS: usize = 2_048;

/// How long a daemon may take to answer that it is followed.
const PATIENCE: Duration = Duration::from_secs(5);

/// The pause between attempts to reach a daemon.
const PAUSE: Duration = Duration::from_millis(250);

/// The events, and the beginnings and ends of following.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum News {
    /// It follows from here on. Holds the answer to `feed/follow`: the version and the state of each repository. From the second
    /// one on: the connection was lost meanwhile, and events with it.
    Began(Vec<u8>),
    /// An event.
    Event {
        /// Its kind, such as `feed/version`.
        method: String,
        /// A JSON object.
        params: Arc<[u8]>,
    },
    /// This program was too slow. Holds the number of events that are missing here.
    Lost(u64),
    /// No daemon can be followed, and why. Said once; the next is [`News::Began`].
    Away(String),
}

/// Follows whichever daemon runs. Starts none.
#[derive(Debug)]
pub struct Feed {
    socket: PathBuf,
    hello: SessionHello,
    params: Vec<u8>,
    open: Option<(Client, broadcast::Receiver<Event>)>,
    is_away: bool,
}

impl Feed {
    /// Follows the daemon at `socket` with these parameters of `feed/follow`: a JSON object.
    pub fn new(socket: impl Into<PathBuf>, hello: SessionHello, params: impl Into<Vec<u8>>) -> Self {
        Self { socket: socket.into(), hello, params: params.into(), open: None, is_away: false }
    }

    /// Waits for what comes next. An error means that a daemon refuses to be followed, such as one that is too old.
    pub async fn next(&mut self) -> Result<News, WireError> {
        loop {
            let Some((_, events)) = &mut self.open else {
                match self.begin().await {
                    Ok(answer) => {
                        self.is_away = false;
                        return Ok(News::Began(answer));
                    }
                    Err(ClientError::Answer(refused)) if refused.code != code::STOPPING => {
                        return Err(refused);
                    }
                    Err(error) => {
                        if !std::mem::replace(&mut self.is_away, true) {
                            return Ok(News::Away(error.to_string()));
                        }
                        tokio::time::sleep(PAUSE).await;
                    }
                }
                continue;
            };
            match events.recv().await {
                Ok(Event::Notify { method, params }) if method.starts_with("feed/") => {
                    return Ok(News::Event { method, params });
                }
                Ok(Event::Notify { .. } | Event::Connected { .. }) => {}
                Err(RecvError::Lagged(count)) => return Ok(News::Lost(count)),
                Ok(Event::Disconnected) | Err(RecvError::Closed) => {
                    self.open = None;
                    self.is_away = true;
                    return Ok(News::Away("the daemon has closed the connection".to_owned()));
                }
            }
        }
    }

    async fn begin(&mut self) -> Result<Vec<u8>, ClientError> {
        let listeners = (broadcast::Sender::new(EVENTS), None);
        let connecting = Client::connect_with(&self.socket, self.hello.clone(), None, listeners);
        let client = tokio::time::timeout(PATIENCE, connecting).await.unwrap_or(Err(ClientError::Timeout))?;
        // Before the call, because events may come before its answer is looked at.
        let events = client.events();
        let options = CallOptions::read().deadline(PATIENCE);
        let answer = client.call("feed/follow", self.params.clone(), options).await?;
        self.open = Some((client, events));
        Ok(answer)
    }
}
