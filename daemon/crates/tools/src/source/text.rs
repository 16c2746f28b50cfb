//! The only way to read a file's text. It is read below the repository's root, following no link, and served only if it
//! matches the version. Its secrets are masked on the way out: see [`SourceText::cut`].
//!
//! A file that no longer matches the version gives [`Code::SourceMoved`]. The pipeline then waits once more for the
//! tree and runs the handler again on the newer version; only a second failure reaches the caller.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use sdl_model::{ContentHash, FactsKey, FileId, FileRow, RelPath};

use crate::call::context::{Call, ReadCx};
use crate::call::memos::Recent;
use crate::guard::audit;
use crate::host::Unread;
use crate::parts::symbols;
use crate::{Code, Explained, ToolError};
use sdl_redact::{self as redact, Level};

/// A file's text as of the version. The byte offsets and lines of the version's facts are valid in it.
#[derive(Clone, Debug)]
pub(crate) struct SourceText {
    /// The file's path.
    pub(crate) path: RelPath,
    /// The hash of its content, and the language it is read as.
    pub(crate) key: FactsKey,
    /// The text; each byte that is not UTF-8 is a `?`.
    text: String,
    /// The ranges of its secrets, which are masked.
    secrets: Arc<[Range<usize>]>,
    /// Where each line starts.
    starts: Vec<usize>,
}

impl SourceText {
    fn new(path: RelPath, key: FactsKey, text: String, secrets: Arc<[Range<usize>]>) -> Self {
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        let starts = std::iter::once(0).chain(breaks.filter(|at| *at < text.len())).collect();
        Self { path, key, text, secrets, starts }
    }

    /// Returns the text with its secrets: for parsing and measuring, never for an answer.
    pub(crate) fn unmasked(&self) -> &str {
        &self.text
    }

    /// Returns a range of the text, masked so that it may leave the daemon.
    pub(crate) fn cut(&self, bytes: Range<usize>) -> Cow<'_, str> {
        redact::mask_part(&self.text, &self.secrets, bytes)
    }

    /// Whether no part of a range is masked.
    pub(crate) fn is_shown(&self, bytes: &Range<usize>) -> bool {
        let next = self.secrets.partition_point(|secret| secret.end <= bytes.start);
        self.secrets.get(next).is_none_or(|secret| secret.start >= bytes.end)
    }

    /// Returns a line (1-based), masked so that it may leave the daemon.
    pub(crate) fn shown(&self, number: u32) -> Cow<'_, str> {
        self.cut(self.line(number))
    }

    /// Returns the number of lines.
    pub(crate) fn lines(&self) -> u32 {
        self.starts.len() as u32
    }

    /// Returns the byte range of a line (1-based) without its line end; empty after the last line.
    pub(crate) fn line(&self, number: u32) -> Range<usize> {
        let at = number.saturating_sub(1) as usize;
        let Some(&start) = self.starts.get(at) else { return self.text.len()..self.text.len() };
        let end = self.starts.get(at + 1).copied().unwrap_or(self.text.len());
        let line = self.text.get(start..end).unwrap_or_default();
        start..start + line.trim_end_matches(['\n', '\r']).len()
    }

    /// Returns the line (1-based) of a byte.
    pub(crate) fn line_of(&self, byte: usize) -> u32 {
        self.starts.partition_point(|start| *start <= byte).max(1) as u32
    }
}

/// Returns the text of the file at `path`, which must be in the version and have facts.
pub(crate) fn text_at(cx: &ReadCx<'_>, path: &RelPath, field: &str) -> Result<SourceText, ToolError> {
    refuse_secrets(cx, path)?;
    match cx.source.view().file(cx.source.view().file_id(path))? {
        Some(row) => file_text(cx, &row),
        None => Err(symbols::no_such_file(cx, path, field)?),
    }
}

/// Returns the text of a file of the version.
pub(crate) fn file_text(cx: &ReadCx<'_>, row: &FileRow) -> Result<SourceText, ToolError> {
    let path = &row.path;
    refuse_secrets(cx, path)?;
    let key = row.state.facts().ok_or_else(|| symbols::unparsed_file(row))?;
    let (repo, overlay, place) = cx.place_of(path);
    let level = crate::host::policies::repo_policy(cx.call.host, repo)?.level();
    let bytes = match overlay.and_then(|overlay| overlay.text(FileId::of(&place))) {
        Some(unsaved) => unsaved.to_vec(),
        None => repo.read_file(&place, row.size).map_err(|unread| match unread {
            Unread::Failed(why) => ToolError::new(Code::Unavailable, format!("{path} can't be read: {why}")),
            Unread::Gone | Unread::TooLarge => moved_error(cx, path),
        })?,
    };
    if ContentHash::of(&bytes) != key.content {
        return Err(moved_error(cx, path));
    }
    let text = text_of(bytes);
    let secrets = secrets_of(cx, key.content, &text, level);
    Ok(SourceText::new(path.clone(), key, text, secrets))
}

