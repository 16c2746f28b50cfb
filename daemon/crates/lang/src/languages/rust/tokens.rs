//! Arguments of macros: tokens without structure, in which chains of names, calls and members are recognised.
//!
//! Punctuation and keywords are not on the tape; they are read from the text between the tokens on it.

use sdl_model::facts::{Expr, ExprIx, Lit, RefForm};
use sdl_model::{SymbolKind, Visibility};

use super::effects::{method_effect, note_effect};
use super::elements::{arg_count, first_element_shape, text_between};
use super::kinds::{Context, F, K, Node};
use super::names::{is_pointer, is_prelude, plain_name};
use crate::builder::{Half, NewDef};
use crate::driver::Visit;

/// The longest type of a static that is read.
const MAX_TYPE: u32 = 200;
/// Maximum number of arguments of such a type.
const MAX_ARGS: usize = 12;
/// How deep they nest.
const MAX_TYPES: u8 = 4;
/// How a token follows the text before it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Link {
    /// A new chain starts.
    None,
    /// `a::b`.
    Path,
    /// `a.b`.
    Member,
}

/// Words after which a name is declared.
const DECLARING: &[&str] =
    &["fn", "struct", "enum", "union", "trait", "mod", "type", "const", "static", "let", "for", "ref", "'"];

/// A chain that is being read.
#[derive(Clone, Copy)]
struct Chain {
    shape: ExprIx,
    start: u32,
}

/// Reads the tokens directly in `node`; the walk enters the tokens in brackets later.
pub(super) fn read_token_tree<'a>(cx: &mut Context<'a>, node: Node<'a>) -> Visit {
    let before = cx.b.slice(node.start().saturating_sub(2), node.start());
    if before.ends_with('#') || before == "#!" {
        return Visit::Skip;
    }
    let open = if node.is(K::TokenRepetition) { 2 } else { 1 };
    let tokens: Vec<Node<'a>> = node.children().collect();
    let call = node.parent().filter(|call| call.is(K::MacroInvocation));
    if let Some(name) = call.and_then(|call| call.child(F::MacroName)) {
        note_matches_pattern(cx, name.text(), node);
    }
    let mut reader =
        Reader { cx, tokens: &tokens, at: 0, end: node.start() + open, chain: None, resume: None };
    while reader.step() {}
    Visit::Into
}

/// Notes the position of the pattern of `matches!(value, pattern)` in `tree`.
fn note_matches_pattern<'a>(cx: &mut Context<'a>, name: &str, tree: Node<'a>) {
    if !matches!(name.rsplit("::").next(), Some("matches" | "assert_matches" | "debug_assert_matches")) {
        return;
    }
    let pairs = tree.children().zip(tree.children().skip(1));
    let first = pairs.map(|(a, b)| (text_between(a, b), b)).find(|(gap, _)| gap.contains(','));
    if let Some((_, first)) = first {
        cx.state.token_pattern = (first.ix(), tree.next_ix());
    }
}

struct Reader<'c, 'a, 't> {
    cx: &'c mut Context<'a>,
    tokens: &'t [Node<'a>],
    at: usize,
    /// The end of the last token.
    end: u32,
    chain: Option<Chain>,
    /// The position at which a chain continues after its type arguments.
    resume: Option<(usize, Chain)>,
}

