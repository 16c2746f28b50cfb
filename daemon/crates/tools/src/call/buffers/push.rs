//! Applies one event of an editor to a buffer.

use std::sync::Arc;

use sdl_lang::{Judged, Rules};
use sdl_model::{FileRow, FileState, Lang, RelPath};

use super::Buffers;
use super::buffer::{Buffer, Text};
use crate::{Repo, ToolError};

/// The kinds of events of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    Open,
    Change,
    Save,
    Close,
}

/// An event of an editor.
#[derive(Clone, Debug)]
pub(crate) struct Push {
    pub(crate) path: RelPath,
    pub(crate) event: Event,
    /// The whole text.
    pub(crate) content: Option<String>,
    pub(crate) version: u64,
    pub(crate) language: Option<Lang>,
    pub(crate) dirty: Option<bool>,
    /// The connection that sent it.
    pub(crate) session: u64,
}

/// The result of an event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Pushed {
    /// Whether the buffer now matches the editor's.
    pub(crate) accepted: bool,
    /// The new number of the overlay.
    pub(crate) overlay_version: u64,
    pub(crate) warnings: Vec<String>,
}

impl Buffers {
    /// Applies an event. Parses the text if it overlays the tree from now on. `saved` is the newest version's row of
    /// the file.
    pub(crate) fn push(
        &self,
        repo: &dyn Repo,
        push: Push,
        saved: Option<&FileRow>,
    ) -> Result<Pushed, ToolError> {
        let mut warnings = Vec::new();
        let known = self.known(repo, &push.path);
        if let Some(known) = &known {
            if known.session == push.session && push.event != Event::Open && push.version < known.version {
                warnings.push(format!(
                    "version {} is older than {}, which is held: nothing changed",
                    push.version, known.version
                ));
                let overlay_version = self.shown(repo).1;
                return Ok(Pushed { accepted: false, overlay_version, warnings });
            }
            if known.session != push.session && known.until_ms.is_none() {
                warnings
                    .push("another connection has a buffer of this file; this event took its place".into());
            }
        } else if matches!(push.event, Event::Close | Event::Save) {
            warnings.push("no buffer of this file was held".to_owned());
        }
        if push.event == Event::Close {
            let overlay_version = self.set(repo, &push.path, None)?;
            return Ok(Pushed { accepted: true, overlay_version, warnings });
        }
        let text = push
            .content
            .as_ref()
            .map(|content| read_buffer(&repo.rules(), &push.path, push.language, content, &mut warnings));
        let differs = text.as_ref().is_some_and(|text| text.row.as_ref() != saved);
        // After a save the file counts, because another program, such as a formatter, may have changed it without the
        // editor noticing.
        let dirty = match push.event {
            Event::Save => false,
            Event::Open => push.dirty.unwrap_or(differs),
            Event::Change | Event::Close => push.dirty.unwrap_or(true),
        };
        if !dirty && differs && push.event != Event::Save {
            warnings
                .push("the text differs from the file but is not marked as dirty: the file counts".into());
        }
        let text = text.filter(|text| dirty && (text.row.is_some() || saved.is_some()));
        let (version, session) = (push.version, push.session);
        let buffer = Buffer { version, dirty, text, session, pushed_ms: 0, until_ms: None };
        let overlay_version = self.set(repo, &push.path, Some(buffer))?;
        Ok(Pushed { accepted: true, overlay_version, warnings })
    }
}

/// Reads a text by the rules that apply to its file.
fn read_buffer(
    rules: &Rules,
    path: &RelPath,
    hint: Option<Lang>,
    content: &str,
    warnings: &mut Vec<String>,
) -> Text {
    let bytes: Arc<[u8]> = content.as_bytes().into();
    let nothing = |row| Text { bytes: Arc::clone(&bytes), path: path.clone(), row, facts: None };
    let detected = sdl_lang::detect_lang(path, &bytes);
    if let (Some(hint), Some(detected)) = (hint, detected)
        && hint != detected
    {
        warnings.push(format!("read as {}, by its name, not as {}", detected.name(), hint.name()));
    }
    let row = |state| Some(FileRow { path: path.clone(), state, size: bytes.len() as u64 });
    let key = match rules.judge(path, &bytes, hint) {
        Judged::Ignored => {
            warnings.push("not a file that is indexed: no answer depends on it".to_owned());
            return nothing(None);
        }
        Judged::Skipped(reason) => {
            warnings.push(format!("listed but not read ({})", reason.name()));
            return nothing(row(FileState::Skipped(reason)));
        }
        Judged::Read(key) => key,
    };
    match sdl_lang::extract_guarded(key.lang, &bytes) {
        Ok(facts) => Text { facts: Some(Arc::new(facts)), ..nothing(row(FileState::Indexed(key))) },
        Err(_) => {
            warnings.push("the parser gave up on this text".to_owned());
            nothing(row(FileState::Failed(key)))
        }
    }
}
