//! Where a call comes from, beyond its session: what the request says beside its arguments, and the way back to its client.

use serde_json::{Map, Value};

use crate::host::{Client, NoClient};
use crate::{Names, Surface};

/// The member of a request's `_meta` that says what the client can be asked, from 2026-07-28 on.
const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";

/// The start of the names that the protocol keeps for itself in `_meta`.
const OF_PROTOCOL: &[&str] = &["io.modelcontextprotocol/", "modelcontextprotocol/"];

/// The start of our own names in `_meta`.
const OURS: &str = "sdl/";

/// A call of a tool as a client sent it.
#[derive(Clone, Copy)]
pub struct ToolRequest<'a> {
    /// The tool's name.
    pub name: &'a str,
    /// Its arguments, JSON text.
    pub arguments: &'a [u8],
    /// What the request says beside them.
    pub origin: Origin<'a>,
}

impl<'a> ToolRequest<'a> {
    /// A call of a client that can't be asked.
    pub fn new(name: &'a str, arguments: &'a [u8]) -> Self {
        Self { name, arguments, origin: Origin::default() }
    }
}

/// Where a call comes from.
#[derive(Clone, Copy)]
pub struct Origin<'a> {
    /// The request's `_meta`, JSON text.
    pub meta: Option<&'a str>,
    /// The request's `inputResponses`, JSON text: answers to the questions of an earlier `input_required`.
    pub input_responses: Option<&'a str>,
    /// The request's `requestState`: names the call that is to go on.
    pub request_state: Option<&'a str>,
    /// The way to the client.
    pub client: &'a dyn Client,
    /// What the client is listed.
    pub shown: Shown,
}

/// What a client is listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// The tools.
    pub surface: Surface,
    /// Whether with the schemas of their answers.
    pub output_schemas: bool,
    /// How names are spelled.
    pub names: Names,
}

impl Default for Origin<'_> {
    fn default() -> Self {
        Self {
            meta: None,
            input_responses: None,
            request_state: None,
            client: &NoClient,
            shown: Shown::default(),
        }
    }
}

/// Whether an upstream gets this member of a request's `_meta`: all but the protocol's own and ours.
pub(crate) fn passes_to_upstream(name: &str) -> bool {
    name != "progressToken"
        && !name.starts_with(OURS)
        && !OF_PROTOCOL.iter().any(|start| name.starts_with(start))
}

/// How a client can be asked, with its capabilities.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Way {
    /// Not at all.
    None,
    /// By a request of its own, while the call waits.
    Beside(Map<String, Value>),
    /// In the answer of the call, which the client then sends again.
    Within(Map<String, Value>),
}

impl Way {
    /// What can be asked.
    pub(crate) fn capabilities(&self) -> Option<&Map<String, Value>> {
        match self {
            Self::None => None,
            Self::Beside(capabilities) | Self::Within(capabilities) => Some(capabilities),
        }
    }

    /// The same with fewer capabilities.
    pub(crate) fn retain(mut self, keep: impl Fn(&str) -> bool) -> Self {
        if let Self::Beside(capabilities) | Self::Within(capabilities) = &mut self {
            capabilities.retain(|kind, _| keep(kind));
        }
        self
    }

    /// Whether the client can be asked for this kind of thing.
    pub(crate) fn can_ask(&self, kind: &str) -> bool {
        self.capabilities().is_some_and(|capabilities| capabilities.contains_key(kind))
    }
}

impl Origin<'_> {
    /// How the client can be asked.
    pub(crate) fn way(&self) -> Way {
        let mut meta = self.read_meta();
        if let Some(Value::Object(declared)) = meta.remove(CAPABILITIES) {
            return Way::Within(declared);
        }
        self.client.capabilities().map_or(Way::None, Way::Beside)
    }

    /// Returns the members of `_meta` that an upstream gets: all but the protocol's own and ours.
    pub(crate) fn meta_for_upstream(&self) -> Map<String, Value> {
        let mut meta = self.read_meta();
        meta.retain(|name, _| passes_to_upstream(name));
        meta
    }

    /// Returns a member of `_meta` that is ours, by its name after `sdl/`.
    pub(crate) fn own_meta(&self, name: &str) -> Option<Value> {
        self.read_meta().remove(&format!("{OURS}{name}"))
    }

    fn read_meta(&self) -> Map<String, Value> {
        self.meta.and_then(|meta| serde_json::from_str(meta).ok()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_upstream_gets_what_is_neither_the_protocols_nor_ours() {
        let meta = r#"{"progressToken":1,"io.modelcontextprotocol/clientInfo":{},"sdl/spill":false,"traceparent":"00-a","x":1e400}"#;
        let origin = Origin { meta: Some(meta), ..Origin::default() };
        let passed = Value::Object(origin.meta_for_upstream()).to_string();
        assert_eq!(passed, r#"{"traceparent":"00-a","x":1e+400}"#);
        assert_eq!(origin.own_meta("spill"), Some(Value::Bool(false)));
        assert_eq!(origin.way(), Way::None);
    }

    #[test]
    fn capabilities_of_a_request_come_before_those_of_a_session() {
        struct Able;
        impl Client for Able {
            fn capabilities(&self) -> Option<Map<String, Value>> {
                Some([("roots".to_owned(), Value::Null)].into_iter().collect())
            }

            fn ask(&self, _: &str, _: Vec<u8>, _: crate::host::Reply) -> crate::host::OpenQuestion {
                crate::host::OpenQuestion::default()
            }
        }
        let origin = Origin { client: &Able, ..Origin::default() };
        assert!(matches!(origin.way(), Way::Beside(all) if all.contains_key("roots")));
        let meta = r#"{"io.modelcontextprotocol/clientCapabilities":{"elicitation":{},"sampling":{}}}"#;
        let way = Origin { meta: Some(meta), ..origin }.way().retain(|kind| kind != "sampling");
        assert!(matches!(&way, Way::Within(all) if all.len() == 1));
        assert!(way.can_ask("elicitation") && !way.can_ask("roots"));
    }
}
