//! What setup would do: a step for each client, a change for each file. Nothing is written here.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::ENTRY_NAME;
use crate::catalog::Client;
use crate::edit::{self, Fault, Target};
use crate::entry::{Standing, Wanted};
use crate::file::{self, FileProblem};
use crate::machine::Machine;
use crate::record::{FileRecord, Records, Splice, hash_text};

/// Whose files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The user's.
    User,
    /// Those of a project, which a team commits.
    Project,
}

/// A wish of a person.
#[derive(Clone, Debug)]
pub struct Request {
    /// The clients, in the order of the steps.
    pub clients: Vec<&'static Client>,
    /// Whose files.
    pub scope: Scope,
    /// What the entries are to say.
    pub wanted: Wanted,
    /// Take our entries back instead.
    pub remove: bool,
    /// Replace an entry that starts another program.
    pub force: bool,
}

/// What happens for one client.
#[derive(Clone, Debug)]
pub struct Step {
    /// The client.
    pub client: &'static Client,
    /// Its file, as the catalog names it.
    pub file: Option<PathBuf>,
    /// What happens.
    pub action: Action,
}

/// What happens to a client's configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Our entry is added.
    Add,
    /// Our entry is given another command, or replaces a foreign one.
    Change,
    /// Our entry is there and right.
    Keep,
    /// Our entry is removed.
    Remove,
    /// There is nothing of ours to remove.
    Nothing,
    /// A person has to do it in the client.
    ByHand,
    /// An entry of our name starts something else, which this names.
    Foreign(String),
    /// The file stays as it is, for this reason.
    Refuse(String),
}

/// All that setup would do.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// By client, in the order of the request.
    pub steps: Vec<Step>,
    /// By file.
    pub changes: Vec<FileChange>,
}

/// What happens to one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChange {
    /// The file, with links followed.
    pub path: PathBuf,
    /// Its text now. `None` if there is no file.
    pub before: Option<String>,
    /// Its text afterwards. `None` if it is deleted.
    pub after: Option<String>,
    /// The record of it. `None` if nothing of ours is in it afterwards.
    pub record: Option<FileRecord>,
    /// Whether the text before is worth a backup: a person's, without an entry of ours.
    pub is_pristine: bool,
    /// Whether the text afterwards is exactly the one from before we first changed it.
    pub is_restored: bool,
    /// Whether a new file is for its user alone.
    pub is_private: bool,
}

/// A file while the plan is made.
struct Draft {
    before: Option<String>,
    now: Option<String>,
    /// Entries that were added, with how many keys were made for each.
    added: BTreeMap<String, usize>,
    removed: Vec<&'static str>,
    had_ours: bool,
    is_restored: bool,
}

/// Plans a request.
pub fn make_plan(machine: &Machine, request: &Request, records: &Records) -> Plan {
    let mut drafts: BTreeMap<PathBuf, Draft> = BTreeMap::new();
    let mut steps = Vec::new();
    for client in &request.clients {
        let file = match request.scope {
            Scope::User => client.user_file(machine),
            Scope::Project => client.project_file(machine),
        };
        let action = match &file {
            None => Action::ByHand,
            Some(file) if !request.remove && is_replaced(client, file) => Action::ByHand,
            Some(file) => match plan_file(client, file, request, records, &mut drafts) {
                Ok(action) => action,
                Err(problem) => Action::Refuse(problem.to_string()),
            },
        };
        steps.push(Step { client, file, action });
    }
    let changes = drafts
        .into_iter()
        .filter(|(_, draft)| draft.before != draft.now)
        .map(|(path, draft)| finish_draft(path, draft, records, request.scope == Scope::User))
        .collect();
    Plan { steps, changes }
}

/// Whether another file takes the place of the client's own.
fn is_replaced(client: &Client, file: &Path) -> bool {
    !file.exists() && client.instead.iter().any(|name| file.with_file_name(name).exists())
}

