//! Where the text of files spells the names of unused symbols, or parts from which code may make them up.

use std::collections::{BTreeSet, HashMap, HashSet};

use sdl_model::{FileId, Outline};

use super::uses::looks_names_up;
use super::{DeadSpan, UnusedSymbol};

/// A file that spells the name of a candidate, or a part of one.
#[derive(Clone, Debug)]
pub struct Spelled {
    /// The file.
    pub file: FileId,
    /// Its path.
    pub path: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// Parts of names that are shorter say nothing.
const SHORTEST_PART: usize = 4;

/// Where or how a word is spelled.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Spot {
    /// Anywhere.
    Anywhere,
    /// In this file, or below this folder.
    In(String),
    /// As the whole of a string, or as the last part of one: `"name"`, `"Type#name"`.
    Quoted,
    /// Where a text goes on with something that is filled in: `"visit_" + kind`, `visit_##kind`.
    BeforeHole,
    /// Where a text begins with something that is filled in: `kind + "_name"`.
    AfterHole,
}

/// The first place of a word: outside of symbols that are surely unused, and outside of all that nothing here reaches.
type Places = [Option<(String, u32)>; 2];

/// The places of words outside of unused code.
#[derive(Default)]
pub(super) struct Seen {
    /// For each word that is looked for, the spots that matter.
    places: HashMap<String, HashMap<Spot, Places>>,
    /// The candidates whose text has each word.
    pub(super) users: HashMap<String, BTreeSet<u32>>,
    /// The words with which texts start from which code may make names up.
    quoted: HashSet<String>,
    /// The first word of each file by which code looks names up.
    pub(super) lookups: HashMap<FileId, String>,
}

impl Seen {
    /// Nothing is seen yet of the names of these symbols.
    pub(super) fn of(found: &[UnusedSymbol]) -> Self {
        let mut seen = Self::default();
        for one in found {
            let name = one.sym.name();
            for spot in name_spots(one) {
                seen.want(name, spot);
            }
            for (part, spot) in name_parts(name) {
                seen.want(part, spot);
            }
            for start in name_starts(name) {
                seen.places.entry(start.to_owned()).or_default();
            }
        }
        seen
    }

    fn want(&mut self, word: &str, spot: Spot) {
        self.places.entry(word.to_owned()).or_default().entry(spot).or_default();
    }

    /// The first place that spells the name of a symbol where that may mean it.
    pub(super) fn place_of_name(&self, one: &UnusedSymbol) -> Option<(String, u32)> {
        let places = self.places.get(one.sym.name())?;
        let found =
            name_spots(one).find_map(|spot| places.get(&spot)?.get(usize::from(one.by_export))?.as_ref());
        found.cloned()
    }

    /// A part of a symbol's name from which code may make it up.
    pub(super) fn part_of_name(&self, one: &UnusedSymbol) -> Option<String> {
        let name = one.sym.name();
        let is_seen = |part: &str, spot: &Spot| {
            let places = self.places.get(part).and_then(|places| places.get(spot));
            places.and_then(|places| places.get(usize::from(one.by_export))).is_some_and(Option::is_some)
        };
        let part = name_parts(name).find(|(part, spot)| is_seen(part, spot)).map(|(part, _)| part);
        part.or_else(|| name_starts(name).find(|start| self.quoted.contains(*start))).map(str::to_owned)
    }

    /// Adds what a file spells. `spans` are those of its unused symbols, `outline` is there if it has any.
    pub(super) fn add(&mut self, file: &Spelled, spans: &[DeadSpan], outline: Option<&Outline>) {
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80;
        let regions = regions_around(&file.path);
        let mut at = 0;
        let mut line = 1;
        while let Some(byte) = file.bytes.get(at) {
            if !is_part(byte) {
                line += u32::from(*byte == b'\n');
                at += 1;
                continue;
            }
            let rest = file.bytes.get(at..).unwrap_or_default();
            let len = rest.iter().position(|byte| !is_part(byte)).unwrap_or(rest.len());
            let word = std::str::from_utf8(rest.get(..len).unwrap_or_default()).unwrap_or_default();
            let before = file.bytes.get(..at).unwrap_or_default();
            let last = before.last().copied();
            let rest = rest.get(len..).unwrap_or_default();
            if outline.is_some_and(|outline| looks_names_up(outline, word, last, rest.first().copied())) {
                self.lookups.entry(file.file).or_insert_with(|| word.to_owned());
            }
            // `"%s_name"` is read as the word `s_name`.
            let is_filled = last == Some(b'%') && word.starts_with("s_");
            let word = if is_filled { word.get(1..).unwrap_or(word) } else { word };
            if self.places.contains_key(word) {
                if starts_text(last, word, rest) && !self.quoted.contains(word) {
                    self.quoted.insert(word.to_owned());
                }
                let mut spots = regions.clone();
                spots.extend(is_quoted(last, rest).then_some(Spot::Quoted));
                spots.extend(is_before_hole(rest).then_some(Spot::BeforeHole));
                spots.extend((is_filled || is_after_hole(before)).then_some(Spot::AfterHole));
                self.add_word(word, &spots, (&file.path, line), at as u32, spans);
            }
            at += len;
        }
    }

