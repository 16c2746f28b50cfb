//! Identity of definitions inside a file.

use std::collections::HashMap;

use sdl_model::facts::{Arena, Def, DefFlags, DefIx, write_shape};
use sdl_model::ids::stable_hash;
use sdl_model::lang::Overloads;
use sdl_model::{Lang, SymbolKind};

use crate::syntax::Syntax;

/// Kinds that can't share a name in one place.
fn kind_family(kind: SymbolKind) -> &'static [u8] {
    match kind {
        SymbolKind::Module => b"",
        SymbolKind::Namespace => b"/",
        SymbolKind::Class
        | SymbolKind::Struct
        | SymbolKind::Union
        | SymbolKind::Interface
        | SymbolKind::Trait
        | SymbolKind::Enum
        | SymbolKind::Type => b"#",
        SymbolKind::Function | SymbolKind::Method | SymbolKind::Constructor => b"()",
        SymbolKind::EnumMember
        | SymbolKind::Property
        | SymbolKind::Field
        | SymbolKind::Constant
        | SymbolKind::Variable => b".",
        SymbolKind::Macro => b"!",
        SymbolKind::Impl => b"<>",
    }
}

/// Sets the key of every definition: the chain of names and kinds that leads to it, with parameter types where the
/// language overloads by them, and an ordinal where all of that is the same.
pub(super) fn set_keys<L: Syntax>(lang: Lang, defs: &mut [Def], arena: &Arena) {
    // The prefix of the keys of each definition's members.
    let mut chains: Vec<u64> = Vec::with_capacity(defs.len());
    let mut seen: HashMap<u64, u32> = HashMap::with_capacity(defs.len());
    let mut text = String::new();
    let overloads = lang.traits().calls.overloads == Overloads::Functions;
    for def in defs.iter_mut() {
        let parent = def.parent.map_or(0, |DefIx(at)| chains.get(at as usize).copied().unwrap_or(0));
        text.clear();
        if let Some(owner) = def.owner {
            write_shape(arena, owner, &mut text);
        }
        if def.kind == SymbolKind::Impl {
            for base in &def.bases {
                write_shape(arena, base.ty, &mut text);
            }
        }
        if overloads && def.kind.is_callable() {
            for param in &def.params {
                text.push('\0');
                match (param.ty_text, param.ty) {
                    (Some(ty), _) => {
                        text.extend(arena.str(ty).chars().filter(|c| !c.is_whitespace()));
                    }
                    (None, Some(ty)) => write_shape(arena, ty, &mut text),
                    (None, None) => {}
                }
            }
        }
        if L::DECLARATIONS
            && def.flags.has(DefFlags::ABSTRACT)
            && (def.kind.is_callable() || def.kind == SymbolKind::Variable)
        {
            text.push_str("\0;");
        }
        let name = arena.str(def.name).as_bytes();
        let plain = stable_hash(&[&parent.to_le_bytes(), kind_family(def.kind), name, text.as_bytes()]);
        let ordinal = seen.entry(plain).or_insert(0);
        def.key = match *ordinal {
            0 => plain,
            n => stable_hash(&[&plain.to_le_bytes(), &n.to_le_bytes()]),
        };
        *ordinal += 1;
        // Members of a type that is written in several pieces have the same keys in all of them.
        chains.push(if L::reopens(def.kind) { plain } else { def.key });
    }
}

/// The key that the module has in every file.
pub(super) fn module_key() -> u64 {
    stable_hash(&[&0u64.to_le_bytes(), kind_family(SymbolKind::Module), b"", b""])
}
