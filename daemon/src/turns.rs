//! Decides which request runs next. There are few workers and any number of requests, and one client that sends many
//! must not keep the others waiting.
//!
//! A free worker goes to the session with the fewest running requests; among equals, to the one that has waited
//! longest. No session gets all workers, even if it is alone at the moment: the next session finds some free. A few
//! more workers are only for people, because `sdlctl status` must work on a busy daemon.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

/// Shares workers out. Cheap to clone.
#[derive(Clone)]
pub struct Turns(Arc<Shared>);

struct Shared {
    limits: Limits,
    state: Mutex<State>,
}

/// How many requests may run at once.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// All together.
    pub all: usize,
    /// For one session.
    pub each: usize,
    /// Beyond `all`, for people's sessions.
    pub people: usize,
}

/// The session that asks for a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asker {
    /// The session.
    pub session: u64,
    /// Whether a person uses it.
    pub is_person: bool,
}

#[derive(Default)]
struct State {
    working: usize,
    /// Of each session that works.
    held: HashMap<u64, usize>,
    /// In order of arrival.
    waiting: VecDeque<(Asker, oneshot::Sender<Turn>)>,
}

/// The right to work; ends when it is dropped.
pub struct Turn {
    shared: Arc<Shared>,
    session: u64,
}

impl Turns {
    /// Shares out as many workers as `limits` says.
    pub fn new(limits: Limits) -> Self {
        Self(Arc::new(Shared { limits, state: Mutex::default() }))
    }

    /// Waits for a turn. Whoever gives up waiting loses the place.
    pub async fn take(&self, asker: Asker) -> Turn {
        loop {
            let (sender, receiver) = oneshot::channel();
            self.0.lock().waiting.push_back((asker, sender));
            Shared::share_out(&self.0);
            if let Ok(turn) = receiver.await {
                return turn;
            }
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives free slots to those whose turn it is.
    fn share_out(this: &Arc<Self>) {
        loop {
            let next = {
                let mut state = this.lock();
                state.waiting.retain(|(_, sender)| !sender.is_closed());
                state.next(this.limits).map(|(asker, sender)| {
                    state.working += 1;
                    *state.held.entry(asker.session).or_default() += 1;
                    (Turn { shared: Arc::clone(this), session: asker.session }, sender)
                })
            };
            let Some((turn, sender)) = next else { return };
            // Dropped outside the lock, because a turn whose taker has just gone is given back here, which takes the
            // lock.
            drop(sender.send(turn));
        }
    }
}

impl State {
    fn next(&mut self, limits: Limits) -> Option<(Asker, oneshot::Sender<Turn>)> {
        let held = |asker: &Asker| self.held.get(&asker.session).copied().unwrap_or(0);
        let may = |asker: &Asker| {
            let all = if asker.is_person { limits.all + limits.people } else { limits.all };
            self.working < all && held(asker) < limits.each
        };
        let waiting = self.waiting.iter().enumerate();
        let at = waiting
            .filter(|(_, (asker, _))| may(asker))
            .min_by_key(|(at, (asker, _))| (held(asker), *at))
            .map(|(at, _)| at)?;
        self.waiting.remove(at)
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        {
            let mut state = self.shared.lock();
            state.working -= 1;
            if let Some(held) = state.held.get_mut(&self.session) {
                *held -= 1;
                if *held == 0 {
                    state.held.remove(&self.session);
                }
            }
        }
        Shared::share_out(&self.shared);
    }
}

#[cfg(test)]
mod tests {
    use std::future::Future;
    use std::pin::Pin;
    use std::task::{Context, Poll, Waker};

    use super::*;

    type Waiting = Pin<Box<dyn Future<Output = Turn>>>;

    fn turns() -> Turns {
        Turns::new(Limits { all: 4, each: 3, people: 1 })
    }

    fn ask(turns: &Turns, session: u64, is_person: bool) -> Waiting {
        let turns = turns.clone();
        let mut waiting: Waiting = Box::pin(async move { turns.take(Asker { session, is_person }).await });
        // Polled once, so that it is in line.
        if let Some(turn) = poll(&mut waiting) {
            return Box::pin(std::future::ready(turn));
        }
        waiting
    }

    fn poll(waiting: &mut Waiting) -> Option<Turn> {
        match waiting.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(turn) => Some(turn),
            Poll::Pending => None,
        }
    }

    #[test]
    fn one_session_never_has_all() {
        let turns = turns();
        let mut greedy: Vec<Waiting> = (0..100).map(|_| ask(&turns, 1, false)).collect();
        let held: Vec<Turn> = greedy.iter_mut().take(3).map(|waiting| poll(waiting).unwrap()).collect();
        assert!(greedy.iter_mut().skip(3).all(|waiting| poll(waiting).is_none()));
        let mut other = ask(&turns, 2, false);
        let other = poll(&mut other).expect("one is left for others");
        let mut third = ask(&turns, 3, false);
        assert!(poll(&mut third).is_none(), "now there is none");
        let mut person = ask(&turns, 4, true);
        assert!(poll(&mut person).is_some(), "but for people");
        drop(held);
        assert!(poll(&mut third).is_some(), "before the hundred that came earlier");
        drop(other);
    }

    #[test]
    fn those_who_have_the_fewest_go_first_and_who_is_gone_is_passed_over() {
        let turns = turns();
        let mut held: Vec<Turn> = [1, 1, 2, 2].map(|n| poll(&mut ask(&turns, n, false)).unwrap()).into();
        let mut first = ask(&turns, 1, false);
        let gone = ask(&turns, 3, false);
        let mut last = ask(&turns, 2, false);
        drop(gone);
        held.remove(3);
        assert!(poll(&mut first).is_none());
        let turn = poll(&mut last).expect("session 2 has one, session 1 has two");
        drop(turn);
        assert!(poll(&mut first).is_some());
    }

    #[test]
    fn turns_that_nobody_takes_come_back() {
        let turns = turns();
        let held: Vec<Turn> = [1, 1, 2, 2].map(|n| poll(&mut ask(&turns, n, false)).unwrap()).into();
        let waiting = ask(&turns, 3, false);
        drop(held);
        // It was given a turn, and goes without having looked.
        drop(waiting);
        let again: Vec<_> = [1, 1, 2, 2].map(|n| poll(&mut ask(&turns, n, false))).into();
        assert!(again.iter().all(Option::is_some));
    }
}
