//! Who wrote a row.

use serde::{Deserialize, Serialize};

/// Who wrote a row, as far as it is known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Author {
    /// The session, `ses_…`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The agent's name, as it says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The client's name, as it introduced itself.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub client: String,
    /// Whose calls the client makes, if not those of the user at the socket.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub principal: Option<String>,
}

impl Author {
    /// A name for people and agents: the agent's, else the client's.
    pub fn name(&self) -> &str {
        let client = Some(self.client.as_str()).filter(|client| !client.is_empty());
        self.agent.as_deref().or(client).unwrap_or("somebody")
    }
}
