//! Search, slices and wire formats.
