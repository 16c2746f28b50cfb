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

/// Sets the allocator up for a process that at times takes much memory and holds little in between. To be called before there are
/// threads. Each setting has a variable of the environment that comes first, see `man 3 mallopt`.
///
/// * There are no more arenas than cores, where the allocator would make eight for each. Each arena keeps the most that its threads
///   ever took, so dozens of them grow for hours.
/// * Of the free memory at the end of an arena, no more than [`MOST_AT_END`] stays. [`trim_heap`] gives memory there
///   back only in the first arena; in the others up to 64 MB would stay.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn set_up_heap() {
    let cores = std::thread::available_parallelism().map_or(2, usize::from).max(2);
    let settings = [
        ("MALLOC_ARENA_MAX", libc::M_ARENA_MAX, cores),
        ("MALLOC_TRIM_THRESHOLD_", libc::M_TRIM_THRESHOLD, MOST_AT_END),
        ("MALLOC_TOP_PAD_", libc::M_TOP_PAD, LEFT_AT_END),
        ("MALLOC_MMAP_THRESHOLD_", libc::M_MMAP_THRESHOLD, MAPPED_FROM),
    ];
    for (variable, option, value) in settings {
        if std::env::var_os(variable).is_none() {
            // SAFETY: mallopt only sets a number of the allocator's. It refuses one that does not fit the system.
            unsafe {
                libc::mallopt(option, value as libc::c_int);
            }
        }
    }
}

/// Bytes of free memory at the end of an arena from which on it is given back.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const MOST_AT_END: usize = 8 << 20;
/// Bytes that are left there then, because the next request would take them again.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const LEFT_AT_END: usize = 1 << 20;
/// Bytes from which on a request gets pages of its own. The allocator itself raises its limit to this as memory is freed, but no more
/// once any other limit is set.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const MAPPED_FROM: usize = 32 << 20;

/// Does nothing where the allocator has no such settings.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn set_up_heap() {}

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