/// Where the secrets of recent texts are. Most have none, and finding that out takes longer than reading them.
#[derive(Default)]
struct Secrets(Recent<(ContentHash, Level), Arc<[Range<usize>]>, 512>);

/// More secrets of one text are not kept.
const MOST_SECRETS: usize = 256;

/// Returns the ranges of a text's secrets.
fn secrets_of(cx: &ReadCx<'_>, content: ContentHash, text: &str, level: Level) -> Arc<[Range<usize>]> {
    let known = cx.call.memos.shared::<Secrets>();
    if let Some(secrets) = known.0.get(&(content, level)) {
        return secrets;
    }
    let secrets: Arc<[Range<usize>]> = redact::find_secrets(text, level).into();
    if secrets.len() <= MOST_SECRETS {
        known.0.put((content, level), Arc::clone(&secrets));
    }
    secrets
}

/// Returns the bytes of a file of the version: to look for names in them, never for an answer. None if they can't be
/// read, or if the file holds secrets.
pub(crate) fn file_bytes(cx: &ReadCx<'_>, row: &FileRow) -> Result<Option<Vec<u8>>, ToolError> {
    let Some(key) = row.state.facts().filter(|_| !sdl_lang::is_secret_file(row.path.as_str())) else {
        return Ok(None);
    };
    let (repo, overlay, place) = cx.place_of(&row.path);
    let bytes = match overlay.and_then(|overlay| overlay.text(FileId::of(&place))) {
        Some(unsaved) => unsaved.to_vec(),
        None => match repo.read_file(&place, row.size) {
            Ok(bytes) => bytes,
            Err(Unread::Failed(_)) => return Ok(None),
            Err(Unread::Gone | Unread::TooLarge) => return Err(moved_error(cx, &row.path)),
        },
    };
    if ContentHash::of(&bytes) != key.content {
        return Err(moved_error(cx, &row.path));
    }
    Ok(Some(bytes))
}

/// Refuses requests for a file of secrets, whether it exists or not, and logs the refusal.
fn refuse_secrets(cx: &ReadCx<'_>, path: &RelPath) -> Result<(), ToolError> {
    if !sdl_lang::is_secret_file(path.as_str()) {
        return Ok(());
    }
    let why = "the file holds secrets: its text is never served, whatever the policy";
    cx.decided(audit::Row {
        decision: "denied".to_owned(),
        why: vec![why.to_owned()],
        details: serde_json::json!({ "file": path.as_str() }),
        ..audit::Row::default()
    });
    let message = format!("{path} is a file of secrets; its text is never served");
    Err(ToolError::new(Code::Denied, message).next(
        Call::tool("repo.overview"),
        serde_json::json!({"repoId": cx.repo.id(), "level": "directories"}),
        "lists the folders that have source files",
    ))
}

fn moved_error(cx: &ReadCx<'_>, path: &RelPath) -> ToolError {
    let message = format!("{path} keeps changing: it is not what version {} knows; ask again", cx.version);
    ToolError::new(Code::SourceMoved, message)
}

/// Decodes bytes to text of the same length, so that offsets stay valid.
fn text_of(bytes: Vec<u8>) -> String {
    let bytes = match String::from_utf8(bytes) {
        Ok(text) => return text,
        Err(error) => error.into_bytes(),
    };
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(std::iter::repeat_n('?', chunk.invalid().len()));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_offsets_hold() {
        let path = RelPath::new("a.py").unwrap();
        let key = FactsKey { lang: sdl_model::Lang::Python, content: ContentHash::of(b"") };
        let text = SourceText::new(path, key, text_of(b"one\r\n\xfftwo\nthree\n".to_vec()), Arc::from([]));
        assert_eq!(text.lines(), 3);
        assert_eq!([1, 2, 3, 4].map(|line| text.shown(line).into_owned()), ["one", "?two", "three", ""]);
        assert_eq!([0, 4, 5, 9, 10, 99].map(|byte| text.line_of(byte)), [1, 1, 2, 2, 3, 3]);
    }
}
