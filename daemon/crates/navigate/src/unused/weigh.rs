//! How sure it is that a symbol is unused: by who else spells its name.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use sdl_model::FileId;
use sdl_model::facts::DefFlags;
use sdl_retrieve::Sym;

use super::{Candidates, UnusedSymbol};

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

// The confidences are measured on packages of Python with the coverage of their test suites; see docs/questions.md.
/// Nothing reaches it and nothing else spells its name.
const NOWHERE: u8 = 97;
/// Nothing reaches it, but code or text elsewhere spells its name.
const SPELLED: u8 = 60;
/// Nothing reaches it, but code may make its name up.
const MADE_UP: u8 = 40;
/// Only its export keeps it, and nothing else spells its name.
const EXPORTED: u8 = 50;
/// The same, but code or text elsewhere spells its name.
const EXPORTED_SPELLED: u8 = 30;
/// The text was not looked at.
const UNREAD: u8 = 80;

impl Candidates {
    /// Leaves out those whose confidence can't be `least` percent, whatever the text says.
    pub fn drop_below(&mut self, least: u8) {
        self.found.retain(|one| (if one.by_export { EXPORTED } else { NOWHERE }) >= least);
    }

    /// The names of the candidates, and the parts from which code may make them up.
    pub fn words(&self) -> BTreeSet<&str> {
        let names = self.found.iter().map(|one| one.sym.name());
        names.flat_map(|name| name_parts(name).chain(std::iter::once(name))).collect()
    }

    /// The unused symbols, from all files that spell one of the words. Without files, their text counts as unread. Surest
    /// first, then by place.
    pub fn weigh(mut self, files: Option<&[Spelled]>) -> Vec<UnusedSymbol> {
        let mut seen = Seen::default();
        if let Some(files) = files {
            let words: HashSet<String> = self.words().into_iter().map(str::to_owned).collect();
            files.iter().for_each(|file| seen.add(file, &words, &self.dead));
        }
        for one in &mut self.found {
            one.spelled_at = seen.place_of(one.sym.name(), one.by_export);
            let part = name_parts(one.sym.name()).find(|part| seen.place_of(part, one.by_export).is_some());
            one.made_from = part.map(str::to_owned);
            one.confidence = confidence_of(one, files.is_some());
        }
        self.found.sort_by(|a, b| {
            let place = |one: &UnusedSymbol| (one.sym.path().to_owned(), one.sym.line(), one.sym.id);
            b.confidence.cmp(&a.confidence).then_with(|| place(a).cmp(&place(b)))
        });
        self.found
    }
}

/// The parts of a name up to an underscore and from one: `visit_` and `_name` of `visit_name`.
fn name_parts(name: &str) -> impl Iterator<Item = &str> {
    let breaks = name.char_indices().filter(|(_, letter)| *letter == '_').map(|(at, _)| at);
    let parts = breaks.flat_map(|at| [name.get(..=at), name.get(at..)]);
    parts.flatten().filter(move |part| part.len() >= SHORTEST_PART && part.len() < name.len())
}

fn confidence_of(one: &UnusedSymbol, is_read: bool) -> u8 {
    let base = match (one.by_export, is_read) {
        (true, false) => EXPORTED_SPELLED,
        (false, false) => UNREAD,
        (_, true) if one.made_from.is_some() => {
            MADE_UP.min(if one.by_export { EXPORTED_SPELLED } else { MADE_UP })
        }
        (true, true) if one.spelled_at.is_some() => EXPORTED_SPELLED,
        (true, true) => EXPORTED,
        (false, true) if one.spelled_at.is_some() => SPELLED,
        (false, true) => NOWHERE,
    };
    if is_open(&one.sym) { (u32::from(base) * 4 / 5) as u8 } else { base }
}

/// Whether a symbol may be used in ways that its language does not show in the file, or not in every build.
fn is_open(sym: &Sym) -> bool {
    let names = &sym.outline().lang.traits().names;
    let flags = sym.def().flags;
    !(names.is_closed || names.implicit_receiver)
        || flags.has(DefFlags::LEFT_OUT)
        || flags.has(DefFlags::OPTIONAL)
}

/// The first place of each word outside of unused code: unused for certain, and unused but for an export.
#[derive(Default)]
struct Seen(HashMap<String, [Option<(String, u32)>; 2]>);

impl Seen {
    fn place_of(&self, word: &str, by_export: bool) -> Option<(String, u32)> {
        self.0.get(word).and_then(|places| places.get(usize::from(by_export)).cloned().flatten())
    }

    fn add(
        &mut self,
        file: &Spelled,
        words: &HashSet<String>,
        dead: &BTreeMap<FileId, Vec<(u32, u32, bool)>>,
    ) {
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80;
        let spans = dead.get(&file.file).map_or(&[][..], Vec::as_slice);
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
            if words.contains(word) {
                let around = |by_export: bool| {
                    spans.iter().any(|(start, end, kept)| {
                        (by_export || !kept) && (*start as usize..*end as usize).contains(&at)
                    })
                };
                let places = self.0.entry(word.to_owned()).or_default();
                for (place, by_export) in places.iter_mut().zip([false, true]) {
                    if place.is_none() && !around(by_export) {
                        *place = Some((file.path.clone(), line));
                    }
                }
            }
            at += len;
        }
    }
}
