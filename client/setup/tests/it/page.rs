//! Tables of `docs/setup.md` that are made from the catalog.

use std::fs;
use std::path::Path;

/// Compares a table of the page, from its first line to the next blank one. Run the test with SDL_UPDATE=1 to write it.
pub(crate) fn assert_table(table: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/setup.md");
    let page = fs::read_to_string(&path).unwrap();
    let head = table.lines().next().unwrap();
    let start = page.find(head).unwrap_or_else(|| panic!("docs/setup.md has no table {head}"));
    let end = page[start..].find("\n\n").map_or(page.len(), |end| start + end + 1);
    if std::env::var_os("SDL_UPDATE").is_some() {
        fs::write(&path, format!("{}{table}{}", &page[..start], &page[end..])).unwrap();
        return;
    }
    assert!(
        &page[start..end] == table,
        "docs/setup.md must have this table; SDL_UPDATE=1 writes it:\n{table}"
    );
}
