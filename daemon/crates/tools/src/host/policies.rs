//! The policies of a host's repositories: read, brought down to their ceilings, stored.

use crate::guard::policy::{Policy, PolicyPatch};
use crate::stored;
use crate::stored::tables::POLICY;
use crate::{Code, Explained, Host, Repo, ToolError};

/// The layout of the stored form.
const LAYOUT: u8 = 1;

/// A repository's policy and its ceiling.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct InForce {
    /// The policy in force.
    pub(crate) policy: Policy,
    /// The loosest allowed policy.
    pub(crate) ceiling: Policy,
    /// Fields that were set looser than the present ceiling.
    pub(crate) clamped: Vec<&'static str>,
}

/// Returns the policy of a repository; the default one if none was set. A policy that can't be read is an error,
/// because a damaged record must not allow more.
pub(crate) fn repo_policy(host: &dyn Host, repo: &dyn Repo) -> Result<Policy, ToolError> {
    of_id(host, repo.id())
}

/// Like [`repo_policy`], by the repository's id.
pub(crate) fn of_id(host: &dyn Host, repo: &str) -> Result<Policy, ToolError> {
    in_force(host, repo).map(|found| found.policy)
}

/// Returns the policy of a repository with its ceiling.
pub(crate) fn in_force(host: &dyn Host, repo: &str) -> Result<InForce, ToolError> {
    let ceiling = host.ceilings().of(host.audit(), host.agent(), repo)?;
    let stored = stored_of(host, repo)?;
    let clamped = stored.above(&ceiling).into_iter().map(|above| above.field).collect();
    Ok(InForce { policy: stored.below(&ceiling), ceiling, clamped })
}

/// Returns a repository's policy for display to a person: the policy in force, the ceiling, and the fields that the
/// ceiling limits.
pub fn shown_policy(host: &dyn Host, repo: &str) -> Result<serde_json::Value, ToolError> {
    let InForce { policy, ceiling, clamped } = in_force(host, repo)?;
    Ok(serde_json::json!({ "policy": policy, "ceiling": ceiling, "clamped": clamped }))
}

fn stored_of(host: &dyn Host, repo: &str) -> Result<Policy, ToolError> {
    let key = stored::row_key(repo, "");
    let stored = host.agent().read(|reader| Ok(reader.get(POLICY, &key)?.map(<[u8]>::to_vec)))?;
    let Some(bytes) = stored else { return Ok(Policy::default()) };
    let policy = bytes.split_first().filter(|(layout, _)| **layout == LAYOUT);
    policy.and_then(|(_, json)| serde_json::from_slice(json).ok()).ok_or_else(|| {
        let message = "the stored policy can't be read; set every field of it again with policy.set";
        ToolError::new(Code::Unavailable, message)
    })
}

/// Returns the policy after a patch; an error if it is above the ceiling.
pub(crate) fn planned_policy(
    host: &dyn Host,
    repo: &dyn Repo,
    patch: &PolicyPatch,
) -> Result<Policy, ToolError> {
    let ceiling = host.ceilings().of(host.audit(), host.agent(), repo.id())?;
    // A policy that can't be read is replaced, starting from the default.
    let policy = stored_of(host, repo.id()).unwrap_or_default().below(&ceiling).patched(patch);
    let above = policy.above(&ceiling);
    let Some(first) = above.first() else { return Ok(policy) };
    let limits: Vec<String> =
        above.iter().map(|above| format!("{} has to be {}", above.field, above.allowed)).collect();
    let remedies: Vec<String> =
        above.iter().map(|above| format!("sdlctl policy {} --repo {}", above.remedy, repo.id())).collect();
    let message = format!(
        "above the ceiling that a person set for {:?}: {}; only a person can raise it: {}",
        repo.id(),
        limits.join(", "),
        remedies.join("; ")
    );
    let ceiling =
        serde_json::to_value(&ceiling).map_err(|e| ToolError::internal("writing the ceiling", e))?;
    Err(ToolError::new(Code::Denied, message)
        .at(format!("policyPatch.{}", first.field))
        .with("ceiling", ceiling)
        .with("askPerson", remedies))
}

/// Stores a repository's policy.
pub(crate) fn store_policy(host: &dyn Host, repo: &dyn Repo, policy: &Policy) -> Result<(), ToolError> {
    let mut bytes = vec![LAYOUT];
    serde_json::to_writer(&mut bytes, policy).map_err(|e| ToolError::internal("writing a policy", e))?;
    Ok(host.agent().write(|writer| writer.put(POLICY, &stored::row_key(repo.id(), ""), &bytes))?)
}
