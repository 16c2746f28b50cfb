//! All that other files' resolution can see of a file, as hashes.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::shape::shape_hash;
use super::{Arena, Def, DefFlags, DefIx, Expr, ExprIx, Import, Manifest, Outline, StrIx, names_in};
use crate::SymbolKind;
use crate::ids::stable_hash;

/// Whether the shape at `ix` leads to definitions inside the function that returns it.
fn leads_inside(arena: &Arena, ix: ExprIx) -> bool {
    let mut todo = vec![ix];
    let mut steps = 0;
    while let Some(ix) = todo.pop() {
        steps += 1;
        let expr = arena.expr(ix);
        if steps > 256 || matches!(expr, Expr::Inner(..)) {
            return true;
        }
        expr.visit_parts(|part| todo.push(part));
    }
    false
}

/// The definitions that others can see: all that are not local to a function, and of those the ones that it hands out, in
/// an object that it returns.
fn visible_defs(outline: &Outline) -> Vec<bool> {
    let mut shown: Vec<bool> = Vec::with_capacity(outline.defs.len());
    for def in &outline.defs {
        let handed_out = || {
            let parent = def.parent?;
            let holder = outline.def(parent).filter(|_| shown.get(parent.0 as usize) == Some(&true))?;
            Some(if holder.kind.is_callable() {
                holder.returns.iter().any(|ix| leads_inside(&outline.arena, *ix))
            } else {
                holder.flags.has(DefFlags::LOCAL)
            })
        };
        shown.push(!def.flags.has(DefFlags::LOCAL) || handed_out() == Some(true));
    }
    shown
}

/// Appends the parts of `def` that others can see.
fn describe_def(outline: &Outline, def: &Def, text: &mut String) {
    let arena = &outline.arena;
    let parent = def.parent.and_then(|parent| outline.def(parent)).map_or(0, |parent| parent.key);
    let _ = write!(
        text,
        "d{:x}^{:x} {:?} {:?} {:x} {}\u{1}{}\u{1}",
        def.key,
        parent,
        def.kind,
        def.visibility,
        def.flags.without(DefFlags::GENERATED).0,
        arena.str(def.name),
        arena.str(def.qualified)
    );
    for param in &def.params {
        let _ = write!(text, "p{}:{:?}:{}", arena.str(param.name), param.kind, param.optional);
        if let Some(ty) = param.ty {
            shape_hash(arena, ty, text);
        }
    }
    for (mark, ix) in [('o', def.owner), ('r', def.ret), ('t', def.ty), ('v', def.value)] {
        if let Some(ix) = ix {
            text.push(mark);
            shape_hash(arena, ix, text);
        }
    }
    for (name, bound) in &def.bounds {
        let _ = write!(text, "g{}", arena.str(*name));
        shape_hash(arena, *bound, text);
    }
    for base in &def.bases {
        let _ = write!(text, "b{:?}", base.kind);
        shape_hash(arena, base.ty, text);
    }
    for decorator in &def.decorators {
        text.push('@');
        shape_hash(arena, *decorator, text);
    }
    let mut returns: Vec<String> = def
        .returns
        .iter()
        .map(|ix| {
            let mut one = String::new();
            shape_hash(arena, *ix, &mut one);
            one
        })
        .collect();
    returns.sort_unstable();
    for one in &returns {
        text.push('y');
        text.push_str(one);
    }
}

impl Outline {
    /// Hashes all that another file's resolution can see: the definitions but those local to functions, the imports and
    /// exports; neither texts that only people read nor positions. Each part is hashed by itself and the hashes are
    /// sorted, because order must matter only where identity depends on it, for example among overloads.
    pub fn hash_interface(&self) -> u64 {
        hash_parts(self, hash_defs(self).into_iter().map(|(_, hash)| hash).collect())
    }

    /// Hashes all that the resolution of the file itself can see here, in order: [`Self::hash_interface`] with the definitions
    /// inside functions, without positions. Two outlines with the same hash have the same definitions at the same
    /// indexes.
    pub fn hash_definitions(&self) -> u64 {
        let (arena, mut text) = (&self.arena, String::new());
        for def in &self.defs {
            describe_def(self, def, &mut text);
            let types = def.params.iter().map(|param| param.ty_text);
            for more in types.chain([def.ret_text, def.generics]) {
                let _ = write!(text, "{}\u{1}", more.map_or("\u{2}", |more| arena.str(more)));
            }
        }
        for import in &self.imports {
            describe_import(self, import, &mut text);
        }
        stable_hash(&[text.as_bytes(), &hash_parts(self, Vec::new()).to_le_bytes()])
    }

    /// Whether all members of this file's types are inside of these, and each is looked for by its name: in C, where files
    /// include each other as text.
    pub fn finds_members_by_name(&self) -> bool {
        self.lang.includes_text() && !self.lang.traits().members.open
    }

    /// The definitions that this outline of a file and another one, `is`, have otherwise, for a language whose files include each
    /// other as text. None if other files can see another difference: in an inclusion, or in C++ in a type, whose members may
    /// be anywhere.
    ///
    /// For example, a new prototype `f` concerns only files that look for an `f`, and in C a new field `next` of `struct list` only
    /// those that look for a `next` of a `list`.
    pub fn differing_names(&self, is: &Self) -> Option<Differing> {
        if !self.lang.includes_text() || self.lang != is.lang {
            return None;
        }
        let ([was_named, is_named], [was_rest, is_rest]) = {
            let ((a, b), (c, d)) = (split_interface(self), split_interface(is));
            ([a, c], [b, d])
        };
        (was_rest == is_rest).then(|| {
            let mut differing = Differing::default();
            for (of, name, _) in was_named.symmetric_difference(&is_named) {
                match of {
                    None => _ = differing.names.insert(name.clone()),
                    Some(of) => _ = differing.members.insert((of.clone(), name.clone())),
                }
            }
            differing
        })
    }
}

