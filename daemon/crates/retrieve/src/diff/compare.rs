//! Finds the differences of one symbol between two versions.

use std::collections::BTreeSet;

use sdl_model::facts::{DefFlags, Expr, ExprIx, Param, ParamKind};
use sdl_model::{Edge, SymbolId, SymbolKind};

use super::types::{Break, SetDiff, TextDiff, Tiers};
use crate::card::{SideEffect, side_effects};
use crate::{Sym, members};

/// The differences of a symbol between an old and a new version.
#[derive(Clone, Debug)]
pub(crate) struct Differences {
    pub(crate) signature: Option<TextDiff>,
    pub(crate) invariants: Option<SetDiff<String>>,
    pub(crate) side_effects: Option<SetDiff<SideEffect>>,
    pub(crate) body_changed: bool,
    pub(crate) doc_changed: bool,
    /// Whether a card shows the same tokens differently, for example with other quotes in a signature.
    pub(crate) shown_changed: bool,
    /// Whether its header differs in more than its name.
    pub(crate) header_changed: bool,
    /// How the change breaks its users.
    pub(crate) breaks: Vec<Break>,
    pub(crate) tiers: Tiers,
}

impl Differences {
    /// Whether anything differs at all. White space and comments do not count.
    pub(crate) fn any(&self) -> bool {
        self.body_changed || self.doc_changed || self.shown_changed || self.tiers != Tiers::STABLE
    }
}

/// Compares the old and the new symbol; `edges` are its old and new outgoing edges.
pub(crate) fn compare_symbols(old: &Sym, new: &Sym, edges: (&[Edge], &[Edge])) -> Differences {
    let same_tokens = old.def().tokens == new.def().tokens;
    let dependencies_stable =
        edge_targets(edges.0).eq(edge_targets(edges.1)) && member_set(old) == member_set(new);
    let doc = |sym: &Sym| sym.def().doc.map(|doc| sym.outline().str(doc).to_owned());
    // The same tokens mean the same header and body, however they are laid out and quoted. Only the visibility may
    // differ, because it may be stated elsewhere, for example in `__all__`.
    let (header_changed, invariants, side_effects) = if same_tokens {
        (access_text(old) != access_text(new), None, None)
    } else {
        let effects = set_diff(side_effects(old), side_effects(new));
        (
            header_parts(old) != header_parts(new),
            set_diff(invariant_texts(old), invariant_texts(new)),
            effects,
        )
    };
    let shown = |sym: &Sym| {
        (signature_text(sym).to_owned(), self::invariant_texts(sym), crate::card::side_effects(sym))
    };
    // A file's own name is its path.
    let same_name = old.name() == new.name() || new.kind() == SymbolKind::Module;
    let interface_stable = same_name && !header_changed;
    // A difference that is neither in the header nor in the name counts as the body, also in a decorator's arguments or
    // a value.
    let body_changed = old.def().body_tokens != new.def().body_tokens || !same_tokens && interface_stable;
    Differences {
        signature: (!interface_stable || !same_tokens && signature_text(old) != signature_text(new))
            .then(|| signature_diff(old, new)),
        body_changed,
        doc_changed: doc(old) != doc(new),
        shown_changed: same_tokens && shown(old) != shown(new),
        header_changed,
        breaks: if header_changed { header_breaks(old, new) } else { Vec::new() },
        tiers: Tiers {
            interface_stable,
            behavior_stable: !body_changed && invariants.is_none(),
            side_effects_stable: side_effects.is_none(),
            dependencies_stable,
        },
        invariants,
        side_effects,
    }
}

fn signature_text(sym: &Sym) -> &str {
    sym.outline().str(sym.def().signature)
}

/// Both headers, with as much context as is needed to tell them apart.
fn signature_diff(old: &Sym, new: &Sym) -> TextDiff {
    let plain = |sym: &Sym| signature_text(sym).to_owned();
    let decorated = |sym: &Sym| {
        let marks = decorator_names(sym).into_iter().map(|name| format!("@{name} "));
        marks.chain([plain(sym)]).collect::<String>()
    };
    let derived = |sym: &Sym| {
        let bases = base_names(sym).join(", ");
        if bases.is_empty() { decorated(sym) } else { format!("{} of {bases}", decorated(sym)) }
    };
    let whole = |sym: &Sym| {
        let seen = if sym.exported() { "exported" } else { "not exported" };
        let access = format!("{:?}", sym.def().visibility).to_lowercase();
        format!("{seen}, {access} {}: {}", sym.kind().name(), derived(sym))
    };
    let both = |text: &dyn Fn(&Sym) -> String| TextDiff { before: text(old), after: text(new) };
    let ways: [&dyn Fn(&Sym) -> String; 3] = [&plain, &decorated, &derived];
    let shortest = ways.into_iter().map(both).find(|diff| diff.before != diff.after);
    shortest.unwrap_or_else(|| both(&whole))
}

/// The symbol's kind, visibility and flags, without the mark of generated code.
fn access_text(sym: &Sym) -> String {
    let def = sym.def();
    let shown = def.flags.without(DefFlags::GENERATED);
    format!("{:?} {:?} {}", def.kind, def.visibility, shown.0)
}

