//! Keys of upstreams.

/// The longest key.
pub(crate) const MAX_KEY_CHARS: usize = 32;

/// A key without case, and with `-` as `_`. Two keys of one file never fold alike.
pub fn fold_key(key: &str) -> String {
    key.chars().map(|c| if c == '-' { '_' } else { c.to_ascii_lowercase() }).collect()
}

/// Returns why a text can't be the key of an upstream.
pub fn refuse_key(key: &str) -> Option<String> {
    let shown: String = key.chars().take(40).collect();
    let is_key = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if !key.chars().all(is_key) || !key.starts_with(|c: char| c.is_ascii_alphanumeric()) {
        return Some(format!(
            "{shown:?} can't be a key: letters, digits, '_' and '-' are allowed, and the first is a letter or digit"
        ));
    }
    if key.len() > MAX_KEY_CHARS {
        return Some(format!(
            "the key {shown:?} has {} characters; at most {MAX_KEY_CHARS} are allowed",
            key.len()
        ));
    }
    (fold_key(key) == "sdl")
        .then(|| format!("{shown:?} can't be a key, because it names our own tools; choose another"))
}
