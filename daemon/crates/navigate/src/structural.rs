//! Types that satisfy an interface by their methods alone, as in Go.
//!
//! Law: a type satisfies an interface of the repository if its method set has each method that the interface shows: of the
//! same name, with parameters and results written alike, packages before the names of types aside. The methods of
//! embedded types are in the set. What an interface from outside would add is not seen.

use std::collections::{BTreeMap, BTreeSet};

use sdl_model::facts::{Def, Param, ParamKind};
use sdl_model::{SymbolId, SymbolKind};
use sdl_retrieve::members::{member_owner, members_elsewhere, own_members};
use sdl_retrieve::{Result, Source, Sym};

use crate::overrides::{base_types, derived_types};

/// Most definitions of one name that are looked at.
const MOST_NAMESAKES: usize = 512;
/// Most methods of a type by which its interfaces are looked for.
const MOST_METHODS: usize = 64;
/// Most types that embed a type and may satisfy an interface with its methods.
const MOST_EMBEDDING: usize = 64;

/// Whether types of the symbol's language satisfy interfaces that they don't name.
fn is_structural(sym: &Sym) -> bool {
    sym.outline().lang.traits().types.satisfied_by_methods
}

/// The methods of interfaces that `method` of `owner` implements. Linear in the definitions of its name.
pub(crate) fn implemented_methods(source: &Source<'_>, method: &Sym, owner: &Sym) -> Result<Vec<SymbolId>> {
    if !is_structural(method) {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    let mut types = None;
    for (other, interface) in namesakes(source, method, true)? {
        if interface.id == owner.id {
            continue;
        }
        let types = match &mut types {
            Some(types) => types,
            none => none.insert(with_embedding(source, owner)?),
        };
        let wanted = method_set(source, &interface)?;
        if types.iter().any(|set| satisfies(set, &wanted)) {
            found.push(other.id);
        }
    }
    Ok(found)
}

/// The methods that implement `method` of an interface. Linear in the definitions of its name.
pub(crate) fn implementing_methods(
    source: &Source<'_>,
    method: &Sym,
    interface: &Sym,
) -> Result<Vec<SymbolId>> {
    if !is_structural(method) || interface.kind() != SymbolKind::Interface {
        return Ok(Vec::new());
    }
    let wanted = method_set(source, interface)?;
    let mut found = Vec::new();
    for (other, owner) in namesakes(source, method, false)? {
        let is_it = owner.id != interface.id
            && with_embedding(source, &owner)?.iter().any(|set| satisfies(set, &wanted));
        if is_it {
            found.push(other.id);
        }
    }
    Ok(found)
}

/// The types that satisfy an interface, sorted.
pub(crate) fn satisfying_types(source: &Source<'_>, interface: &Sym) -> Result<Vec<SymbolId>> {
    if !is_structural(interface) || interface.kind() != SymbolKind::Interface {
        return Ok(Vec::new());
    }
    let wanted = method_set(source, interface)?;
    let mut rarest: Option<Vec<(Sym, Sym)>> = None;
    for method in wanted.values() {
        let named = namesakes(source, method, false)?;
        if rarest.as_ref().is_none_or(|known| named.len() < known.len()) {
            rarest = Some(named);
        }
    }
    let mut found = BTreeSet::new();
    let mut seen = BTreeSet::new();
    for (_, owner) in rarest.unwrap_or_default() {
        let mut types = vec![owner.id];
        types.extend(derived_types(source, owner.id)?.into_iter().take(MOST_EMBEDDING));
        for id in types.into_iter().filter(|id| *id != interface.id) {
            if !seen.insert(id) {
                continue;
            }
            let Some(ty) = source.symbol(id)? else { continue };
            if satisfies(&method_set(source, &ty)?, &wanted) {
                found.insert(id);
            }
        }
    }
    Ok(found.into_iter().collect())
}

/// The interfaces that a type satisfies, sorted.
pub(crate) fn satisfied_interfaces(source: &Source<'_>, ty: &Sym) -> Result<Vec<SymbolId>> {
    if !is_structural(ty) {
        return Ok(Vec::new());
    }
    let set = method_set(source, ty)?;
    let mut found = BTreeSet::new();
    let mut seen = BTreeSet::from([ty.id]);
    for method in set.values().take(MOST_METHODS) {
        for (_, interface) in namesakes(source, method, true)? {
            if seen.insert(interface.id) && satisfies(&set, &method_set(source, &interface)?) {
                found.insert(interface.id);
            }
        }
    }
    Ok(found.into_iter().collect())
}

/// Methods by their names.
type MethodSet = BTreeMap<String, Sym>;

/// The methods of a type and of those that it embeds. The nearest of a name counts, because it hides the others.
fn method_set(source: &Source<'_>, ty: &Sym) -> Result<MethodSet> {
    let mut set = MethodSet::new();
    let mut add = |ty: &Sym| -> Result<()> {
        let own = own_members(ty).into_iter().filter_map(|ix| ty.beside(ix));
        for member in own.chain(members_elsewhere(source, ty)?).filter(is_method) {
            set.entry(member.name().to_owned()).or_insert(member);
        }
        Ok(())
    };
    add(ty)?;
    for id in base_types(source, ty.id)? {
        if let Some(base) = source.symbol(id)? {
            add(&base)?;
        }
    }
    Ok(set)
}

/// The method sets of a type and of those that embed it.
fn with_embedding(source: &Source<'_>, ty: &Sym) -> Result<Vec<MethodSet>> {
    let mut sets = vec![method_set(source, ty)?];
    for id in derived_types(source, ty.id)?.into_iter().take(MOST_EMBEDDING) {
        if let Some(ty) = source.symbol(id)? {
            sets.push(method_set(source, &ty)?);
        }
    }
    Ok(sets)
}

fn is_method(sym: &Sym) -> bool {
    sym.kind() == SymbolKind::Method
}

/// The other methods of a method's name that are written alike, each with its type: all, or those of interfaces.
fn namesakes(source: &Source<'_>, method: &Sym, of_interfaces: bool) -> Result<Vec<(Sym, Sym)>> {
    let mut found = Vec::new();
    for hit in source.view().named_up_to(method.name(), MOST_NAMESAKES)? {
        if hit.kind != SymbolKind::Method || hit.symbol == method.id {
            continue;
        }
        let Some(other) = source.symbol(hit.symbol)? else { continue };
        if other.outline().lang != method.outline().lang || !is_written_alike(&other, method) {
            continue;
        }
        let Some(owner) = member_owner(source, &other)? else { continue };
        if !of_interfaces || owner.kind() == SymbolKind::Interface {
            found.push((other, owner));
        }
    }
    Ok(found)
}

/// Whether a type with the methods `set` has all of an interface's. An interface that shows none asks for nothing, so
/// nothing is said to satisfy it.
fn satisfies(set: &MethodSet, wanted: &MethodSet) -> bool {
    !wanted.is_empty()
        && wanted.iter().all(|(name, method)| {
            set.get(name).is_some_and(|own| own.id == method.id || is_written_alike(own, method))
        })
}

/// Whether two methods take and give values of types with the same names. With generic parameters around, only their
/// number counts.
fn is_written_alike(one: &Sym, other: &Sym) -> bool {
    let (a, b) = (one.def(), other.def());
    let (taken, other_taken) = (taken_by(a), taken_by(b));
    if taken.len() != other_taken.len() || a.ret_text.is_some() != b.ret_text.is_some() {
        return false;
    }
    if is_in_generic(one) || is_in_generic(other) {
        return true;
    }
    let text = |sym: &Sym, ix: Option<_>| ix.map(|ix| bare_types(sym.outline().str(ix)));
    let results = |sym: &Sym| sym.def().ret_text.map(|ix| result_types(sym.outline().str(ix)));
    let mut params = taken.into_iter().zip(other_taken);
    params.all(|(a, b)| a.kind == b.kind && text(one, a.ty_text) == text(other, b.ty_text))
        && results(one) == results(other)
}

/// The parameters of a method without its receiver.
fn taken_by(def: &Def) -> Vec<&Param> {
    def.params.iter().filter(|param| param.kind != ParamKind::Receiver).collect()
}

/// Whether the type that a method is written in, or for, has generic parameters.
fn is_in_generic(sym: &Sym) -> bool {
    let parent = sym.def().parent.and_then(|parent| sym.outline().def(parent));
    parent.is_some_and(|parent| parent.generics.is_some())
        || sym
            .outline()
            .str(sym.def().signature)
            .split_once(')')
            .is_some_and(|(receiver, _)| receiver.contains('['))
}

/// Words that start a type in Go and are followed by a space.
const TYPE_WORDS: &[&str] = &["chan", "func", "interface", "map", "struct"];

/// The types of results, without names: `(n int, err error)` gives the same as `(int, error)`.
fn result_types(text: &str) -> Vec<String> {
    let listed = text.strip_prefix('(').and_then(|text| text.strip_suffix(')'));
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0_usize, 0);
    let list = listed.unwrap_or(text);
    for (at, letter) in list.char_indices() {
        match letter {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.extend(list.get(start..at));
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.extend(list.get(start..));
    let mut types: Vec<Option<&str>> = parts.iter().map(|part| type_after_name(part.trim())).collect();
    if types.iter().all(Option::is_none) {
        return parts.into_iter().map(bare_types).collect();
    }
    // `a, b int` states the type once.
    let mut later = None;
    for ty in types.iter_mut().rev() {
        *ty = ty.or(later);
        later = *ty;
    }
    types.into_iter().flatten().map(bare_types).collect()
}

/// The type in `name type`.
fn type_after_name(part: &str) -> Option<&str> {
    let (name, ty) = part.split_once(' ')?;
    let is_name = name.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
    (is_name && !TYPE_WORDS.contains(&name)).then_some(ty)
}

/// The text of types without spaces and the packages before their names.
fn bare_types(text: &str) -> String {
    let text = text.replace("interface{}", "any").replace("interface {}", "any");
    let mut bare = String::with_capacity(text.len());
    let mut word = String::new();
    for letter in text.chars() {
        if letter.is_alphanumeric() || letter == '_' {
            word.push(letter);
            continue;
        }
        // `http.Request`: the package goes. `...` stays.
        if letter != '.' || word.is_empty() {
            bare.push_str(&word);
            if !letter.is_whitespace() {
                bare.push(letter);
            }
        }
        word.clear();
    }
    bare + &word
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_before_types_do_not_count() {
        assert_eq!(bare_types("*http.Request"), bare_types("*Request"));
        assert_eq!(bare_types("func(http.Handler) http.Handler"), "func(Handler)Handler");
        assert_eq!(bare_types("...interface{}"), "...any");
        assert_ne!(bare_types("[]byte"), bare_types("byte"));
    }

    #[test]
    fn names_of_results_do_not_count() {
        assert_eq!(result_types("(n int, err error)"), result_types("(int, error)"));
        assert_eq!(result_types("(a, b int)"), ["int", "int"]);
        assert_eq!(result_types("(chan int, map[string]int)"), ["chanint", "map[string]int"]);
        assert_eq!(result_types("error"), ["error"]);
    }
}
