//! Which tools and prompts go by their own names: who had a name first, among all upstreams.

use std::collections::HashSet;
use std::sync::Arc;

use sdl_settings::Upstream;

use super::bare::{Claim, Holders, Rival, choose_bare};
use super::definition::Definition;
use super::listed::Listed;
use super::reading::Reading;

/// A reading that is to be put in force.
pub(super) struct Read {
    pub(super) entry: Upstream,
    pub(super) reading: Reading,
    pub(super) was_small: bool,
    /// Whether it was not in force before.
    pub(super) is_new: bool,
}

/// Decides who had which name before, where it is not decided yet. Returns those that changed.
pub(super) fn rank_names(read: &mut [Read]) -> impl Iterator<Item = &Read> {
    let there: HashSet<String> = read.iter().map(|one| one.entry.key.clone()).collect();
    let (mut tools, mut prompts) = (Holders::of_tools(), Holders::of_prompts());
    let mut order: Vec<usize> = (0..read.len()).collect();
    // Who stays keeps its names. Of those that come, the one that was read last: it had them while others were turned off.
    order.sort_by_key(|at| read.get(*at).map(|one| (one.is_new, u64::MAX - one.reading.read_at_ms)));
    let mut changed = HashSet::new();
    for at in order {
        let Some(Read { entry, reading, is_new, .. }) = read.get_mut(at) else { continue };
        if *is_new {
            let was_away = std::mem::take(&mut reading.left);
            if was_away {
                reading.forget_rivals(&|key| there.contains(key));
            }
            if reading.rank(&entry.key, &tools, &prompts) || was_away {
                changed.insert(at);
            }
        }
        reading.hold_names(&entry.key, &mut tools, &mut prompts);
    }
    read.iter().enumerate().filter(move |(at, _)| changed.contains(at)).map(|(_, one)| one)
}

/// Shows tools by their own names where those who see all tools see them so.
pub(super) fn name_for_all(upstreams: &mut [Arc<Listed>]) {
    let all: Vec<(usize, Arc<Definition>)> = upstreams
        .iter()
        .enumerate()
        .flat_map(|(at, one)| one.all().map(move |tool| (at, Arc::clone(tool))))
        .collect();
    let claims: Vec<Claim<'_>> =
        all.iter().filter_map(|(at, tool)| Some(upstreams.get(*at)?.claim(tool))).collect();
    let exists = |rival: &Rival| {
        let one = upstreams.iter().find(|one| *one.key == *rival.key);
        one.is_none_or(|one| one.entry.own.tools.permits(&rival.name))
    };
    let chosen = choose_bare(&claims, &exists);
    let bare: HashSet<(usize, &str)> = all
        .iter()
        .zip(chosen)
        .filter(|(_, is_bare)| *is_bare)
        .map(|((at, tool), _)| (*at, tool.name.as_str()))
        .collect();
    let mut named = Vec::new();
    for (at, one) in upstreams.iter().enumerate().filter(|(_, one)| !one.forms.is_empty()) {
        let form = |tool: &Arc<Definition>| one.form(tool, bare.contains(&(at, tool.name.as_str())));
        if one.all().any(|tool| form(tool).advertised != tool.advertised) {
            let (tools, held) = (one.tools.iter().map(form), one.held.iter().map(form));
            named.push((at, Arc::new(one.with_tools(tools, held, one.forms.clone()))));
        }
    }
    for (at, one) in named {
        if let Some(place) = upstreams.get_mut(at) {
            *place = one;
        }
    }
}
