//! `feed/follow` and `feed/unfollow`: the feed of one connection.

use std::sync::Arc;

use sdl_proto::{ClientKind, WireError, code};
use serde::Deserialize;

use super::{Feed, FeedEvent, Follower, Wanted};
use crate::engine::Engine;
use crate::server::Peer;

#[derive(Default, Deserialize)]
struct Follow {
    /// Only these repositories: ids, or paths inside them.
    repos: Option<Vec<String>>,
    /// Calls too.
    #[serde(default)]
    calls: bool,
    /// How many of the newest versions to begin with.
    #[serde(default)]
    recent: usize,
}

/// The newest versions that somebody may begin with, at most.
const MOST_RECENT: usize = 100;

/// A connection that follows; ends with this value.
pub struct Followed {
    feed: Arc<Feed>,
    follower: Arc<Follower>,
}

impl Drop for Followed {
    fn drop(&mut self) {
        self.feed.remove_follower(&self.follower);
    }
}

/// Answers `feed/follow`: from now on the connection gets events. To be called within the runtime.
pub fn follow_session(
    engine: &Engine,
    session: &Arc<Peer>,
    params: &[u8],
) -> Result<(Followed, Vec<u8>), WireError> {
    if session.hello().kind == ClientKind::Shim {
        return Err(WireError::new(
            code::DENIED,
            "only a person's programs follow the daemon, such as sdlctl watch",
        ));
    }
    let Follow { repos, calls, recent } = crate::router::parse_params(params)?;
    let repos = match repos {
        Some(named) => {
            let ids = named.iter().map(|named| engine.find_id(named)).collect::<Result<_, _>>();
            Some(ids.map_err(|message| WireError::new(code::UNKNOWN_REPO, message))?)
        }
        None => None,
    };
    let feed = engine.feed();
    let (follower, answer) = feed
        .add_follower(Wanted { repos, calls, recent: recent.min(MOST_RECENT) })
        .map_err(|error| WireError::new(code::BUSY, error.to_string()))?;
    let followed = Followed { feed: Arc::clone(feed), follower: Arc::clone(&follower) };
    feed.run().map_err(|error| {
        WireError::new(code::INTERNAL, format!("the feed can't be started: {error}; try again"))
    })?;
    tokio::spawn(deliver(follower, Arc::clone(session)));
    Ok((followed, answer.to_string().into_bytes()))
}

/// Sends events for as long as the client reads them.
async fn deliver(follower: Arc<Follower>, session: Arc<Peer>) {
    while let Some(FeedEvent { method, params }) = follower.next().await {
        if !session.send_event(method, &params).await {
            return;
        }
    }
}
