//! Etags: the same text for the same symbol on every machine.

use std::fmt::{Display, Write as _};

use sdl_model::Edge;
use sdl_model::facts::ParamKind;
use sdl_model::ids::stable_hash;

use super::types::Detail;
use crate::{Sym, members};

const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// The part of an etag after its level: a hash of the symbol's own part of a full card, and of its tokens. Lines,
/// metrics, clusters and versions are excluded, and so are comments and white space that no card shows: a symbol keeps
/// its etag through a formatter. An edited doc comment changes it, because cards show that.
pub(crate) fn content_hash(sym: &Sym, edges: &[Edge]) -> String {
    let (def, outline) = (sym.def(), sym.outline());
    let mut text = String::with_capacity(512);
    // Each part ends with a byte that none holds. Writing to a string does not fail.
    let mut put = |part: &dyn Display| {
        let _ = write!(text, "{part}\0");
    };
    put(&sym.id);
    put(&sym.path());
    put(&sym.qualified());
    put(&sym.kind().name());
    put(if sym.exported() { &"exported" } else { &"" });
    put(&outline.str(def.signature));
    for param in def.params.iter().filter(|param| param.kind != ParamKind::Receiver) {
        put(&outline.str(param.name));
        put(&param.ty_text.map_or("", |ty| outline.str(ty)));
        put(if param.optional { &"?" } else { &"" });
    }
    put(&def.ret_text.map_or("", |ret| outline.str(ret)));
    put(&def.generics.map_or("", |generics| outline.str(generics)));
    put(&def.doc.map_or("", |doc| outline.str(doc)));
    for invariant in &def.invariants {
        put(&outline.str(*invariant));
    }
    for effect in &def.effects {
        put(&effect.kind.name());
        put(&outline.str(effect.what));
    }
    for edge in edges {
        put(&edge.to);
        put(&edge.kind.name());
        put(&edge.resolution.name());
        put(&edge.confidence);
    }

    // Reordering members changes nothing that matters.
    let mut members: Vec<_> = members::own_members(sym).into_iter().filter_map(|ix| sym.beside(ix)).collect();
    members.sort_unstable_by_key(|member| member.id);
    for member in &members {
        put(&member.id);
        put(&member.kind().name());
    }

    let hash = stable_hash(&[text.as_bytes(), &def.tokens.to_le_bytes()]);
    (0..10).map(|digit| char::from(ALPHABET[(hash >> (digit * 5)) as usize & 31])).collect()
}

/// A whole etag.
pub(crate) fn at_level(detail: Detail, content: &str) -> String {
    format!("{}-{content}", detail.name())
}

/// Whether a card with etag `held` can replace one with etag `wanted`: the same content, held at that level or a higher
/// one.
pub fn etag_covers(held: &str, wanted: &str) -> bool {
    fn parts(etag: &str) -> Option<(Detail, &str)> {
        let (level, content) = etag.split_once('-')?;
        Some((Detail::from_name(level)?, content))
    }
    match (parts(held), parts(wanted)) {
        (Some((held_level, held)), Some((wanted_level, wanted))) => {
            held == wanted && held_level >= wanted_level
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::etag_covers;

    #[test]
    fn fuller_cards_cover_lesser_ones() {
        assert!(etag_covers("full-abc", "deps-abc"));
        assert!(etag_covers("deps-abc", "deps-abc"));
        assert!(!etag_covers("signature-abc", "deps-abc"));
        assert!(!etag_covers("full-abc", "full-abd"));
        assert!(!etag_covers("abc", "abc"));
        assert!(!etag_covers("huge-abc", "full-abc"));
    }
}
