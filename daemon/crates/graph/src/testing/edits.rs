//! Random edits of source text and of trees, the same for the same seed. The result need not compile: the resolution of
//! a tree must not depend on its history, whatever its text.

use std::collections::BTreeMap;

/// A source of random numbers.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The numbers that `seed` starts.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number below `end`; 0 if there is none.
    pub fn below(&mut self, end: usize) -> usize {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^= bits >> 31;
        (bits % end.max(1) as u64) as usize
    }

    /// One of `items`.
    pub fn one_of<'i, T>(&mut self, items: &'i [T]) -> Option<&'i T> {
        items.get(self.below(items.len()))
    }
}

/// Words at the start of a line that names a base type.
const TYPE_WORDS: [&str; 10] =
    ["class ", "struct ", "interface ", "trait ", "impl", "enum ", "object ", "module ", "type ", "include "];
/// Words at the start of a line that names another file or module.
const IMPORT_WORDS: [&str; 9] =
    ["import ", "from ", "use ", "using ", "pub use ", "#include", "require", "export ", "source "];

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The identifiers of `text`, each with its byte offset.
fn identifiers_in(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut at = 0;
    for part in text.split_inclusive(|c| !is_word(c)) {
        let word = part.trim_end_matches(|c| !is_word(c));
        if word.len() > 1 && word.starts_with(|c: char| c.is_alphabetic() || c == '_') {
            found.push((at, word));
        }
        at += part.len();
    }
    found
}

/// `text` with every identifier `from` replaced by `to`.
fn rename_identifier(text: &str, from: &str, to: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for (at, _) in identifiers_in(text).into_iter().filter(|(_, word)| *word == from) {
        out.push_str(&text[done..at]);
        out.push_str(to);
        done = at + from.len();
    }
    out.push_str(&text[done..]);
    out
}

/// `text` with another identifier in place of a random one among those that begin in `start..end`.
fn replace_random(text: &str, other: &str, range: std::ops::Range<usize>, random: &mut Random) -> String {
    let here: Vec<_> = identifiers_in(text).into_iter().filter(|(at, _)| range.contains(at)).collect();
    let new = random.one_of(&identifiers_in(other)).map(|(_, word)| (*word).to_owned());
    match (random.one_of(&here), new) {
        (Some((at, old)), Some(new)) => format!("{}{new}{}", &text[..*at], &text[at + old.len()..]),
        _ => text.to_owned(),
    }
}

/// The lines of `text` that begin with one of `wanted`, by number.
fn lines_with(text: &str, wanted: &[&str]) -> Vec<usize> {
    let starts = |line: &str| {
        let line = line.trim_start();
        let line = ["pub ", "public ", "abstract ", "final ", "open ", "export ", "default ", "static "]
            .iter()
            .fold(line, |line, word| line.strip_prefix(word).unwrap_or(line));
        wanted.iter().any(|word| line.starts_with(word))
    };
    text.lines().enumerate().filter(|(_, line)| starts(line)).map(|(n, _)| n).collect()
}

/// The bytes of line `n`.
fn line_range(text: &str, n: usize) -> std::ops::Range<usize> {
    let start: usize = text.split_inclusive('\n').take(n).map(str::len).sum();
    let len = text.split_inclusive('\n').nth(n).map_or(0, str::len);
    start..start + len
}

fn from_lines(lines: &[&str]) -> String {
    lines.concat()
}

/// A comment in the language of the file at `path`.
fn random_comment(path: &str, random: &mut Random) -> String {
    let mark = match path.rsplit_once('.').map(|(_, extension)| extension) {
        Some("py" | "rb" | "sh" | "bash" | "toml") => "#",
        _ => "//",
    };
    format!("{mark} {}\n", random.below(1_000))
}

