//! A query, understood: its terms, the names and paths that it spells.

use std::collections::{HashMap, HashSet};

use sdl_model::lang::is_source_name;

use crate::index::Wants;
use crate::index::words::{self, Scratch};
use crate::message::{self, Section};

/// More different terms than this are not looked up; those of the first lines and the most repeated come first.
const MOST_TERMS: usize = 2_000;
/// Words of a text that are read for names of one letter.
const MOST_LETTERS: usize = 16;
/// Lines of a text that are read.
const MOST_LINES: usize = 5_000;
/// How much a word of the first line counts, which says what the text is about.
const TITLE: f32 = 3.0;
/// How much a word of a report's form counts, and one about the machine on which something happened.
const AROUND: f32 = 0.2;
/// What each repetition adds to a word, and the limit of it.
const REPEATED: f32 = 0.3;
const MOST_WEIGHT: f32 = 5.0;
/// How much a word counts that could be in any task, such as "fix".
const COMMON: f32 = 0.4;
/// More names than this are not looked up, nor more paths.
const MOST_NAMES: usize = 2_000;
const MOST_PATHS: usize = 48;

/// A term and how much it counts.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PlanTerm {
    pub(crate) term: String,
    pub(crate) weight: f32,
}

/// A name that the query spells: `Command.invoke` is `invoke` with the owner `command`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NameProbe {
    /// The last part, as spelled.
    pub(crate) name: String,
    /// The parts before it, in lower case.
    pub(crate) owners: Vec<String>,
    /// How much it counts: 1 for a name by its looks.
    pub(crate) weight: f32,
}

/// A query, understood.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plan {
    pub(crate) terms: Vec<PlanTerm>,
    pub(crate) names: Vec<NameProbe>,
    /// Words of a task that may be names because they begin with a capital inside a sentence, such as `Cart` in "why
    /// does Cart lose items".
    pub(crate) capitals: Vec<NameProbe>,
    pub(crate) paths: Vec<String>,
    /// The names as the text writes them, each once.
    spelled: HashSet<String>,
    /// Whether the query is one name and nothing else: then a symbol of that name comes first.
    pub(crate) single: bool,
    /// Whether common words only add to the scores of symbols that rarer words found, where those are many. This is so for a
    /// search: of `ext4 map blocks`, nobody means the 90,000 symbols that have only `map`. A task may be about any of its
    /// words.
    pub(crate) narrows: bool,
    /// The kinds of symbols that it wants although they are usually not meant, for example tests for "add a test".
    pub(crate) wants: Wants,
}

impl Plan {
    /// Understands a search query.
    pub(crate) fn of_query(query: &str, mentions: &[String]) -> Self {
        let mut plan = Self { narrows: true, ..Self::read(query, false) };
        let trimmed = trim_punctuation(query);
        plan.single = !trimmed.is_empty() && !trimmed.contains(char::is_whitespace) && !trimmed.contains('/');
        if plan.single {
            plan.names.clear();
            plan.names.extend(name_probe(trimmed, 1.0));
        } else if let Some(short) = short_query(query) {
            // In a query of a few words each may be a name.
            for word in short {
                if !plan.names.iter().any(|probe| probe.name == word) {
                    plan.names.extend(name_probe(word, 0.5));
                }
            }
        }
        plan.mention(mentions);
        plan
    }

    /// Understands a task: a text about it, or a single name.
    pub(crate) fn of_task(text: &str) -> Self {
        let mut words = text.split_whitespace();
        match (words.next(), words.next()) {
            (Some(word), None) => Self::of_query(word, &[]),
            _ => Self::of_text(text),
        }
    }

    /// Understands a text about a task.
    pub(crate) fn of_text(text: &str) -> Self {
        let mut plan = Self::read(text, true);
        if plan.is_empty() {
            // Where a text has no other word, a letter may be the name that it is about: "what does `q` do".
            let letters = text.split_whitespace().take(MOST_LETTERS).map(trim_punctuation);
            plan.names.extend(
                letters.filter(|word| word.chars().count() == 1).filter_map(|word| name_probe(word, 1.0)),
            );
        }
        plan
    }

