//! Macros. Their bodies are text to the grammar, so names in them are found by their form.

use sdl_model::SymbolKind;
use sdl_model::facts::{BindingKind, DefFlags, DefIx, Expr, Lit, Param, ParamKind, RefForm};

use super::kinds::{Context, F, K, Node};
use crate::builder::NewDef;
use crate::driver::Visit;

/// How much of a macro's body is looked at for references.
const MAX_BODY: usize = 16 * 1024;

/// `#define f(a, b) …`
pub(super) fn function_like<'a>(cx: &mut Context<'a>, node: Node<'a>) -> Visit {
    let Some(name) = node.child(F::Name) else { return Visit::Skip };
    let params = node.child(F::Parameters);
    let value = node.child(F::Value);
    let end = params.map_or(name.end(), Node::end);
    let signature = crate::builder::text::fold_line(cx.b.slice(node.start(), end), 200);
    let new = NewDef::new(SymbolKind::Macro, name.text(), name, node).body(value).signature(signature);
    super::state::define_macro(cx, node, name.text(), None);
    // Macros have no scopes.
    let def = cx.b.open_of(DefIx::MODULE, new);
    cx.b.flag(def, DefFlags::EXPORTED);
    let (from, to) = (node.start(), node.end());
    for param in params.into_iter().flat_map(Node::children).filter(|param| param.is(K::Identifier)) {
        let stated = Param {
            name: cx.b.out.str(param.text()),
            ty_text: None,
            ty: None,
            optional: false,
            kind: ParamKind::Positional,
        };
        cx.b.def_mut(def).params.push(stated);
        cx.b.bind_within(BindingKind::Param, param.text(), None, None, (from, to));
    }
    if params.is_some_and(|params| params.text().contains("...")) {
        let stated = Param {
            name: cx.b.out.str("..."),
            ty_text: None,
            ty: None,
            optional: true,
            kind: ParamKind::Rest,
        };
        cx.b.def_mut(def).params.push(stated);
    }
    if let Some(value) = value {
        read_macro_body(cx, value);
    }
    Visit::Skip
}

/// `#define X …`
pub(super) fn object_like<'a>(cx: &mut Context<'a>, node: Node<'a>) -> Visit {
    let Some(name) = node.child(F::Name) else { return Visit::Skip };
    let value = node.child(F::Value);
    super::state::define_macro(cx, node, name.text(), value.map(Node::text));
    if value.is_none() && is_guard(node, name.text()) {
        return Visit::Skip;
    }
    let mut new = NewDef::new(SymbolKind::Constant, name.text(), name, node);
    if let Some(value) = value.filter(|value| value.end() - value.start() > 60) {
        new = new.header_to(value.start());
    }
    let def = cx.b.open_of(DefIx::MODULE, new);
    cx.b.flag(def, DefFlags::EXPORTED);
    if let Some(value) = value.filter(|value| value.text().contains("namespace"))
        && super::mask::opened_namespaces(value.text().as_bytes()).is_some()
    {
        let body = (value.start(), value.end());
        cx.state.opening_macros.entry(name.text().to_owned()).or_insert(body);
    }
    if let Some(value) = value {
        let shape = constant_shape(cx, value.text());
        cx.b.def_mut(def).value = shape;
        read_macro_body(cx, value);
    }
    Visit::Skip
}

/// Whether `node` defines the name whose absence the condition around it tests: it keeps a header from being read
/// twice.
fn is_guard(node: Node<'_>, name: &str) -> bool {
    node.parent().is_some_and(|around| {
        around.is(K::PreprocIfdef) && around.child(F::Name).is_some_and(|guard| guard.text() == name)
            || around.is(K::PreprocIf)
    })
}

fn constant_shape(cx: &mut Context<'_>, text: &str) -> Option<sdl_model::facts::ExprIx> {
    let text = text.trim().trim_matches(['(', ')']).trim();
    let first = text.bytes().next()?;
    Some(match first {
        b'"' => cx.b.out.lit(Lit::Str),
        b'\'' => cx.b.out.lit(Lit::Int),
        b'0'..=b'9' | b'-' | b'+' => {
            let float = text.contains('.') && !text.starts_with("0x");
            cx.b.out.lit(if float { Lit::Float } else { Lit::Int })
        }
        _ if !text.is_empty() && text.chars().all(|c| c == '_' || c.is_ascii_alphanumeric()) => {
            cx.b.out.type_name(text)
        }
        _ => return None,
    })
}

/// References in a macro's body: a name before a parenthesis is called.
fn read_macro_body<'a>(cx: &mut Context<'a>, value: Node<'a>) {
    let text = value.text();
    let mut words = Words { text: text.get(..MAX_BODY).unwrap_or(text), at: 0, before: 0 };
    while let Some((at, word, before)) = words.next_word() {
        if is_keyword(word) {
            continue;
        }
        let next = words.rest().trim_start().as_bytes().first().copied();
        let start = value.start() + at as u32;
        let called = next == Some(b'(');
        match before {
            // A member of an unknown value.
            b'.' | b'>' => {
                if called {
                    let recv = cx.b.body.unknown();
                    cx.b.reference(RefForm::MethodCall, word, start, Some(recv), words.arguments());
                }
            }
            // It is made into text or pasted.
            b'#' => {}
            _ if called => {
                cx.b.reference(RefForm::Call, word, start, None, words.arguments());
                note_macro_call(cx, word);
            }
            _ => cx.b.reference(RefForm::Value, word, start, None, 0),
        }
    }
}

