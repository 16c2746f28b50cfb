//! Opening and closing definitions.

use sdl_model::SymbolKind;
use sdl_model::facts::{Base, BaseKind, Def, DefFlags, DefIx, Effect, EffectKind, ExprIx, Span};

use super::half::Receiver;
use super::text::{self, MAX_INVARIANT, MAX_SIGNATURE, fold_into, truncate_text};
use super::{Builder, Frame, MAX_EFFECTS, MAX_INVARIANTS};
use crate::syntax::Syntax;
use crate::tape::Node;

/// A definition about to be opened.
#[derive(Clone, Debug)]
pub struct NewDef<'a> {
    kind: SymbolKind,
    name: &'a str,
    /// The name's first byte: its line is the definition's.
    at: u32,
    start: u32,
    end: u32,
    node: u32,
    node_end: u32,
    header: (u32, u32),
    body_start: Option<u32>,
    signature: Option<String>,
    /// Comments in the header, left out of the signature.
    comments: Vec<(u32, u32)>,
    /// Whether a blank line may be between it and its documentation.
    detached: bool,
}

impl<'a> NewDef<'a> {
    /// A definition of kind `kind`, called `name` (whose node is `at`), that covers all of `whole`.
    pub fn new<L: Syntax>(kind: SymbolKind, name: &'a str, at: Node<'a, L>, whole: Node<'a, L>) -> Self {
        Self {
            kind,
            name,
            at: at.start(),
            start: whole.start(),
            end: whole.end(),
            node: whole.ix(),
            node_end: whole.next_ix(),
            header: (whole.start(), whole.end()),
            body_start: None,
            signature: None,
            comments: Vec::new(),
            detached: L::DETACHED_DOCS,
        }
    }

    /// Marks it as written inside a comment, with its name at byte `at`.
    pub fn written(mut self, at: u32) -> Self {
        self.at = at;
        self
    }

    /// Makes its text and documentation start where `around` starts, which it is inside.
    pub fn starting_with<L: Syntax>(mut self, around: Node<'a, L>) -> Self {
        self.start = around.start();
        self
    }

    /// Extends the definition to the end of `last`, a later sibling of the whole, such as the implementation after
    /// its overloads.
    pub fn until<L: Syntax>(mut self, last: Node<'a, L>) -> Self {
        self.end = last.end();
        self.node_end = last.next_ix();
        self.header.1 = last.end();
        self
    }

    /// Makes its header start here and not at the definition's start, for example after decorators.
    pub fn header_from(mut self, start: u32) -> Self {
        self.header.0 = start;
        self
    }

    /// Sets its body to `node`; the header ends there.
    pub fn body<L: Syntax>(mut self, node: Option<Node<'a, L>>) -> Self {
        if let Some(node) = node {
            self.body_start = Some(node.start());
            self.header.1 = node.start();
        }
        self
    }

    /// Ends its header here although it has no body of its own.
    pub fn header_to(mut self, end: u32) -> Self {
        self.header.1 = end;
        self
    }

    /// Leaves comments inside `node`, such as the list of parameters, out of the signature.
    pub fn without_comments_in<L: Syntax>(mut self, node: Option<Node<'a, L>>) -> Self {
        let inner = node.into_iter().flat_map(Node::descendants).filter(|node| L::is_comment(node.kind()));
        self.comments.extend(inner.map(|comment| (comment.start(), comment.end())));
        self
    }

    /// Sets the signature, where it differs from the header's text.
    pub fn signature(mut self, text: String) -> Self {
        self.signature = Some(text);
        self
    }
}

/// Longest prefix of a qualified name.
const MAX_QUALIFIED: usize = 400;
/// The longest stretch searched before a comment, or between a comment and the code it describes.
const MAX_GAP: usize = 400;

impl<'a> Builder<'a> {
    pub(super) fn open_module(&mut self) {
        let end = self.bytes.len() as u32;
        let name = self.out.str("");
        let span = self.span(0, end);
        self.defs.push(Def {
            flags: DefFlags::EXPORTED,
            span,
            body_start: Some(0),
            ..Def::new(name, SymbolKind::Module)
        });
        self.frames.push(Frame {
            def: DefIx::MODULE,
            node: 0,
            node_end: u32::MAX,
            children: 0,
            pending: 0,
            receiver: None,
        });
    }

