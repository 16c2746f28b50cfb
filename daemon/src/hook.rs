//! `hook/remind`: answers a hook of a client, for the command line.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use dashmap::DashMap;
use sdl_contract::{Cancel, Session};
use sdl_proto::{ClientKind, WireError};
use sdl_tools::{HookCaller, HookInput, Shown, Tools};
use serde::Deserialize;
use serde_json::json;

use crate::router::{parse_params, shown_to};
use crate::server::Peer;
use crate::upstream::Clients;
use crate::work::wire_error;

/// The method.
pub(crate) const REMIND: &str = "hook/remind";

/// The longest time that a hook may ask for.
const MOST_WAIT: Duration = Duration::from_secs(10);

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Asked {
    /// The client's name, such as `claude-code`.
    client: String,
    /// The processes that the hook descends from.
    ancestors: HashSet<u32>,
    /// How long the client waits for the answer, in milliseconds.
    within_ms: u64,
    /// The event.
    #[serde(flatten)]
    input: HookInput,
}

/// The processes that started the shims. Each is looked up once, because that takes a program on some systems, and a hook has no time for one.
#[derive(Default)]
pub(crate) struct Parents(DashMap<u64, Option<u32>>);

impl Parents {
    /// Forgets a session.
    pub(crate) fn forget(&self, session: u64) {
        self.0.remove(&session);
    }

    fn parent_of(&self, peer: &Peer) -> Option<u32> {
        if let Some(known) = self.0.get(&peer.id()) {
            return *known;
        }
        let parent = parent_process(peer.hello().pid);
        self.0.insert(peer.id(), parent);
        parent
    }
}

/// Answers the method.
pub(crate) fn answer_hook(
    tools: &Tools,
    (clients, parents): (&Clients, &Parents),
    caller: &Peer,
    params: &[u8],
    cancel: &Cancel,
) -> Result<Vec<u8>, WireError> {
    let begun = Instant::now();
    let asked: Asked = parse_params(params)?;
    let deadline = begun + Duration::from_millis(asked.within_ms).min(MOST_WAIT);
    let cancel = cancel.clone().with_deadline(deadline);
    // The newest connection, if the client has started the shim more than once.
    let is_own = |peer: &Arc<Peer>| {
        peer.hello().kind == ClientKind::Shim
            && parents.parent_of(peer).is_some_and(|parent| asked.ancestors.contains(&parent))
    };
    let found = clients.all().into_iter().filter(is_own).max_by_key(|peer| peer.id());
    let text = match found {
        Some(peer) => {
            let caller = HookCaller { session: peer.caller(), is_client: true, shown: shown_to(&peer) };
            tools.answer_hook(caller, &asked.input, &cancel)
        }
        None => {
            // Rules for the client hold for its hooks too.
            let session = Session { client: asked.client, ..caller.caller().clone() };
            let caller = HookCaller { session: &session, is_client: false, shown: Shown::default() };
            tools.answer_hook(caller, &asked.input, &cancel)
        }
    };
    let text = text.map_err(|error| wire_error(&error))?;
    Ok(json!({ "text": text }).to_string().into_bytes())
}

/// The process that started another.
#[cfg(target_os = "linux")]
fn parent_process(pid: u32) -> Option<u32> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The second field is a name in brackets that may have any character, so that the last bracket ends it.
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

/// The process that started another.
#[cfg(not(target_os = "linux"))]
fn parent_process(pid: u32) -> Option<u32> {
    let pid = pid.to_string();
    let output = std::process::Command::new("ps").args(["-o", "ppid=", "-p", &pid]).output().ok()?;
    String::from_utf8(output.stdout).ok()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_has_a_parent() {
        assert!(parent_process(std::process::id()).is_some());
        assert_eq!(parent_process(u32::MAX), None);
    }
}
