//! Words that say nothing about what a row is about.

/// Sorted, for binary search. English function words: articles, pronouns, prepositions, auxiliaries, question words.
const STOP: [&str; 137] = [
    "a", "about", "after", "again", "all", "also", "am", "an", "and", "any", "are", "aren", "as", "at", "be",
    "because", "been", "before", "being", "between", "both", "but", "by", "can", "cannot", "could", "couldn",
    "did", "didn", "do", "does", "doesn", "doing", "don", "during", "each", "for", "from", "further", "had",
    "hadn", "has", "hasn", "have", "haven", "having", "he", "her", "here", "hers", "herself", "him",
    "himself", "his", "how", "if", "in", "into", "is", "isn", "it", "its", "itself", "just", "ll", "me",
    "might", "more", "most", "must", "my", "myself", "no", "nor", "not", "of", "on", "only", "or", "other",
    "our", "ours", "out", "own", "re", "same", "shall", "she", "should", "shouldn", "so", "some", "such",
    "than", "that", "the", "their", "theirs", "them", "then", "there", "these", "they", "this", "those",
    "through", "to", "too", "under", "until", "up", "us", "ve", "very", "was", "wasn", "we", "were", "weren",
    "what", "when", "where", "whether", "which", "while", "who", "whom", "whose", "why", "will", "with",
    "won", "would", "wouldn", "you", "your", "yours",
];

/// Whether a lower-case word says nothing about what a row is about.
pub(super) fn is_stop_word(word: &str) -> bool {
    word == "themselves" || STOP.binary_search(&word).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted() {
        assert!(STOP.is_sorted());
        assert!(is_stop_word("the") && is_stop_word("whose") && !is_stop_word("slice"));
    }
}