    /// Opens `new` inside the innermost open definition; the walk closes it after its last node. Comments right above
    /// it become part of it and, until something else sets [`Def::doc`], its documentation.
    pub fn open(&mut self, new: NewDef<'a>) -> DefIx {
        self.open_of(self.scope(), new)
    }

    /// Opens `new`, a member of `parent`, which need not be the innermost open definition: a method that a constructor
    /// assigns, a function in an object that a variable holds.
    pub fn open_of(&mut self, parent: DefIx, new: NewDef<'a>) -> DefIx {
        let (node, node_end) = (new.node, new.node_end);
        let def = self.add_def(new, parent);
        let outer = self.frames.last();
        let frame = Frame {
            def,
            node,
            node_end,
            children: self.child_spans.len(),
            pending: self.pending.len(),
            receiver: outer.and_then(|frame| frame.receiver),
        };
        self.frames.push(frame);
        def
    }

    /// Adds a definition without inner definitions: nothing in it will have it as scope.
    pub fn leaf(&mut self, new: NewDef<'a>) -> DefIx {
        let parent = self.scope();
        let def = self.leaf_of(parent, new);
        self.child_span(def);
        def
    }

    /// Adds a definition to `parent` that is written somewhere else, such as the field of `self.items = []` in
    /// `__init__`. Its text also counts for the definition that it is in.
    pub fn leaf_of(&mut self, parent: DefIx, new: NewDef<'a>) -> DefIx {
        let def = self.add_def(new, parent);
        self.set_fingerprints(def, &[]);
        def
    }

    fn add_def(&mut self, new: NewDef<'a>, parent: DefIx) -> DefIx {
        let comments = self.comments_before(new.start, new.detached);
        let start = comments.map_or(new.start, |(start, _)| start);
        if let Some((from, _)) = comments {
            self.prose.forget_from(from);
        }
        let name = self.out.str(new.name);
        let outer = self.def(parent);
        let local = outer.kind.is_callable() || outer.flags.has(DefFlags::LOCAL);
        let prefix = self.out.text(outer.qualified).len();
        // Beyond a limit the name stays simple, because qualified names of absurdly nested definitions would take
        // space quadratic in the depth.
        let qualified = if prefix == 0 || prefix > MAX_QUALIFIED {
            name
        } else {
            let text = format!("{}{}{}", self.out.text(outer.qualified), self.separator, new.name);
            self.out.str(&text)
        };
        let signature = new.signature.unwrap_or_else(|| self.header_text(new.header, &new.comments));
        let signature = self.out.str(&signature);
        let doc = comments
            .and_then(|(start, end)| text::clean_comment(self.slice(start, end)))
            .map(|doc| self.out.str(&doc));
        let span = self.span(start, new.end);
        let line = self.line(new.at);
        self.defs.push(Def {
            qualified,
            flags: if local { DefFlags::LOCAL } else { DefFlags::default() },
            parent: Some(parent),
            span,
            line,
            body_start: new.body_start,
            signature,
            doc,
            ..Def::new(name, new.kind)
        });
        let def = DefIx(self.defs.len() as u32 - 1);
        self.members.entry((parent, name)).or_insert(def);
        def
    }

    /// A header as one line, without `comments` and the token that introduces the body, such as `{` or `:`.
    fn header_text(&self, (mut at, end): (u32, u32), comments: &[(u32, u32)]) -> String {
        let mut text = String::new();
        for &(from, to) in comments.iter().filter(|(_, to)| *to <= end) {
            fold_into(&mut text, self.slice(at, from), MAX_SIGNATURE);
            at = to;
        }
        fold_into(&mut text, self.slice(at, end), MAX_SIGNATURE);
        text.truncate(text.trim_end_matches([' ', ':', '{', '=', ';', ',']).len());
        truncate_text(&mut text, MAX_SIGNATURE);
        text
    }

