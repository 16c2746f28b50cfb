//! What agents leave behind: memories of a repository, and feedback on what they were given.

pub(crate) mod feedback;
pub(crate) mod memory;
