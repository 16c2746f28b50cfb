//! `policy.get`: returns the policy of a repository.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ToolError;
use crate::call::action::{Action, ActionDef, Namespace, Render, RepoAction};
use crate::call::answers::begin_line;
use crate::call::context::RepoCx;
use crate::call::freshness::Stand;
use crate::guard::policy::Policy;
use crate::host::policies::{self, InForce};

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
    /// The loosest policy that `policy.set` may make. Only a person can raise it: `sdlctl policy`.
    ceiling: Policy,
    /// Fields that were set looser than the ceiling. The ceiling's value applies to them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    clamped: Vec<&'static str>,
    /// Damage that a person should know of, because a policy may have been lost with it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
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
        let InForce { policy, ceiling, clamped } = policies::in_force(cx.call.host, cx.repo.id())?;
        let warnings = cx.call.host.audit().concerns();
        Ok((Response { policy, ceiling, clamped, warnings }, Stand::apart(cx.repo)))
    }
}

impl Render for Response {
    fn text(&self) -> String {
        let json = |policy: &Policy| serde_json::to_string(policy).unwrap_or_default();
        let mut text = format!("{}\nceiling: {}", json(&self.policy), json(&self.ceiling));
        if !self.clamped.is_empty() {
            begin_line(&mut text, format_args!("held down by the ceiling: {}", self.clamped.join(", ")));
        }
        self.warnings.iter().for_each(|warning| begin_line(&mut text, format_args!("warning: {warning}")));
        text
    }
}