impl<'a> Reader<'_, 'a, '_> {
    fn step(&mut self) -> bool {
        let Some(&token) = self.tokens.get(self.at) else { return false };
        let mut gap = self.cx.b.slice(self.end, token.start());
        if let Some((at, chain)) = self.resume.filter(|(at, _)| *at <= self.at) {
            self.resume = None;
            if at == self.at {
                self.chain = Some(chain);
                gap = gap.rsplit('>').next().unwrap_or(gap);
            }
        }
        // A guard ends a pattern.
        if gap.contains("if") && token.ix() > self.cx.state.token_pattern.0 {
            self.cx.state.token_pattern.1 = self.cx.state.token_pattern.1.min(token.ix());
        }
        let link = self.link(gap);
        self.at += 1;
        self.end = token.end();
        match token.kind() {
            K::Identifier => self.name(token, link, gap),
            K::SelfName => {
                let shape = if self.is_path(token) {
                    self.cx.b.body.type_name("self")
                } else {
                    self.cx.b.body.add(Expr::SelfRef)
                };
                self.start(shape, token);
            }
            K::Super | K::Crate | K::PrimitiveType => {
                let shape = self.cx.b.body.type_name(token.text());
                self.start(shape, token);
            }
            K::Metavariable if token.text() == "$crate" => {
                let shape = self.cx.b.body.type_name("crate");
                self.start(shape, token);
            }
            K::StringLiteral | K::RawStringLiteral => {
                let shape = self.cx.b.body.lit(Lit::Str);
                self.start(shape, token);
            }
            K::TokenTree => self.brackets(token, gap),
            _ => {
                let shape = self.cx.b.body.unknown();
                self.start(shape, token);
            }
        }
        true
    }

    fn start(&mut self, shape: ExprIx, token: Node<'a>) {
        self.chain = Some(Chain { shape, start: token.start() });
    }

    /// How the token after `gap` follows the chain. The chain records what the gap states about it.
    fn link(&mut self, gap: &str) -> Link {
        let Some(chain) = &mut self.chain else { return Link::None };
        let mut rest = gap.trim();
        if rest == "::" {
            return Link::Path;
        }
        loop {
            if let Some(after) = rest.strip_prefix('?') {
                chain.shape = self.cx.b.body.add(Expr::Unwrap(chain.shape));
                rest = after.trim_start();
            } else if let Some(after) =
                rest.strip_prefix('.').and_then(|r| r.trim_start().strip_prefix("await"))
            {
                chain.shape = self.cx.b.body.add(Expr::Await(chain.shape));
                rest = after.trim_start();
            } else {
                break;
            }
        }
        if rest == "." { Link::Member } else { Link::None }
    }

    /// The token after the one just read, skipping its type arguments, and the text between them.
    fn following(&self, token: Node<'a>) -> Option<(usize, &'a str)> {
        let next = *self.tokens.get(self.at)?;
        let between = text_between(token, next);
        let trimmed = between.trim();
        if !trimmed.starts_with("::") || !trimmed.trim_start_matches(':').trim_start().starts_with('<') {
            return Some((self.at, trimmed));
        }
        // A bounded number of tokens, because nobody writes more type arguments and the cost must stay bounded.
        let mut depth = 0_i32;
        let mut before = token;
        for at in self.at..self.tokens.len().min(self.at + 32) {
            let here = *self.tokens.get(at)?;
            let text = text_between(before, here);
            for (i, byte) in text.bytes().enumerate() {
                match byte {
                    b'<' => depth += 1,
                    b'>' if i == 0 || text.as_bytes().get(i - 1) != Some(&b'-') => depth -= 1,
                    _ => {}
                }
            }
            if depth <= 0 {
                return Some((at, text.rsplit('>').next().unwrap_or("").trim()));
            }
            before = here;
        }
        None
    }

    fn is_path(&self, token: Node<'a>) -> bool {
        self.tokens.get(self.at).is_some_and(|next| text_between(token, *next).trim() == "::")
    }

