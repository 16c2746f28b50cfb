//! The files that a query spells.

use sdl_ledger::View;
use sdl_model::FileId;

use crate::Result;

/// The files that a spelled path means: those whose path ends with it, or, for a longer one from elsewhere, those whose
/// path it ends with. At most three.
pub(crate) fn files_at(view: &dyn View, spelled: &str) -> Result<Vec<FileId>> {
    let spelled = spelled.replace('\\', "/");
    let spelled = spelled.trim_start_matches("./").trim_end_matches('/');
    let Some(name) = spelled.rsplit('/').next().filter(|name| !name.is_empty()) else {
        return Ok(Vec::new());
    };
    let ends_with = |long: &str, short: &str| {
        long.strip_suffix(short).is_some_and(|before| before.is_empty() || before.ends_with('/'))
    };
    let mut found = Vec::new();
    for file in view.files_named(name)? {
        let Some(row) = view.file(file)? else { continue };
        let path = row.path.as_str();
        if ends_with(path, spelled) || ends_with(spelled, path) {
            found.push((path.len(), path.to_owned(), file));
        }
    }
    found.sort();
    Ok(found.into_iter().take(3).map(|(_, _, file)| file).collect())
}
