//! The table that the files of words are read into.

use std::collections::BTreeMap;

use crate::words;

/// How the members of a group have to do with each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Relation {
    /// `a, b, c`: all are heads and mean about the same.
    Same,
    /// `x > a, b`: the entries after the mark belong to the heads.
    Topic,
    /// `x = a, b`: the entries after the mark are the heads in another language.
    Translation,
}

/// Words and phrases of one line: the heads, and those after the mark.
struct Group {
    relation: Relation,
    /// How many of the members are heads.
    heads: u8,
    /// Where the members begin.
    start: u32,
}

/// Words and phrases that have to do with each other.
pub struct Lexicon {
    /// All words in one text, sorted, and where each begins; one more at the end.
    text: String,
    starts: Vec<u32>,
    /// The words that say nothing by themselves, such as `up`.
    silent: Vec<u32>,
    /// The words of each entry, sorted, in one list, and where each begins; one more at the end.
    entry_words: Vec<u32>,
    entry_starts: Vec<u32>,
    groups: Vec<Group>,
    /// The entries of all groups, each group after the last.
    members: Vec<u32>,
    /// The groups of all entries, and where those of each begin; one more at the end.
    belongs: Vec<u32>,
    belongs_starts: Vec<u32>,
    /// The entries of several words that each word is in, and where those of each word begin; one more at the end.
    phrases: Vec<u32>,
    phrases_starts: Vec<u32>,
}

/// A line, as it is read: the forms of its entries.
struct Line {
    relation: Relation,
    heads: Vec<Vec<String>>,
    rest: Vec<Vec<String>>,
}

/// A line without what a `#` begins.
pub(super) fn without_comment(line: &str) -> &str {
    line.split('#').next().unwrap_or_default().trim()
}

fn read_line(line: &str) -> Line {
    let marks = [('>', Relation::Topic), ('=', Relation::Translation)];
    let split = |(mark, relation)| line.split_once(mark).map(|(heads, rest)| (heads, rest, relation));
    let (heads, rest, relation) = marks.into_iter().find_map(split).unwrap_or((line, "", Relation::Same));
    Line { relation, heads: read_entries(heads), rest: read_entries(rest) }
}

fn read_entries(text: &str) -> Vec<Vec<String>> {
    let entries = text.split(',').filter_map(|entry| {
        let tokens = words::tokens_of(entry);
        // Words that say nothing lead nowhere.
        let says_something = tokens.iter().any(|token| token.term.is_some());
        says_something.then(|| tokens.iter().map(|token| token.form().to_owned()).collect())
    });
    entries.collect()
}

impl Lexicon {
    /// Reads groups of words, one a line.
    pub fn new(texts: &[&str]) -> Self {
        let lines: Vec<Line> = texts
            .iter()
            .flat_map(|text| text.lines())
            .map(without_comment)
            .filter(|line| !line.is_empty())
            .map(read_line)
            .collect();
        let all = || lines.iter().flat_map(|line| line.heads.iter().chain(&line.rest));
        let word_ids = numbered(all().flatten().map(String::as_str));
        let spell = |entry: &[String]| -> Vec<u32> {
            entry.iter().filter_map(|word| word_ids.get(word.as_str()).copied()).collect()
        };
        let entry_ids = numbered(all().map(|entry| spell(entry)));
        let mut table = Self {
            text: String::new(),
            starts: vec![0],
            silent: Vec::new(),
            entry_words: Vec::new(),
            entry_starts: vec![0],
            groups: Vec::new(),
            members: Vec::new(),
            belongs: Vec::new(),
            belongs_starts: vec![0],
            phrases: Vec::new(),
            phrases_starts: vec![0],
        };
        for (word, id) in &word_ids {
            if words::tokens_of(word).iter().all(|token| token.term.is_none()) {
                table.silent.push(*id);
            }
            table.text.push_str(word);
            table.starts.push(table.text.len() as u32);
        }
        for entry in entry_ids.keys() {
            table.entry_words.extend(entry);
            table.entry_starts.push(table.entry_words.len() as u32);
        }
        let mut belongs: Vec<Vec<u32>> = vec![Vec::new(); entry_ids.len()];
        for line in &lines {
            let number = |entry: &Vec<String>| entry_ids.get(&spell(entry)).copied();
            let group = table.groups.len() as u32;
            let (start, heads) = (table.members.len() as u32, line.heads.len().min(255) as u8);
            table.groups.push(Group { relation: line.relation, heads, start });
            for entry in line.heads.iter().take(255).chain(&line.rest).filter_map(number) {
                table.members.push(entry);
                if let Some(list) = belongs.get_mut(entry as usize).filter(|list| list.last() != Some(&group))
                {
                    list.push(group);
                }
            }
        }
        for list in belongs {
            table.belongs.extend(list);
            table.belongs_starts.push(table.belongs.len() as u32);
        }
        table.list_phrases();
        table.shrink_all();
        table
    }

