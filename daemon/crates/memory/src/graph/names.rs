//! When two names mean the same entity.

use std::str::FromStr as _;

use sdl_model::SymbolId;

/// The beginning of the name of an entity that is a file.
const FILE: &str = "file:";

/// A name in 16 bytes: the key of an entity or a predicate.
pub(super) type NameHash = [u8; 16];

/// Returns a name as it is compared: small letters, with each run of spaces, `_` and `-` as one `-`.
pub fn fold_name(name: &str) -> String {
    let mut folded = String::with_capacity(name.len());
    let mut in_gap = false;
    for c in name.trim().chars() {
        let is_gap = c.is_whitespace() || c.is_control() || c == '_' || c == '-';
        match (is_gap, in_gap) {
            (true, true) => {}
            (true, false) => folded.push('-'),
            (false, _) => folded.extend(c.to_lowercase()),
        }
        in_gap = is_gap;
    }
    folded
}

/// Returns the name of an entity as it is compared. The id of a symbol and `file:PATH` are compared letter by letter.
pub fn entity_key(name: &str) -> String {
    let name = name.trim();
    if is_code(name) { name.to_owned() } else { fold_name(name) }
}

/// Whether an entity is a symbol or a file.
pub fn is_code(name: &str) -> bool {
    name.starts_with(FILE) || SymbolId::from_str(name).is_ok()
}

pub(super) fn hash_entity(name: &str) -> NameHash {
    hash_text("entity", &entity_key(name))
}

pub(super) fn hash_predicate(predicate: &str) -> NameHash {
    hash_text("predicate", &fold_name(predicate))
}

/// The key of all rows that are about code of a repository.
pub(super) fn hash_code(repo: &str) -> NameHash {
    hash_text("code", repo)
}

fn hash_text(kind: &str, text: &str) -> NameHash {
    let mut hasher = blake3::Hasher::new();
    hasher.update(kind.as_bytes());
    hasher.update(&[0]);
    hasher.update(text.as_bytes());
    let mut hash = NameHash::default();
    hash.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_equal_when_folded() {
        for name in ["auth service", "Auth-Service", " AUTH_service ", "auth \t_- service"] {
            assert_eq!(entity_key(name), "auth-service", "{name}");
        }
        assert_ne!(entity_key("authservice"), "auth-service");
    }

    #[test]
    fn code_is_compared_letter_by_letter() {
        for name in ["file:src/My_mod.rs", "s_0123456789abc"] {
            assert_eq!(entity_key(name), name);
        }
        assert_eq!(entity_key("s_nothing"), "s-nothing");
    }
}
