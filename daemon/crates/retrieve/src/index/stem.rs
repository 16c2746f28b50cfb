//! Light English stemming, made for words in code: one stem for `parse`, `parses`, `parsing`, `parser`. Stems need not
//! be words; facts and queries only have to agree.

/// Suffixes, longest first, their replacement, and how much of the word must remain.
const SUFFIXES: [(&str, &str, usize); 17] = [
    ("ization", "iz", 3),
    ("isation", "is", 3),
    ("izing", "iz", 3),
    ("ation", "", 4),
    ("ating", "", 4),
    ("ness", "", 4),
    ("ment", "", 5),
    ("able", "", 4),
    ("ized", "iz", 3),
    ("izer", "iz", 3),
    ("ator", "", 4),
    ("ated", "", 4),
    ("ate", "", 4),
    ("ing", "", 3),
    ("ed", "", 3),
    ("er", "", 4),
    ("ly", "", 4),
];

/// Stems a lower-case word in place. Words with anything but ASCII letters are left as they are.
pub(crate) fn stem_word(word: &mut String) {
    if word.len() < 4 || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return;
    }
    strip_plural(word);
    strip_suffix(word);
    normalize_ending(word);
}

fn strip_plural(word: &mut String) {
    let len = word.len();
    if word.ends_with("ies") && len > 4 {
        word.truncate(len - 3);
        word.push('y');
    } else if ["sses", "shes", "ches", "xes", "zes"].iter().any(|end| word.ends_with(end)) {
        word.truncate(len - 2);
    } else if word.ends_with('s') && !["ss", "us", "is"].iter().any(|end| word.ends_with(end)) {
        word.truncate(len - 1);
    }
}

fn strip_suffix(word: &mut String) {
    for (end, stands, remain) in SUFFIXES {
        if word.len() >= end.len() + remain && word.ends_with(end) {
            word.truncate(word.len() - end.len());
            word.push_str(stands);
            if stands.is_empty() && end.len() < 4 {
                undouble_end(word);
            }
            return;
        }
    }
    // `-sion`, `-tion`, `-tor`: the rest gets the verb's ending, because both must have one stem.
    if word.len() >= 7 && (word.ends_with("tion") || word.ends_with("sion")) {
        word.truncate(word.len() - 3);
    } else if word.len() >= 6 && word.ends_with("tor") {
        word.truncate(word.len() - 2);
    }
}

/// `runn` to `run`, but `pass` and `call` stay.
fn undouble_end(word: &mut String) {
    if let [.., before, last] = word.as_bytes()
        && before == last
        && !matches!(last, b'a' | b'e' | b'i' | b'o' | b'u' | b'l' | b's' | b'z')
    {
        word.pop();
    }
}

fn normalize_ending(word: &mut String) {
    if word.len() >= 4 && word.ends_with('e') {
        word.pop();
    } else if word.len() >= 4 && word.ends_with('y') {
        word.pop();
        word.push('i');
    }
}

#[cfg(test)]
mod tests {
    fn stem(word: &str) -> String {
        let mut word = word.to_owned();
        super::stem_word(&mut word);
        word
    }

    #[test]
    fn one_stem_a_family() {
        for family in [
            &["parse", "parses", "parsing", "parsed", "parser", "parsers"][..],
            &["validate", "validates", "validation", "validator", "validating", "validated"],
            &["query", "queries"],
            &["run", "running", "runs"],
            &["cache", "caches", "caching", "cached"],
            &["file", "files"],
            &["serialize", "serializer", "serialization", "serializing", "serialized"],
            &["create", "creates", "created", "creation", "creator"],
            &["match", "matches", "matching", "matched", "matcher"],
            &["class", "classes"],
        ] {
            for word in family {
                assert_eq!(stem(word), stem(family[0]), "{word} and {}", family[0]);
            }
        }
    }

    #[test]
    fn short_and_foreign_words_stay() {
        for word in ["is", "bus", "api", "größe", "x86", "status"] {
            assert_eq!(stem(word), word);
        }
    }
}
