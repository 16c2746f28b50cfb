//! C# and Kotlin: functions that extend a type from outside it, by a `this` parameter or by a receiver before their name.

pub(super) mod calls;

use sdl_model::SymbolKind;
use sdl_model::facts::{DefIx, Expr};

use crate::infer::{Ctx, Infer, Ty, parameter_names};
use crate::resolve::Resolver;
use crate::strategies::Rule;
use crate::world::{DefRef, FileIndex, Sym, last_name};

/// How well a function's receiver fits a value; less is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Takes {
    /// It extends the value's type, or the type this many steps up its line of inheritance.
    Type(usize),
    /// It extends any type.
    Any,
    /// The value or the extended type is from outside.
    Perhaps,
}

/// The functions of one name that may extend a value.
#[derive(Debug, Default)]
pub(super) struct Extensions {
    /// Those that extend exactly its type, the nearest in its line of inheritance.
    pub(super) sure: Vec<DefRef>,
    /// Those that may, where the text does not decide.
    pub(super) perhaps: Vec<DefRef>,
}

/// How a language writes functions that extend types, and where it sees them.
pub(super) trait Form {
    /// The functions of a name that very many definitions have.
    fn crowded(&self, infer: &Infer<'_, '_>, own: &FileIndex, name: Sym) -> Vec<DefRef>;

    /// Drops those of `found` that others of the name hide in the file `own`.
    fn drop_hidden(&self, infer: &Infer<'_, '_>, own: &FileIndex, name: Sym, found: &mut Vec<DefRef>);

