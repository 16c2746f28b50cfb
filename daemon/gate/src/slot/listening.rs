//! The subscription to changes of an upstream's lists, from 2026-07-28 on. Before, servers announce them unasked.
//!
//! When it ends, changes go unnoticed: the lists are read once more and count as those of a server that announces nothing. It is
//! made again when somebody wants the lists, with pauses that grow.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::{ServerPeerInfo, SubscriptionFilter};
use rmcp::service::{Peer, Subscription};
use sdl_proto::gate::Announces;

use crate::clock::Clock;
use crate::slot::backoff::Backoff;
use crate::wire::link::Link;

/// How long the answer to a subscription is waited for.
const LISTEN_TIME: Duration = Duration::from_secs(5);
/// A subscription that lasted this long is made again at once.
const HEALTHY: Duration = Duration::from_secs(60);

/// See the module.
#[derive(Clone)]
pub(crate) struct Listening {
    /// None where there is nothing to subscribe to.
    wanted: Option<SubscriptionFilter>,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    now: Announces,
    is_open: bool,
    backoff: Backoff,
    /// When it may be made again.
    due: Duration,
}

impl Listening {
    /// For a server that announces changes unasked.
    pub(crate) fn unasked(info: &ServerPeerInfo) -> Self {
        let state = State { now: announced(info), ..State::default() };
        Self { wanted: None, state: Arc::new(Mutex::new(state)) }
    }

    /// For a server that announces them to subscribers. There is no subscription yet.
    pub(crate) fn asked(info: &ServerPeerInfo) -> Self {
        let all = announced(info);
        let mut wanted = SubscriptionFilter::default();
        wanted.tools_list_changed = all.tools.then_some(true);
        wanted.prompts_list_changed = all.prompts.then_some(true);
        wanted.resources_list_changed = all.resources.then_some(true);
        let wanted = (wanted != SubscriptionFilter::default()).then_some(wanted);
        Self { wanted, state: Arc::default() }
    }

    /// Which lists the server announces changes of now.
    pub(crate) fn announces(&self) -> Announces {
        self.state().now
    }

    /// Subscribes, unless that is done, or was tried a moment ago. To be awaited by one task at a time.
    pub(crate) async fn listen(&self, peer: &Peer<RoleClient>, link: &Arc<Link>, clock: &Clock) {
        let Some(wanted) = self.wanted.clone() else { return };
        {
            let state = self.state();
            if state.is_open || clock.now() < state.due {
                return;
            }
        }
        match tokio::time::timeout(LISTEN_TIME, peer.listen(wanted)).await {
            Ok(Ok(subscription)) => {
                let accepted = subscription.acknowledged();
                let mut state = self.state();
                state.now = Announces {
                    tools: accepted.tools_list_changed == Some(true),
                    prompts: accepted.prompts_list_changed == Some(true),
                    resources: accepted.resources_list_changed == Some(true),
                };
                state.is_open = true;
                drop(state);
                tokio::spawn(self.clone().follow(subscription, Arc::clone(link), clock.clone()));
            }
            Ok(Err(_)) | Err(_) => {
                let mut state = self.state();
                state.due = state.backoff.fail(clock.now());
            }
        }
    }

    /// Keeps the subscription until it ends.
    async fn follow(self, mut subscription: Subscription, link: Arc<Link>, clock: Clock) {
        let began = clock.now();
        // What it announces passes through the books. rmcp hears only of its end.
        while let Ok(Some(_)) = subscription.next().await {}
        {
            let now = clock.now();
            let mut state = self.state();
            (state.now, state.is_open) = (Announces::default(), false);
            if now.saturating_sub(began) < HEALTHY {
                state.due = state.backoff.fail(now);
            } else {
                state.backoff.reset();
                state.due = now;
            }
        }
        if !link.closed.is_raised() {
            link.count("subscriptionEnded");
            link.note_changes();
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a server says that it can announce.
fn announced(info: &ServerPeerInfo) -> Announces {
    let all = &info.capabilities;
    Announces {
        tools: all.tools.as_ref().is_some_and(|tools| tools.list_changed == Some(true)),
        prompts: all.prompts.as_ref().is_some_and(|prompts| prompts.list_changed == Some(true)),
        resources: all.resources.as_ref().is_some_and(|resources| resources.list_changed == Some(true)),
    }
}