    /// The walk calls this for each comment.
    pub(crate) fn comment(&mut self, start: u32, end: u32) {
        if let Some((first, last)) = self.comments
            && self.is_adjacent(last, start)
        {
            self.comments = Some((first, end));
        } else {
            // A comment after code on its line describes that code.
            let before = self.bytes.get((start as usize).saturating_sub(MAX_GAP)..start as usize);
            let before = before.unwrap_or_default().rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
            self.comments = before.trim_ascii().is_empty().then_some((start, end));
        }
    }

    /// The run of comments that ends right above `start`; if `detached`, a blank line may follow a `/** … */`.
    fn comments_before(&self, start: u32, detached: bool) -> Option<(u32, u32)> {
        self.comments.filter(|(first, end)| {
            *end <= start
                && (self.is_adjacent(*end, start)
                    || (detached && *first > 0 && self.is_documentation(*first, *end, start)))
        })
    }

    /// Whether the comments from `first` to `end` are one block of documentation, a blank line above `start`.
    fn is_documentation(&self, first: u32, end: u32, start: u32) -> bool {
        let gap = self.slice(end, start);
        (start - end) as usize <= MAX_GAP
            && gap.trim().is_empty()
            && gap.bytes().filter(|byte| *byte == b'\n').count() <= 2
            && self.slice(first, end).starts_with("/**")
    }

    /// Whether only white space without a blank line separates the two positions.
    fn is_adjacent(&self, end: u32, start: u32) -> bool {
        if start < end || (start - end) as usize > MAX_GAP {
            return false;
        }
        let gap = self.slice(end, start);
        // Some grammars end a line comment after its line break.
        let broken = self.slice(end.saturating_sub(1), end) == "\n";
        let breaks = gap.bytes().filter(|byte| *byte == b'\n').count() + usize::from(broken);
        breaks <= 1 && gap.trim().is_empty()
    }

    /// The place on the tape of the innermost definition's node if its subtree ends at or before `ix`.
    pub(crate) fn closes_at(&self, ix: u32) -> Option<u32> {
        self.frames.last().filter(|frame| frame.node_end <= ix).map(|frame| frame.node)
    }

    /// Closes the innermost definition.
    pub(crate) fn close(&mut self) {
        let Some(frame) = self.frames.pop() else { return };
        self.settle_shapes(frame.def, frame.pending);
        let inner = self.child_spans.split_off(frame.children.min(self.child_spans.len()));
        // A type's members have their own entries; definitions inside a function are part of its behaviour.
        let apart = if self.def(frame.def).kind.is_callable() { &[][..] } else { &inner };
        self.set_fingerprints(frame.def, apart);
        self.child_span(frame.def);
        let receiver = self.frames.last().and_then(|outer| outer.receiver);
        self.use_receiver(receiver);
    }

    pub(crate) fn close_all(&mut self) {
        while !self.frames.is_empty() {
            self.close();
        }
    }

    fn child_span(&mut self, def: DefIx) {
        let span = self.def(def).span;
        self.child_spans.push((span.start, span.end));
    }

    fn span(&mut self, start: u32, end: u32) -> Span {
        let (start_line, start_col) = self.lines.of(start);
        if end <= start {
            return Span { start, end, start_line, start_col, end_line: start_line, end_col: start_col };
        }
        // A span that ends with a line break ends on the line that it breaks.
        let (end_line, last_col) = self.lines.of(end - 1);
        Span { start, end, start_line, start_col, end_line, end_col: last_col + 1 }
    }

    /// Sets the receiver's name in the innermost open definition. The receiver is an instance of the definition `of`,
    /// or (`is_type`) that type itself.
    pub fn set_receiver(&mut self, name: &'a str, of: DefIx, is_type: bool) {
        let receiver = Some(Receiver { name, is_type, of });
        if let Some(frame) = self.frames.last_mut() {
            frame.receiver = receiver;
        }
        self.use_receiver(receiver);
    }

    /// Marks the receiver's name as shadowed here, or (without `hidden`) as visible again.
    pub fn hide_receiver(&mut self, hidden: bool) {
        let receiver = self.frames.last().and_then(|frame| frame.receiver).filter(|_| !hidden);
        self.use_receiver(receiver);
    }

    fn use_receiver(&mut self, receiver: Option<Receiver<'a>>) {
        self.out.receiver = receiver;
        self.body.receiver = receiver;
    }

