//! Actions on what agents own: secrets are masked before anything else, the repository is found if there is one, and the answer says which
//! state of the store it is of.

use std::cell::RefCell;
use std::sync::Arc;
use std::time::Duration;

use sdl_redact::Level;
use serde_json::{Map, Value};

use super::fields::stamp_freshness;
use super::read::{AskedRead, read_repo};
use super::repo;
use super::wait::SYNC_TIMEOUT;
use crate::call::answers::{append_text, begin_line};
use crate::call::context::{Call, ReadCx};
use crate::call::family::Family;
use crate::call::freshness::{Freshness, Stand, Sync};
use crate::call::owned::{Outcome, OwnedCx, Scopes, author_of};
use crate::call::registry::{
    Answer, Args, Entry, OnceArgs, OwnedArgs, OwnedRunner, ScopeArgs, ScopeChoice, take_fields,
};
use crate::call::upstream::{Rules, Who};
use crate::{Explained, Repo, ToolError};

/// Runs an action on what agents own.
pub(super) fn run_owned(
    call: &Call<'_>,
    (entry, runner): (&Entry, OwnedRunner),
    mut args: Args,
    noted: &str,
) -> Result<Answer, ToolError> {
    let mutating = entry.def.mutating;
    let masked = if mutating { mask_secrets(&mut args) } else { 0 };
    let common: OwnedArgs = take_fields(&mut args, &["repoId", "sync", "syncTimeoutMs"])?;
    let scope = take_fields::<ScopeArgs>(&mut args, &["scope"])?.scope.filter(|_| runner.scoped);
    let once: OnceArgs =
        if mutating { take_fields(&mut args, &["idempotencyKey"])? } else { OnceArgs::default() };
    let repo = asked_repo(call, common.repo_id.as_deref(), scope)?;
    let scopes = scopes_of(call, repo.as_deref(), scope, mutating)?;
    let request = once.idempotency_key.as_ref().map(|_| request_hash(entry, &args, &scopes.own));
    let prepared = (runner.prepare)(args)?;
    let author = author_of(call);
    let outcome = RefCell::new(Outcome::default());
    let modules = call.modules();
    let run = |read: Option<&ReadCx<'_>>| {
        *outcome.borrow_mut() = Outcome::default();
        let once = once.idempotency_key.as_deref().zip(request);
        let cx = OwnedCx { call, read, scopes: &scopes, modules, author: &author, once, outcome: &outcome };
        let mut answer = prepared.run(&cx)?;
        // Without the module an answer is as it was before there were modules.
        let stamped = entry.has_field(if mutating { "revision" } else { "storeRevision" });
        if stamped {
            stamp_outcome(&mut answer, &cx, mutating, masked)?;
        }
        Ok(answer)
    };
    let Some(repo) = repo.filter(|_| runner.reads_code) else { return run(None) };
    if common.sync.is_none() && prepared.sync() == Sync::None {
        // No snapshot, because the answer does not depend on the tree.
        let mut answer = run(None)?;
        stamp_freshness(&mut answer, &Freshness::from(Stand::apart(repo.as_ref())))?;
        return Ok(answer);
    }
    let asked = AskedRead {
        sync: common.sync.unwrap_or_else(|| prepared.sync()),
        timeout: common.sync_timeout_ms.map_or(SYNC_TIMEOUT, Duration::from_millis),
        early: true,
        from_part: false,
        handle: None,
    };
    read_repo(call, repo.as_ref(), &asked, noted, &|cx| run(Some(cx)))
}

