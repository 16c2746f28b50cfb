//! Agents that work side by side: the sessions that are open now, what they were served lately, and who waits for messages. What outlives
//! the daemon is in the store ([`sdl_memory::work`]).

mod news;
mod present;
mod shown;

pub(crate) use news::News;
pub(crate) use present::{Present, session_key};
pub(crate) use shown::{InboxOut, MessageOut, message_line, sender_name};

/// Who is there, and who waits.
#[derive(Default)]
pub(crate) struct Work {
    pub(crate) present: Present,
    pub(crate) news: std::sync::Arc<News>,
    /// Whether the daemon stops, so that connections are closed by it and not by their clients.
    pub(crate) stops: std::sync::atomic::AtomicBool,
}