/// The definitions that two outlines of a file have otherwise, by the ways in which other files reach them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Differing {
    /// The names of those that are looked for by their names alone.
    pub names: BTreeSet<String>,
    /// The types' and the members' names of those that are looked for in a type.
    pub members: BTreeSet<(String, String)>,
}

/// A definition that other files reach by its name: the name of its type if it is looked for there, its own, and its hash.
type Named = (Option<String>, String, u64);

/// The definitions that other files reach by their names alone, and a hash of everything else.
fn split_interface(outline: &Outline) -> (BTreeSet<Named>, u64) {
    let hashes = hash_defs(outline);
    // Whether a type has members can be seen without their names.
    let holders: BTreeSet<DefIx> = hashes
        .iter()
        .filter_map(|(ix, _)| outline.def(*ix)?.parent)
        .filter(|ix| *ix != DefIx::MODULE)
        .collect();
    let (mut named, mut rest) = (BTreeSet::new(), Vec::new());
    let mut published = outline.published().peekable();
    for (ix, hash) in hashes {
        let hash = stable_hash(&[&hash.to_le_bytes(), &[u8::from(holders.contains(&ix))]]);
        while published.next_if(|(at, _)| *at < ix).is_some() {}
        let Some((names, (alone, in_type))) = published
            .next_if(|(at, _)| *at == ix)
            .and_then(|(_, names)| Some((names, ways_to(outline, ix)?)))
        else {
            rest.push(hash);
            continue;
        };
        for name in names_in(&names) {
            named.extend(alone.then(|| (None, name.to_owned(), hash)));
            named.extend(in_type.map(|of| (Some(of.to_owned()), name.to_owned(), hash)));
        }
    }
    (named, hash_parts(outline, rest))
}

/// Whether other files reach a definition by its name alone, and the type that they look for it in; none if there are other
/// ways. The name leads to one at the top of its file, and to a member of an enumeration. Types and members have other ways
/// where members may be outside of their types.
fn ways_to(outline: &Outline, ix: DefIx) -> Option<(bool, Option<&str>)> {
    use SymbolKind::{Constant, Enum, EnumMember, Function, Macro, Struct, Type, Union, Variable};
    let def = outline.def(ix).filter(|def| def.owner.is_none())?;
    match def.kind {
        Function | Variable | Constant | Macro if def.parent == Some(DefIx::MODULE) => Some((true, None)),
        _ if !outline.finds_members_by_name() => None,
        Struct | Union | Enum | Type if def.parent == Some(DefIx::MODULE) => Some((true, None)),
        SymbolKind::Field | EnumMember => {
            // A variable or field may hold the members of a type without a name.
            let holds = |kind: SymbolKind| kind.is_type() || matches!(kind, SymbolKind::Field | Variable);
            let of = outline.def(def.parent?).filter(|of| holds(of.kind))?;
            Some((def.kind.is_free(), Some(outline.str(of.name))))
        }
        _ => None,
    }
}

/// A hash of each definition that others can see.
fn hash_defs(outline: &Outline) -> Vec<(DefIx, u64)> {
    let mut text = String::new();
    let shown = visible_defs(outline);
    let shown = outline.iter().zip(&shown).filter(|(_, shown)| **shown);
    shown
        .map(|((ix, def), _)| {
            text.clear();
            describe_def(outline, def, &mut text);
            (ix, stable_hash(&[text.as_bytes()]))
        })
        .collect()
}

/// Appends all of an import but its line.
fn describe_import(outline: &Outline, import: &Import, text: &mut String) {
    let arena = &outline.arena;
    let name = |ix: Option<StrIx>| ix.map_or("\u{2}", |ix| arena.str(ix));
    let scope = outline.def(import.scope).map_or(0, |def| def.key);
    let _ = write!(
        text,
        "i{scope:x}{:?}{}\u{1}{}\u{1}{}\u{1}{}\u{1}{}",
        import.kind,
        import.reexport,
        arena.str(import.module),
        name(import.name),
        name(import.local),
        name(import.condition)
    );
}

/// Hashes `parts` and all that is not a definition.
fn hash_parts(outline: &Outline, mut parts: Vec<u64>) -> u64 {
    let (arena, mut text) = (&outline.arena, String::new());
    let name = |ix: Option<StrIx>| ix.map_or("\u{2}", |ix| arena.str(ix));
    for import in &outline.imports {
        text.clear();
        describe_import(outline, import, &mut text);
        parts.push(stable_hash(&[text.as_bytes()]));
    }
    for export in &outline.exports {
        parts.push(stable_hash(&[
            b"x",
            arena.str(export.local).as_bytes(),
            arena.str(export.name).as_bytes(),
        ]));
    }
    parts.sort_unstable();
    text.clear();
    let _ = write!(text, "{:?}{}", outline.lang, name(outline.package));
    if let Some(manifest) = &outline.manifest {
        let _ = write!(text, "{:?}{}", manifest.kind, name(manifest.name));
        // Versions decide no lookup, so a new one must not wake the files that ask this manifest.
        let entries = manifest.entries.iter().filter(|(key, _)| !Manifest::states_version(arena.str(*key)));
        for (key, value) in entries {
            let _ = write!(text, "\u{1}{}\u{1}{}", arena.str(*key), arena.str(*value));
        }
    }
    let bytes: Vec<u8> = parts.iter().flat_map(|part| part.to_le_bytes()).collect();
    stable_hash(&[text.as_bytes(), &bytes])
}
