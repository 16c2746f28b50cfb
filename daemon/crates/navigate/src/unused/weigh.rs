//! How sure it is that a symbol is unused: by who else spells its name.

use std::collections::{BTreeSet, HashMap, HashSet};

use sdl_model::facts::DefFlags;
use sdl_model::{FileId, Outline};
use sdl_retrieve::Sym;

use super::languages::looks_names_up;
use super::{Candidates, DeadSpan, UnusedSymbol};

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

// How often symbols of each class are unused, in percent. Estimates beside what the test suites of some packages of
// Python ran; `docs/questions.md` has the figures. No class is 90 or more, because too few symbols were found to show it.
/// Nothing reaches it, and nothing shows another way to it.
const NOWHERE: u8 = 80;
/// Nothing reaches it, but code outside may call it on a value that it is given.
const OPEN: u8 = 50;
/// Nothing reaches it, but code of its file looks names up.
const LOOKED_UP: u8 = 60;
/// Nothing reaches it, but tests may read its file as data.
const TEST_DATA: u8 = 50;
/// Nothing reaches it, but code or text elsewhere spells its name.
const SPELLED: u8 = 40;
/// Nothing reaches it, but code may make its name up.
const MADE_UP: u8 = 10;
/// Only its export keeps it, and nothing else spells its name.
const EXPORTED: u8 = 50;
/// The same, but code or text elsewhere spells its name.
const EXPORTED_SPELLED: u8 = 30;
/// The text was not looked at.
const UNREAD: u8 = 70;

impl Candidates {
    /// Leaves out those that only an export keeps if their confidence can't be `least` percent, whatever the text says.
    pub fn drop_below(&mut self, least: u8) {
        if least <= EXPORTED {
            return;
        }
        let kept: Vec<bool> = self.found.iter().map(|one| !one.by_export).collect();
        let mut places: Vec<Option<u32>> = Vec::new();
        let mut next = 0;
        for keep in &kept {
            places.push(keep.then_some(next));
            next += u32::from(*keep);
        }
        let place_of = |old: &u32| places.get(*old as usize).copied().flatten();
        let is_kept = |at: usize| kept.get(at).copied().unwrap_or(false);
        self.found.retain(|one| !one.by_export);
        self.asked =
            self.asked.iter().enumerate().filter(|(at, _)| is_kept(*at)).map(|(_, asked)| *asked).collect();
        let uses = std::mem::take(&mut self.uses).into_iter().enumerate().filter(|(at, _)| is_kept(*at));
        self.uses = uses.map(|(_, used)| used.iter().filter_map(place_of).collect()).collect();
        for span in self.dead.values_mut().flatten() {
            span.part_of = span.part_of.as_ref().and_then(place_of);
        }
    }

    /// The names of the candidates, and the parts from which code may make them up.
    pub fn words(&self) -> BTreeSet<&str> {
        let names = self.found.iter().map(|one| one.sym.name());
        let parts = |name| name_parts(name).chain(name_starts(name)).chain(std::iter::once(name));
        names.flat_map(parts).collect()
    }

    /// The unused symbols, from all files that spell one of the words. Without files, their text counts as unread. Surest
    /// first, then by place.
    pub fn weigh(mut self, files: Option<&[Spelled]>) -> Vec<UnusedSymbol> {
        let mut seen = Seen::default();
        if let Some(files) = files {
            let words: HashSet<String> = self.words().into_iter().map(str::to_owned).collect();
            let outlines: HashMap<FileId, &Outline> =
                self.found.iter().map(|one| (one.sym.file(), one.sym.outline())).collect();
            for file in files {
                let spans = self.dead.get(&file.file).map_or(&[][..], Vec::as_slice);
                seen.add(file, &words, spans, outlines.get(&file.file).copied());
            }
        }
        for one in &mut self.found {
            one.spelled_at = seen.place_of(one.sym.name(), one.by_export);
            let name = one.sym.name();
            let part = name_parts(name).find(|part| seen.place_of(part, one.by_export).is_some());
            let start = || name_starts(name).find(|start| seen.quoted.contains(*start));
            one.made_from = part.or_else(start).map(str::to_owned);
            one.looked_up_by = seen.lookups.get(&one.sym.file()).cloned();
            one.confidence = confidence_of(one, files.is_some());
        }
        for (at, one) in self.found.iter().enumerate() {
            for user in seen.users.get(one.sym.name()).into_iter().flatten() {
                if let Some(used) = self.uses.get_mut(*user as usize) {
                    used.push(at as u32);
                }
            }
        }
        lower_used(&mut self.found, &self.uses);
        let asked = std::mem::take(&mut self.asked);
        let mut found: Vec<UnusedSymbol> =
            self.found.into_iter().zip(asked).filter(|(_, asked)| *asked).map(|(one, _)| one).collect();
        found.sort_by(|a, b| {
            let place = |one: &UnusedSymbol| (one.sym.path().to_owned(), one.sym.line(), one.sym.id);
            b.confidence.cmp(&a.confidence).then_with(|| place(a).cmp(&place(b)))
        });
        found
    }
}

