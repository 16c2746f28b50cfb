//! Counts which sources of a context were used.

use std::collections::HashSet;

use sdl_memory::Result;
use sdl_memory::store::Change;
use sdl_memory::weights::{Source, judge_context};
use sdl_memory::words::Lane;

use crate::context::assembly::Assembly;

/// Counts the sources of a context as used or unused. Returns how many of each.
pub(crate) fn judge_assembly(
    change: &mut Change<'_, '_>,
    scope: &str,
    assembly: &Assembly,
    used: &[String],
) -> Result<(usize, usize)> {
    let used: HashSet<&String> = used.iter().collect();
    let lane = |id: &String| {
        let lesson = assembly.lessons.contains(id);
        if lesson { Source::Kept(Lane::Lesson) } else { Source::of_id(id) }
    };
    let mut seen = HashSet::new();
    let shown = assembly.source_ids.iter().filter(|id| seen.insert(*id));
    let sources: Vec<(String, Source, bool)> =
        shown.map(|id| (id.clone(), lane(id), used.contains(id))).collect();
    let count = sources.iter().filter(|(_, _, used)| *used).count();
    judge_context(change, scope, &assembly.id, &sources)?;
    Ok((count, sources.len() - count))
}
