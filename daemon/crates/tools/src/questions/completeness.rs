//! What an answer may lack: mentions of a name whose meaning is not known.

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
    let mut names: Vec<&str> = targets.iter().map(Sym::name).collect();
    names.sort_unstable();
    names.dedup();
    let (mut files, mut total) = (Vec::new(), 0);
    for name in &names {
        let Some(open) = source.view().unresolved_files(name)? else {
            let says = format!(
                "Not known to be complete: this state does not tell where {name} is mentioned without a known meaning."
            );
            return Ok(Completeness { says, files: Vec::new() });
        };
        total += open.len();
        for file in open {
            files.extend(source.view().file(file)?.map(|row| row.path.as_str().to_owned()));
        }
    }
    files.sort();
    files.dedup();
    let names = names.join(", ");
    let says = match total {
        0 => format!(
            "Complete as far as static reading goes: no file mentions {names} without a known meaning."
        ),
        1 => format!("1 file mentions {names} without a known meaning, so {wanted} may be missing."),
        total => {
            format!("{total} files mention {names} without a known meaning, so {wanted} may be missing.")
        }
    };
    files.truncate(NAMED);
    Ok(Completeness { says, files })
}