/// The body of the macro around calls `word`. If that is a parameter, its argument is called, and nothing else is
/// known about its type.
fn note_macro_call(cx: &mut Context<'_>, word: &str) {
    let scope = cx.b.scope();
    // `#define f(x) (f(x), 0)`: in its own text a macro's name is that of the function, which the call reaches.
    if cx.b.name_of(scope) == word {
        cx.b.flag(scope, DefFlags::ABSTRACT);
    }
    let at = cx.b.def(scope).params.iter().position(|param| cx.b.out.text(param.name) == word);
    if let Some(at) = at {
        let callable = cx.b.out.add(Expr::Callable(Vec::new(), None));
        if let Some(param) = cx.b.def_mut(scope).params.get_mut(at) {
            param.ty = Some(callable);
        }
    }
}

/// Words in a piece of C, without those in literals and comments.
struct Words<'t> {
    text: &'t str,
    at: usize,
    /// The last byte before the word that is no white space; `>` only as part of `->`.
    before: u8,
}

impl<'t> Words<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or("")
    }

    /// The next word, its position, and the byte before it.
    fn next_word(&mut self) -> Option<(usize, &'t str, u8)> {
        loop {
            let bytes = self.text.as_bytes();
            let c = *bytes.get(self.at)?;
            match c {
                b'"' | b'\'' => self.literal(c),
                b'/' if bytes.get(self.at + 1) == Some(&b'*') => {
                    self.at = self.rest().find("*/").map_or(self.text.len(), |end| self.at + end + 2);
                }
                b'/' if bytes.get(self.at + 1) == Some(&b'/') => return None,
                b'0'..=b'9' => {
                    // With its suffix: `10UL`.
                    self.skip_word();
                    self.before = b'0';
                }
                c if c == b'_' || c.is_ascii_alphabetic() => {
                    let from = self.at;
                    self.skip_word();
                    let word = self.text.get(from..self.at)?;
                    let before = std::mem::replace(&mut self.before, b'a');
                    return Some((from, word, before));
                }
                c => {
                    if !c.is_ascii_whitespace() && c != b'\\' {
                        let arrow = c == b'>' && self.at > 0 && bytes.get(self.at - 1) == Some(&b'-');
                        self.before = if c == b'>' && !arrow { b'=' } else { c };
                    }
                    self.at += 1;
                }
            }
        }
    }

    fn skip_word(&mut self) {
        let len = self.rest().bytes().take_while(|c| *c == b'_' || c.is_ascii_alphanumeric()).count();
        self.at += len.max(1);
    }

    fn literal(&mut self, quote: u8) {
        let bytes = self.text.as_bytes();
        self.at += 1;
        while let Some(&c) = bytes.get(self.at) {
            self.at += if c == b'\\' { 2 } else { 1 };
            if c == quote {
                break;
            }
        }
        self.before = b'"';
    }

    /// How many arguments are in the parentheses that come next.
    fn arguments(&self) -> usize {
        let (mut depth, mut commas, mut any) = (0u32, 0usize, false);
        for c in self.rest().bytes().take(2_000) {
            match c {
                b'(' | b'[' | b'{' => {
                    any |= depth > 0;
                    depth += 1;
                }
                b')' | b']' | b'}' => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        break;
                    }
                }
                b',' if depth == 1 => commas += 1,
                c => any |= depth > 0 && !c.is_ascii_whitespace(),
            }
        }
        if any { commas + 1 } else { 0 }
    }
}

fn is_keyword(word: &str) -> bool {
    matches!(
        word,
        "if" | "else"
            | "do"
            | "while"
            | "for"
            | "switch"
            | "case"
            | "default"
            | "break"
            | "continue"
            | "return"
            | "goto"
            | "sizeof"
            | "struct"
            | "union"
            | "enum"
            | "const"
            | "static"
            | "extern"
            | "volatile"
            | "register"
            | "inline"
            | "void"
            | "int"
            | "char"
            | "short"
            | "long"
            | "unsigned"
            | "signed"
            | "float"
            | "double"
            | "bool"
            | "auto"
            | "typedef"
            | "class"
            | "namespace"
            | "template"
            | "typename"
            | "this"
            | "true"
            | "false"
            | "nullptr"
            | "NULL"
            | "new"
            | "delete"
            | "operator"
            | "public"
            | "private"
            | "protected"
            | "throw"
            | "try"
            | "catch"
            | "virtual"
            | "override"
            | "constexpr"
            | "noexcept"
            | "static_cast"
            | "reinterpret_cast"
            | "const_cast"
            | "dynamic_cast"
            | "decltype"
            | "defined"
            | "__VA_ARGS__"
            | "__FILE__"
            | "__LINE__"
            | "__func__"
    )
}
