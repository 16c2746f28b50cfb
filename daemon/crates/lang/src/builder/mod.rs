//! The tools that all languages build facts with: see [`Builder`].

mod defs;
mod effects;
mod finish;
mod found;
mod half;
mod intern;
mod joins;
mod keys;
mod lines;
mod passed;
mod pending;
mod prints;
mod prose;
mod refs;
mod said;
mod shapes;
pub mod text;
mod written;

use std::collections::{HashMap, HashSet};

use sdl_model::facts::{Binding, Def, DefIx, Export, Import, Ref, StrIx};

pub use defs::NewDef;
pub use effects::{EffectEntries, EffectTable};
pub(crate) use finish::{bare_facts, bare_with};
pub(crate) use found::Found;
pub use half::{Half, MAX_ELEMENTS, Shapes};
pub use joins::{Branch, Branches};
pub(crate) use written::Written;

use crate::tokens::Tokens;
use lines::Lines;

/// Maximum number of invariants of one definition.
const MAX_INVARIANTS: usize = 16;
/// Maximum number of side effects of one definition.
const MAX_EFFECTS: usize = 16;
/// Maximum number of return shapes of one definition.
const MAX_RETURNS: usize = 8;

/// A definition that is still open.
#[derive(Debug)]
struct Frame<'a> {
    def: DefIx,
    /// Its node's place on the tape, and one past its subtree.
    node: u32,
    node_end: u32,
    /// The index in `child_spans` of the first span of a definition inside it.
    children: usize,
    /// The index of its first pending shape.
    pending: usize,
    /// Its receiver's name, which inner definitions inherit.
    receiver: Option<half::Receiver<'a>>,
}

/// A file's facts in the making.
#[derive(Debug)]
pub struct Builder<'a> {
    src: &'a str,
    bytes: &'a [u8],
    separator: &'static str,
    effects: &'static EffectTable,
    lines: Lines,
    /// Texts and expressions of the outline: for all that goes into a [`Def`], an [`Import`] or an [`Export`].
    pub out: Half<'a>,
    /// Texts and expressions of the body: for all that goes into a [`Ref`] or a [`Binding`].
    pub body: Half<'a>,
    defs: Vec<Def>,
    imports: Vec<Import>,
    exports: Vec<Export>,
    /// The same, to detect duplicates.
    exported: HashSet<(StrIx, StrIx)>,
    package: Option<StrIx>,
    /// What the file states if it is a manifest beside being a program.
    pub(crate) manifest: Option<Found>,
    refs: Vec<Ref>,
    bindings: Vec<Binding>,
    /// Calls with arguments that may be functions.
    passings: Vec<pending::Passing>,
    /// The latest binding of each name in each definition, and for each binding the one before it.
    latest: HashMap<(DefIx, StrIx), u32>,
    before: Vec<u32>,
    frames: Vec<Frame<'a>>,
    child_spans: Vec<(u32, u32)>,
    /// The first definition of each name in each definition.
    members: HashMap<(DefIx, StrIx), DefIx>,
    /// The latest run of comments that no blank line interrupts.
    comments: Option<(u32, u32)>,
    pending: Vec<pending::Pending>,
    prose: said::Said,
    tokens: Tokens,
    /// Documentation written as code, in order: first byte and one past the last.
    docs: Vec<(u32, u32)>,
}

impl<'a> Builder<'a> {
    pub(crate) fn new(
        src: &'a str,
        bytes: &'a [u8],
        effects: &'static EffectTable,
        separator: &'static str,
    ) -> Self {
        let mut builder = Self {
            src,
            bytes,
            separator,
            effects,
            lines: Lines::new(bytes),
            out: Half::new(),
            body: Half::new(),
            defs: Vec::new(),
            imports: Vec::new(),
            exports: Vec::new(),
            exported: HashSet::new(),
            package: None,
            manifest: None,
            refs: Vec::with_capacity(bytes.len() / 40),
            bindings: Vec::new(),
            passings: Vec::new(),
            latest: HashMap::new(),
            before: Vec::new(),
            frames: Vec::new(),
            child_spans: Vec::new(),
            members: HashMap::new(),
            comments: None,
            pending: Vec::new(),
            prose: said::Said::default(),
            tokens: Tokens::default(),
            docs: Vec::new(),
        };
        builder.open_module();
        builder
    }

    /// The same, knowing the file's tokens.
    pub(crate) fn with_tokens(mut self, tokens: Tokens) -> Self {
        self.tokens = tokens;
        self
    }

    /// The whole file's text.
    pub fn src(&self) -> &'a str {
        self.src
    }

    /// The text from `start` to `end`.
    pub fn slice(&self, start: u32, end: u32) -> &'a str {
        self.src.get(start as usize..end as usize).unwrap_or("")
    }

    /// The line of byte `at`.
    pub fn line(&mut self, at: u32) -> u32 {
        self.lines.of(at).0
    }
}
