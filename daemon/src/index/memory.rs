//! Gives memory back to the system after work that took a lot of it at once: a first index, a branch switch. This is
//! needed because the allocator keeps freed memory, separately for each thread, and the system can't take it from an
//! idle process. Does nothing where the allocator returns memory by itself.

use std::sync::atomic::{AtomicU64, Ordering};

/// The work after which memory is given back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// A first index.
    FirstIndex,
    /// A change of many files at once.
    ManyFiles,
    /// A change of a large part of the tree, for example `git checkout`.
    LargeChange,
    /// The removal of facts that nothing names.
    Sweep,
    /// A comparison with an index from scratch.
    Verify,
    /// The index of tools, for searches.
    ToolIndex,
}

/// How often each work was done.
static TIMES: [AtomicU64; 6] = [const { AtomicU64::new(0) }; 6];

/// Counts such work, and returns free memory of the allocator's to the system.
pub fn give_back(after: Work) {
    note_work(after);
    trim_heap();
}

/// Counts such work, after which [`trim_heap`] is still to be called.
pub fn note_work(after: Work) {
    TIMES[after as usize].fetch_add(1, Ordering::Relaxed);
}

/// How often this process did such work.
pub fn times_given(after: Work) -> u64 {
    TIMES[after as usize].load(Ordering::Relaxed)
}

/// Lets the allocator have no more arenas than there are cores, where it would make eight for each. Each arena keeps the most
/// that its threads ever took, so dozens of them grow for hours. To be called before there are threads.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn bound_arenas() {
    if std::env::var_os("MALLOC_ARENA_MAX").is_some() {
        return;
    }
    let cores = std::thread::available_parallelism().map_or(2, usize::from).max(2);
    // SAFETY: mallopt only sets a number of the allocator's.
    unsafe {
        libc::mallopt(libc::M_ARENA_MAX, cores as libc::c_int);
    }
}

/// Does nothing where the allocator has no arenas.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn bound_arenas() {}

/// Returns free memory of the allocator's to the system.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn trim_heap() {
    // SAFETY: malloc_trim only looks at the allocator's own free lists, under its own locks, from any thread.
    unsafe {
        libc::malloc_trim(0);
    }
}

/// Does nothing where the allocator returns memory by itself.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn trim_heap() {}
