//! The hash of all that other files' resolution can see of a file.

use std::fmt::Write;

use sdl_model::facts::{Arena, Def, DefFlags, Expr, ExprIx, Manifest, Outline, StrIx};
use sdl_model::ids::stable_hash;

use super::half::map_parts;
use super::shape_text::shape_hash;

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
        map_parts(expr, |part| {
            todo.push(part);
            part
        });
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

/// Hashes all that another file's resolution can see of `outline`: its definitions but those local to functions, its
/// imports and exports; neither texts that only people read nor positions. Each part is hashed by itself and the
/// hashes are sorted, because order must matter only where identity depends on it, for example among overloads.
pub(super) fn hash_interface(outline: &Outline) -> u64 {
    let arena = &outline.arena;
    let mut parts: Vec<u64> = Vec::with_capacity(outline.defs.len() + outline.imports.len());
    let mut text = String::new();
    let shown = visible_defs(outline);
    for (def, _) in outline.defs.iter().zip(&shown).filter(|(_, shown)| **shown) {
        text.clear();
        describe_def(outline, def, &mut text);
        parts.push(stable_hash(&[text.as_bytes()]));
    }
    let name = |ix: Option<StrIx>| ix.map_or("\u{2}", |ix| arena.str(ix));
    for import in &outline.imports {
        text.clear();
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
