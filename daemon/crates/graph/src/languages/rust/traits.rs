//! Rust: traits in scope add methods to values, also to those of types from outside.

use sdl_model::SymbolKind;
use sdl_model::facts::{DefIx, ImportKind, Ref, RefForm};

use crate::infer::{Meaning, Want, accepts_args};
use crate::modules::{self, ModRef, Place};
use crate::resolve::Resolver;
use crate::world::{DefRef, Sym};

/// Most imports that are looked at.
const IMPORTS: usize = 256;
/// Most traits that are kept.
const TRAITS: usize = 128;

/// Whether `name` is usual for a function that constructs a value of a type, whatever traits the type has.
fn is_constructor_name(name: &str) -> bool {
    matches!(
        name,
        "new"
            | "from"
            | "from_iter"
            | "from_str"
            | "with_capacity"
            | "builder"
            | "open"
            | "create"
            | "now"
            | "zero"
            | "one"
            | "null"
            | "null_mut"
            | "from_utf8"
            | "channel"
    )
}

/// The method of that name of the only trait of the repository that is in scope and has one.
///
/// With `any_name`, the receiver has no members of its own that could be meant. For example, a function has none.
pub(super) fn of_trait_in_scope(
    resolver: &Resolver<'_, '_>,
    one: &Ref,
    name: Sym,
    any_name: bool,
) -> Option<DefRef> {
    let infer = &resolver.infer;
    let text = infer.w.text(name);
    if !(one.form == RefForm::MethodCall || one.form == RefForm::PathCall && !is_constructor_name(&text))
        || (!any_name && resolver.is_builtin_member(&text))
    {
        return None;
    }
    let ctx = resolver.ctx(one);
    let in_scope = |def: &DefRef| {
        let file = infer.file(def.file);
        let parent = file.outline.def(def.def).and_then(|def| def.parent)?;
        file.outline.def(parent).filter(|parent| parent.kind == SymbolKind::Trait)?;
        let text = infer.w.text(file.name(parent)?);
        let meant = infer.meaning_of(&ctx, &text, Want::Type);
        let it = Place::Def(DefRef { file: def.file, def: parent });
        matches!(meant, Meaning::Place(place, _) if place == it).then_some(())
    };
    let mut found = match resolver.hits(name, SymbolKind::is_callable) {
        Some(mut found) => {
            found.retain(|def| in_scope(def).is_some());
            found
        }
        // A name that many types have through a trait.
        None => methods_of_traits(resolver, one.scope, name),
    };
    if one.form != RefForm::PathCall {
        found.retain(|def| accepts_args(&infer.file(def.file), def.def, usize::from(one.args)));
    }
    match found.as_slice() {
        [only] => Some(*only),
        _ => None,
    }
}

/// The definitions of `name` in the traits that `scope` sees: those of the file, those that it imports, and those
/// of the modules that it imports as a whole.
fn methods_of_traits(resolver: &Resolver<'_, '_>, scope: DefIx, name: Sym) -> Vec<DefRef> {
    // Each caller asks for the whole file, also those that find the answer known.
    resolver.infer.own.all_refs(resolver.infer.w);
    let seen = resolver.in_sight.get_or_init(|| traits_seen(resolver));
    let mut found: Vec<DefRef> = seen
        .iter()
        .filter(|(at, _)| encloses_scope(resolver, *at, scope))
        .filter_map(|(_, of)| {
            let file = resolver.infer.file(of.file);
            let def = file
                .children(of.def, name)
                .find(|def| file.outline.def(*def).is_some_and(|def| def.kind.is_callable()))?;
            Some(DefRef { def, ..*of })
        })
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// Whether `outer` is `scope` or around it.
fn encloses_scope(resolver: &Resolver<'_, '_>, outer: DefIx, scope: DefIx) -> bool {
    let own = resolver.infer.file(resolver.infer.own.file);
    let mut at = Some(scope);
    while let Some(ix) = at {
        if ix == outer {
            return true;
        }
        at = own.outline.def(ix).and_then(|def| def.parent).filter(|parent| *parent < ix);
    }
    false
}

fn traits_seen(resolver: &Resolver<'_, '_>) -> Vec<(DefIx, DefRef)> {
    let at = resolver.infer.own.file;
    let own = resolver.infer.file(at);
    let mut all = Vec::new();
    for (ix, def) in own.outline.iter().filter(|(_, def)| def.kind == SymbolKind::Trait).take(TRAITS) {
        all.push((def.parent.unwrap_or(DefIx::MODULE), DefRef { file: at, def: ix }));
    }
    for (ix, import) in own.outline.imports.iter().enumerate().take(IMPORTS) {
        if all.len() >= TRAITS {
            break;
        }
        let local = import.local.map_or("", |local| own.outline.str(local));
        let target = match import.kind {
            ImportKind::Wildcard => {
                modules::find_module(resolver.infer.w, at, import.scope, own.outline.str(import.module))
            }
            // `use Trait as _` binds no name.
            _ if local.starts_with(char::is_uppercase) || import.local.is_none() => {
                modules::resolve_import(resolver.infer.w, at, ix as u32)
            }
            _ => continue,
        };
        match target {
            Place::Def(def) if is_trait(resolver, def) => all.push((import.scope, def)),
            Place::Module(module) if import.kind == ImportKind::Wildcard => {
                let (file, of) = match module {
                    ModRef::File(file) => (file, DefIx::MODULE),
                    ModRef::Inline(def) => (def.file, def.def),
                    _ => continue,
                };
                let index = resolver.infer.file(file);
                let of_module = index
                    .outline
                    .iter()
                    .filter(|(_, def)| def.kind == SymbolKind::Trait && def.parent == Some(of));
                all.extend(of_module.take(TRAITS).map(|(def, _)| (import.scope, DefRef { file, def })));
            }
            _ => {}
        }
    }
    all
}

fn is_trait(resolver: &Resolver<'_, '_>, def: DefRef) -> bool {
    let file = resolver.infer.file(def.file);
    file.outline.def(def.def).is_some_and(|def| def.kind == SymbolKind::Trait)
}
