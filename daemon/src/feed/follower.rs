//! Somebody who follows, and what waits to be sent there.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::json;
use tokio::sync::Notify;

use super::queue::{Entry, Queue};

/// Events that wait for one follower at most, and their bytes.
const MOST_WAITING: usize = 512;
const MOST_BYTES: usize = 4 << 20;

/// What somebody wants to hear of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Only these repositories, by id; all if none.
    pub repos: Option<BTreeSet<String>>,
    /// Calls too.
    pub calls: bool,
    /// How many of the newest versions to begin with, over all repositories.
    pub recent: usize,
}

impl Wanted {
    /// Whether it is about this repository.
    pub(super) fn has(&self, repo: &str) -> bool {
        self.repos.as_ref().is_none_or(|repos| repos.contains(repo))
    }
}

/// An event on its way to followers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeedEvent {
    /// Its kind, such as `feed/version`.
    pub method: &'static str,
    /// A JSON object.
    pub params: Arc<[u8]>,
}

/// One follower.
#[derive(Debug)]
pub struct Follower {
    pub(super) wanted: Wanted,
    waiting: Mutex<Queue<FeedEvent>>,
    ended: AtomicBool,
    wake: Notify,
}

impl Follower {
    pub(super) fn new(wanted: Wanted) -> Self {
        Self {
            wanted,
            waiting: Mutex::new(Queue::new(MOST_WAITING, MOST_BYTES)),
            ended: AtomicBool::new(false),
            wake: Notify::new(),
        }
    }

    pub(super) fn push(&self, event: FeedEvent) {
        let bytes = event.params.len();
        self.lock().push(event, bytes);
        self.wake.notify_one();
    }

    pub(super) fn lose(&self, count: u64) {
        self.lock().lose(count);
        self.wake.notify_one();
    }

    pub(super) fn end(&self) {
        self.ended.store(true, Ordering::Release);
        self.wake.notify_one();
    }

    /// The oldest event that waits. Events that found no room are one `feed/lost` in their place.
    pub fn try_next(&self) -> Option<FeedEvent> {
        Some(match self.lock().pop()? {
            Entry::One(event) => event,
            Entry::Lost(count) => {
                let params = json!({ "count": count }).to_string().into_bytes();
                FeedEvent { method: super::LOST, params: params.into() }
            }
        })
    }

    /// Waits for the next event; none once it follows no more.
    pub async fn next(&self) -> Option<FeedEvent> {
        loop {
            if self.ended.load(Ordering::Acquire) {
                return None;
            }
            if let Some(event) = self.try_next() {
                return Some(event);
            }
            self.wake.notified().await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Queue<FeedEvent>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(number: usize) -> FeedEvent {
        FeedEvent { method: "feed/version", params: number.to_string().into_bytes().into() }
    }

    #[test]
    fn a_slow_follower_is_told_how_many_it_missed_and_goes_on() {
        let follower = Follower::new(Wanted::default());
        (0..MOST_WAITING + 7).for_each(|number| follower.push(event(number)));
        for number in 0..MOST_WAITING {
            assert_eq!(follower.try_next(), Some(event(number)));
        }
        follower.push(event(9_999));
        let lost = follower.try_next().unwrap();
        assert_eq!((lost.method, &*lost.params), ("feed/lost", &b"{\"count\":7}"[..]));
        assert_eq!(follower.try_next(), Some(event(9_999)));
        assert_eq!(follower.try_next(), None);
    }

    #[tokio::test]
    async fn a_follower_that_has_ended_gets_nothing_more() {
        let follower = Follower::new(Wanted::default());
        follower.push(event(1));
        assert_eq!(follower.next().await, Some(event(1)));
        follower.push(event(2));
        follower.end();
        assert_eq!(follower.next().await, None);
    }
}
