//! Gives memory back to the system after work that took a lot of it at once: a first index, a branch switch. The
//! allocator keeps freed memory, separately for each thread, and the system can't take it from an idle process. Does
//! nothing where the allocator returns memory by itself.

/// Returns free memory of the allocator's to the system.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn give_back() {
    // SAFETY: malloc_trim only looks at the allocator's own free lists, under its own locks, from any thread.
    unsafe {
        libc::malloc_trim(0);
    }
}

/// Returns free memory of the allocator's to the system.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn give_back() {}
