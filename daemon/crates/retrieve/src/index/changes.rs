//! The postings that differ between two states of a file, without making those of the definitions that stay the same.

use std::collections::HashMap;

use sdl_ledger::FilePostings;
use sdl_model::facts::{Def, DefIx};
use sdl_model::{Body, FileId, Outline, RelPath};

use super::fields::{Documents, Writer};

/// The two halves of a file's facts.
pub type Halves<'f> = (&'f Outline, &'f Body);

/// The postings of a file's definitions that are not the same in both states, before and after. A posting may be in both lists.
///
/// The difference of the two lists is that of all postings of the file before and after: the rest is in both. Takes time in
/// proportion to the texts of both states, but splits only those of definitions that differ into words.
pub fn changed_postings(
    path: &RelPath,
    file: FileId,
    before: Option<Halves<'_>>,
    after: Option<Halves<'_>>,
) -> [FilePostings; 2] {
    let documents = |(outline, body)| Documents::new(path, file, outline, body);
    let [before, after] = [before.map(documents), after.map(documents)];
    let [mut kept_before, mut kept_after] = [&before, &after]
        .map(|documents| vec![false; documents.as_ref().map_or(0, |documents| documents.outline.defs.len())]);
    if let (Some(before), Some(after)) = (&before, &after) {
        for (was, is) in same_definitions(before, after) {
            kept_before[was.0 as usize] = true;
            kept_after[is.0 as usize] = true;
        }
    }
    let postings = |documents: Option<Documents<'_>>, kept: &[bool]| {
        documents.map_or_else(FilePostings::default, |documents| postings_without(&documents, kept))
    };
    [postings(before, &kept_before), postings(after, &kept_after)]
}

/// The definitions that have the same postings in both states, with their places in each.
fn same_definitions(before: &Documents<'_>, after: &Documents<'_>) -> Vec<(DefIx, DefIx)> {
    let places: HashMap<u64, (DefIx, &Def)> =
        before.outline.iter().map(|(ix, def)| (def.key, (ix, def))).collect();
    let mut texts = Default::default();
    let same = |(ix, def): (DefIx, &Def)| {
        let (was_ix, was) = *places.get(&def.key)?;
        after.is_same((ix, def), before, (was_ix, was), &mut texts).then_some((was_ix, ix))
    };
    after.outline.iter().filter_map(same).collect()
}

fn postings_without(documents: &Documents<'_>, kept: &[bool]) -> FilePostings {
    let mut writer = Writer::new(documents);
    for ((ix, _), _) in documents.outline.iter().zip(kept).filter(|(_, kept)| !**kept) {
        writer.add_postings(ix);
    }
    writer.into_postings()
}
