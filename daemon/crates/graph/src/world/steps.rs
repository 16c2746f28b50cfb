//! Counts the definitions that are visited, so that a test can distinguish work that grows with a file's size from work
//! that grows with its square. Counts only in tests.

#[cfg(any(test, feature = "testing"))]
std::thread_local! {
    static STEPS: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// One definition has been looked at.
pub(crate) fn count_step() {
    #[cfg(any(test, feature = "testing"))]
    STEPS.with(|steps| steps.set(steps.get() + 1));
}

/// How many this thread has looked at.
#[cfg(any(test, feature = "testing"))]
pub(crate) fn steps_taken() -> u64 {
    STEPS.with(std::cell::Cell::get)
}
