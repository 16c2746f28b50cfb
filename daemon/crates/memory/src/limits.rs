//! How long texts and how many rows may be.

/// Characters of a title, subject or predicate.
pub const TITLE: usize = 200;
/// Characters of an object, a note, or the message of an activity.
pub const NOTE: usize = 2_000;
/// Characters of a memory, a lesson or a message.
pub const CONTENT: usize = 8_000;
/// Characters of a dispatch's brief.
pub const BRIEF: usize = 16_000;
/// Bytes of a value in the scratch cache, as JSON.
pub const SCRATCH_VALUE: usize = 65_536;
/// Symbols, and files, that one row may be anchored to.
pub const ANCHORS: usize = 50;
/// Memories and lessons of one repository, or of the user.
pub const MEMORIES_OF_ONE: usize = 2_000;
/// Memories and lessons in all.
pub const MEMORIES: usize = 20_000;
/// Triples in all.
pub const TRIPLES: usize = 100_000;
/// Dispatches in all.
pub const DISPATCHES: usize = 10_000;
/// Messages in all.
pub const MESSAGES: usize = 10_000;
/// Rows of activity in all.
pub const ACTIVITY: usize = 50_000;
/// Entries of the scratch cache of one repository, or of the user.
pub const SCRATCH: usize = 1_000;
/// Former states that are kept of one row.
pub const REVISIONS: usize = 20;

/// Milliseconds of a day.
pub const DAY_MS: u64 = 86_400_000;
/// How long a removed row can be brought back.
pub const REMOVED_MS: u64 = 30 * DAY_MS;
/// How long an answer is kept for a request that is sent again.
pub const REPLY_MS: u64 = DAY_MS;
/// How long messages are kept.
pub const MESSAGE_MS: u64 = 30 * DAY_MS;
/// How long activity and ended sessions are kept.
pub const ACTIVITY_MS: u64 = 90 * DAY_MS;
/// How long ended dispatches are kept.
pub const DISPATCH_MS: u64 = 365 * DAY_MS;
