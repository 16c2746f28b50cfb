//! `usage.stats`: the cost of answers compared with reading the files.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::call::action::{Action, ActionDef, HostAction, Namespace, Render};
use crate::call::answers::begin_line;
use crate::call::context::Call;
use crate::call::pipeline;
use crate::call::upstream::{Definition, Rules, Who};
use crate::call::usage::{Count, Key, Usage, action_rung};
use crate::{Explained, ToolError};

/// See [`ActionDef`].
pub(crate) struct UsageStats;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
enum Scope {
    /// This connection.
    Session,
    /// One repository, whoever called.
    Repo,
    /// Everything.
    All,
}

impl Scope {
    fn name(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Repo => "repo",
            Self::All => "all",
        }
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Request {
    /// Default session. `session`: this connection; `repo`: one repository; `all`.
    scope: Option<Scope>,
    /// With scope `repo`. Default: the one around the working directory.
    repo_id: Option<String>,
    /// Unix milliseconds. Rounded down to the hour; 90 days are kept.
    #[schemars(range(min = 0))]
    since: Option<u64>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Response {
    /// The scope.
    scope: String,
    /// The start of the first hour that counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<u64>,
    /// Calls.
    calls: u64,
    /// Calls that failed; their errors count as served.
    failed_calls: u64,
    /// Tokens of all answers.
    tokens_served: u64,
    /// Files whose cards or source were served, each once per session.
    files_read: u64,
    /// Tokens of those files in full.
    tokens_of_files_read: u64,
    /// `tokensOfFilesRead` less `tokensServed`.
    saved: i64,
    /// Calls of upstreams' tools, where there are upstreams.
    #[serde(skip_serializing_if = "Option::is_none")]
    upstream: Option<UpstreamUse>,
    /// By action, most tokens first.
    by_action: Vec<Share>,
    /// By kind of answer: `search`, `card`, `slice`, `skeleton`, `hotPath`, `window`, `other`.
    by_rung: Vec<Share>,
}

#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct UpstreamUse {
    /// Upstream tools that you can call.
    tools: usize,
    /// Tokens of their definitions, if all were listed.
    tokens_if_listed: usize,
    /// Tokens of those that are listed.
    tokens_listed: usize,
    /// Searches for tools.
    searches: u64,
    /// Tokens of the definitions that searches have returned.
    definition_tokens_served: u64,
    /// Calls.
    calls: u64,
    /// Calls that failed.
    failed: u64,
    /// Tokens of results that were kept back.
    spilled_tokens: u64,
    /// With scope `session`: `tokensIfListed` and `spilledTokens`, less what was listed and served.
    #[serde(skip_serializing_if = "Option::is_none")]
    saved: Option<i64>,
    /// By upstream, most calls first.
    by_upstream: Vec<UpstreamShare>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct UpstreamShare {
    /// The upstream.
    key: String,
    /// Calls.
    calls: u64,
    /// Calls that failed.
    failed: u64,
    /// Tokens of their results.
    tokens_served: u64,
    /// Tokens of results that were kept back.
    spilled_tokens: u64,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Share {
    /// The action or kind.
    name: String,
    /// Calls.
    calls: u64,
    /// Tokens of their answers.
    tokens_served: u64,
    /// Tokens of the whole files that the answers came from.
    tokens_of_files_read: u64,
}

impl Action for UsageStats {
    type Request = Request;
    type Response = Response;
    const DEF: ActionDef = ActionDef {
        name: "usage.stats",
        namespace: Namespace::Repo,
        mutating: false,
        description: "Call this when you want to know what answers cost compared with reading the files",
        needs: "",
        examples: &[r#"{"scope":"session"}"#, r#"{"scope":"repo","repoId":"my-repo","since":1770600000000}"#],
        aliases: &[],
    };
}

impl HostAction for UsageStats {
    fn run(cx: &Call<'_>, request: Request) -> Result<Response, ToolError> {
        let scope = request.scope.unwrap_or(Scope::Session);
        if scope != Scope::Repo && request.repo_id.is_some() {
            return Err(ToolError::invalid("repoId", "repoId goes with scope: repo"));
        }
        cx.usage.settle(cx.host);
        let counts = match scope {
            Scope::Session => cx.usage.of_session(cx.session.id),
            Scope::All => Usage::of_all(cx.host, None)?,
            Scope::Repo => {
                let repo = pipeline::find_repo(cx, request.repo_id.as_deref())?;
                Usage::of_all(cx.host, Some(repo.id()))?
            }
        };
        let from = request.since.map(Key::hour_of);
        let counts = counts.into_iter().filter(|(key, _)| from.is_none_or(|from| key.hour >= from));
        let mut sum = Count::default();
        let (mut by_action, mut by_rung) = (BTreeMap::new(), BTreeMap::new());
        let mut of_upstreams = BTreeMap::new();
        for (key, count) in counts {
            if let Some(upstream) = key.upstream() {
                of_upstreams.entry(upstream.to_owned()).or_insert_with(Count::default).add(&count);
                continue;
            }
            sum.add(&count);
            by_rung.entry(action_rung(&key.action).to_owned()).or_insert_with(Count::default).add(&count);
            by_action.entry(key.action).or_insert_with(Count::default).add(&count);
        }
        Ok(Response {
            scope: scope.name().to_owned(),
            since: from.map(Key::begins_ms),
            calls: sum.calls,
            failed_calls: sum.failed,
            tokens_served: sum.tokens,
            files_read: sum.files,
            tokens_of_files_read: sum.file_tokens,
            saved: sum.file_tokens as i64 - sum.tokens as i64,
            upstream: upstream_use(cx, scope, of_upstreams),
            by_action: usage_shares(by_action),
            by_rung: usage_shares(by_rung),
        })
    }
}

/// Calls of upstreams' tools. None if the caller sees no upstream, or asks about one repository.
fn upstream_use(cx: &Call<'_>, scope: Scope, mut counts: BTreeMap<String, Count>) -> Option<UpstreamUse> {
    let view = cx.view();
    if view.is_empty() || scope == Scope::Repo {
        return None;
    }
    let searches = counts.remove("").unwrap_or_default();
    let mut sum = Count::default();
    // What the caller does not see does not exist for it.
    counts.retain(|key, _| view.upstreams.iter().any(|upstream| *upstream.key == **key));
    counts.values().for_each(|count| sum.add(count));
    let rules = Rules::new(&view.catalog.settings, Who::of(cx.session));
    let is_listed = |tool: &Definition| {
        let upstream = view.upstream_of(tool);
        upstream.is_some_and(|upstream| upstream.is_passed_through(rules.mode(upstream.entry.own.mode)))
    };
    let tokens_if_listed = view.tools.iter().map(|tool| tool.tokens).sum();
    let tokens_listed = view.tools.iter().filter(|tool| is_listed(tool)).map(|tool| tool.tokens).sum();
    let spared = tokens_if_listed as i64 + sum.file_tokens as i64;
    let saved = spared - tokens_listed as i64 - searches.tokens as i64;
    let mut by_upstream: Vec<UpstreamShare> = counts
        .into_iter()
        .map(|(key, count)| UpstreamShare {
            key,
            calls: count.calls,
            failed: count.failed,
            tokens_served: count.tokens,
            spilled_tokens: count.file_tokens,
        })
        .collect();
    by_upstream.sort_by_key(|share| std::cmp::Reverse(share.calls));
    Some(UpstreamUse {
        tools: view.tools.len(),
        tokens_if_listed,
        tokens_listed,
        searches: searches.calls,
        definition_tokens_served: searches.tokens,
        calls: sum.calls,
        failed: sum.failed,
        spilled_tokens: sum.file_tokens,
        saved: (scope == Scope::Session).then_some(saved),
        by_upstream,
    })
}

fn usage_shares(counts: BTreeMap<String, Count>) -> Vec<Share> {
    let mut shares: Vec<Share> = counts
        .into_iter()
        .map(|(name, count)| Share {
            name,
            calls: count.calls,
            tokens_served: count.tokens,
            tokens_of_files_read: count.file_tokens,
        })
        .collect();
    shares.sort_by_key(|share| std::cmp::Reverse(share.tokens_served));
    shares
}

impl Render for Response {
    fn text(&self) -> String {
        let mut text = format!(
            "{}: calls {}, tokens served {}; files served from {}, tokens in them {}; saved {}",
            self.scope,
            self.calls,
            self.tokens_served,
            self.files_read,
            self.tokens_of_files_read,
            self.saved
        );
        if let Some(upstream) = &self.upstream {
            let UpstreamUse { calls, failed, searches, tokens_if_listed, spilled_tokens, .. } = upstream;
            begin_line(
                &mut text,
                format_args!(
                    "upstreams: {calls} calls ({failed} failed), {searches} searches; definitions {tokens_if_listed} tokens if \
                     listed, {spilled_tokens} tokens of results kept back"
                ),
            );
        }
        for share in self.by_rung.iter().chain(&self.by_action) {
            let Share { name, calls, tokens_served, tokens_of_files_read } = share;
            begin_line(
                &mut text,
                format_args!("{name}: {calls} calls, {tokens_served} of {tokens_of_files_read}"),
            );
        }
        text
    }
}
