//! The tables of this crate in the agents' store.

/// Maps (scope, memory) to a memory or a lesson.
pub const MEMORIES: &str = "memories";
/// Maps (scope, hash of the text) to the memory that says it.
pub const MEMORIES_BY_TEXT: &str = "memories_by_text";
/// Maps (scope, memory) to the fields by which it is chosen. Follows from the memories.
pub const NOTE_HEADS: &str = "note_heads";
/// Maps triples to what was asserted.
pub const TRIPLES: &str = "triples";
/// Maps (entity, direction, predicate, time, triple) to nothing.
pub const TRIPLES_BY_ENTITY: &str = "triples_by_entity";
/// Maps the folded name of an entity to the name as it was first written.
pub const ENTITIES: &str = "entities";
/// Maps (scope, agent, kind, key) to an entry of the scratch cache.
pub const SCRATCH: &str = "scratch";
/// Maps a dispatch to its state.
pub const DISPATCHES: &str = "dispatches";
/// Maps (dispatch, event) to what was reported.
pub const DISPATCH_EVENTS: &str = "dispatch_events";
/// Maps a session to who it is.
pub const SESSIONS: &str = "sessions";
/// Maps a message to its text.
pub const MESSAGES: &str = "messages";
/// Maps (address, message) to the state of its delivery.
pub const INBOX: &str = "inbox";
/// Maps an activity to what happened. In the order of time.
pub const ACTIVITY: &str = "activity";
/// Maps (kind, value, row) to nothing: finds sessions, messages, dispatches and activity. Follows from the rows.
pub const WORK_KEYS: &str = "work_keys";
/// Maps a source or a lane to how often it was used.
pub const WEIGHTS: &str = "weights";
/// Maps (row, revision) to what the row was before.
pub const REVISIONS: &str = "revisions";
/// Maps (principal, key) to the answer that a request got.
pub const REPLIES: &str = "replies";
/// The words of all rows.
pub const WORDS: &str = "words";
/// Maps (repository, symbol or path, row) to the row's scope: rows by the code that they are about. Follows from the rows.
pub const ANCHORED: &str = "anchored";
/// Maps (time, kind, row) to nothing: rows that end by themselves. Follows from the rows.
pub const ENDS: &str = "ends";
/// The number of changes, the layout of the words, the time of the last sweep.
pub const MEMORY_META: &str = "memory_meta";

/// Every table, for opening the store.
pub const ALL: &[&str] = &[
    MEMORIES,
    MEMORIES_BY_TEXT,
    NOTE_HEADS,
    TRIPLES,
    TRIPLES_BY_ENTITY,
    ENTITIES,
    SCRATCH,
    DISPATCHES,
    DISPATCH_EVENTS,
    SESSIONS,
    MESSAGES,
    INBOX,
    ACTIVITY,
    WORK_KEYS,
    WEIGHTS,
    REVISIONS,
    REPLIES,
    WORDS,
    ANCHORED,
    ENDS,
    MEMORY_META,
];
