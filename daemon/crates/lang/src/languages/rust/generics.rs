//! Generic parameters and their bounds.

use sdl_model::facts::{BaseKind, DefIx, Expr, ExprIx, StrIx};

use super::kinds::{Context, F, K, Node};
use crate::builder::text::fold_line;
use crate::builder::{Half, MAX_ELEMENTS};

/// Adds to `def` the generic parameters of `item` and the bounds in its where clause.
pub(super) fn read_generics<'a>(cx: &mut Context<'a>, def: DefIx, item: Node<'a>) {
    if let Some(list) = item.child(F::TypeParameters) {
        cx.b.def_mut(def).generics = Some(cx.b.out.str(&fold_line(list.text(), 200)));
        for param in list.children().filter(|param| param.is(K::TypeParameter)) {
            if let (Some(name), Some(bounds)) = (param.child(F::Name), param.child(F::Bounds)) {
                add_bounds(cx, def, name.text(), bounds);
            }
        }
    }
    let clauses = item.children().filter(|child| child.is(K::WhereClause));
    for predicate in clauses.flat_map(Node::children).filter(|child| child.is(K::WherePredicate)) {
        let (Some(left), Some(bounds)) = (predicate.child(F::Left), predicate.child(F::Bounds)) else {
            continue;
        };
        match left.text() {
            "Self" if item.is(K::TraitItem) => {
                bounds.children().for_each(|bound| add_supertrait(cx, def, bound));
            }
            name if left.is(K::TypeIdentifier) && name != "Self" => add_bounds(cx, def, name, bounds),
            // `T::Item: Bound`, `<T as Iterator>::Item: Bound`.
            _ if let Some(name) = projection_name(left) => add_bounds(cx, def, &name, bounds),
            _ => {}
        }
    }
}

/// The name under which a bound of a parameter's associated type is kept: `T::Item`.
fn projection_name(left: Node<'_>) -> Option<String> {
    let name = left.child(F::Name).filter(|_| left.is(K::ScopedTypeIdentifier))?;
    let mut of = left.child(F::Path)?;
    for _ in 0..2 {
        of = match of.kind() {
            K::BracketedType => of.first()?,
            K::QualifiedType => of.child(F::TypeField)?,
            _ => break,
        };
    }
    matches!(of.kind(), K::Identifier | K::TypeIdentifier).then(|| format!("{}::{}", of.text(), name.text()))
}

fn add_bounds<'a>(cx: &mut Context<'a>, def: DefIx, name: &str, bounds: Node<'a>) {
    let Some(more) = bounds_shape(&mut cx.b.out, bounds) else { return };
    let name: StrIx = cx.b.out.str(name);
    // Bounds may be in two places; all of them hold.
    let known = cx.b.def(def).bounds.iter().position(|(of, _)| *of == name);
    match known {
        Some(at) => {
            let old = cx.b.def(def).bounds.get(at).map_or(more, |(_, old)| *old);
            let both = join_bounds(&mut cx.b.out, old, more);
            if let Some(slot) = cx.b.def_mut(def).bounds.get_mut(at) {
                slot.1 = both;
            }
        }
        None => cx.b.def_mut(def).bounds.push((name, more)),
    }
}

fn join_bounds(half: &mut Half<'_>, old: ExprIx, more: ExprIx) -> ExprIx {
    let mut all = Vec::new();
    for ix in [old, more] {
        match half.expr(ix) {
            Expr::Union(list) => all.extend_from_slice(list),
            _ => all.push(ix),
        }
    }
    all.truncate(MAX_ELEMENTS);
    half.union(all)
}

/// The type that `bounds` state: any of them may have a requested member.
pub(super) fn bounds_shape<'a>(half: &mut Half<'a>, bounds: Node<'a>) -> Option<ExprIx> {
    let all = bounds.children().filter(|bound| !matches!(bound.kind(), K::Lifetime | K::RemovedBound));
    let mut all = half.types(all);
    all.retain(|ix| !half.is_unknown(*ix));
    (!all.is_empty()).then(|| half.union(all))
}

/// A bound of a trait itself.
pub(super) fn add_supertrait<'a>(cx: &mut Context<'a>, def: DefIx, bound: Node<'a>) {
    if !matches!(bound.kind(), K::Lifetime | K::RemovedBound) {
        let shape = cx.b.out.ty(bound);
        if !cx.b.out.is_unknown(shape) {
            cx.b.base(def, BaseKind::Extends, shape, bound.start());
        }
    }
}
