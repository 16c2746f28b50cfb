//! The text of single lines, as much of a symbol as needs no approval.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;

use sdl_model::{FileId, RelPath, SymbolId};
use sdl_retrieve::Sym;
use serde_json::json;

use crate::call::context::ReadCx;
use crate::guard::audit;
use crate::guard::policy::Policy;
use crate::host::policies;
use crate::source::ladder::share;
use crate::source::text::{self, SourceText};
use crate::{Code, Explained, ToolError};

/// Characters of a line. More tell a reader little about a mention.
const LONGEST: usize = 160;

/// Serves the text of lines, and remembers how many of each symbol it served.
pub(crate) struct LineTexts<'c, 'a> {
    cx: &'c ReadCx<'a>,
    policies: HashMap<String, Policy>,
    files: HashMap<FileId, Option<Rc<SourceText>>>,
    shown: HashMap<SymbolId, HashSet<u32>>,
}

impl<'c, 'a> LineTexts<'c, 'a> {
    /// For the newest version: the tree holds no other text.
    pub(crate) fn new(cx: &'c ReadCx<'a>) -> Self {
        Self { cx, policies: HashMap::new(), files: HashMap::new(), shown: HashMap::new() }
    }

    /// The policy of the repository with a file.
    fn policy_of(&mut self, around: &Sym) -> Result<&Policy, ToolError> {
        let (repo, ..) = self.cx.place_of(&around.row().path);
        if !self.policies.contains_key(repo.id()) {
            let policy = policies::repo_policy(self.cx.call.host, repo)?;
            self.policies.insert(repo.id().to_owned(), policy);
        }
        let known = self.policies.get(repo.id());
        known.ok_or_else(|| ToolError::internal("reading a policy", "it was not kept"))
    }

    /// The text of a line in `around`, masked, without the white space at its ends. None if the file can't be shown, or
    /// if more of the symbol would be shown than needs no approval.
    pub(crate) fn text(&mut self, around: &Sym, line: u32) -> Result<Option<String>, ToolError> {
        let Some(file) = self.file_text(around)? else { return Ok(None) };
        let span = around.def().span;
        let lines = if around.ix == sdl_model::facts::DefIx::MODULE {
            file.lines()
        } else {
            span.end_line.saturating_sub(span.start_line) + 1
        };
        let free = share::unapproved_lines(lines, self.policy_of(around)?);
        let shown = self.shown.entry(around.id).or_default();
        if !shown.contains(&line) && shown.len() >= free {
            return Ok(None);
        }
        shown.insert(line);
        let text = file.shown(line);
        let text = text.trim();
        let end = text.char_indices().nth(LONGEST).map_or(text.len(), |(at, _)| at);
        Ok(Some(text.get(..end).unwrap_or_default().to_owned()))
    }

    fn file_text(&mut self, around: &Sym) -> Result<Option<Rc<SourceText>>, ToolError> {
        let file = around.file();
        if let Some(known) = self.files.get(&file) {
            return Ok(known.clone());
        }
        let found = match text::file_text(self.cx, around.row()) {
            Ok(text) => Some(Rc::new(text)),
            // The call is answered again on a newer version.
            Err(error) if error.refusal.code == Code::SourceMoved => return Err(error),
            Err(_) => None,
        };
        self.files.insert(file, found.clone());
        Ok(found)
    }
}

/// Records the lines of an answer for the log: a path and a line each.
pub(crate) fn record_lines<'l>(cx: &ReadCx<'_>, shown: impl Iterator<Item = (&'l str, u32)>) {
    let mut files: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
    for (path, line) in shown {
        files.entry(path).or_default().push(line);
    }
    for (path, lines) in files {
        let place = RelPath::new(path).map(|path| cx.place_of(&path));
        let (repo_id, path) = place.map_or_else(
            || (cx.repo.id().to_owned(), path.to_owned()),
            |(repo, _, path)| (repo.id().to_owned(), path.as_str().to_owned()),
        );
        cx.decided(audit::Row {
            repo_id,
            decision: "served".to_owned(),
            why: vec![
                "single lines that mention a symbol, within the share that needs no approval".to_owned(),
            ],
            details: json!({ "file": path, "lines": lines }),
            ..audit::Row::default()
        });
    }
}