    /// The type whose fields are assigned through the receiver here.
    pub fn receiver_type(&self) -> Option<DefIx> {
        self.frames.last().and_then(|frame| frame.receiver).map(|receiver| receiver.of)
    }

    /// The innermost open definition.
    pub fn scope(&self) -> DefIx {
        self.frames.last().map_or(DefIx::MODULE, |frame| frame.def)
    }

    /// The kind of the innermost open definition.
    pub fn scope_kind(&self) -> SymbolKind {
        self.def(self.scope()).kind
    }

    /// The innermost open callable definition inside the innermost type, if there is one.
    pub fn callable(&self) -> Option<DefIx> {
        self.frames
            .iter()
            .rev()
            .map(|frame| frame.def)
            .find(|def| self.def(*def).kind.is_callable() || self.def(*def).kind.is_type())
            .filter(|def| self.def(*def).kind.is_callable())
    }

    /// One past the last byte of the innermost open definition.
    pub fn scope_end(&self) -> u32 {
        self.def(self.scope()).span.end
    }

    /// The definitions so far.
    pub fn defs(&self) -> &[Def] {
        &self.defs
    }

    /// The definition at `ix`.
    #[allow(clippy::indexing_slicing, reason = "there is always the module, and indexes are made here alone")]
    pub fn def(&self, ix: DefIx) -> &Def {
        &self.defs[(ix.0 as usize).min(self.defs.len() - 1)]
    }

    /// The definition at `ix`, to be completed.
    #[allow(clippy::indexing_slicing, reason = "there is always the module, and indexes are made here alone")]
    pub fn def_mut(&mut self, ix: DefIx) -> &mut Def {
        let at = (ix.0 as usize).min(self.defs.len() - 1);
        &mut self.defs[at]
    }

    /// The name of the definition at `ix`.
    pub fn name_of(&self, ix: DefIx) -> &str {
        self.out.text(self.def(ix).name)
    }

    /// The qualified name of the definition around `def`.
    pub(crate) fn scope_parent_name(&self, def: DefIx) -> &str {
        self.def(def).parent.map_or("", |parent| self.out.text(self.def(parent).qualified))
    }

    /// Sets flags of `def`.
    pub fn flag(&mut self, def: DefIx, flags: DefFlags) {
        let def = self.def_mut(def);
        def.flags = def.flags.with(flags);
    }

    /// Marks the code from `start` to `end` as documentation: it does nothing.
    pub fn doc_span(&mut self, start: u32, end: u32) {
        self.docs.push((start, end));
    }

    /// Sets the documentation of `def` to `doc`, already clean.
    pub fn doc(&mut self, def: DefIx, doc: &str) {
        let doc = self.out.str(doc);
        self.def_mut(def).doc = Some(doc);
    }

    /// Adds an inheritance clause to `def`.
    pub fn base(&mut self, def: DefIx, kind: BaseKind, ty: ExprIx, at: u32) {
        let line = self.line(at);
        self.def_mut(def).bases.push(Base { ty, kind, line });
    }

    /// Adds an invariant to `def` as written, for example `raise ValueError("empty")`.
    pub fn invariant(&mut self, def: DefIx, text: &str) {
        if self.def(def).invariants.len() >= MAX_INVARIANTS {
            return;
        }
        let text = self.out.str(&text::fold_line(text, MAX_INVARIANT));
        let def = self.def_mut(def);
        if !def.invariants.contains(&text) {
            def.invariants.push(text);
        }
    }

    /// Adds a side effect to `def`.
    pub fn effect(&mut self, def: DefIx, kind: EffectKind, what: &str) {
        if self.def(def).effects.len() >= MAX_EFFECTS {
            return;
        }
        let what = self.out.str(&text::fold_line(what, 80));
        let effect = Effect { kind, what };
        let def = self.def_mut(def);
        if !def.effects.contains(&effect) {
            def.effects.push(effect);
        }
    }

    /// Adds the side effect, if any, of calling or reading `callee` to the innermost open definition. For example,
    /// `os.remove` changes the disk.
    pub fn effect_of(&mut self, callee: &str) {
        if let Some((kind, what)) = self.effects.of(callee) {
            self.effect(self.scope(), kind, what);
        }
    }
}
