//! How sure it is that a symbol is unused: by who else spells its name.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use sdl_model::facts::DefFlags;
use sdl_model::{FileId, Outline};

use super::seen::{Seen, Spelled, words_of_name};
use super::{Candidates, UnusedSymbol};
use crate::blocks::open_blocks;

// How often symbols of each class are unused, in percent. Compilers and test suites were asked, for
// some packages, because no rule tells. `docs/questions.md` has the figures.
/// Nothing reaches it, nothing shows another way to it, and code elsewhere can't name it.
const CONFINED: u8 = 93;
/// Nothing reaches it, and nothing shows another way to it.
const NOWHERE: u8 = 80;
/// Nothing reaches it, but code outside may call it on a value that it is given.
const OPEN: u8 = 50;
/// Nothing reaches it, but code of its file looks names up.
const LOOKED_UP: u8 = 60;
/// Nothing reaches it, but it is in a block that lets others use it, such as the braces of a macro.
const IN_BLOCK: u8 = 40;
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
        self.found.iter().flat_map(|one| words_of_name(one.sym.name())).collect()
    }

    /// The unused symbols, from all files that spell one of the words. Without files, their text counts as unread. Surest
    /// first, then by place.
    pub fn weigh(mut self, files: Option<&[Spelled]>) -> Vec<UnusedSymbol> {
        let mut seen = Seen::of(&self.found);
        let mut blocks: HashMap<FileId, Vec<Range<usize>>> = HashMap::new();
        if let Some(files) = files {
            let outlines: HashMap<FileId, &Outline> =
                self.found.iter().map(|one| (one.sym.file(), one.sym.outline())).collect();
            for file in files {
                let spans = self.dead.get(&file.file).map_or(&[][..], Vec::as_slice);
                let outline = outlines.get(&file.file).copied();
                seen.add(file, spans, outline);
                if let Some(outline) = outline {
                    blocks.insert(file.file, open_blocks(outline, &file.bytes));
                }
            }
        }
        for one in &mut self.found {
            let open = blocks.get(&one.sym.file()).map_or(&[][..], Vec::as_slice);
            let at = one.sym.def().span.start as usize;
            one.is_in_open_block = open.iter().any(|block| block.contains(&at));
            one.spelled_at = seen.place_of_name(one);
            one.made_from = seen.part_of_name(one);
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

fn confidence_of(one: &UnusedSymbol, is_read: bool) -> u8 {
    let base = match (one.by_export, is_read) {
        (true, false) => EXPORTED_SPELLED,
        (false, false) => UNREAD,
        (_, true) if one.made_from.is_some() => MADE_UP,
        (true, true) if one.spelled_at.is_some() => EXPORTED_SPELLED,
        (true, true) => EXPORTED,
        (false, true) if one.spelled_at.is_some() => SPELLED,
        (false, true) if one.region.is_some() => CONFINED,
        (false, true) => NOWHERE,
    };
    let open = if one.is_open { OPEN } else { base };
    let looked_up = if one.looked_up_by.is_some() { LOOKED_UP } else { base };
    let in_block = if one.is_in_open_block { IN_BLOCK } else { base };
    let data = if one.is_test_data { TEST_DATA } else { base };
    let no_word = if is_word(one.sym.name()) { base } else { SPELLED };
    let base = [open, looked_up, in_block, data, no_word].into_iter().fold(base, u8::min);
    if is_partly_seen(one) { (u32::from(base) * 4 / 5) as u8 } else { base }
}

/// Whether a name is one word, so that text can spell it as such. That of an operator isn't.
fn is_word(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80)
}

/// Whether a symbol may be used in ways that its language does not show in the file, or not in every build.
fn is_partly_seen(one: &UnusedSymbol) -> bool {
    let names = &one.sym.outline().lang.traits().names;
    let flags = one.sym.def().flags;
    (one.region.is_none() && !names.is_closed && !names.implicit_receiver)
        || flags.has(DefFlags::LEFT_OUT)
        || flags.has(DefFlags::OPTIONAL)
}
