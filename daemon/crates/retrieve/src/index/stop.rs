//! Words that say nothing about which symbol is meant.

/// Sorted, for binary search. English function words, and the keywords that are in every file.
const STOP: [&str; 104] = [
    "a", "about", "above", "after", "again", "all", "also", "am", "an", "and", "any", "are", "as", "at",
    "be", "because", "been", "before", "being", "between", "both", "but", "by", "can", "cannot", "cls",
    "could", "did", "do", "does", "doing", "don", "during", "each", "few", "for", "from", "further", "had",
    "has", "have", "having", "he", "her", "here", "him", "his", "how", "i", "if", "in", "instead", "into",
    "is", "it", "its", "itself", "just", "let", "may", "me", "might", "more", "most", "must", "my", "no",
    "nor", "not", "now", "of", "on", "only", "or", "other", "our", "out", "own", "self", "she", "should",
    "so", "some", "such", "than", "that", "the", "their", "them", "then", "there", "these", "they", "this",
    "those", "through", "to", "too", "was", "we", "were", "when", "which", "with",
];

/// Whether a lower-case word says nothing about which symbol is meant.
pub(crate) fn is_stop_word(word: &str) -> bool {
    word.len() <= 7 && STOP.binary_search(&word).is_ok()
        || matches!(word, "would" | "will" | "you" | "your" | "while" | "what" | "where" | "who" | "why")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted() {
        assert!(STOP.is_sorted());
        assert!(is_stop_word("the") && is_stop_word("self") && !is_stop_word("slice"));
    }
}