    fn name(&mut self, token: Node<'a>, link: Link, gap: &str) {
        let text = plain_name(token.text());
        let following = self.following(token);
        let next = following.and_then(|(at, _)| self.tokens.get(at)).copied();
        let between = following.map_or("", |(_, between)| between);
        let tree = next.filter(|next| next.is(K::TokenTree));
        let opens = tree.map_or("", |tree| tree.text().get(..1).unwrap_or(""));
        let recv = self.chain.filter(|_| link != Link::None);
        let start = recv.map_or(token.start(), |chain| chain.start);
        let base = recv.map(|chain| chain.shape);
        let body = &mut self.cx.b.body;
        let shape = match (base, link) {
            (Some(base), Link::Path) => body.path(base, text),
            (Some(base), _) => body.attr(base, text),
            _ if text == "Self" => body.add(Expr::SelfType),
            _ => body.name(text),
        };
        self.chain = Some(Chain { shape, start });
        if base.is_none() && DECLARING.iter().any(|word| gap.trim_end().ends_with(word)) {
            self.declared(token, text, gap);
            if let Some((at, _)) = following.filter(|_| opens == "(" && gap.trim_end().ends_with("fn")) {
                self.skip(at);
            }
            return;
        }
        let upper = text.starts_with(char::is_uppercase);
        let in_pattern = (self.cx.state.token_pattern.0..self.cx.state.token_pattern.1).contains(&token.ix());
        let calls = opens == "(" && between.is_empty();
        if let (Some((at, _)), Some(tree), true) = (following, tree, between == "!") {
            self.refer(RefForm::Macro, token, base, arg_count(tree));
            note_matches_pattern(self.cx, text, tree);
            let unknown = self.cx.b.body.unknown();
            self.chain = Some(Chain { shape: unknown, start });
            self.skip(at);
        } else if let (Some((at, _)), Some(tree), true) = (following, tree, calls && !in_pattern) {
            let args = arg_count(tree);
            let form = match link {
                Link::None => RefForm::Call,
                Link::Path => RefForm::PathCall,
                Link::Member => RefForm::MethodCall,
            };
            self.refer(form, token, base, args);
            if link == Link::Member {
                method_effect(self.cx, start, token);
            } else {
                let callee = self.cx.b.slice(start, token.end());
                note_effect(self.cx, callee);
            }
            let pointed = tokens_pointed(self.cx, token, base, tree);
            let shape = pointed.unwrap_or_else(|| self.cx.b.body.call(shape, args));
            let chain = Chain { shape, start };
            self.chain = Some(chain);
            self.skip(at);
        } else if between == "::" || between.starts_with("::") {
            if upper {
                self.refer(RefForm::Type, token, base, 0);
            }
        } else if opens == "{" && between.is_empty() && is_camel(text) && !in_pattern {
            self.refer(RefForm::Construct, token, base, 0);
        } else if base.is_some() {
            self.refer(RefForm::Attr, token, base, 0);
        } else {
            let labels = between.starts_with(':')
                || (between.starts_with('=') && !between.starts_with("==") && !between.starts_with("=>"));
            if !labels && (!in_pattern || upper) {
                self.refer(RefForm::Value, token, None, 0);
            }
        }
        // The chain goes on after its type arguments.
        if let Some((at, _)) = following.filter(|(at, _)| *at > self.at)
            && let Some(chain) = self.chain
        {
            self.resume = Some((at, chain));
        }
    }

    /// `static NAME` in `thread_local!`, `static ref NAME` in `lazy_static!`.
    fn declared(&mut self, token: Node<'a>, text: &'a str, gap: &str) {
        let kind = self.cx.b.scope_kind();
        let at_top = matches!(kind, SymbolKind::Module | SymbolKind::Namespace);
        if at_top && is_static(gap) && text.starts_with(char::is_uppercase) {
            let new = NewDef::new(SymbolKind::Constant, text, token, token);
            let def = self.cx.b.leaf(new.signature(format!("static {text}")));
            let public = gap.contains("pub");
            self.cx.b.def_mut(def).visibility = if public { Visibility::Public } else { Visibility::Private };
            let end = self.tokens.last().map_or(0, |last| last.end());
            let text = self.cx.b.slice(token.end(), end.min(token.end() + MAX_TYPE));
            let ty = text.trim_start().strip_prefix(':').and_then(|text| {
                let mut text = text.split('=').next().unwrap_or("");
                written_type(&mut self.cx.b.out, &mut text, 0)
            });
            // `thread_local!` makes a holder, which gives each thread its value; `lazy_static!` makes the value
            // itself.
            let ty = ty.map(|ty| {
                let out = &mut self.cx.b.out;
                if gap.trim_end().ends_with("ref") {
                    return ty;
                }
                let holder = out.type_name("ThreadLocal");
                out.add(Expr::Generic(holder, vec![ty]))
            });
            self.cx.b.def_mut(def).ty = ty;
        }
    }