    fn list_phrases(&mut self) {
        let mut of_words: Vec<Vec<u32>> = vec![Vec::new(); self.words()];
        for entry in 0..self.counts().0 as u32 {
            let words = self.words_of(entry);
            for word in words.iter().filter(|_| words.len() > 1) {
                if let Some(list) =
                    of_words.get_mut(*word as usize).filter(|list| list.last() != Some(&entry))
                {
                    list.push(entry);
                }
            }
        }
        for list in of_words {
            self.phrases.extend(list);
            self.phrases_starts.push(self.phrases.len() as u32);
        }
    }

    fn shrink_all(&mut self) {
        self.text.shrink_to_fit();
        self.groups.shrink_to_fit();
        for list in [
            &mut self.starts,
            &mut self.silent,
            &mut self.entry_words,
            &mut self.entry_starts,
            &mut self.members,
            &mut self.belongs,
            &mut self.belongs_starts,
            &mut self.phrases,
            &mut self.phrases_starts,
        ] {
            list.shrink_to_fit();
        }
    }

    /// How much memory the table takes.
    pub fn bytes(&self) -> usize {
        let lists = [
            &self.starts,
            &self.silent,
            &self.entry_words,
            &self.entry_starts,
            &self.members,
            &self.belongs,
            &self.belongs_starts,
            &self.phrases,
            &self.phrases_starts,
        ];
        let numbers: usize = lists.iter().map(|list| list.capacity() * size_of::<u32>()).sum();
        self.text.capacity() + numbers + self.groups.capacity() * size_of::<Group>()
    }

    /// How many words and phrases the table has, and in how many groups.
    pub fn counts(&self) -> (usize, usize) {
        (self.entry_starts.len().saturating_sub(1), self.groups.len())
    }

    /// The number of different words.
    pub(crate) fn words(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Returns a word by its number.
    pub(crate) fn word(&self, id: u32) -> &str {
        let at = |i: usize| self.starts.get(i).map_or(0, |start| *start as usize);
        self.text.get(at(id as usize)..at(id as usize + 1)).unwrap_or_default()
    }

    /// Whether a word says nothing by itself.
    pub(crate) fn is_silent(&self, id: u32) -> bool {
        self.silent.binary_search(&id).is_ok()
    }

    /// Returns the number of a word.
    pub(crate) fn find_word(&self, form: &str) -> Option<u32> {
        let (mut low, mut high) = (0, self.words() as u32);
        while low < high {
            let middle = low.midpoint(high);
            match self.word(middle).cmp(form) {
                std::cmp::Ordering::Equal => return Some(middle),
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }

    /// Returns the words of an entry.
    pub(crate) fn words_of(&self, entry: u32) -> &[u32] {
        slice_of(&self.entry_words, &self.entry_starts, entry)
    }

    /// Returns the entries that begin with a word.
    pub(super) fn beginning_with(&self, word: u32) -> std::ops::Range<u32> {
        let first = |entry: u32| self.words_of(entry).first().copied();
        let bound = |is_before: &dyn Fn(Option<u32>) -> bool| {
            let (mut low, mut high) = (0, self.counts().0 as u32);
            while low < high {
                let middle = low.midpoint(high);
                if is_before(first(middle)) {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            low
        };
        bound(&|held| held < Some(word))..bound(&|held| held <= Some(word))
    }

    /// Returns the entries of several words that a word is in.
    pub(super) fn phrases_with(&self, word: u32) -> &[u32] {
        slice_of(&self.phrases, &self.phrases_starts, word)
    }

    /// Returns the numbers of the groups of an entry.
    pub(super) fn groups_of(&self, entry: u32) -> &[u32] {
        slice_of(&self.belongs, &self.belongs_starts, entry)
    }

    /// Returns a group: its relation, its heads, and those after the mark.
    pub(super) fn group(&self, at: u32) -> (Relation, &[u32], &[u32]) {
        let Some(group) = self.groups.get(at as usize) else { return (Relation::Same, &[], &[]) };
        let end = self.groups.get(at as usize + 1).map_or(self.members.len(), |next| next.start as usize);
        let members = self.members.get(group.start as usize..end).unwrap_or_default();
        let (heads, rest) = members.split_at(members.len().min(group.heads as usize));
        (group.relation, heads, rest)
    }
}

fn slice_of<'a>(all: &'a [u32], starts: &[u32], at: u32) -> &'a [u32] {
    let bound = |i: usize| starts.get(i).map_or(0, |start| *start as usize);
    all.get(bound(at as usize)..bound(at as usize + 1)).unwrap_or_default()
}

/// Numbers different values in their order.
fn numbered<T: Ord>(values: impl Iterator<Item = T>) -> BTreeMap<T, u32> {
    let mut ids: BTreeMap<T, u32> = values.map(|value| (value, 0)).collect();
    for (at, id) in ids.values_mut().enumerate() {
        *id = at as u32;
    }
    ids
}