    fn add_word(
        &mut self,
        word: &str,
        spots: &[Spot],
        (path, line): (&str, u32),
        at: u32,
        spans: &[DeadSpan],
    ) {
        let around: Vec<&DeadSpan> =
            spans.iter().filter(|span| (span.start..span.end).contains(&at)).collect();
        let users: BTreeSet<u32> = around.iter().filter_map(|span| span.part_of).collect();
        if !users.is_empty() {
            self.users.entry(word.to_owned()).or_default().extend(users);
        }
        let Some(wanted) = self.places.get_mut(word) else { return };
        for spot in spots {
            let Some(places) = wanted.get_mut(spot) else { continue };
            for (place, by_export) in places.iter_mut().zip([false, true]) {
                if place.is_none() && !around.iter().any(|span| by_export || !span.by_export) {
                    *place = Some((path.to_owned(), line));
                }
            }
        }
    }
}

/// The words that may show a use of a symbol of this name.
pub(super) fn words_of_name(name: &str) -> impl Iterator<Item = &str> {
    name_parts(name).map(|(part, _)| part).chain(name_starts(name)).chain(std::iter::once(name))
}

/// Where the name of a symbol may mean it. A string may name it anywhere.
fn name_spots(one: &UnusedSymbol) -> impl Iterator<Item = Spot> {
    let (first, second) = match &one.region {
        Some(region) => (Spot::In(region.clone()), Some(Spot::Quoted)),
        None => (Spot::Anywhere, None),
    };
    std::iter::once(first).chain(second)
}

/// The spots that every word of a file is at.
fn regions_around(path: &str) -> Vec<Spot> {
    let folders = path.match_indices('/').filter_map(|(at, _)| path.get(..=at));
    let named = folders.chain(std::iter::once(path)).map(|region| Spot::In(region.to_owned()));
    std::iter::once(Spot::Anywhere).chain(named).collect()
}

/// The parts of a name up to an underscore and from one, each with the place where code makes the name up of it: `visit_`
/// of `visit_name` before a hole, `_name` after one.
fn name_parts(name: &str) -> impl Iterator<Item = (&str, Spot)> {
    let breaks = name.char_indices().filter(|(_, letter)| *letter == '_').map(|(at, _)| at);
    let parts = breaks.flat_map(|at| {
        let start = name.get(..=at).map(|part| (part, Spot::BeforeHole));
        [start, name.get(at..).map(|part| (part, Spot::AfterHole))]
    });
    parts.flatten().filter(move |(part, _)| part.len() >= SHORTEST_PART && part.len() < name.len())
}

/// The starts of a name from which code may make it up if a text is the start of one: `_apply_operator` of
/// `_apply_operator_Ket`, `visit` of `visitName`.
fn name_starts(name: &str) -> impl Iterator<Item = &str> {
    let letters = name.char_indices().zip(name.chars().skip(1));
    let humps = letters.filter(|((_, letter), next)| {
        *next == '_' || (letter.is_ascii_lowercase() && next.is_ascii_uppercase())
    });
    let starts = humps.filter_map(|((at, letter), _)| name.get(..at + letter.len_utf8()));
    starts.filter(|start| start.len() >= SHORTEST_PART)
}

const QUOTES: &[u8] = b"'\"`";

/// Whether a word is a whole string or ends one that names something.
fn is_quoted(before: Option<u8>, rest: &[u8]) -> bool {
    let ends = rest.first().is_some_and(|next| QUOTES.contains(next));
    ends && before.is_some_and(|before| QUOTES.contains(&before) || b"#.:".contains(&before))
}

/// Whether something is filled in after a word. Between tokens, a macro may do so.
fn is_before_hole(rest: &[u8]) -> bool {
    let is_near = rest.first().is_some_and(|next| QUOTES.contains(next) || b"{%$#<\\".contains(next));
    is_near || rest.trim_ascii_start().first().is_some_and(|next| b"$#".contains(next))
}

/// Whether something is filled in before a word.
fn is_after_hole(before: &[u8]) -> bool {
    let is_near = before.last().is_some_and(|last| QUOTES.contains(last) || b"})#>%".contains(last));
    is_near || before.trim_ascii_end().last() == Some(&b'#')
}

/// Whether a word is the start of a text from which code may make a name up: `"visit" + kind`, `f"visit{kind}"`. A word
/// of several parts may also be passed on as a whole, such as `"_apply_operator"`.
fn starts_text(before: Option<u8>, word: &str, rest: &[u8]) -> bool {
    let Some(quote @ (b'\'' | b'"' | b'`')) = before else { return false };
    match rest.split_first() {
        Some((b'{' | b'$' | b'%' | b'#', _)) => true,
        Some((next, after)) if *next == quote => {
            let after = after.trim_ascii_start();
            after.starts_with(b"+") || after.starts_with(b"..") || name_starts(word).next().is_some()
        }
        _ => false,
    }
}
