//! Which calls show which side effects.

use std::collections::HashMap;
use std::sync::OnceLock;

use sdl_model::facts::EffectKind;

/// One language's calls that show side effects, by kind.
///
/// An entry is a dotted (or `::`) path: `os.remove` fits that call and everything below it (`os.remove.x`); `.send` fits
/// a method of that name on any receiver.
pub type EffectEntries = &'static [(EffectKind, &'static [&'static str])];

type Index = HashMap<&'static str, EffectKind>;

/// [`EffectEntries`], ready for lookup.
#[derive(Debug)]
pub struct EffectTable {
    entries: EffectEntries,
    index: OnceLock<Index>,
}

impl EffectTable {
    /// A table of `entries`, to be kept in a `static`; indexed when it is first used.
    pub const fn new(entries: EffectEntries) -> Self {
        Self { entries, index: OnceLock::new() }
    }

    fn index(&self) -> &Index {
        self.index.get_or_init(|| {
            let all = self.entries.iter();
            all.flat_map(|(kind, paths)| paths.iter().map(move |path| (*path, *kind))).collect()
        })
    }

    /// The side effect of calling or reading `callee` (as written), and the part of the text that shows it.
    pub fn of<'t>(&self, callee: &'t str) -> Option<(EffectKind, &'t str)> {
        let callee = callee.get(..160).unwrap_or(callee);
        // Prefixes that end before a separator, the longest first.
        let mut end = callee.len();
        loop {
            let prefix = callee.get(..end)?;
            if let Some(kind) = self.index().get(prefix) {
                return Some((*kind, callee));
            }
            match prefix.rfind(['.', ':']) {
                Some(at) => end = prefix.get(..at)?.trim_end_matches(':').len(),
                None => break,
            }
        }
        let dot = callee.rfind('.')?;
        let method = callee.get(dot..)?;
        self.index().get(method).map(|kind| (*kind, callee))
    }
}