    /// Whether there is nothing to look up.
    pub(crate) fn is_empty(&self) -> bool {
        self.terms.is_empty() && self.names.is_empty() && self.paths.is_empty()
    }

    fn read(text: &str, task: bool) -> Self {
        let mut plan = Self::default();
        let mut places: HashMap<String, usize> = HashMap::new();
        let mut scratch = Scratch::default();
        let mut section = Section::About;
        let mut title = true;
        let lines = text.lines().filter(|line| !line.trim().is_empty()).take(MOST_LINES);
        for line in lines.filter(|line| !(task && message::is_trailer(line))) {
            let begun = message::section_of(line).filter(|_| task && !title);
            section = begun.unwrap_or(section);
            let weight = match (title, begun.is_some() || section == Section::Around) {
                (true, _) => TITLE,
                (_, true) => AROUND,
                _ => 1.0,
            };
            let mut begins = true;
            for word in line.split_whitespace().filter(|word| !word.contains("://")) {
                plan.read_names(word);
                if task && !begins {
                    plan.capital(word);
                }
                begins = word.ends_with(['.', '!', '?', ':', '-', '*', '|', '#', '>']);
                plan.wants.aside |= title && message::is_generated(word);
                words::each_term(word, &mut scratch, &mut |term| {
                    let common = task && message::is_said_of_any(term);
                    let weight = if common { COMMON * weight } else { weight };
                    plan.wants.tests |= title && matches!(term, "test" | "spec" | "fixtur");
                    plan.wants.aside |= title && message::is_aside(term);
                    let at = *places.entry(term.to_owned()).or_insert_with(|| {
                        plan.terms.push(PlanTerm { term: term.to_owned(), weight: 0.0 });
                        plan.terms.len() - 1
                    });
                    let known = &mut plan.terms[at].weight;
                    let again = if *known > 0.0 { REPEATED * weight.min(1.0) } else { 0.0 };
                    *known = (*known + again).min(MOST_WEIGHT).max(weight);
                });
            }
            title = false;
        }
        plan.terms.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        plan.terms.truncate(MOST_TERMS);
        plan
    }

    fn capital(&mut self, word: &str) {
        let word = trim_punctuation(word);
        let named = word.len() > 2
            && word.starts_with(char::is_uppercase)
            && word.contains(char::is_lowercase)
            && word.chars().all(char::is_alphanumeric);
        if named
            && self.capitals.len() < MOST_NAMES
            && let Some(probe) = name_probe(word, 1.0)
            && !self.capitals.contains(&probe)
        {
            self.capitals.push(probe);
        }
    }

    /// Adds names that the conversation mentioned.
    pub(crate) fn mention(&mut self, mentions: &[String]) {
        for mention in mentions.iter().take(MOST_NAMES) {
            if mention.contains('/') {
                self.paths.push(mention.clone());
            } else {
                self.names.extend(name_probe(trim_punctuation(mention), 0.7));
            }
        }
    }

    fn read_names(&mut self, word: &str) {
        let path = trim_punctuation(before_arguments(word));
        if is_path(path) {
            if self.paths.len() < MOST_PATHS && !self.paths.iter().any(|known| known == path) {
                self.paths.push(path.to_owned());
            }
            return;
        }
        let quoted = word.starts_with(['`', '\'', '"']);
        for Piece { text, called, alone } in code_pieces(word) {
            let text = trim_punctuation(text);
            if called || quoted && alone || looks_like_name(text) {
                self.add_name(text);
            }
        }
    }

    fn add_name(&mut self, text: &str) {
        if self.names.len() >= MOST_NAMES || !self.spelled.insert(text.to_owned()) {
            return;
        }
        let Some(probe) = name_probe(text, 1.0) else { return };
        // A single letter is not looked up, because in a text it is rarely a symbol, even if it is quoted.
        if probe.name.len() < 2 || self.names.contains(&probe) {
            return;
        }
        // `Cart` in `Cart.checkout` is spelled too, but it is not the first meaning.
        let owner = text.rsplit_once(['.', ':', '#']).map_or("", |(owner, _)| owner);
        self.names.extend(
            name_probe(owner, 0.8).filter(|_| text.contains(&probe.name) && !probe.owners.is_empty()),
        );
        self.names.push(probe);
    }
}

