//! What the page may ask for. A name that is not here is refused before it reaches the daemon.

/// Actions: those that read, and the one that a person confirms in the page.
pub(crate) const ACTIONS: &[&str] = &[
    "action.search",
    "agent.feedback.query",
    "buffer.status",
    "change.impact",
    "code.getHotPath",
    "code.getSkeleton",
    "code.needWindow",
    "context.summary",
    "delta.get",
    "dispatch.list",
    "info",
    "kg.query",
    "kg.timeline",
    "manual",
    "memory.query",
    "memory.surface",
    "policy.get",
    "policy.set",
    "pr.risk.analyze",
    "repo.overview",
    "repo.status",
    "session.list",
    "session.search",
    "slice.build",
    "slice.refresh",
    "slice.spillover.get",
    "symbol.getCard",
    "symbol.getCards",
    "symbol.path",
    "symbol.related",
    "symbol.rename",
    "symbol.search",
    "symbol.unused",
    "usage.stats",
];

/// Methods of the daemon. All of them read.
pub(crate) const METHODS: &[&str] = &[
    "audit/show",
    "audit/verify",
    "daemon/ping",
    "daemon/status",
    "policy/show",
    "upstream/list",
    "upstream/show",
    "upstream/tools",
    "work/sessions",
    "work/slices",
    "workspace/list",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_in_order_and_have_nothing_twice() {
        for list in [ACTIONS, METHODS] {
            assert!(list.is_sorted_by(|one, next| one < next), "{list:?}");
        }
    }
}
