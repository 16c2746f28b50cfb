//! Exact o200k_base token counts; does no I/O.
