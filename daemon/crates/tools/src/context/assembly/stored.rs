//! The sources of assemblies, kept so that feedback can refer to them.

use sdl_ledger::AgentStore;
use sdl_model::ids::stable_hash;
use serde::{Deserialize, Serialize};

use crate::call::context::{Call, ReadCx};
use crate::stored::{RowChange, tables};
use crate::{Candidate, Code, Explained, ToolError, stored};

/// The layout of the stored rows.
const LAYOUT: u8 = 1;
/// Assemblies of one repository that are kept. Those of the oldest versions are dropped first.
const MOST: usize = 1_000;
/// Assemblies beyond those that may be there, because finding the oldest reads them all.
const SPARE: usize = 100;
/// Maximum number of characters of a task that are kept.
const MOST_TEXT: usize = 2_000;

/// The sources of an assembly.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Assembly {
    #[serde(rename = "assemblyId")]
    pub(crate) id: String,
    pub(crate) task_text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) task_type: Option<String>,
    /// The number of the version it was made from.
    pub(crate) version: u64,
    /// The symbols that its evidence was about, and the rows that it showed.
    pub(crate) source_ids: Vec<String>,
    /// Those of the rows that are lessons.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) lessons: Vec<String>,
}

impl Assembly {
    /// Returns the assembly of that task at this version. The same call gives the same id.
    pub(crate) fn new(cx: &ReadCx<'_>, asked: &str, task_text: &str, task_type: Option<&str>) -> Self {
        let version = cx.version.0.to_le_bytes();
        let incarnation = cx.snapshot.incarnation().0.to_le_bytes();
        let hash = stable_hash(&[cx.repo.id().as_bytes(), &incarnation, &version, asked.as_bytes()]);
        Self::with_hash(hash, cx.version.0, task_text, task_type)
    }

    /// Returns the assembly of that task at this version, if there is one, and at this revision of the store.
    pub(crate) fn of_store(
        cx: Option<&ReadCx<'_>>,
        (revision, scope): (u64, &str),
        asked: &str,
        task_text: &str,
        task_type: Option<&str>,
    ) -> Self {
        let version = cx.map_or(0, |cx| cx.version.0);
        let incarnation = cx.map_or(0, |cx| u64::from(cx.snapshot.incarnation().0));
        let numbers = [incarnation, version, revision].map(u64::to_le_bytes).concat();
        let hash = stable_hash(&[scope.as_bytes(), &numbers, asked.as_bytes()]);
        Self::with_hash(hash, version, task_text, task_type)
    }

    fn with_hash(hash: u64, version: u64, task_text: &str, task_type: Option<&str>) -> Self {
        Self {
            id: format!("as_{}", stored::encode_number(hash)),
            task_text: stored::masked_text(&task_text.chars().take(MOST_TEXT).collect::<String>()),
            task_type: task_type.map(str::to_owned),
            version,
            source_ids: Vec::new(),
            lessons: Vec::new(),
        }
    }
}

/// Returns the assembly with this id; an error that says what to do if it is not kept.
pub(crate) fn find_assembly(cx: &ReadCx<'_>, id: &str) -> Result<Assembly, ToolError> {
    find_assembly_of(cx.call, cx.repo.id(), id)
}

/// Returns the assembly with this id in a scope: a repository's id, or empty; an error that says what to do if it is not kept.
pub(crate) fn find_assembly_of(call: &Call<'_>, scope: &str, id: &str) -> Result<Assembly, ToolError> {
    let of = |repo: &str| -> Result<Option<Assembly>, ToolError> {
        let key = stored::row_key(repo, id);
        if let Some(bytes) = call.decisions.unwritten(tables::ASSEMBLIES, &key) {
            return Ok(stored::from_bytes(LAYOUT, &bytes));
        }
        Ok(call.host.agent().read(|reader| {
            Ok(reader.get(tables::ASSEMBLIES, &key)?.and_then(|bytes| stored::from_bytes(LAYOUT, bytes)))
        })?)
    };
    let shown: String = id.chars().take(40).collect();
    let unknown = |message: String| ToolError::new(Code::UnknownHandle, message).at("assemblyId");
    // Other texts are no assembly ids, and such a long one may exceed the limit of keys.
    if !id.starts_with("as_") || id.len() > 20 {
        return Err(unknown(format!(
            "{shown:?} is not an assembly's id: those are as_ and 13 characters, from agent.orchestrate or context.assemble"
        )));
    }
    if let Some(found) = of(scope)? {
        return Ok(found);
    }
    for repo in call.host.repos() {
        if of(repo.id())?.is_some() {
            let message = format!("the assembly {shown} belongs to repository {:?}; say so", repo.id());
            return Err(ToolError::invalid("repoId", message).or_one_of([Candidate::of("repoId", repo.id())]));
        }
    }
    Err(unknown(format!(
        "no assembly is kept as {shown}: give the id as agent.orchestrate gave it, or a sliceHandle (the last {MOST} \
         assemblies of a repository are kept)"
    )))
}

/// Stores an assembly with the decisions of the call. Drops the oldest if there are too many.
pub(crate) fn keep_assembly(cx: &ReadCx<'_>, assembly: &Assembly) -> Result<(), ToolError> {
    keep_assembly_of(cx.call, cx.repo.id(), assembly)
}

/// Stores an assembly of a scope with the decisions of the call. Drops the oldest if there are too many.
pub(crate) fn keep_assembly_of(call: &Call<'_>, repo: &str, assembly: &Assembly) -> Result<(), ToolError> {
    let store = call.host.agent();
    let key = stored::row_key(repo, &assembly.id);
    let bytes = stored::to_bytes(LAYOUT, assembly)?;
    let same = store.read(|reader| Ok(reader.get(tables::ASSEMBLIES, &key)? == Some(bytes.as_slice())))?;
    if same {
        return Ok(());
    }
    let change = |key: Vec<u8>, bytes: Option<Vec<u8>>| RowChange { table: tables::ASSEMBLIES, key, bytes };
    let surplus = surplus_assemblies(store, repo)?;
    call.decisions.write_beside(surplus.iter().map(|old| change(stored::row_key(repo, &old.id), None)));
    call.decisions.write_beside([change(key, Some(bytes))]);
    Ok(())
}

/// Returns the assemblies that make room for one more.
fn surplus_assemblies(store: &AgentStore, repo: &str) -> Result<Vec<Assembly>, ToolError> {
    if stored::count_rows(store, tables::ASSEMBLIES, repo)? < MOST + SPARE {
        return Ok(Vec::new());
    }
    let mut known: Vec<Assembly> = stored::read_rows(store, tables::ASSEMBLIES, repo, LAYOUT)?;
    known.sort_by(|a, b| (a.version, &a.id).cmp(&(b.version, &b.id)));
    known.truncate((known.len() + 1).saturating_sub(MOST));
    Ok(known)
}
