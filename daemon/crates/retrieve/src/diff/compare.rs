//! One symbol in two versions to what differs.

use std::collections::BTreeSet;

use sdl_model::Edge;
use sdl_model::facts::ParamKind;

use super::types::{SetDiff, TextDiff, Tiers};
use crate::Sym;
use crate::card::{SideEffect, side_effects};

/// What differs between a symbol then and now.
#[derive(Clone, Debug)]
pub(crate) struct Differences {
    pub(crate) signature: Option<TextDiff>,
    pub(crate) invariants: Option<SetDiff<String>>,
    pub(crate) side_effects: Option<SetDiff<SideEffect>>,
    pub(crate) body_changed: bool,
    pub(crate) tiers: Tiers,
}

impl Differences {
    /// Whether anything differs at all.
    pub(crate) fn any(&self) -> bool {
        self.body_changed || self.tiers != Tiers::STABLE
    }
}

/// Compares a symbol then and now; `edges` are its outgoing edges then and now.
pub(crate) fn compare(old: &Sym, new: &Sym, edges: (&[Edge], &[Edge])) -> Differences {
    let interface_stable = interface(old) == interface(new);
    let invariants = set_diff(invariants(old), invariants(new));
    let effects = set_diff(side_effects(old), side_effects(new));
    let dependencies_stable = targets(edges.0).eq(targets(edges.1));
    let same_bytes = old.def().fingerprint == new.def().fingerprint;
    // The fingerprint covers the header too. Where the header changed, the body is taken as changed only if something
    // about it did: there is no hash of the body alone.
    let body_changed = !same_bytes
        && (interface_stable
            || body_length(old) != body_length(new)
            || invariants.is_some()
            || effects.is_some()
            || !dependencies_stable);
    Differences {
        signature: (signature(old) != signature(new))
            .then(|| TextDiff { before: signature(old).to_owned(), after: signature(new).to_owned() }),
        body_changed,
        tiers: Tiers {
            interface_stable,
            behavior_stable: !body_changed && invariants.is_none(),
            side_effects_stable: effects.is_none(),
            dependencies_stable,
        },
        invariants,
        side_effects: effects,
    }
}

fn signature(sym: &Sym) -> &str {
    sym.outline().str(sym.def().signature)
}

/// What others may rely on: name, header, parameters, result, bases, who may use it.
fn interface(sym: &Sym) -> Vec<String> {
    let (def, outline) = (sym.def(), sym.outline());
    let mut parts = vec![
        sym.name().to_owned(),
        signature(sym).to_owned(),
        format!("{:?} {:?} {}", def.kind, def.visibility, def.flags.0),
        def.ret_text.map_or("", |ix| outline.str(ix)).to_owned(),
        def.generics.map_or("", |ix| outline.str(ix)).to_owned(),
    ];
    for param in def.params.iter().filter(|param| param.kind != ParamKind::Receiver) {
        let ty = param.ty_text.map_or("", |ix| outline.str(ix));
        parts.push(format!("{} {ty} {} {:?}", outline.str(param.name), param.optional, param.kind));
    }
    for ty in def.bases.iter().map(|base| base.ty).chain(def.decorators.iter().copied()) {
        parts.push(outline.arena.dotted(ty).unwrap_or_default());
    }
    parts
}

pub(super) fn body_length(sym: &Sym) -> u32 {
    let def = sym.def();
    def.span.end.saturating_sub(def.body_start.unwrap_or(def.span.end))
}

fn invariants(sym: &Sym) -> Vec<String> {
    sym.def().invariants.iter().map(|ix| sym.outline().str(*ix).to_owned()).collect()
}

/// What counts of an edge: lines and sites do not.
fn targets(edges: &[Edge]) -> impl Iterator<Item = impl PartialEq + use<>> + use<'_> {
    edges.iter().map(|edge| (edge.to, edge.kind, edge.resolution, edge.confidence))
}

fn set_diff<T: Ord + Clone>(old: Vec<T>, new: Vec<T>) -> Option<SetDiff<T>> {
    let (old, new): (BTreeSet<T>, BTreeSet<T>) = (old.into_iter().collect(), new.into_iter().collect());
    let diff = SetDiff {
        added: new.difference(&old).cloned().collect(),
        removed: old.difference(&new).cloned().collect(),
    };
    (!diff.is_empty()).then_some(diff)
}
