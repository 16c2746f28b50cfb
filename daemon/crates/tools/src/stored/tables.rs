//! The tables of the data that agents own: their names, one line for each concern.
//!
//! Keys begin with the repository's id and a zero byte where a row belongs to one; values are JSON after a layout
//! number.

/// Maps a repository to its policy.
pub(crate) const POLICY: &str = "policy";
/// Maps a sequence number to a decision, each with the hash of the one before.
pub(crate) const AUDIT: &str = "audit";
/// Maps (repository, feedback) to a piece of feedback.
pub(crate) const FEEDBACK: &str = "feedback";
/// Maps (repository, hour, action) to counts of calls and tokens.
pub(crate) const USAGE: &str = "usage";
/// Maps (repository, artifact) to the output of a command.
pub(crate) const ARTIFACTS: &str = "artifacts";
/// Maps (repository, assembly) to the sources of an assembled context.
pub(crate) const ASSEMBLIES: &str = "assemblies";

/// Maps an upstream to its lists as they were last read.
pub(crate) const UPSTREAM_LISTS: &str = "upstream_lists";

/// Every table, for opening the store.
pub const AGENT_TABLES: &[&str] = &{
    const OWN: [&str; 7] = [POLICY, AUDIT, FEEDBACK, USAGE, ARTIFACTS, ASSEMBLIES, UPSTREAM_LISTS];
    let kept = sdl_memory::tables::ALL;
    let mut all = [""; OWN.len() + sdl_memory::tables::ALL.len()];
    let mut at = 0;
    while at < all.len() {
        all[at] = if at < OWN.len() { OWN[at] } else { kept[at - OWN.len()] };
        at += 1;
    }
    all
};
