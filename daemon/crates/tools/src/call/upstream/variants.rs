//! The lists that an upstream has for different clients: it may list more tools to those that it can ask something.

use sdl_proto::gate::Owner;
use serde_json::Map;

use super::listed::Listed;
use super::question::{allowed_way, is_kind};
use super::reading::VARIANT_JOINT;
use super::rules::Rules;
use crate::call::origin::Way;
use crate::host::ListsOf;

/// The name of the list for clients that can be asked this way: see [`super::reading::Reading::variants`].
pub(crate) fn variant_of(way: &Way) -> String {
    let mut kinds: Vec<&str> =
        way.capabilities().into_iter().flat_map(Map::keys).map(String::as_str).collect();
    kinds.retain(|kind| is_kind(kind));
    kinds.sort_unstable();
    kinds.join(VARIANT_JOINT)
}

/// Returns which lists of an upstream are those of a caller: over its own connection if the upstream may ask it something.
pub(crate) fn lists_of_caller<'k>(
    upstream: &'k Listed,
    way: &Way,
    rules: &Rules<'_>,
    session: u64,
) -> ListsOf<'k> {
    let way = allowed_way(way.clone(), upstream.entry.own.ask, rules, &upstream.key);
    match way.capabilities() {
        Some(client) if !client.is_empty() => {
            ListsOf { key: &upstream.key, owner: Owner::Session(session), client: client.clone() }
        }
        _ => ListsOf::shared(&upstream.key),
    }
}

/// Whether these lists were never read, although they may have more than those that were.
pub(crate) fn are_unread(of: &ListsOf<'_>, upstream: &Listed) -> bool {
    let variant = || variant_of(&Way::Beside(of.client.clone()));
    !of.client.is_empty() && !upstream.reading.variants.contains_key(&variant())
}
