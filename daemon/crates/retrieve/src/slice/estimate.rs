//! About how many tokens a card takes in a slice: cheap, and right on the whole rather than for each.

use super::WireFormat;
use crate::card::{Card, Deps, Signature};

/// The tokens of a card apart from its texts: keys, kind, range, etag, and its id in the index.
const CARD: usize = 44;
/// The same of a dependency, whose id is mostly not in the index otherwise.
const DEPENDENCY: usize = 16;
const EDGE: usize = 9;
/// A slice without cards, and each symbol of its frontier.
const EMPTY: usize = 40;
const FRONTIER: usize = 32;

/// A slice without cards.
pub(super) fn empty_tokens(frontier: usize) -> usize {
    EMPTY + frontier * FRONTIER
}

/// A card that the client holds.
pub(super) fn card_ref(format: WireFormat) -> usize {
    in_format(30, format)
}

/// `count` edges.
pub(super) fn edge_tokens(count: usize, format: WireFormat) -> usize {
    count * in_format(EDGE, format)
}

/// A card.
pub(super) fn card_tokens(card: &Card, format: WireFormat) -> usize {
    let qualified = if card.qualified_name == card.name { 0 } else { text_tokens(&card.qualified_name) };
    let mut tokens = CARD + text_tokens(&card.name) + qualified + text_tokens(&card.file) / 3;
    tokens += card.signature.as_ref().map_or(0, signature_tokens);
    tokens += card.summary.as_ref().map_or(0, |summary| 3 + text_tokens(summary));
    tokens += card.deps.as_ref().map_or(0, dependency_tokens);
    tokens += card.invariants.iter().map(|invariant| 2 + text_tokens(invariant)).sum::<usize>();
    tokens += card.side_effects.iter().map(|effect| 5 + text_tokens(&effect.what)).sum::<usize>();
    tokens += if card.metrics.is_some() { 40 } else { 0 };
    tokens += card.processes.iter().chain(&card.cluster).map(|told| 3 + text_tokens(told)).sum::<usize>();
    in_format(tokens, format)
}

fn in_format(tokens: usize, format: WireFormat) -> usize {
    match format {
        WireFormat::Standard => tokens * 2,
        WireFormat::CompactV1 => tokens * 6 / 5,
        WireFormat::CompactV2 | WireFormat::CompactV3 => tokens,
    }
}

fn signature_tokens(signature: &Signature) -> usize {
    let of_param = |ty: &Option<String>| ty.as_ref().map_or(0, |ty| 3 + text_tokens(ty));
    let params = signature.params.iter().map(|param| 2 + text_tokens(&param.name) + of_param(&param.ty));
    let others = [&signature.returns, &signature.generics, &signature.header];
    4 + params.sum::<usize>() + others.into_iter().flatten().map(|part| 2 + text_tokens(part)).sum::<usize>()
}

fn dependency_tokens(deps: &Deps) -> usize {
    let lists = [&deps.calls, &deps.imports, &deps.implements, &deps.config, &deps.refs];
    6 + lists.into_iter().flatten().map(|dep| DEPENDENCY + text_tokens(&dep.name) / 2).sum::<usize>()
}

fn text_tokens(text: &str) -> usize {
    text.len().div_ceil(4)
}
