//! Numbers that look random and are the same in every run (splitmix64).

/// A source of numbers.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `limit`; 0 if that is 0.
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.next().checked_rem(limit).unwrap_or(0)
    }

    /// A number from 0 to below 1.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Whether something happens that happens with this share.
    pub(crate) fn chance(&mut self, share: f64) -> bool {
        self.unit() < share
    }

    /// One of some things; none of none.
    pub(crate) fn pick<'t, T>(&mut self, things: &'t [T]) -> Option<&'t T> {
        things.get(self.below(things.len() as u64) as usize)
    }

    /// A place below `count`: as Zipf's law has it, but for the first `skipped` places, which are left out. So the first one is drawn
    /// with a share of about `1 / skipped`.
    pub(crate) fn zipf(&mut self, count: usize, skipped: usize) -> usize {
        let first = skipped.max(1) as f64;
        let rank = first * ((first + count as f64) / first).powf(self.unit());
        ((rank - first) as usize).min(count.saturating_sub(1))
    }
}