/// Changes `text`, of the file at `path`, in one random way; `other` is the text of another file, for names.
pub fn edit_text(path: &str, text: &str, other: &str, random: &mut Random) -> String {
    let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
    let at = random.below(lines.len());
    match random.below(11) {
        0 => format!("{text}{}", random_comment(path, random)),
        1 => {
            let comment = random_comment(path, random);
            lines.insert(at, &comment);
            from_lines(&lines)
        }
        // A declared name, or any name, renamed throughout the file.
        2 | 3 => {
            let all = identifiers_in(text);
            let Some((_, old)) = random.one_of(&all) else { return text.to_owned() };
            let new = match random.below(3) {
                0 => format!("{old}X"),
                1 => random
                    .one_of(&identifiers_in(other))
                    .map_or_else(String::new, |(_, word)| (*word).to_owned()),
                _ => random.one_of(&all).map_or_else(String::new, |(_, word)| (*word).to_owned()),
            };
            rename_identifier(text, old, &new)
        }
        // A base type, or the target of an import.
        kind @ 4..=6 => {
            let wanted = lines_with(text, if kind == 4 { &IMPORT_WORDS } else { &TYPE_WORDS });
            let Some(line) = random.one_of(&wanted) else {
                return replace_random(text, other, 0..text.len(), random);
            };
            let source = if random.below(2) == 0 { text } else { other };
            replace_random(text, source, line_range(text, *line), random)
        }
        7 => replace_random(text, other, 0..text.len(), random),
        8 => {
            let end = (at + 1 + random.below(12)).min(lines.len());
            lines.drain(at..end);
            from_lines(&lines)
        }
        // Imports, or any lines, in another order.
        9 => {
            let imports = lines_with(text, &IMPORT_WORDS);
            let pair = match (random.one_of(&imports), random.one_of(&imports)) {
                (Some(a), Some(b)) if random.below(2) == 0 => (*a, *b),
                _ => (at, random.below(lines.len())),
            };
            if lines.len() > 1 {
                lines.swap(pair.0, pair.1);
            }
            from_lines(&lines)
        }
        // Paragraphs in another order, or one twice.
        _ => {
            let mut parts: Vec<&str> = text.split_inclusive("\n\n").collect();
            let (from, to) = (random.below(parts.len()), random.below(parts.len()));
            if random.below(3) == 0 && !parts.is_empty() {
                parts.insert(to, parts[from]);
            } else if !parts.is_empty() {
                let part = parts.remove(from);
                parts.insert(to, part);
            }
            from_lines(&parts)
        }
    }
}

/// Changes one or two files of a tree of texts by path. `original` is the tree that files are restored from. Returns a
/// description of the edit.
pub fn edit_tree(
    tree: &mut BTreeMap<String, String>,
    original: &BTreeMap<String, String>,
    random: &mut Random,
) -> Vec<String> {
    let paths: Vec<&String> = original.keys().collect();
    let Some(path) = random.one_of(&paths).map(|path| (*path).clone()) else { return Vec::new() };
    let other = random.one_of(&paths).map(|path| (*path).clone()).unwrap_or_default();
    let Some(text) = tree.get(&path).cloned() else {
        // It was removed or moved away before.
        tree.insert(path.clone(), original[&path].clone());
        return vec![path];
    };
    match random.below(16) {
        0 => {
            tree.remove(&path);
            vec![path]
        }
        1 | 2 => {
            tree.insert(path.clone(), original[&path].clone());
            vec![path]
        }
        kind @ (3 | 4) => {
            // To another folder, or under another name.
            let name = path.rsplit('/').next().unwrap_or(&path);
            let target = if random.below(2) == 0 {
                other.rsplit_once('/').map_or_else(|| name.to_owned(), |(dir, _)| format!("{dir}/{name}"))
            } else {
                let (stem, extension) = path.rsplit_once('.').unwrap_or((&path, ""));
                format!("{stem}_{}.{extension}", random.below(3))
            };
            if kind == 3 {
                tree.remove(&path);
            }
            tree.insert(target.clone(), text);
            vec![path, target]
        }
        _ => {
            let names = tree.get(&other).unwrap_or(&text);
            let edited = edit_text(&path, &text, names, random);
            tree.insert(path.clone(), edited);
            vec![path]
        }
    }
}
