//! What agents leave behind: memories of a repository, feedback on what they were given, output of commands.

pub(crate) mod artifacts;
pub(crate) mod feedback;
pub(crate) mod memory;
