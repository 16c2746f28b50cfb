//! Bytes to facts, by tree-sitter; does no I/O.
