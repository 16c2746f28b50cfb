//! `session.join`: gives a session a name, a task and channels.

use schemars::JsonSchema;
use sdl_memory::work::address::Address;
use sdl_memory::work::inbox::{Listener, waiting_for};
use sdl_memory::work::session::{Joined, MOST_CHANNELS, Seen, join_session};
use serde::{Deserialize, Serialize};

use crate::call::action::{Action, ActionDef, Namespace, OwnedAction, Render};
use crate::call::answers::append_text;
use crate::call::modules::Module;
use crate::call::owned::OwnedCx;
use crate::{Code, Explained, ToolError};

/// See [`ActionDef`].
pub(crate) struct SessionJoin;

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Request {
    /// Name that others reach you by. For example `reviewer`.
    #[schemars(length(min = 1, max = 200))]
    agent: String,
    /// What you work on, for others to see.
    #[schemars(length(max = 2_000))]
    task: Option<String>,
    /// Channels and plans to hear. For example `["#release","plan:q3"]`.
    #[schemars(length(max = MOST_CHANNELS))]
    channels: Option<Vec<String>>,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Response {
    /// The session's id.
    session_id: String,
    /// The name that it has now.
    agent: String,
    /// The addresses that it answers to.
    addresses: Vec<String>,
    /// Messages that wait for it.
    waiting: usize,
}

impl Action for SessionJoin {
    type Request = Request;
    type Response = Response;
    const MODULE: Option<Module> = Some(Module::Work);
    const DEF: ActionDef = ActionDef {
        name: "session.join",
        namespace: Namespace::Work,
        mutating: true,
        description: "Call this when you begin, so that others can reach you by name and see what you work on",
        needs: "agent",
        examples: &[
            r##"{"agent":"reviewer","task":"review of the login","channels":["#release","plan:q3"]}"##,
        ],
        aliases: &[],
    };
}

/// The error for a client that has no session.
pub(crate) fn no_session() -> ToolError {
    let message = "this client has no session of its own; a client that runs sdl-mcp of this version has one";
    ToolError::new(Code::MissingCapability, message)
}

impl OwnedAction for SessionJoin {
    const READS_CODE: bool = false;
    const SCOPED: bool = false;

    fn run(cx: &OwnedCx<'_>, request: Request) -> Result<Response, ToolError> {
        let session = cx.author.session.clone().ok_or_else(no_session)?;
        // A name that is read as another kind of address could not be reached.
        match Address::parse(&request.agent, "agent")? {
            Address::Agent(_) => {}
            _ => {
                let message =
                    "a name does not begin with #, ses_, repo: or plan:, and is not *; give another";
                return Err(ToolError::invalid("agent", message));
            }
        }
        let mut channels = Vec::new();
        for (i, text) in request.channels.iter().flatten().enumerate() {
            let field = format!("channels[{i}]");
            match Address::parse(text, &field)? {
                Address::Agent(name) => channels.push(Address::Channel(name)),
                channel @ (Address::Channel(_) | Address::Plan(_)) => channels.push(channel),
                _ => return Err(ToolError::invalid(field, "give a #channel or a plan:SLUG")),
            }
        }
        let agent = request.agent.trim().trim_start_matches('@').to_owned();
        let joined = Joined { agent, task: request.task.clone(), channels };
        let seen = Seen {
            id: session,
            client: cx.author.client.clone(),
            principal: cx.author.principal.clone(),
            repo: Some(cx.scopes.own.clone()).filter(|scope| !scope.is_empty()),
        };
        cx.change(|change| {
            let row = join_session(change, &seen, &joined)?;
            let addresses = row.addresses();
            let listener = Listener { session: &row.id, addresses: &addresses };
            let waiting = waiting_for(change.tables(), listener, change.now_ms())?.len();
            let agent = row.agent.clone().unwrap_or_default();
            Ok(Response { session_id: row.id, agent, addresses, waiting })
        })
    }
}

impl Render for Response {
    fn text(&self) -> String {
        let mut text = format!("{} is ", self.session_id);
        let Self { agent, addresses, waiting, .. } = self;
        append_text(&mut text, format_args!("{agent}; hears {}; {waiting} waiting", addresses.join(", ")));
        text
    }
}
