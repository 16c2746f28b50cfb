//! The vectors of files, by their content; bounded.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use sdl_model::FactsKey;

/// Most bytes of all vectors together: about 250,000 symbols of 256 dimensions.
const MOST_BYTES: usize = 64 << 20;

/// The vectors of one file's symbols: unit length, a byte for each dimension.
#[derive(Debug, Default)]
pub(super) struct Block {
    /// The symbols' keys in the file, with the flags of each.
    pub(super) symbols: Vec<(u64, u16)>,
    /// As many vectors, end to end.
    pub(super) vectors: Vec<i8>,
}

impl Block {
    /// How much room it takes, about.
    pub(super) fn bytes(&self) -> usize {
        self.vectors.len() + self.symbols.len() * 16 + 128
    }
}

/// The blocks; the oldest go first.
#[derive(Debug, Default)]
pub(super) struct Cache {
    blocks: HashMap<FactsKey, Arc<Block>>,
    order: VecDeque<FactsKey>,
    bytes: usize,
}

impl Cache {
    /// Most bytes of blocks that one question looks at, so that the cached blocks serve the next one too.
    pub(super) const MOST_AT_ONCE: usize = MOST_BYTES / 2;

    pub(super) fn get(&self, key: FactsKey) -> Option<Arc<Block>> {
        self.blocks.get(&key).cloned()
    }

    pub(super) fn put(&mut self, key: FactsKey, block: Arc<Block>) {
        self.bytes += block.bytes();
        if let Some(old) = self.blocks.insert(key, block) {
            self.bytes -= old.bytes();
        } else {
            self.order.push_back(key);
        }
        while self.bytes > MOST_BYTES
            && let Some(oldest) = self.order.pop_front()
        {
            if let Some(gone) = self.blocks.remove(&oldest) {
                self.bytes -= gone.bytes();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use sdl_model::{ContentHash, Lang};

    use super::*;

    #[test]
    fn the_oldest_go_first() {
        let mut cache = Cache::default();
        let key = |n: u32| FactsKey { lang: Lang::Python, content: ContentHash::of(&n.to_le_bytes()) };
        let block = || Arc::new(Block { symbols: Vec::new(), vectors: vec![0; 1 << 20] });
        for n in 0..100 {
            cache.put(key(n), block());
            cache.put(key(n), block());
        }
        assert!(cache.bytes <= MOST_BYTES && cache.blocks.len() == cache.order.len());
        assert!(cache.get(key(0)).is_none() && cache.get(key(99)).is_some());
    }
}