/// A part of a word of code, such as `latex` in `print(latex(x))`.
struct Piece<'w> {
    text: &'w str,
    /// Whether a bracket of arguments follows.
    called: bool,
    /// Whether it is the whole word.
    alone: bool,
}

/// The parts of a word of code between brackets, quotes and operators.
fn code_pieces(word: &str) -> impl Iterator<Item = Piece<'_>> {
    let between = |c: char| {
        matches!(
            c,
            '(' | ')'
                | '['
                | ']'
                | '{'
                | '}'
                | '<'
                | '='
                | ','
                | ';'
                | '"'
                | '\''
                | '`'
                | '|'
                | '+'
                | '*'
                | '!'
                | '&'
                | '%'
                | '@'
        )
    };
    let mut rest = word;
    let whole = word.split(between).filter(|part| !part.is_empty()).count() < 2;
    std::iter::from_fn(move || {
        while !rest.is_empty() {
            let end = rest.find(between).unwrap_or(rest.len());
            let (text, after) = rest.split_at(end);
            let mut chars = after.chars();
            let called = chars.next() == Some('(');
            rest = chars.as_str();
            if !text.is_empty() {
                return Some(Piece { text, called: called && is_identifier_end(text), alone: whole });
            }
        }
        None
    })
}

fn is_identifier_end(text: &str) -> bool {
    text.len() > 2 && text.ends_with(|c: char| c.is_alphanumeric() || c == '_')
}

/// `a.b` of `a.b(c)`; `f(x)` stays, by its looks it is a name.
fn before_arguments(word: &str) -> &str {
    let before = word.find('(').and_then(|at| word.get(..at)).unwrap_or(word);
    let named =
        before.contains(['.', '_', ':', '#']) && before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
    if named { before } else { word }
}

