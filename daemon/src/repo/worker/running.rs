//! A first index under way, as others see it.

use std::sync::atomic::Ordering;
use std::time::Instant;

use sdl_retrieve::part::PartFile;

use crate::index::first_index::Observer;
use crate::repo::{Repo, Stage};

/// Shows how far it is until it is dropped.
pub(super) struct Running<'r>(&'r Repo);

impl<'r> Running<'r> {
    /// Begins to index `total` files.
    pub(super) fn begin(repo: &'r Repo, total: u64) -> Self {
        repo.pace.begin(Instant::now(), total);
        repo.so_far.begin();
        repo.set_stage(Stage::Indexing { done: 0, total: Some(total) });
        Self(repo)
    }
}

impl Observer for Running<'_> {
    fn read(&self, done: u64, total: u64) -> bool {
        self.0.pace.read(done);
        self.0.set_stage(Stage::Indexing { done, total: Some(total) });
        !self.0.closing.load(Ordering::SeqCst)
    }

    fn stored(&self, files: Vec<PartFile>) {
        self.0.so_far.add(files);
    }

    fn all_read(&self) {
        self.0.pace.all_read(Instant::now());
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.so_far.end();
        self.0.pace.end();
    }
}
