//! Line numbers of byte offsets.

/// Where each line starts.
#[derive(Debug)]
pub(super) struct Lines {
    starts: Vec<u32>,
    /// Where the last lookup ended. The next one starts there, because lookups mostly move forward, a little at a
    /// time.
    last: usize,
}

impl Lines {
    pub(super) fn new(bytes: &[u8]) -> Self {
        let mut starts = Vec::with_capacity(bytes.len() / 32 + 1);
        starts.push(0);
        starts.extend(
            bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at as u32 + 1),
        );
        Self { starts, last: 0 }
    }

    /// The 1-based line and the column of byte `at`.
    pub(super) fn of(&mut self, at: u32) -> (u32, u32) {
        let holds = |ix: usize| {
            self.starts.get(ix).is_some_and(|start| *start <= at)
                && self.starts.get(ix + 1).is_none_or(|next| at < *next)
        };
        let ix = match (self.last..self.last + 3).find(|ix| holds(*ix)) {
            Some(ix) => ix,
            None => self.starts.partition_point(|start| *start <= at).saturating_sub(1),
        };
        self.last = ix;
        (ix as u32 + 1, at - self.starts.get(ix).copied().unwrap_or(0))
    }

    /// How many lines; a line break at the very end starts none.
    pub(super) fn count(&self, len: usize) -> u32 {
        let started = self.starts.len() as u32;
        if self.starts.last().is_some_and(|start| *start as usize == len) { started - 1 } else { started }
    }
}
