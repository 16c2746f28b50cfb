//! The annotations of a tool beside its schema. Clients use them to decide whether to ask their user first.

use serde_json::{Map, Value};

use crate::call::registry::{Registry, To, Tool};

/// Changing actions: whether a call may take something away, and whether a second equal call changes nothing more.
/// Actions that are not listed are assumed to be destructive and not idempotent, as in the protocol's defaults.
const CHANGING: &[(&str, bool, bool)] = &[
    ("repo.register", false, true),
    ("index.refresh", false, true),
    ("buffer.push", false, true),
    ("buffer.checkpoint", false, true),
    ("policy.set", true, true),
    ("agent.feedback", false, false),
    ("memory.store", true, false),
    ("memory.remove", true, true),
];

impl Registry {
    /// Returns the annotations of a tool that differ from the protocol's defaults (may change and destroy, not
    /// idempotent). A gateway may lead to any action, so it keeps the defaults.
    pub(crate) fn annotations(&self, tool: Tool) -> Option<Value> {
        let To::Action(at) = tool.to else { return None };
        let def = &self.entries().get(at)?.def;
        let mut out = Map::new();
        if !def.mutating {
            out.insert("readOnlyHint".into(), true.into());
        } else if let Some((_, destructive, idempotent)) =
            CHANGING.iter().find(|(name, ..)| *name == def.name)
        {
            if !destructive {
                out.insert("destructiveHint".into(), false.into());
            }
            if *idempotent {
                out.insert("idempotentHint".into(), true.into());
            }
        }
        (!out.is_empty()).then_some(Value::Object(out))
    }
}
