//! Agents that work side by side: messages, dispatches, sessions and activity, through the tools as two clients call them.

mod delivery;
mod dispatches;
mod found;

use std::sync::Arc;

use crate::common::World;
use sdl_tools::{Cancel, ClientRun, Host, NoProgress, Session, Tools};
use serde_json::{Value, json};

/// Two clients of one daemon, and a third without a run.
struct Pair {
    world: World,
    ann: Session,
    bob: Session,
}

impl Pair {
    fn new() -> Self {
        Self::with(&json!({"sdl": {"modules": ["work"]}}))
    }

    fn with(settings: &Value) -> Self {
        let world = World::shop();
        world.configure(settings);
        let client = |id, run| Session {
            id,
            client: format!("client{id}"),
            run: ClientRun::of(run),
            ..world.session.clone()
        };
        let (ann, bob) = (client(11, 1), client(12, 2));
        Self { world, ann, bob }
    }

    fn call(&self, session: &Session, tool: &str, args: &Value) -> (bool, Value) {
        call_of(&self.world.tools, session, tool, args)
    }

    fn ok(&self, session: &Session, tool: &str, args: Value) -> Value {
        let (failed, answer) = self.call(session, tool, &args);
        assert!(!failed, "{tool} {args}: {answer:#}");
        answer
    }

    fn err(&self, session: &Session, tool: &str, args: Value) -> Value {
        let (failed, answer) = self.call(session, tool, &args);
        assert!(failed, "{tool} {args}: {answer:#}");
        answer
    }

    /// Both join by their names.
    fn join(&self) {
        self.ok(&self.ann, "sdl_session_join", json!({"agent": "ann", "task": "the cart"}));
        self.ok(&self.bob, "sdl_session_join", json!({"agent": "bob"}));
    }

    /// As after a restart of the daemon: the same store, and nothing in memory.
    fn restart(&mut self, settings: &Value) {
        self.world.tools = Tools::new(Arc::clone(&self.world.host) as Arc<dyn Host>);
        self.world.configure(settings);
    }
}

fn call_of(tools: &Tools, session: &Session, tool: &str, args: &Value) -> (bool, Value) {
    let bytes = tools.call(session, tool, args.to_string().as_bytes(), &NoProgress, &Cancel::new());
    let result: Value = serde_json::from_slice(&bytes).unwrap();
    (result["isError"] == true, result["structuredContent"].clone())
}

/// The bodies of the messages beside an answer.
fn bodies(answer: &Value) -> Vec<String> {
    let messages = answer["inbox"]["messages"].as_array().cloned().unwrap_or_default();
    messages.iter().map(|message| message["body"].as_str().unwrap().to_owned()).collect()
}
