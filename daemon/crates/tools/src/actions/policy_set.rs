//! `policy.set`: changes what a repository allows.

use schemars::JsonSchema;
use sdl_ledger::{Clock as _, SystemClock};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::action::{Action, ActionDef, Namespace, Render, RepoAction, RepoCx, Stand};
use crate::policy::{self, PolicyPatch};
use crate::{ToolError, audit};

/// See [`ActionDef`].
pub(crate) struct PolicySet;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Request {
    /// The fields to change.
    policy_patch: PolicyPatch,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Response {
    /// Always true.
    ok: bool,
    /// The repository.
    repo_id: String,
}

impl Action for PolicySet {
    type Request = Request;
    type Response = Response;
    const DEF: ActionDef = ActionDef {
        name: "policy.set",
        namespace: Namespace::Repo,
        mutating: true,
        description: "Call this when the user wants other limits for raw code; it is audited",
        needs: "policyPatch",
        examples: &[
            r#"{"repoId":"my-repo","policyPatch":{"maxWindowLines":220,"maxWindowTokens":1800,"requireIdentifiers":true,"allowBreakGlass":true}}"#,
        ],
        aliases: &[],
    };
}

impl RepoAction for PolicySet {
    fn run(cx: &RepoCx<'_>, request: Request) -> Result<(Response, Stand), ToolError> {
        let store = cx.call.host.agent();
        let stand = Stand::apart(cx.repo);
        // In the log before it is in force.
        let row = audit::Row {
            at_ms: SystemClock.unix_ms(),
            repo_id: cx.repo.id().to_owned(),
            session: cx.call.session.id,
            client: cx.call.session.client.chars().take(200).collect(),
            action: "policy.set".to_owned(),
            decision: "set".to_owned(),
            version: stand.version.to_string(),
            details: json!({ "policyPatch": request.policy_patch }),
            ..audit::Row::default()
        };
        // What was decided before stands before it.
        cx.call.decisions.settle(store)?;
        audit::append(store, &[row])?;
        policy::set(store, cx.repo, &request.policy_patch)?;
        Ok((Response { ok: true, repo_id: cx.repo.id().to_owned() }, stand))
    }
}

impl Render for Response {
    fn text(&self) -> String {
        format!("policy of {} changed", self.repo_id)
    }
}
