//! What a file's body states in each scope, as hashes.

use std::fmt::Write;

use super::shape::shape_hash;
use super::{Arena, Binding, Body, Def, DefIx, ExprIx, Outline, Ref};
use crate::ids::stable_hash;

/// What a body states in each scope of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScopeContents {
    /// By number of definition.
    scopes: Vec<Contents>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Contents {
    /// The hash of all of them.
    all: u64,
    /// The hash of the bindings; none if there are none.
    bindings: Option<u64>,
    /// The byte that positions in the scope count from.
    start: u32,
}

/// Where positions inside a scope count from: the outermost function around it, or itself, if none is.
fn base_of(outline: &Outline, scope: DefIx) -> Option<&Def> {
    let mut def = outline.def(scope)?;
    let mut base = def;
    while let Some(parent) = def.parent.and_then(|parent| outline.def(parent)) {
        def = parent;
        if def.kind.is_callable() {
            base = def;
        }
    }
    Some(base)
}

fn describe_expr(arena: &Arena, mark: char, ix: Option<ExprIx>, text: &mut String) {
    if let Some(ix) = ix {
        text.push(mark);
        shape_hash(arena, ix, text);
    }
}

fn distance(at: u32, from: u32) -> i64 {
    i64::from(at) - i64::from(from)
}

fn describe_scope(def: &Def, base: &Def, text: &mut String) {
    let from = |at| distance(at, base.span.start);
    let body = def.body_start.map_or(0, |at| from(at) + 1);
    let line = distance(def.line, base.span.start_line);
    let _ = write!(text, "s{},{},{body},{line};", from(def.span.start), from(def.span.end));
}

fn describe_binding(arena: &Arena, one: &Binding, base: &Def, text: &mut String) {
    let from = |at| distance(at, base.span.start);
    let _ = write!(text, "b{:?}{},{},{}\u{1}", one.kind, from(one.from), from(one.to), arena.str(one.name));
    describe_expr(arena, 't', one.ty, text);
    describe_expr(arena, 'v', one.value, text);
}

fn describe_ref(arena: &Arena, one: &Ref, base: &Def, text: &mut String) {
    let line = distance(one.line, base.span.start_line);
    let at = distance(one.at, base.span.start);
    let _ = write!(text, "r{:?}{},{line},{at},{}\u{1}", one.form, one.args, arena.str(one.name));
    describe_expr(arena, 'o', one.recv, text);
    describe_expr(arena, 'g', one.given, text);
}

/// By number of definition: where its positions count from, and the description of its contents.
struct Texts<'o>(Vec<(Option<&'o Def>, String)>);

impl Texts<'_> {
    fn add(&mut self, scope: DefIx, describe: impl Fn(&Def, &mut String)) {
        if let Some((Some(base), text)) = self.0.get_mut(scope.0 as usize) {
            describe(base, text);
        }
    }
}

impl ScopeContents {
    /// Hashes the references and bindings of each scope in order, with their positions from the start of the outermost function
    /// around the scope: moving a function as a whole changes nothing.
    ///
    /// Takes time in proportion to the body.
    pub fn of(outline: &Outline, body: &Body) -> Self {
        let arena = &body.arena;
        let mut texts = Texts(outline.iter().map(|(ix, _)| (base_of(outline, ix), String::new())).collect());
        // The end of the file limits no binding.
        for (ix, def) in outline.iter().filter(|(ix, _)| *ix != DefIx::MODULE) {
            texts.add(ix, |base, text| describe_scope(def, base, text));
        }
        for one in &body.bindings {
            texts.add(one.scope, |base, text| describe_binding(arena, one, base, text));
        }
        let mut has_bindings = vec![false; outline.defs.len()];
        for one in &body.bindings {
            if let Some(has) = has_bindings.get_mut(one.scope.0 as usize) {
                *has = true;
            }
        }
        let hash = |text: &String| stable_hash(&[text.as_bytes()]);
        let bindings: Vec<_> =
            texts.0.iter().zip(has_bindings).map(|((_, text), has)| has.then(|| hash(text))).collect();
        for one in &body.refs {
            texts.add(one.scope, |base, text| describe_ref(arena, one, base, text));
        }
        let scopes = texts.0.iter().zip(bindings).map(|((base, text), bindings)| {
            let start = base.map_or(0, |base| base.span.start);
            Contents { all: hash(text), bindings, start }
        });
        Self { scopes: scopes.collect() }
    }

    /// The hash of the contents of a scope; none if there is no such scope.
    pub fn hash(&self, scope: DefIx) -> Option<u64> {
        Some(self.scopes.get(scope.0 as usize)?.all)
    }

    /// What code in `scope` sees of the bindings of the scope `other`: their hash, and how far its own positions count from a later
    /// byte than theirs. None if it has no bindings.
    pub fn seen_from(&self, scope: DefIx, other: DefIx) -> Option<(u64, i64)> {
        let (scope, other) = (self.scopes.get(scope.0 as usize)?, self.scopes.get(other.0 as usize)?);
        Some((other.bindings?, distance(scope.start, other.start)))
    }
}