    /// Whether `ctx` sees the function `def` of the file `index`.
    fn sees(&self, infer: &Infer<'_, '_>, ctx: &Ctx<'_>, index: &FileIndex, def: DefRef) -> bool;

    /// How a function for the type `owner`, stated as `stated`, takes the type `class` itself.
    fn takes_class(
        &self,
        infer: &Infer<'_, '_>,
        class: DefRef,
        owner: Option<DefRef>,
        stated: &str,
    ) -> Option<Takes>;

    /// Adds the types beside the type `class` that a call without a receiver in it may be made on.
    fn add_beside(&self, infer: &Infer<'_, '_>, file: &FileIndex, class: DefRef, types: &mut Vec<DefRef>);

    /// The rule by which a function `name` that extends a type called like the receiver's is found, if it is.
    fn rule_by_name(&self, resolver: &Resolver<'_, '_>, name: Sym) -> Option<&'static Rule>;
}

/// The functions called `name` that are visible in `ctx` and extend a value of type `receiver`.
pub(super) fn find_extensions(
    form: &dyn Form,
    infer: &Infer<'_, '_>,
    ctx: &Ctx<'_>,
    receiver: &Ty,
    name: Sym,
) -> Extensions {
    let mut found = Extensions::default();
    let own = infer.file(ctx.file);
    let mut best = Takes::Perhaps;
    for def in extending_functions(form, infer, &own, name) {
        let index = infer.file(def.file);
        if index.lang() != own.lang() || !form.sees(infer, ctx, &index, def) {
            continue;
        }
        match takes_value(form, infer, &index, def, receiver) {
            Some(Takes::Perhaps) => found.perhaps.push(def),
            Some(takes) => {
                if takes < best {
                    found.sure.clear();
                    best = takes;
                }
                if takes == best {
                    found.sure.push(def);
                }
            }
            None => {}
        }
    }
    found
}

/// The only function called `name` that is visible in `ctx` and extends exactly the type `ty`.
pub(super) fn only_extension(
    form: &dyn Form,
    infer: &Infer<'_, '_>,
    ctx: &Ctx<'_>,
    ty: &Ty,
    name: Sym,
) -> Option<DefRef> {
    match find_extensions(form, infer, ctx, ty, name).sure.as_slice() {
        [only] => Some(*only),
        _ => None,
    }
}

/// The functions of that name that extend something.
fn extending_functions(form: &dyn Form, infer: &Infer<'_, '_>, own: &FileIndex, name: Sym) -> Vec<DefRef> {
    let mut all = match infer.w.named(name) {
        Some(hits) => {
            let callable = hits.iter().filter(|hit| hit.kind.is_callable());
            let defs = callable.filter_map(|hit| {
                let file = infer.w.open(hit.file)?;
                Some(DefRef { file, def: infer.file(file).find(hit.symbol)? })
            });
            defs.collect()
        }
        None => form.crowded(infer, own, name),
    };
    all.retain(|def| {
        let index = infer.file(def.file);
        index.outline.def(def.def).is_some_and(|def| def.owner.is_some() && def.kind.is_callable())
    });
    form.drop_hidden(infer, own, name, &mut all);
    all.sort_by_cached_key(|def| infer.file(def.file).symbol(def.def).map(|symbol| symbol.0));
    all.dedup();
    all
}

/// The types around `ctx`, innermost first, which an unqualified call may be made on.
pub(super) fn types_around(form: &dyn Form, infer: &Infer<'_, '_>, ctx: &Ctx<'_>) -> Vec<DefRef> {
    let file = infer.file(ctx.file);
    let mut found = Vec::new();
    let mut at = Some(ctx.scope);
    while let Some(ix) = at {
        let Some(def) = file.outline.def(ix) else { break };
        let here = DefRef { file: ctx.file, def: ix };
        if def.kind.is_type() {
            found.push(here);
            form.add_beside(infer, &file, here, &mut found);
        } else if def.owner.is_some() {
            found.extend(infer.owner_of(&file, here));
        }
        at = def.parent.filter(|parent| *parent < ix);
    }
    found
}

/// The functions called `name` that extend one of the types around `ctx`, where no receiver is written.
fn extensions_around(form: &dyn Form, infer: &Infer<'_, '_>, ctx: &Ctx<'_>, name: Sym) -> Extensions {
    let mut perhaps = Vec::new();
    for class in types_around(form, infer, ctx) {
        let found = find_extensions(form, infer, ctx, &Ty::Instance(class), name);
        if !found.sure.is_empty() {
            return found;
        }
        perhaps = found.perhaps;
    }
    Extensions { sure: Vec::new(), perhaps }
}

/// How the function `def` takes a value of type `receiver` as its receiver, if it may.
fn takes_value(
    form: &dyn Form,
    infer: &Infer<'_, '_>,
    index: &FileIndex,
    def: DefRef,
    receiver: &Ty,
) -> Option<Takes> {
    let owner = infer.owner_value(index, def);
    let found = index.outline.def(def.def)?;
    let stated = last_name(&index.outline, found.owner?).unwrap_or_default();
    let is_parameter = || {
        let generics = found.generics.map_or("", |generics| index.outline.str(generics));
        let is_name = matches!(found.owner.map(|owner| index.outline.arena.expr(owner)), Some(Expr::Name(_)));
        is_name && parameter_names(generics, &index.traits().types).any(|one| one == stated)
    };
    let takes_all =
        || matches!(stated, "Any" | "object" | "Object") || (owner == Ty::Unknown && is_parameter());
    let one = |ty: &Ty| match (ty, owner.instance_of()) {
        (Ty::Null | Ty::Unknown, _) => Some(Takes::Perhaps),
        (Ty::External(_) | Ty::Callable(_) | Ty::Func(..) | Ty::Module(_), Some(_)) => None,
        (Ty::External(_) | Ty::Callable(_) | Ty::Func(..), None) => Some(Takes::Perhaps),
        (Ty::Class(class), of) => form.takes_class(infer, *class, of, stated),
        (Ty::Instance(_) | Ty::Of(_) | Ty::Super(_), of) => {
            let class = match ty {
                Ty::Super(class) => *class,
                other => other.instance_of()?,
            };
            let line = infer.line(class);
            let is_it = |of| move |one: &DefRef| infer.rules(one.file).is_same(infer, *one, of);
            match of {
                Some(of) => line.types.iter().position(is_it(of)).map(Takes::Type),
                None if takes_all() => Some(Takes::Any),
                None => line.outside.then_some(Takes::Perhaps),
            }
        }
        (Ty::Module(_) | Ty::Object(_) | Ty::Union(_), _) => None,
    };
    receiver.each().iter().filter_map(one).min()
}

/// Whether a definition is a function that extends a type, as opposed to one that is in it.
pub(super) fn is_extension(file: &FileIndex, def: DefIx) -> bool {
    let Some(found) = file.outline.def(def) else { return false };
    let in_type = found
        .parent
        .and_then(|parent| file.outline.def(parent))
        .is_some_and(|parent| parent.kind.is_type() && parent.kind != SymbolKind::Module);
    found.owner.is_some() && !in_type
}
