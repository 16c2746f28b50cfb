//! Counts the users of the map. Nobody may be inside while it grows, because growing moves it; a read or write
//! transaction holds a [`Slot`].

use std::cell::RefCell;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};
use std::time::Instant;

use crate::{Error, Result};

thread_local! {
    /// The gates that this thread is inside of, by address. They are kept because a nested entry must not wait for a
    /// resize that waits for it.
    static INSIDE: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
}

#[derive(Default)]
struct Inside {
    count: usize,
    closing: bool,
}

/// Lets many in, or one alone.
pub(super) struct Gate {
    inside: Mutex<Inside>,
    changed: Condvar,
    limit: usize,
}

impl Gate {
    /// At most `limit` inside at a time.
    pub(super) fn new(limit: usize) -> Self {
        Self { inside: Mutex::default(), changed: Condvar::new(), limit: limit.max(1) }
    }

    fn address(&self) -> usize {
        std::ptr::from_ref(self) as usize
    }

    /// Whether this thread is inside already.
    pub(super) fn holds(&self) -> bool {
        INSIDE.with_borrow(|gates| gates.contains(&self.address()))
    }

    fn lock(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Enters; waits while someone is alone inside or the limit is reached, at most until `deadline`.
    pub(super) fn enter(&self, deadline: Option<Instant>) -> Result<Slot<'_>> {
        let nested = self.holds();
        let mut inside = self.lock();
        while !nested && (inside.closing || inside.count >= self.limit) {
            inside = match deadline {
                None => self.changed.wait(inside).unwrap_or_else(PoisonError::into_inner),
                Some(deadline) => {
                    let left = deadline.checked_duration_since(Instant::now()).ok_or(Error::Deadline)?;
                    self.changed.wait_timeout(inside, left).unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
        inside.count += 1;
        drop(inside);
        INSIDE.with_borrow_mut(|gates| gates.push(self.address()));
        Ok(Slot { gate: self, _here: std::marker::PhantomData })
    }

    /// Enters as the writer, who alone closes the gate and is not counted against the limit.
    pub(super) fn enter_writer(&self) -> Slot<'_> {
        self.lock().count += 1;
        INSIDE.with_borrow_mut(|gates| gates.push(self.address()));
        Slot { gate: self, _here: std::marker::PhantomData }
    }

    /// Runs `alone` with nobody else inside. The caller must not be inside and must hold the writer's lock.
    pub(super) fn alone<T>(&self, alone: impl FnOnce() -> T) -> T {
        let mut inside = self.lock();
        inside.closing = true;
        let _reopen = Reopen(self);
        while inside.count > 0 {
            inside = self.changed.wait(inside).unwrap_or_else(PoisonError::into_inner);
        }
        drop(inside);
        alone()
    }

    /// The same, unless somebody is inside. Waits for nobody.
    pub(super) fn try_alone<T>(&self, alone: impl FnOnce() -> T) -> Option<T> {
        let mut inside = self.lock();
        if inside.count > 0 {
            return None;
        }
        inside.closing = true;
        let _reopen = Reopen(self);
        drop(inside);
        Some(alone())
    }
}

/// Opens the gate when it is dropped.
struct Reopen<'g>(&'g Gate);

impl Drop for Reopen<'_> {
    fn drop(&mut self) {
        self.0.lock().closing = false;
        self.0.changed.notify_all();
    }
}

/// A place inside; bound to its thread.
pub(super) struct Slot<'g> {
    gate: &'g Gate,
    _here: std::marker::PhantomData<*const ()>,
}

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        INSIDE.with_borrow_mut(|gates| {
            if let Some(at) = gates.iter().rposition(|gate| *gate == self.gate.address()) {
                gates.swap_remove(at);
            }
        });
        self.gate.lock().count -= 1;
        self.gate.changed.notify_all();
    }
}

/// Makes writers wait for one another. A thread that would wait for itself gets an error, because it would wait for
/// ever.
#[derive(Default)]
pub(super) struct WriterLock {
    owner: Mutex<Option<ThreadId>>,
    changed: Condvar,
}

impl WriterLock {
    /// Waits for the writer before.
    pub(super) fn lock(&self) -> Result<WriterGuard<'_>> {
        let me = thread::current().id();
        let mut owner = self.owner.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some(holder) = *owner {
            if holder == me {
                return Err(Error::Misuse("a second write was begun inside a write of the same store"));
            }
            owner = self.changed.wait(owner).unwrap_or_else(PoisonError::into_inner);
        }
        *owner = Some(me);
        Ok(WriterGuard { lock: self })
    }
}

/// Held by the one writer.
pub(super) struct WriterGuard<'l> {
    lock: &'l WriterLock,
}

impl Drop for WriterGuard<'_> {
    fn drop(&mut self) {
        *self.lock.owner.lock().unwrap_or_else(PoisonError::into_inner) = None;
        self.lock.changed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;

    #[test]
    fn alone_waits_for_those_inside_and_keeps_others_out() {
        let gate = Gate::new(10);
        let (tell, told) = mpsc::channel();
        std::thread::scope(|scope| {
            let slot = gate.enter(None).unwrap();
            scope.spawn(|| gate.alone(|| tell.send("alone").unwrap()));
            while !gate.lock().closing {
                std::thread::yield_now();
            }
            assert!(told.try_recv().is_err(), "somebody is inside");
            let nested = gate.enter(None).unwrap();
            let late = scope.spawn(|| {
                let soon = Instant::now() + Duration::from_millis(5);
                matches!(gate.enter(Some(soon)), Err(Error::Deadline))
            });
            assert!(late.join().unwrap(), "others wait while it is closing");
            drop((nested, slot));
            assert_eq!(told.recv().unwrap(), "alone");
        });
        assert!(!gate.holds());
        drop(gate.enter(None).unwrap());
    }

    #[test]
    fn a_writer_does_not_wait_for_itself() {
        let lock = WriterLock::default();
        let guard = lock.lock().unwrap();
        assert!(matches!(lock.lock(), Err(Error::Misuse(_))));
        drop(guard);
        assert!(lock.lock().is_ok());
    }
}