/// A reason to leave a file alone.
#[derive(Debug, thiserror::Error)]
enum Problem {
    #[error(transparent)]
    File(#[from] FileProblem),
    #[error("{path}, {fault}", path = .path.display())]
    Text { path: PathBuf, fault: Fault },
}

fn plan_file(
    client: &'static Client,
    file: &Path,
    request: &Request,
    records: &Records,
    drafts: &mut BTreeMap<PathBuf, Draft>,
) -> Result<Action, Problem> {
    let path = file::resolve_link(file)?;
    if !drafts.contains_key(&path) {
        let before = file::read_text(&path)?;
        drafts.insert(path.clone(), Draft::of(before));
    }
    let Some(draft) = drafts.get_mut(&path) else { return Ok(Action::Nothing) };
    let text_fault = |fault| Problem::Text { path: path.clone(), fault };
    let target = client.target();
    // A file that was restored for one client is restored for the others too.
    let shown = if draft.is_restored { &draft.before } else { &draft.now };
    let text = shown.clone().unwrap_or_default();
    let entry = edit::find_entry(&text, target).map_err(text_fault)?;
    let standing = entry.map(|entry| request.wanted.compare(&client.shape, ENTRY_NAME, &entry));
    draft.had_ours |= matches!(standing, Some(Standing::Same | Standing::Differs(_)));
    let action = if request.remove {
        match standing {
            None => Action::Nothing,
            Some(Standing::Foreign(what)) => Action::Foreign(what),
            Some(_) if draft.is_restored => Action::Remove,
            Some(_) => {
                draft.remove(client, records.files.get(&path), request).map_err(text_fault)?;
                Action::Remove
            }
        }
    } else {
        match standing {
            Some(Standing::Same) => Action::Keep,
            Some(Standing::Foreign(what)) if !request.force => Action::Foreign(what),
            Some(Standing::Foreign(_)) => {
                let cleared = edit::remove_entry(&text, target, 0).map_err(text_fault)?;
                draft.now = Some(cleared);
                draft.add(client, &request.wanted).map_err(text_fault)?;
                Action::Change
            }
            Some(Standing::Differs(fields)) => {
                draft.now = Some(edit::change_entry(&text, target, &fields).map_err(text_fault)?);
                draft.added.entry(client.id.to_owned()).or_insert(0);
                Action::Change
            }
            None => {
                draft.add(client, &request.wanted).map_err(text_fault)?;
                Action::Add
            }
        }
    };
    if draft.before != draft.now {
        file::check_writable(&path).inspect_err(|_| {
            draft.now.clone_from(&draft.before);
        })?;
    }
    Ok(action)
}

impl Draft {
    fn of(before: Option<String>) -> Self {
        let now = before.clone();
        Self { before, now, added: BTreeMap::new(), removed: Vec::new(), had_ours: false, is_restored: false }
    }

    fn add(&mut self, client: &'static Client, wanted: &Wanted) -> Result<(), Fault> {
        let text = self.now.clone().unwrap_or_default();
        let base = if text.trim().is_empty() && !client.prelude.is_empty() { client.prelude } else { &text };
        let added = edit::add_entry(base, client.target(), &wanted.fields(&client.shape, ENTRY_NAME))?;
        self.now = Some(added.text);
        self.added.insert(client.id.to_owned(), added.made);
        Ok(())
    }

    fn remove(
        &mut self,
        client: &'static Client,
        record: Option<&FileRecord>,
        request: &Request,
    ) -> Result<(), Fault> {
        self.removed.push(client.id);
        let asked = |id: &String| request.clients.iter().any(|client| client.id == id);
        let complete = record.filter(|record| record.made.keys().all(asked));
        let original =
            complete.zip(self.before.as_ref()).and_then(|(record, before)| record.original(before));
        if let Some(original) = original
            && !holds_ours(original.as_deref(), request)
        {
            self.now = original;
            self.is_restored = true;
            return Ok(());
        }
        let made = record.and_then(|record| record.made.get(client.id)).copied().unwrap_or(0);
        let text = self.now.clone().unwrap_or_default();
        let text = edit::remove_entry(&text, client.target(), made)?;
        let ours = record.is_some_and(|record| record.created);
        self.now = Some(text).filter(|text| !(ours && edit::is_bare(text, client.format, client.prelude)));
        Ok(())
    }
}

/// Whether an entry of ours is in the text, for one of the clients.
fn holds_ours(text: Option<&str>, request: &Request) -> bool {
    let Some(text) = text else { return false };
    request.clients.iter().any(|client| {
        let entry = edit::find_entry(text, client.target()).ok().flatten();
        let standing = entry.map(|entry| request.wanted.compare(&client.shape, ENTRY_NAME, &entry));
        matches!(standing, Some(Standing::Same | Standing::Differs(_)))
    })
}

fn finish_draft(path: PathBuf, draft: Draft, records: &Records, is_private: bool) -> FileChange {
    let old = records.files.get(&path);
    let mut made = old.map(|record| record.made.clone()).unwrap_or_default();
    for (client, count) in draft.added {
        made.entry(client).or_insert(count);
    }
    made.retain(|client, _| !draft.removed.contains(&client.as_str()));
    let known = old.zip(draft.before.as_ref()).and_then(|(record, before)| record.original(before));
    let original = known.unwrap_or_else(|| draft.before.clone());
    let created = old.is_some_and(|record| record.created) || draft.before.is_none();
    let record = draft.now.as_ref().filter(|_| !made.is_empty()).map(|now| FileRecord {
        hash: hash_text(now),
        undo: original.filter(|_| draft.removed.is_empty()).map(|original| Splice::between(&original, now)),
        created,
        folders: old.map(|record| record.folders.clone()).unwrap_or_default(),
        made,
    });
    FileChange {
        path,
        is_pristine: draft.before.is_some() && !draft.had_ours,
        before: draft.before,
        after: draft.now,
        record,
        is_restored: draft.is_restored,
        is_private,
    }
}

impl Client {
    /// Our entry in its file.
    pub fn target(&self) -> Target<'static> {
        Target { format: self.format, servers: self.servers, list: self.shape.list, name: ENTRY_NAME }
    }
}
