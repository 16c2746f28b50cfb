//! How the model calls an action, by the tools that its client is listed.

use crate::Surface;
use crate::call::action::Namespace;
use crate::call::names::advertised_name;
use crate::call::origin::Shown;

/// Spells calls.
#[derive(Clone, Copy)]
pub(super) struct Speller(Shown);

impl Speller {
    pub(super) fn new(shown: Shown) -> Self {
        Self(shown)
    }

    /// The tool that reads the graph, to be followed by an action's name.
    pub(super) fn query_tool(self) -> String {
        match self.0.surface {
            Surface::Gateway => advertised_name(Namespace::Query.name(), self.0.names),
            Surface::Flat | Surface::Search => advertised_name("symbol.related", self.0.names),
            Surface::Pair => advertised_name("tool.call", self.0.names),
        }
    }

    /// A call of an action that reads the graph. `arguments` are JSON fields.
    pub(super) fn query_call(self, action: &str, arguments: &str) -> String {
        match self.0.surface {
            Surface::Gateway => {
                let tool = advertised_name(Namespace::Query.name(), self.0.names);
                format!("{tool} {{\"action\":\"{action}\",{arguments}}}")
            }
            Surface::Flat | Surface::Search => {
                format!("{} {{{arguments}}}", advertised_name(action, self.0.names))
            }
            Surface::Pair => {
                let tool = advertised_name("tool.call", self.0.names);
                format!("{tool} {{\"tool\":\"{action}\",\"args\":{{{arguments}}}}}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Names;

    #[test]
    fn each_surface_has_its_call() {
        for (surface, names, call) in [
            (Surface::Gateway, Names::Underscored, r#"sdl_query {"action":"symbol.related","symbol":"a"}"#),
            (Surface::Flat, Names::Underscored, r#"sdl_symbol_related {"symbol":"a"}"#),
            (Surface::Flat, Names::Dotted, r#"sdl.symbol.related {"symbol":"a"}"#),
            (Surface::Search, Names::Underscored, r#"sdl_symbol_related {"symbol":"a"}"#),
            (
                Surface::Pair,
                Names::Underscored,
                r#"sdl_tool_call {"tool":"symbol.related","args":{"symbol":"a"}}"#,
            ),
        ] {
            let speller = Speller::new(Shown { surface, output_schemas: false, names });
            assert_eq!(speller.query_call("symbol.related", r#""symbol":"a""#), call);
        }
    }
}
