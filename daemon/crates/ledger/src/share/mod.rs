//! Rows on their way to another machine: logical rows in the order of their keys, cut into chunks, independent of LMDB's pages.
//!
//! A chunk ends where a hash of the last key says so. Equal rows are therefore cut into equal chunks, and a store that has the
//! chunks of one commit needs few more for the next.
//!
//! * [`rows`]: how a row is written, and where a chunk ends; * [`tables`]: which tables travel, and what their rows look like.

pub(crate) mod rows;
pub(crate) mod tables;

use crate::Result;

/// The largest chunk, in bytes. A larger one is refused when it is read, and none is written.
pub const MAX_CHUNK_BYTES: usize = 64 << 20;

/// Takes chunks of rows, in order.
pub type EachChunk<'f> = &'f mut dyn FnMut(&[u8]) -> Result<()>;
