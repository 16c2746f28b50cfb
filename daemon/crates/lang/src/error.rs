//! Why a blob has no facts.

use sdl_model::Lang;

/// Why a blob has no facts. Trying again is useless, because all of these depend only on the bytes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExtractError {
    /// Offsets would not fit.
    #[error("the file has {0} bytes, more than can be parsed (4 GiB); exclude it in .sdlignore")]
    TooLarge(usize),
    /// The parser used up its steps: usually hostile or hopelessly broken input.
    #[error("parsing as {lang} gave up after {steps} steps; is it really {lang}?", lang = .lang.name())]
    ParseBudget {
        /// The language it was parsed as.
        lang: Lang,
        /// How many steps it was given.
        steps: u64,
    },
    /// The parser might run out of stack.
    #[error("more than {0} brackets are open at once; exclude the file in .sdlignore if it is data")]
    TooDeep(u32),
    /// The tree is too large to keep in memory.
    #[error("its syntax tree has more than {0} nodes; exclude the file in .sdlignore if it is data")]
    TooManyNodes(usize),
    /// The extractor has a defect.
    #[error("the {lang} extractor panicked on it; please report this file", lang = .0.name())]
    Panicked(Lang),
    /// The grammar can't be loaded: a mistake in how this program was built.
    #[error("the {lang} grammar does not fit the parser library: rebuild with matching versions", lang = .0.name())]
    Grammar(Lang),
}