/// A word without the punctuation around it.
fn trim_punctuation(word: &str) -> &str {
    let word = word
        .trim()
        .trim_matches(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$' | '/' | '.' | ':' | '#')));
    word.trim_end_matches(['.', ':', ',', '#']).trim_start_matches([':', '#'])
}

/// The words of a query of at most four, all of which could be names.
fn short_query(query: &str) -> Option<Vec<&str>> {
    let words: Vec<&str> =
        query.split_whitespace().map(trim_punctuation).filter(|word| word.len() > 2).collect();
    (words.len() <= 4).then_some(words)
}

fn name_probe(word: &str, weight: f32) -> Option<NameProbe> {
    let mut parts: Vec<&str> = word
        .split(['.', ':', '#', '\\', '>', '-', '/'])
        .map(|part| part.trim_matches(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$'))))
        .filter(|part| !part.is_empty())
        .collect();
    let name = parts.pop()?.to_owned();
    let owner = |part: &str| -> String { part.chars().map(words::lower_char).collect() };
    // The receiver of a call inside a class is no owner: `self.close()` says no more than `close()`.
    let owners =
        parts.into_iter().map(owner).filter(|owner| !matches!(owner.as_str(), "self" | "this")).collect();
    Some(NameProbe { name, owners, weight })
}

/// Whether a word is a name by its looks: `snake_case`, `camelCase`, `a.b`, `a::b`, `CONST_X`.
fn looks_like_name(word: &str) -> bool {
    let bytes = word.as_bytes();
    let inner = |at: usize| {
        at > 0
            && at + 1 < bytes.len()
            && bytes[at - 1].is_ascii_alphanumeric()
            && bytes[at + 1].is_ascii_alphanumeric()
    };
    if word.len() < 3 || word.chars().all(|c| c.is_ascii_digit() || c == '.') {
        return false;
    }
    let mut before = b' ';
    for (at, &byte) in bytes.iter().enumerate() {
        let camel = before.is_ascii_lowercase() && byte.is_ascii_uppercase();
        let joined = matches!(byte, b'_' | b'.') && inner(at);
        if camel || joined || (byte == b'_' && at == 0) || (byte == b':' && before == b':') {
            return true;
        }
        before = byte;
    }
    false
}

/// Whether a word looks like a path: `src/cart` or `cart.py`.
fn is_path(word: &str) -> bool {
    if word.len() > 400 || word.contains("://") {
        return false;
    }
    let slashed = word.split('/').filter(|part| part.len() > 1).count() > 1;
    is_source_name(word) || slashed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_single_name() {
        let plan = Plan::of_query("`Command.invoke()`", &[]);
        assert!(plan.single);
        assert_eq!(
            plan.names,
            [NameProbe { name: "invoke".into(), owners: vec!["command".into()], weight: 1.0 }]
        );
        assert_eq!(plan.terms.iter().map(|t| t.term.as_str()).collect::<Vec<_>>(), ["command", "invok"]);
    }

    #[test]
    fn a_single_letter() {
        let plan = Plan::of_query("b", &[]);
        assert_eq!(plan.names, [NameProbe { name: "b".into(), owners: vec![], weight: 1.0 }]);
        assert_eq!(Plan::of_query("Cart.b", &[]).names[0].owners, ["cart"]);
        assert_eq!(Plan::of_text("what 'b' does").names[0].name, "b");
        assert!(Plan::of_text("what 'b' does in the cart").names.is_empty());
    }

    #[test]
    fn a_task() {
        let plan = Plan::of_text(
            "Fix get_user in src/auth.py\n\nThe TokenCache doesn't expire, see 'flush' and settings.AUTH_KEY, version 3.14.",
        );
        let names: Vec<&str> = plan.names.iter().map(|probe| probe.name.as_str()).collect();
        assert_eq!(names, ["get_user", "TokenCache", "flush", "settings", "AUTH_KEY"]);
        assert_eq!(plan.paths, ["src/auth.py"]);
        assert!(plan.terms.iter().any(|t| t.term == "expir"));
    }

    #[test]
    fn what_is_said_of_any_task_counts_for_less() {
        let plan =
            Plan::of_text("Fix the cursor\n\nSee https://x.example/parser\nSigned-off-by: Ann Cart <a@b.c>");
        let weight = |term: &str| plan.terms.iter().find(|t| t.term == term).map(|t| t.weight);
        assert!(weight("fix").unwrap() < weight("curs").or(weight("cursor")).unwrap());
        assert_eq!((weight("pars"), weight("cart")), (None, None));
        let search = Plan::of_query("fix cursor", &[]);
        assert!((search.terms[0].weight - search.terms[1].weight).abs() < 1e-6);
    }

    #[test]
    fn arguments_are_no_part_of_a_name() {
        let plan = Plan::of_text("JToken.ToString(Formatting) and redis_free(ctx) fail");
        let names: Vec<&str> = plan.names.iter().map(|probe| probe.name.as_str()).collect();
        assert_eq!(names, ["JToken", "ToString", "redis_free"]);
        let plan = Plan::of_text("it prints(parse_row(self.read_next(x), key=row_key)) twice");
        let names: Vec<_> =
            plan.names.iter().map(|probe| (probe.name.as_str(), probe.owners.len())).collect();
        assert_eq!(names, [("prints", 0), ("parse_row", 0), ("read_next", 0), ("row_key", 0)]);
    }

    #[test]
    fn tests_are_wanted_by_those_who_say_so() {
        assert!(Plan::of_text("Make the test of login stable").wants.tests);
        assert!(Plan::of_text("Repair the example for uploads").wants.aside);
        let plan = Plan::of_text("Close the file\n\nWith a test.");
        assert!(!plan.wants.tests && !plan.wants.aside);
        assert!(Plan::of_text("Regenerate the messages").wants.aside);
        assert!(!Plan::of_text("Generate the messages lazily").wants.aside);
    }

    #[test]
    fn sentences_hold_no_names() {
        let plan = Plan::of_text(
            "Allow using Click 7 with a warning. As long as libraries (e.g. Celery) require click 7/8 it is hard",
        );
        assert!(plan.names.iter().all(|probe| probe.name.len() < 4), "{:?}", plan.names);
        assert_eq!(plan.paths, Vec::<String>::new());
    }
}
