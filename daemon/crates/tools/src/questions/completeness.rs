//! What an answer may lack: mentions of a name whose meaning is not known.

use std::collections::BTreeSet;

use sdl_model::FileId;
use sdl_retrieve::{Source, Sym};

use crate::ToolError;

/// Most files that are named.
const NAMED: usize = 5;

/// What an answer may lack.
pub(crate) struct Completeness {
    /// A sentence for the reader.
    pub(crate) says: String,
    /// The first files that mention the name without a known meaning.
    pub(crate) files: Vec<String>,
}

/// Tells whether other code may mention `targets` without that this can be seen. `wanted` is what the question asked
/// for, such as "callers".
pub(crate) fn completeness(
    source: &Source<'_>,
    targets: &[Sym],
    wanted: &str,
) -> Result<Completeness, ToolError> {
    let names: BTreeSet<&str> = targets.iter().map(Sym::name).collect();
    let shown = names.iter().copied().collect::<Vec<_>>().join(", ");
    let Some(open) = unresolved_mentions(source, names)? else {
        let says = format!(
            "Not known to be complete: this state does not tell where {shown} is mentioned without a known meaning."
        );
        return Ok(Completeness { says, files: Vec::new() });
    };
    let says = match open.len() {
        0 => format!(
            "Complete as far as static reading goes: no file mentions {shown} without a known meaning."
        ),
        1 => format!("1 file mentions {shown} without a known meaning, so {wanted} may be missing."),
        total => {
            format!("{total} files mention {shown} without a known meaning, so {wanted} may be missing.")
        }
    };
    Ok(Completeness { says, files: first_paths(source, open)? })
}

/// The paths of the first of these files.
pub(crate) fn first_paths(source: &Source<'_>, open: BTreeSet<FileId>) -> Result<Vec<String>, ToolError> {
    let mut paths = Vec::new();
    for file in open {
        paths.extend(source.view().file(file)?.map(|row| row.path.as_str().to_owned()));
    }
    paths.sort();
    paths.truncate(NAMED);
    Ok(paths)
}

/// The files that mention one of `names` without a known meaning. None if this state does not record them.
pub(crate) fn unresolved_mentions<'n>(
    source: &Source<'_>,
    names: impl IntoIterator<Item = &'n str>,
) -> Result<Option<BTreeSet<FileId>>, ToolError> {
    let mut files = BTreeSet::new();
    for name in names {
        let Some(open) = source.view().unresolved_files(name)? else { return Ok(None) };
        files.extend(open);
    }
    Ok(Some(files))
}