    fn refer(&mut self, form: RefForm, token: Node<'a>, base: Option<ExprIx>, args: usize) {
        let text = token.text();
        if base.is_some() || !is_prelude(text) {
            self.cx.b.reference(form, plain_name(text), token.start(), base, args);
        }
    }

    /// The brackets at `at` belong to the name before them. Their content is still to be read.
    fn skip(&mut self, at: usize) {
        if at == self.at
            && let Some(tree) = self.tokens.get(at)
        {
            self.at += 1;
            self.end = tree.end();
        }
    }

    fn brackets(&mut self, tree: Node<'a>, gap: &str) {
        let follows = gap.trim().is_empty();
        let opens = tree.text().get(..1).unwrap_or("");
        let body = &mut self.cx.b.body;
        match (self.chain, opens) {
            (Some(chain), "[") if follows => {
                let shape = body.add(Expr::Index(chain.shape));
                self.chain = Some(Chain { shape, ..chain });
            }
            // A call after type arguments has been turned into one already.
            (Some(chain), "(") if follows => {
                let already = matches!(body.expr(chain.shape), Expr::Call(..));
                let shape = if already { chain.shape } else { body.call(chain.shape, arg_count(tree)) };
                self.chain = Some(Chain { shape, ..chain });
            }
            _ => {
                let unknown = body.unknown();
                self.start(unknown, tree);
            }
        }
    }
}

/// The value that a new pointer points to: the argument of `Pin::new(…)`.
fn tokens_pointed<'a>(
    cx: &mut Context<'a>,
    made: Node<'a>,
    base: Option<ExprIx>,
    tree: Node<'a>,
) -> Option<ExprIx> {
    let Expr::Name(of) = *cx.b.body.expr(base?) else { return None };
    is_pointer(cx.b.body.text(of), made.text()).then_some(())?;
    first_element_shape(&mut cx.b.body, tree)
}

/// The type at the start of `text`: a path with its arguments. Moves `text` past it.
fn written_type(half: &mut Half<'_>, text: &mut &str, depth: u8) -> Option<ExprIx> {
    let mut rest = text.trim_start().trim_start_matches('&').trim_start();
    let mut shape = None;
    loop {
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        let (name, behind) = rest.split_at(end);
        if name.is_empty() || depth > MAX_TYPES {
            return None;
        }
        shape = Some(match shape {
            Some(base) => half.path(base, name),
            None => half.type_name(name),
        });
        rest = behind.trim_start();
        match rest.strip_prefix("::") {
            Some(more) => rest = more.trim_start(),
            None => break,
        }
    }
    let mut shape = shape?;
    if let Some(more) = rest.strip_prefix('<') {
        let mut args = Vec::new();
        rest = more;
        loop {
            args.push(written_type(half, &mut rest, depth + 1)?);
            rest = rest.trim_start();
            if let Some(more) = rest.strip_prefix('>') {
                rest = more;
                break;
            }
            rest = rest.strip_prefix(',').filter(|_| args.len() < MAX_ARGS)?;
        }
        shape = half.add(Expr::Generic(shape, args));
    }
    *text = rest;
    Some(shape)
}

/// Whether `gap` ends with `static` or `static ref`.
fn is_static(gap: &str) -> bool {
    let gap = gap.trim_end();
    gap.strip_suffix("ref").map_or(gap, str::trim_end).ends_with("static")
}

fn is_camel(text: &str) -> bool {
    text.starts_with(char::is_uppercase) && text.contains(char::is_lowercase)
}
