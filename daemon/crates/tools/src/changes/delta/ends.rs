//! Resolves `fromVersion` and `toVersion`.

use std::ops::ControlFlow;
use std::sync::Arc;

use sdl_model::Version;
use sdl_retrieve::layer::Layer;
use serde_json::{Value, json};

use crate::call::context::{Call, ReadCx};
use crate::call::stamp::Stamp;
use crate::{Candidate, Code, Explained, ToolError};

/// The prefix of a git revision.
const GIT: &str = "git:";

/// One of the two states that are compared.
pub(crate) struct End {
    /// Its name: a version, or `git:` and a commit.
    pub(crate) name: String,
    /// The state, over the snapshot's version.
    pub(crate) layer: Arc<Layer>,
}

/// Finds both states. `action` is the calling action, for the suggestions in errors.
pub(crate) fn find_ends(
    cx: &ReadCx<'_>,
    action: &str,
    from: &str,
    to: &str,
) -> Result<(End, End), ToolError> {
    Ok((find_end(cx, action, from, "fromVersion")?, find_end(cx, action, to, "toVersion")?))
}

/// Finds a state by its name. `field` is the argument that names it.
pub(crate) fn find_end(cx: &ReadCx<'_>, action: &str, text: &str, field: &str) -> Result<End, ToolError> {
    let (Some(floor), Some(head)) = (cx.snapshot.floor(), cx.snapshot.head()) else {
        let message = "there is no version yet; ask again when the first index is done";
        return Err(ToolError::new(Code::Indexing, message).at(field));
    };
    let version = match text {
        "latest" => match cx.overlay {
            Some(overlay) => return Ok(End { name: cx.stamp().to_string(), layer: Arc::clone(&overlay.layer) }),
            None => head,
        },
        "previous" => previous_version(cx, head)?.ok_or_else(|| {
            let message = format!("there is no version before {head}; give another one");
            suggest_versions(cx, action, ToolError::new(Code::UnknownVersion, message).at(field))
        })?,
        _ if text.starts_with(GIT) => {
            cx.call.check()?;
            let revision = text.get(GIT.len()..).unwrap_or_default();
            let found = cx
                .repo
                .revision(revision, cx.snapshot, cx.call.cancel)
                .map_err(|error| rename_field(cx, action, error, field))?;
            return Ok(End { name: format!("{GIT}{}", found.commit), layer: found.layer });
        }
        _ if text.contains('+') => {
            let layer = unsaved_layer(cx, text).ok_or_else(|| {
                let message = format!("{text} is not kept: unsaved buffers are compared with for a while only");
                suggest_versions(cx, action, ToolError::new(Code::UnknownVersion, message).at(field))
            })?;
            return Ok(End { name: text.to_owned(), layer: Arc::new(layer?) });
        }
        _ => text.parse::<Version>().map_err(|_| {
            let shown: String = text.chars().take(80).collect();
            let message = format!(
                "{shown:?} is not a version: give v<number>, latest, previous, or git:<revision> such as git:HEAD~1"
            );
            suggest_versions(cx, action, ToolError::new(Code::UnknownVersion, message).at(field))
        })?,
    };
    if !(floor..=head).contains(&version) {
        let message = format!("{version} is not kept: versions {floor} to {head} can be compared");
        let error = ToolError::new(Code::UnknownVersion, message).at(field);
        return Err(suggest_versions(cx, action, error));
    }
    let layer = Layer::of_version(cx.snapshot, cx.source.outlines(), version)?;
    Ok(End { name: version.to_string(), layer: Arc::new(layer) })
}

/// Returns the state of an earlier answer with unsaved buffers; none if it is no longer known.
fn unsaved_layer(cx: &ReadCx<'_>, text: &str) -> Option<Result<Layer, ToolError>> {
    let Stamp { version, overlay } = text.parse().ok()?;
    let layer = cx.call.buffers.state(cx.repo, version, overlay?)?;
    let kept = (cx.snapshot.floor()?..=cx.snapshot.head()?).contains(&version);
    kept.then(|| Ok(layer.moved_up(cx.snapshot, cx.source.outlines(), version)?))
}

/// Converts an error about a revision to one about the argument that named it.
fn rename_field(cx: &ReadCx<'_>, action: &str, error: ToolError, field: &str) -> ToolError {
    let mut error = error.at(field);
    for candidate in &mut error.refusal.about.candidates {
        if let Some(Value::String(name)) = candidate.0.remove("revision") {
            candidate.0.insert(field.to_owned(), format!("{GIT}{name}").into());
        }
    }
    if error.refusal.code == Code::UnknownVersion { suggest_versions(cx, action, error) } else { error }
}

/// Returns the newest version before the head.
fn previous_version(cx: &ReadCx<'_>, head: Version) -> Result<Option<Version>, ToolError> {
    let floor = cx.snapshot.floor().unwrap_or(head);
    let before = Version(head.0.saturating_sub(1));
    if before >= floor && cx.snapshot.version_row(before)?.is_some() {
        return Ok(Some(before));
    }
    let mut found = None;
    cx.snapshot.versions(floor..head, &mut |row| {
        found = Some(row.version);
        ControlFlow::Continue(())
    })?;
    Ok(found)
}

/// Adds the existing versions and a call that works to the error.
fn suggest_versions(cx: &ReadCx<'_>, action: &str, error: ToolError) -> ToolError {
    let (Some(floor), Some(head)) = (cx.snapshot.floor(), cx.snapshot.head()) else { return error };
    let (oldest, newest) = (floor.to_string(), head.to_string());
    let field = error.refusal.about.field.clone().unwrap_or_else(|| "fromVersion".to_owned());
    let mut known = vec![oldest.clone(), newest.clone()];
    known.dedup();
    error.or_one_of(known.into_iter().map(|version| Candidate::of(&field, version))).next(
        Call::tool(action),
        json!({"repoId": cx.repo.id(), "fromVersion": oldest, "toVersion": newest}),
        "compares the oldest version that is kept with the newest",
    )
}
