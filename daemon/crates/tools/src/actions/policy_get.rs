//! `policy.get`: what a repository allows.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ToolError;
use crate::action::{Action, ActionDef, Namespace, Render, RepoAction, RepoCx, Stand};
use crate::policy::{self, Policy};

/// See [`ActionDef`].
pub(crate) struct PolicyGet;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Request {}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Response {
    /// The policy in force.
    policy: Policy,
}

impl Action for PolicyGet {
    type Request = Request;
    type Response = Response;
    const DEF: ActionDef = ActionDef {
        name: "policy.get",
        namespace: Namespace::Repo,
        mutating: false,
        description: "Call this when code.needWindow was denied and you want the limits",
        needs: "",
        examples: &[r#"{"repoId":"my-repo"}"#],
        aliases: &[],
    };
}

impl RepoAction for PolicyGet {
    fn run(cx: &RepoCx<'_>, _: Request) -> Result<(Response, Stand), ToolError> {
        let policy = policy::of(cx.call.host.agent(), cx.repo)?;
        Ok((Response { policy }, Stand::apart(cx.repo)))
    }
}

impl Render for Response {
    fn text(&self) -> String {
        serde_json::to_string(&self.policy).unwrap_or_default()
    }
}
