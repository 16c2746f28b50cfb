//! A file while a plan is made.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::edit::Fault;
use crate::entry::Standing;
use crate::piece::Piece;
use crate::plan::{Action, FileChange, Request, Scope};
use crate::record::{FileRecord, Records, Splice, hash_text};

/// One file.
#[derive(Clone)]
pub(crate) struct Draft {
    pub(crate) before: Option<String>,
    pub(crate) now: Option<String>,
    /// Pieces that were added, with how many keys were made for each.
    added: BTreeMap<String, usize>,
    removed: Vec<String>,
    had_ours: bool,
    is_restored: bool,
}

/// What decides about one file.
#[derive(Clone, Copy)]
pub(crate) struct Setting<'a> {
    pub(crate) request: &'a Request,
    /// What we know of the file.
    pub(crate) record: Option<&'a FileRecord>,
    /// All pieces of the request that belong to the file.
    pub(crate) pieces: &'a [Piece],
}

impl Draft {
    pub(crate) fn of(before: Option<String>) -> Self {
        let now = before.clone();
        Self { before, now, added: BTreeMap::new(), removed: Vec::new(), had_ours: false, is_restored: false }
    }

    /// Adds, updates or removes one piece.
    pub(crate) fn plan_piece(&mut self, piece: Piece, setting: Setting) -> Result<Action, Fault> {
        // A file that was restored for one piece is restored for the others too.
        let shown = if self.is_restored { &self.before } else { &self.now };
        let text = shown.clone().unwrap_or_default();
        let untouched = self.before == self.now
            && setting.record.is_some_and(|record| record.created && record.hash == hash_text(&text));
        let standing = piece.find(&text, setting.request, untouched)?;
        self.had_ours |= matches!(standing, Some(Standing::Same | Standing::Differs(_)));
        if setting.request.remove {
            self.take_back(piece, standing, setting)
        } else {
            self.bring_in(piece, standing, &text, untouched, setting.request)
        }
    }

    fn take_back(
        &mut self,
        piece: Piece,
        standing: Option<Standing>,
        setting: Setting,
    ) -> Result<Action, Fault> {
        match standing {
            None => Ok(Action::Nothing),
            Some(Standing::Foreign(what)) => Ok(Action::Foreign(what)),
            Some(_) if self.is_restored => {
                self.removed.push(piece.key());
                Ok(Action::Remove)
            }
            Some(_) => {
                self.remove(piece, setting)?;
                Ok(Action::Remove)
            }
        }
    }

    fn bring_in(
        &mut self,
        piece: Piece,
        standing: Option<Standing>,
        text: &str,
        untouched: bool,
        request: &Request,
    ) -> Result<Action, Fault> {
        match standing {
            // Another client of this request has just put it there.
            Some(Standing::Same) if self.added.contains_key(&piece.key()) => Ok(Action::Add),
            Some(Standing::Same) => Ok(Action::Keep),
            Some(Standing::Foreign(what)) if !request.force => Ok(Action::Foreign(what)),
            Some(Standing::Foreign(_)) => {
                self.now = Some(piece.remove(text, 0)?);
                self.add(piece, request)?;
                Ok(Action::Change)
            }
            Some(Standing::Differs(fields)) => {
                self.now = Some(piece.change(text, &fields, request, untouched)?);
                self.added.entry(piece.key()).or_insert(0);
                Ok(Action::Change)
            }
            None => {
                self.add(piece, request)?;
                Ok(Action::Add)
            }
        }
    }

    fn add(&mut self, piece: Piece, request: &Request) -> Result<(), Fault> {
        let added = piece.add(&self.now.clone().unwrap_or_default(), request)?;
        self.now = Some(added.text);
        self.added.insert(piece.key(), added.made);
        Ok(())
    }

    fn remove(&mut self, piece: Piece, setting: Setting) -> Result<(), Fault> {
        self.removed.push(piece.key());
        let asked = |key: &String| setting.pieces.iter().any(|piece| piece.key() == *key);
        let complete = setting.record.filter(|record| record.made.keys().all(asked));
        let original =
            complete.zip(self.before.as_ref()).and_then(|(record, before)| record.original(before));
        if let Some(original) = original
            && !holds_ours(original.as_deref(), setting)
        {
            self.now = original;
            self.is_restored = true;
            return Ok(());
        }
        let made = setting.record.and_then(|record| record.made.get(&piece.key())).copied().unwrap_or(0);
        let text = piece.remove(&self.now.clone().unwrap_or_default(), made)?;
        let created = setting.record.is_some_and(|record| record.created);
        self.now = Some(text).filter(|text| !piece.is_bare(text, created));
        Ok(())
    }

    /// What has to be written. `None` if nothing changes.
    pub(crate) fn finish(self, path: PathBuf, records: &Records, scope: Scope) -> Option<FileChange> {
        if self.before == self.now {
            return None;
        }
        let old = records.files.get(&path);
        let mut made = old.map(|record| record.made.clone()).unwrap_or_default();
        for (key, count) in self.added {
            made.entry(key).or_insert(count);
        }
        made.retain(|key, _| !self.removed.contains(key));
        let known = old.zip(self.before.as_ref()).and_then(|(record, before)| record.original(before));
        let original = known.unwrap_or_else(|| self.before.clone());
        let created = old.is_some_and(|record| record.created) || self.before.is_none();
        let record = self.now.as_ref().filter(|_| !made.is_empty()).map(|now| FileRecord {
            hash: hash_text(now),
            undo: original
                .filter(|_| self.removed.is_empty())
                .map(|original| Splice::between(&original, now)),
            created,
            folders: old.map(|record| record.folders.clone()).unwrap_or_default(),
            made,
        });
        Some(FileChange {
            path,
            is_pristine: self.before.is_some() && !self.had_ours,
            before: self.before,
            after: self.now,
            record,
            is_restored: self.is_restored,
            is_private: scope == Scope::User,
        })
    }
}

/// Whether a piece of ours is in the text.
fn holds_ours(text: Option<&str>, setting: Setting) -> bool {
    let Some(text) = text else { return false };
    setting.pieces.iter().any(|piece| {
        let standing = piece.find(text, setting.request, false).ok().flatten();
        matches!(standing, Some(Standing::Same | Standing::Differs(_)))
    })
}