/// Replaces certain secrets, anywhere in the arguments. Returns in how many texts there was one.
fn mask_secrets(args: &mut Args) -> usize {
    fn mask(value: &mut Value, count: &mut usize) {
        match value {
            Value::String(text) => {
                if let Some(masked) = sdl_redact::mask_text(text, Level::Known) {
                    *text = masked;
                    *count += 1;
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| mask(item, count)),
            Value::Object(map) => {
                for (mut key, mut value) in std::mem::take(map) {
                    mask(&mut value, count);
                    if let Some(masked) = sdl_redact::mask_text(&key, Level::Known) {
                        key = masked;
                        *count += 1;
                    }
                    // Keys that are masked to the same text stay apart.
                    while map.contains_key(&key) {
                        key.push('*');
                    }
                    map.insert(key, value);
                }
            }
            _ => {}
        }
    }
    let mut count = 0;
    args.values_mut().for_each(|value| mask(value, &mut count));
    count
}

/// Returns the repository that the call names, or the one around the client's working directory.
fn asked_repo(
    call: &Call<'_>,
    given: Option<&str>,
    scope: Option<ScopeChoice>,
) -> Result<Option<Arc<dyn Repo>>, ToolError> {
    match repo::find_repo(call, given, None) {
        Ok(repo) => Ok(Some(repo)),
        Err(error) if given.is_some() || scope == Some(ScopeChoice::Repo) => Err(error),
        Err(_) => Ok(None),
    }
}

fn scopes_of(
    call: &Call<'_>,
    repo: Option<&dyn Repo>,
    scope: Option<ScopeChoice>,
    mutating: bool,
) -> Result<Scopes, ToolError> {
    let own = repo.map(|repo| repo.id().to_owned()).unwrap_or_default();
    let family = |repo: &dyn Repo| -> Vec<String> { Family::of(call, repo).ids().to_vec() };
    let user = || vec![String::new()];
    Ok(match scope {
        Some(ScopeChoice::All) if mutating => {
            let message = "a new row belongs to the repository or to you; give scope repo or user";
            return Err(ToolError::invalid("scope", message));
        }
        Some(ScopeChoice::All) => Scopes { own, read: visible_scopes(call) },
        Some(ScopeChoice::User) => Scopes { own: String::new(), read: Some(user()) },
        Some(ScopeChoice::Repo) => Scopes { own, read: Some(repo.map(family).unwrap_or_default()) },
        None => {
            let mut read = repo.map(family).unwrap_or_default();
            read.extend(user());
            Scopes { own, read: Some(read) }
        }
    })
}

/// Everyone's rows, or those of the repositories that exist for the session.
fn visible_scopes(call: &Call<'_>) -> Option<Vec<String>> {
    let catalog = call.upstream.gateway.catalog();
    Rules::new(&catalog.settings, Who::of(call.session)).repos()?;
    let repos = call.host.repos().into_iter().map(|repo| repo.id().to_owned());
    Some([String::new()].into_iter().chain(repos).collect())
}

/// Tells requests with one key apart.
fn request_hash(entry: &Entry, args: &Map<String, Value>, scope: &str) -> u64 {
    let text = serde_json::json!([entry.def.name, scope, args]).to_string();
    sdl_model::ids::stable_hash(&[text.as_bytes()])
}

/// Adds what the call did to the store, in both forms.
fn stamp_outcome(
    answer: &mut Answer,
    cx: &OwnedCx<'_>,
    mutating: bool,
    masked: usize,
) -> Result<(), ToolError> {
    let Outcome { revision, replayed } = *cx.outcome.borrow();
    let revision = match revision {
        Some(revision) => revision,
        None => cx.look(|reader| Ok(sdl_memory::store::store_revision(reader)?))?,
    };
    let fields = &mut answer.structured;
    if mutating {
        fields.shift_remove("ok");
        fields.shift_insert(0, "ok".to_owned(), true.into());
        fields.shift_insert(1, "revision".to_owned(), revision.into());
        if replayed {
            fields.insert("replayed".to_owned(), true.into());
            answer.text.push_str(" (as before: same idempotencyKey)");
        }
        if masked > 0 {
            fields.insert("masked".to_owned(), masked.into());
            append_text(&mut answer.text, format_args!(" ({masked} secrets masked)"));
        }
    } else {
        fields.insert("storeRevision".to_owned(), revision.into());
    }
    begin_line(&mut answer.text, format_args!("[store r{revision}]"));
    Ok(())
}
