//! The links to resources that sessions were served lately, so that a client can follow them without their being listed.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Map, Value};

/// Links that are kept for one session, and for all.
const MOST_OF_SESSION: usize = 128;
const MOST: usize = 8_192;
/// Longer URIs are not kept, because they would make the memory of a session large.
const MAX_URI_BYTES: usize = 2 << 10;

/// The links of all sessions, the latest at the end.
#[derive(Default)]
pub(crate) struct ServedLinks(Mutex<VecDeque<Link>>);

#[derive(PartialEq, Eq)]
struct Link {
    session: u64,
    key: Arc<str>,
    uri: String,
}

impl ServedLinks {
    /// Keeps the links in a result that an upstream gave to a session.
    pub(crate) fn note(&self, session: u64, key: &Arc<str>, result: &Map<String, Value>) {
        let found: Vec<&str> = links_in(result).filter(|uri| uri.len() <= MAX_URI_BYTES).collect();
        if found.is_empty() {
            return;
        }
        let mut links = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Of more links than are kept, the last ones would stay in any case.
        for uri in found.iter().rev().take(MOST_OF_SESSION).rev() {
            let link = Link { session, key: Arc::clone(key), uri: (*uri).to_owned() };
            links.retain(|known| *known != link);
            links.push_back(link);
        }
        let mut left = links.iter().filter(|link| link.session == session).count();
        links.retain(|link| {
            let goes = link.session == session && left > MOST_OF_SESSION;
            left -= usize::from(goes);
            !goes
        });
        while links.len() > MOST {
            links.pop_front();
        }
    }

    /// The upstreams that served a link with this URI to a session.
    pub(crate) fn keys_of(&self, session: u64, uri: &str) -> Vec<Arc<str>> {
        let links = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let meant = links.iter().filter(|link| link.session == session && link.uri == uri);
        meant.map(|link| Arc::clone(&link.key)).collect()
    }

    /// Forgets a session.
    pub(crate) fn session_ended(&self, session: u64) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).retain(|link| link.session != session);
    }
}

/// The URIs of the links in the result of a tool or a prompt.
fn links_in(result: &Map<String, Value>) -> impl Iterator<Item = &str> {
    let messages = result.get("messages").and_then(Value::as_array).into_iter().flatten();
    let of_prompts: Vec<&Value> = messages.flat_map(|message| blocks_of(message.get("content"))).collect();
    let links = blocks_of(result.get("content")).into_iter().chain(of_prompts);
    let links = links.filter(|block| block.get("type").is_some_and(|kind| kind == "resource_link"));
    links.filter_map(|link| link.get("uri")?.as_str())
}

/// The blocks of a content: several, or one alone.
fn blocks_of(content: Option<&Value>) -> Vec<&Value> {
    match content {
        Some(Value::Array(blocks)) => blocks.iter().collect(),
        Some(block) => vec![block],
        None => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn note(links: &ServedLinks, session: u64, key: &str, result: &Value) {
        links.note(session, &key.into(), result.as_object().unwrap());
    }

    fn link(uri: &str) -> Value {
        json!({"type": "resource_link", "uri": uri, "name": "x"})
    }

    #[test]
    fn links_of_tools_and_prompts_are_kept_for_their_session() {
        let links = ServedLinks::default();
        note(&links, 1, "fs", &json!({"content": [link("a://1"), {"type": "text", "text": "a://2"}]}));
        note(
            &links,
            1,
            "web",
            &json!({"messages": [{"content": link("a://1")}, {"content": [link("a://3")]}]}),
        );
        let keys = |session: u64, uri: &str| {
            links.keys_of(session, uri).iter().map(|key| key.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(keys(1, "a://1"), ["fs", "web"]);
        assert_eq!((keys(1, "a://2").len(), keys(1, "a://3").len(), keys(2, "a://1").len()), (0, 1, 0));
        links.session_ended(1);
        assert!(keys(1, "a://1").is_empty());
    }

    #[test]
    fn memory_is_bounded_and_the_latest_links_stay() {
        let links = ServedLinks::default();
        let many = |from: usize| {
            let all: Vec<Value> = (from..from + 1_000).map(|at| link(&format!("a://{at}"))).collect();
            json!({ "content": all })
        };
        note(&links, 1, "fs", &json!({"content": [link("b://1"), link(&"x".repeat(MAX_URI_BYTES + 1))]}));
        for session in 2..200 {
            note(&links, session, "fs", &many(0));
        }
        assert_eq!(links.0.lock().unwrap().len(), MOST);
        note(&links, 199, "fs", &many(500));
        assert_eq!(links.keys_of(199, "a://1499").len(), 1);
        assert!(links.keys_of(199, "a://999").is_empty());
        assert_eq!(
            links.0.lock().unwrap().iter().filter(|link| link.session == 199).count(),
            MOST_OF_SESSION
        );
    }
}
