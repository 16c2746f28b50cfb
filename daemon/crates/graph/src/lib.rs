//! Facts to edges.