/// The parts that others may rely on, except the name: parameters, return type, bases, visibility.
fn header_parts(sym: &Sym) -> Vec<String> {
    let (def, outline) = (sym.def(), sym.outline());
    let mut parts = vec![
        access_text(sym),
        def.ret_text.map_or("", |ix| outline.str(ix)).to_owned(),
        def.generics.map_or("", |ix| outline.str(ix)).to_owned(),
    ];
    // The initial value of a variable may be part of its text, but it counts as its body.
    if def.body_start.is_some() || def.kind.is_callable() || def.kind.is_type() {
        parts.push(signature_text(sym).replacen(sym.name(), "_", 1));
    }
    parts.push(def.ty.and_then(|ty| outline.arena.dotted(ty)).unwrap_or_default());
    for param in value_params(sym) {
        let ty = param.ty_text.map_or("", |ty| outline.str(ty));
        parts.push(format!("{} {ty} {} {:?}", outline.str(param.name), param.optional, param.kind));
    }
    parts.extend(base_names(sym));
    parts.extend(decorator_names(sym));
    parts
}

fn value_params(sym: &Sym) -> impl Iterator<Item = &Param> {
    sym.def().params.iter().filter(|param| param.kind != ParamKind::Receiver)
}

fn base_names(sym: &Sym) -> Vec<String> {
    let arena = &sym.outline().arena;
    sym.def().bases.iter().map(|base| arena.dotted(base.ty).unwrap_or_default()).collect()
}

/// The names of decorators, without their arguments.
fn decorator_names(sym: &Sym) -> Vec<String> {
    let arena = &sym.outline().arena;
    let name = |ix: ExprIx| match arena.expr(ix) {
        Expr::Call(base, _) | Expr::New(base) => arena.dotted(*base),
        _ => arena.dotted(ix),
    };
    sym.def().decorators.iter().map(|ix| name(*ix).unwrap_or_else(|| "…".to_owned())).collect()
}

/// How a change of a symbol's header may break its users, for example by a new required parameter.
fn header_breaks(old: &Sym, new: &Sym) -> Vec<Break> {
    let mut found = Vec::new();
    if old.exported() && !new.exported() || new.def().visibility as u8 > old.def().visibility as u8 {
        found.push(Break::Hidden);
    }
    let is = |sym: &Sym, flag: DefFlags| sym.def().flags.has(flag);
    if old.kind() != new.kind() && old.kind().is_callable() != new.kind().is_callable()
        || is(old, DefFlags::STATIC) != is(new, DefFlags::STATIC)
        || is(old, DefFlags::ASYNC) != is(new, DefFlags::ASYNC)
    {
        found.push(Break::KindChanged);
    }
    found.extend(param_breaks(old, new));
    let result = |sym: &Sym| sym.def().ret_text.map(|ix| sym.outline().str(ix).to_owned());
    let changed = match (result(old), result(new)) {
        (Some(before), Some(after)) => before != after,
        // Where a function without a stated return type returns nothing.
        (Some(_), None) => new.outline().lang.traits().calls.unstated_result_is_none,
        _ => false,
    };
    if changed {
        found.push(Break::ResultChanged);
    }
    found
}

fn param_breaks(old: &Sym, new: &Sym) -> Option<Break> {
    fn count(sym: &Sym, counts: impl Fn(&Param) -> bool) -> usize {
        value_params(sym).filter(|param| counts(param)).count()
    }
    fn is_rest(param: &Param) -> bool {
        matches!(param.kind, ParamKind::Rest | ParamKind::KeywordRest)
    }
    fn names(sym: &Sym) -> Vec<&str> {
        value_params(sym).filter(|param| !is_rest(param)).map(|param| sym.outline().str(param.name)).collect()
    }
    let needed = |param: &Param| !param.optional && !is_rest(param);
    let (before, after) = (names(old), names(new));
    if count(new, needed) > count(old, needed) {
        return Some(Break::ParameterNeeded);
    }
    let takes_rest = count(new, is_rest) > 0;
    if !takes_rest && (before.len() > after.len() || count(old, is_rest) > 0) {
        return Some(Break::ParameterGone);
    }
    let sorted =
        |names: &[&str]| -> BTreeSet<String> { names.iter().map(|name| (*name).to_owned()).collect() };
    (before != after && sorted(&before) == sorted(&after)).then_some(Break::ParameterMoved)
}

pub(super) fn body_length(sym: &Sym) -> u32 {
    let def = sym.def();
    def.span.end.saturating_sub(def.body_start.unwrap_or(def.span.end))
}

fn invariant_texts(sym: &Sym) -> Vec<String> {
    sym.def().invariants.iter().map(|ix| sym.outline().str(*ix).to_owned()).collect()
}

/// The parts of edges that are compared: not lines and sites.
fn edge_targets(edges: &[Edge]) -> impl Iterator<Item = impl PartialEq + use<>> + use<'_> {
    edges.iter().map(|edge| (edge.to, edge.kind, edge.resolution, edge.confidence))
}

/// The members of a type, in any order.
fn member_set(sym: &Sym) -> BTreeSet<(SymbolId, &'static str)> {
    let own = members::own_members(sym).into_iter().filter_map(|ix| sym.beside(ix));
    own.map(|member| (member.id, member.kind().name())).collect()
}

fn set_diff<T: Ord + Clone>(old: Vec<T>, new: Vec<T>) -> Option<SetDiff<T>> {
    let (old, new): (BTreeSet<T>, BTreeSet<T>) = (old.into_iter().collect(), new.into_iter().collect());
    let diff = SetDiff {
        added: new.difference(&old).cloned().collect(),
        removed: old.difference(&new).cloned().collect(),
    };
    (!diff.is_empty()).then_some(diff)
}
