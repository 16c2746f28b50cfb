//! `policy.set`: changes the policy of a repository.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::call::action::{Action, ActionDef, Namespace, Render, RepoAction};
use crate::call::context::RepoCx;
use crate::call::freshness::Stand;
use crate::guard::audit;
use crate::guard::policy::PolicyPatch;
use crate::host::policies;
use crate::{Code, ToolError};

/// See [`ActionDef`].
pub(crate) struct PolicySet;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Request {
    /// Fields to change. Others stay.
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
        description: "Call this when the user wants other limits for raw code, below the ceiling that a person set; audited",
        needs: "policyPatch",
        examples: &[
            r#"{"repoId":"my-repo","policyPatch":{"maxWindowLines":220,"maxWindowTokens":1800,"requireIdentifiers":true,"allowBreakGlass":true}}"#,
        ],
        aliases: &[],
    };
}

impl RepoAction for PolicySet {
    fn run(cx: &RepoCx<'_>, request: Request) -> Result<(Response, Stand), ToolError> {
        let stand = Stand::apart(cx.repo);
        let row = |decision: &str, why: Vec<String>| audit::Row {
            repo_id: cx.repo.id().to_owned(),
            action: "policy.set".to_owned(),
            decision: decision.to_owned(),
            version: stand.version.to_string(),
            why,
            details: json!({ "policyPatch": request.policy_patch }),
            ..audit::Row::default()
        };
        let policy = match policies::planned_policy(cx.call.host, cx.repo, &request.policy_patch) {
            Ok(policy) => policy,
            Err(error) => {
                if error.refusal.code == Code::Denied {
                    cx.call.log(row("denied", vec![error.refusal.message.clone()]))?;
                }
                return Err(error);
            }
        };
        // Logged before it is in force.
        cx.call.log(row("set", Vec::new()))?;
        policies::store_policy(cx.call.host, cx.repo, &policy)?;
        Ok((Response { ok: true, repo_id: cx.repo.id().to_owned() }, stand))
    }
}

impl Render for Response {
    fn text(&self) -> String {
        format!("policy of {} changed", self.repo_id)
    }
}
