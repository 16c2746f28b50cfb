//! A worker's thread, which can be abandoned.

use std::convert::Infallible;
use std::io;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::{Builder, JoinHandle};
use std::time::Instant;

/// A thread at work.
pub(super) struct Working {
    thread: JoinHandle<()>,
    /// Ends when the thread does.
    ended: Receiver<Infallible>,
}

/// The state of a thread at the end of a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Became {
    Ended,
    Panicked,
    /// It is still at work.
    LeftBehind,
}

impl Working {
    /// Starts a thread.
    pub(super) fn begin(name: String, work: impl FnOnce() + Send + 'static) -> io::Result<Self> {
        let (ends, ended) = mpsc::channel();
        let thread = Builder::new().name(name).spawn(move || {
            let _ends: Sender<Infallible> = ends;
            work();
        })?;
        Ok(Self { thread, ended })
    }

    /// Waits until the thread has ended, but not longer than `deadline`. The wait is bounded because the thread may
    /// hang in a system call, which nothing interrupts.
    pub(super) fn end(self, deadline: Instant) -> Became {
        let left = deadline.saturating_duration_since(Instant::now());
        if matches!(self.ended.recv_timeout(left), Err(RecvTimeoutError::Timeout)) {
            return Became::LeftBehind;
        }
        if self.thread.join().is_err() { Became::Panicked } else { Became::Ended }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const LONG: Duration = Duration::from_secs(600);

    fn begin(work: impl FnOnce() + Send + 'static) -> Working {
        Working::begin("test".into(), work).unwrap()
    }

    #[test]
    fn who_hangs_is_left_behind() {
        let (release, held) = mpsc::channel::<()>();
        let hangs = begin(move || {
            let _ = held.recv();
        });
        assert_eq!(hangs.end(Instant::now()), Became::LeftBehind);
        drop(release);
        assert_eq!(begin(|| {}).end(Instant::now() + LONG), Became::Ended);
        assert_eq!(begin(|| panic!("as asked")).end(Instant::now() + LONG), Became::Panicked);
    }
}
