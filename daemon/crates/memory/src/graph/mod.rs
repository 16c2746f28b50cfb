//! Facts that hold for a time.