/// Makes no symbol surer than those that use it: it is used if one of them is. From the least sure on, so each is seen
/// once.
fn lower_used(found: &mut [UnusedSymbol], uses: &[Vec<u32>]) {
    let mut order: Vec<usize> = (0..found.len()).collect();
    order.sort_by_key(|at| found.get(*at).map(|one| one.confidence));
    let mut is_done = vec![false; found.len()];
    for start in order {
        let Some(least) = found.get(start).map(|one| one.confidence) else { continue };
        let mut waiting = vec![start];
        while let Some(at) = waiting.pop() {
            if is_done.get(at).copied().unwrap_or(true) {
                continue;
            }
            if let Some(done) = is_done.get_mut(at) {
                *done = true;
            }
            let user = found.get(at).map(|one| one.sym.qualified().to_owned());
            for used in uses.get(at).into_iter().flatten() {
                let Some(one) = found.get_mut(*used as usize) else { continue };
                if one.confidence > least {
                    one.confidence = least;
                    one.less_by.clone_from(&user);
                }
                waiting.push(*used as usize);
            }
        }
    }
}

/// The parts of a name up to an underscore and from one: `visit_` and `_name` of `visit_name`.
fn name_parts(name: &str) -> impl Iterator<Item = &str> {
    let breaks = name.char_indices().filter(|(_, letter)| *letter == '_').map(|(at, _)| at);
    let parts = breaks.flat_map(|at| [name.get(..=at), name.get(at..)]);
    parts.flatten().filter(move |part| part.len() >= SHORTEST_PART && part.len() < name.len())
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

fn confidence_of(one: &UnusedSymbol, is_read: bool) -> u8 {
    let base = match (one.by_export, is_read) {
        (true, false) => EXPORTED_SPELLED,
        (false, false) => UNREAD,
        (_, true) if one.made_from.is_some() => MADE_UP,
        (true, true) if one.spelled_at.is_some() => EXPORTED_SPELLED,
        (true, true) => EXPORTED,
        (false, true) if one.spelled_at.is_some() => SPELLED,
        (false, true) => NOWHERE,
    };
    let open = if one.is_open { OPEN } else { base };
    let looked_up = if one.looked_up_by.is_some() { LOOKED_UP } else { base };
    let data = if one.is_test_data { TEST_DATA } else { base };
    let no_word = if is_word(one.sym.name()) { base } else { SPELLED };
    let base = base.min(open).min(looked_up).min(data).min(no_word);
    if is_partly_seen(&one.sym) { (u32::from(base) * 4 / 5) as u8 } else { base }
}

/// Whether a name is one word, so that text can spell it as such. That of an operator isn't.
fn is_word(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80)
}

/// Whether a symbol may be used in ways that its language does not show in the file, or not in every build.
fn is_partly_seen(sym: &Sym) -> bool {
    let names = &sym.outline().lang.traits().names;
    let flags = sym.def().flags;
    !(names.is_closed || names.implicit_receiver)
        || flags.has(DefFlags::LEFT_OUT)
        || flags.has(DefFlags::OPTIONAL)
}

/// The places of words outside of unused code.
#[derive(Default)]
struct Seen {
    /// The first place of each word: outside of symbols that are surely unused, and outside of
    /// all that nothing here reaches.
    places: HashMap<String, [Option<(String, u32)>; 2]>,
    /// The candidates whose text has each word.
    users: HashMap<String, BTreeSet<u32>>,
    /// The words with which texts start from which code may make names up.
    quoted: HashSet<String>,
    /// The first word of each file by which code looks names up.
    lookups: HashMap<FileId, String>,
}

impl Seen {
    fn place_of(&self, word: &str, by_export: bool) -> Option<(String, u32)> {
        self.places.get(word).and_then(|places| places.get(usize::from(by_export)).cloned().flatten())
    }

    fn add(
        &mut self,
        file: &Spelled,
        words: &HashSet<String>,
        spans: &[DeadSpan],
        outline: Option<&Outline>,
    ) {
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80;
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
            let before = at.checked_sub(1).and_then(|at| file.bytes.get(at)).copied();
            if outline.is_some_and(|outline| looks_names_up(outline, word, before, rest.get(len).copied())) {
                self.lookups.entry(file.file).or_insert_with(|| word.to_owned());
            }
            // `"%s_name"` is read as the word `s_name`.
            let word = if before == Some(b'%') && word.starts_with("s_") {
                word.get(1..).unwrap_or(word)
            } else {
                word
            };
            if words.contains(word) {
                let rest = rest.get(len..).unwrap_or_default();
                if starts_text(before, word, rest) && !self.quoted.contains(word) {
                    self.quoted.insert(word.to_owned());
                }
                self.add_word(word, (&file.path, line), at as u32, spans);
            }
            at += len;
        }
    }

    fn add_word(&mut self, word: &str, (path, line): (&str, u32), at: u32, spans: &[DeadSpan]) {
        let around: Vec<&DeadSpan> =
            spans.iter().filter(|span| (span.start..span.end).contains(&at)).collect();
        let users: BTreeSet<u32> = around.iter().filter_map(|span| span.part_of).collect();
        if !users.is_empty() {
            self.users.entry(word.to_owned()).or_default().extend(users);
        }
        let places = self.places.entry(word.to_owned()).or_default();
        for (place, by_export) in places.iter_mut().zip([false, true]) {
            if place.is_none() && !around.iter().any(|span| by_export || !span.by_export) {
                *place = Some((path.to_owned(), line));
            }
        }
    }
}
