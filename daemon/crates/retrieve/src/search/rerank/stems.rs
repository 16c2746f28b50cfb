//! What the names of files say about a query.

use std::collections::{HashMap, HashSet};

use sdl_model::FileId;

use crate::index::words::{Scratch, each_term};
use crate::search::plan::Plan;
use crate::search::postings::term_idf;
use crate::{Result, Source};

/// Names of files that say nothing themselves: the folder's name is that of the code.
const OF_FOLDER: [&str; 5] = ["__init__", "index", "main", "mod", "lib"];

/// For each candidate, by its file: the share of the words of the file's name that the query contains. A word counts
/// for as much as it is rare in this tree. Files are opened only for candidates of which `in_path` says that a word is
/// in their path.
pub(super) fn stem_shares(
    source: &Source<'_>,
    plan: &Plan,
    homes: &[Option<FileId>],
    in_path: impl Fn(usize) -> bool,
) -> Result<Vec<f32>> {
    let symbols = source.view().counters()?.symbols.max(1) as f32;
    let said: HashSet<&str> = plan.terms.iter().map(|term| term.term.as_str()).collect();
    let mut known: HashMap<FileId, f32> = HashMap::new();
    let mut shares = Vec::with_capacity(homes.len());
    for (at, home) in homes.iter().enumerate() {
        let share = match home.filter(|_| in_path(at)) {
            None => 0.0,
            Some(home) => match known.get(&home) {
                Some(share) => *share,
                None => {
                    let share = stem_share(source, home, &said, symbols)?;
                    known.insert(home, share);
                    share
                }
            },
        };
        shares.push(share);
    }
    Ok(shares)
}

fn stem_share(source: &Source<'_>, file: FileId, said: &HashSet<&str>, symbols: f32) -> Result<f32> {
    let Some(row) = source.view().file(file)? else { return Ok(0.0) };
    let (stem, dir) = (row.path.stem(), row.path.dir());
    let folder = dir.rsplit('/').next().filter(|folder| !folder.is_empty());
    let name = folder.filter(|_| OF_FOLDER.contains(&stem)).unwrap_or(stem);
    let mut words: Vec<String> = Vec::new();
    each_term(name, &mut Scratch::default(), &mut |term| words.push(term.to_owned()));
    if !words.iter().any(|word| said.contains(word.as_str())) {
        return Ok(0.0);
    }
    let (mut met, mut all) = (0.0, f32::EPSILON);
    for word in &words {
        let mass = term_idf(source.view().term_count(word)?, symbols);
        all += mass;
        met += if said.contains(word.as_str()) { mass } else { 0.0 };
    }
    Ok(met / all)
}
