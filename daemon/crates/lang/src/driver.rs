//! The one walk over a file, shared by all languages.

use std::borrow::Cow;

use sdl_model::{Facts, Lang};
use tree_sitter::{Language as Grammar, Tree};

use crate::builder::{Builder, EffectTable, Shapes};
use crate::flow::Flow;
use crate::kinds::Tables;
use crate::tape::{Node, Tape};
use crate::{ExtractError, parse};

/// The next step of the walk after [`Language::enter`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visit {
    /// Go on with the node's children.
    Into,
    /// Go on with the node's children, then call [`Language::leave`].
    IntoThenLeave,
    /// Skip the children.
    Skip,
}

/// Hooks that a language adds to the shared walk. All state is in [`Cx::state`].
pub trait Language: Shapes {
    /// The state it keeps between nodes.
    type State: Default;

    /// The parts of the language that a skeleton shows.
    const FLOW: Flow;

    /// Whether the names in a definition are found by parsing it alone. A field of a TypeScript class, for example,
    /// would become a label.
    const STANDS_ALONE: bool = false;

    /// Calls that show side effects.
    fn effects() -> &'static EffectTable;

    /// The text that the parser gets instead of `bytes`, whichever caller it parses for. It has the same length, with
    /// white space in place of text that the grammar cannot read. Nodes still have the original text.
    fn prepare(_lang: Lang, bytes: &[u8]) -> Cow<'_, [u8]> {
        Cow::Borrowed(bytes)
    }

    /// Collects information before the walk: the results of queries over the tree, whose text is `src`.
    fn survey(_lang: Lang, _tree: &Tree, _src: &[u8]) -> Result<Self::State, ExtractError> {
        Ok(Self::State::default())
    }

    /// Called once, before the walk, with the root.
    fn begin(_cx: &mut Cx<'_, Self>, _root: Node<'_, Self>) {}

    /// Called for each node in the order of the text.
    fn enter<'a>(cx: &mut Cx<'a, Self>, node: Node<'a, Self>) -> Visit;

    /// Called for each comment in the order of the text.
    fn comment<'a>(_cx: &mut Cx<'a, Self>, _node: Node<'a, Self>) {}

    /// Called after the children of a node for which [`Language::enter`] asked for it.
    fn leave<'a>(_cx: &mut Cx<'a, Self>, _node: Node<'a, Self>) {}

    /// Called once, after the walk, when every definition is closed.
    fn finish(_cx: &mut Cx<'_, Self>) {}
}

/// The context that the hooks work on.
pub struct Cx<'a, L: Language> {
    /// The facts so far.
    pub b: Builder<'a>,
    /// The language's own state.
    pub state: L::State,
    /// Which of the languages that share this extractor it is.
    pub lang: Lang,
}

/// Extracts the facts of `bytes` with `L`.
pub(crate) fn run_extractor<L: Language>(
    lang: Lang,
    grammar: &Grammar,
    tables: &Tables<L::K, L::F>,
    bytes: &[u8],
) -> Result<Facts, ExtractError> {
    let tree = parse::parse_source(lang, grammar, L::prepare, bytes)?;
    let src = parse::text_of(bytes);
    let mut tape: Tape<'_, L> = Tape::new(&tree, &src, tables)?;
    let state = L::survey(lang, &tree, src.as_bytes())?;
    drop(tree);
    let mut cx: Cx<'_, L> = Cx {
        b: Builder::new(&src, bytes, L::effects(), lang.traits().names.separator)
            .with_tokens(tape.take_tokens()),
        state,
        lang,
    };
    if let Some(root) = tape.node(0) {
        L::begin(&mut cx, root);
        walk_tape(&mut cx, &tape);
    }
    cx.b.close_all();
    L::finish(&mut cx);
    Ok(cx.b.into_facts::<L>(lang, tape.errors()))
}

fn walk_tape<'a, L: Language>(cx: &mut Cx<'a, L>, tape: &'a Tape<'a, L>) {
    let mut leaving: Vec<Node<'a, L>> = Vec::new();
    let mut prose = tape.prose().iter().copied().peekable();
    let mut ix = 1;
    loop {
        // Inner before outer; the walk leaves a node before it closes the definition that the node opened.
        loop {
            let done = leaving.last().copied().filter(|node| node.next_ix() <= ix);
            let closing = cx.b.closes_at(ix);
            match (done, closing) {
                (Some(node), opened) if opened.is_none_or(|opened| node.ix() >= opened) => {
                    leaving.pop();
                    L::leave(cx, node);
                }
                (_, Some(_)) => cx.b.close(),
                _ => break,
            }
        }
        let Some(node) = tape.node(ix) else { break };
        if L::is_comment(node.kind()) {
            L::comment(cx, node);
            cx.b.comment(node.start(), node.end());
            ix = node.next_ix();
            prose.next_if(|at| *at < ix);
            cx.b.prose(node.start(), node.end());
            continue;
        }
        ix = match L::enter(cx, node) {
            Visit::Into => ix + 1,
            Visit::IntoThenLeave => {
                leaving.push(node);
                ix + 1
            }
            Visit::Skip => node.next_ix(),
        };
        // Prose in skipped nodes counts for the definition that is open by now.
        while let Some(said) = prose.next_if(|at| *at < ix).and_then(|at| tape.node(at)) {
            cx.b.prose(said.start(), said.end());
        }
    }
}
