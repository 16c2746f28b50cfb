//! Room on the stack. Chains of questions and nested expressions are bounded, but what they need together, a few
//! megabytes, is more than a thread has by default.

/// With less than this left, more is allocated.
const LEAST: usize = 256 << 10;
/// So much at a time.
const MORE: usize = 2 << 20;

/// Runs `work` with room enough for the step that it is.
pub(crate) fn with_room<T>(work: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(LEAST, MORE, work)
}
