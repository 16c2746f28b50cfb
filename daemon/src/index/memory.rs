//! Gives memory back to the system after work that took a lot of it at once: a first index, a branch switch. This is
//! needed because the allocator keeps freed memory, separately for each thread, and the system can't take it from an
//! idle process. Does nothing where the allocator returns memory by itself.

use std::sync::atomic::{AtomicU64, Ordering};

/// The work after which memory is given back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// A first index.
    FirstIndex,
    /// A change of many files at once, for example `git checkout`.
    ManyFiles,
    /// The removal of facts that nothing names.
    Sweep,
    /// A comparison with an index from scratch.
    Verify,
}

/// How often memory was given back, by work.
static TIMES: [AtomicU64; 4] = [const { AtomicU64::new(0) }; 4];

/// Returns free memory of the allocator's to the system.
pub fn give_back(after: Work) {
    TIMES[after as usize].fetch_add(1, Ordering::Relaxed);
    trim_heap();
}

/// How often this process gave memory back after such work.
pub fn times_given(after: Work) -> u64 {
    TIMES[after as usize].load(Ordering::Relaxed)
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn trim_heap() {
    // SAFETY: malloc_trim only looks at the allocator's own free lists, under its own locks, from any thread.
    unsafe {
        libc::malloc_trim(0);
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn trim_heap() {}
