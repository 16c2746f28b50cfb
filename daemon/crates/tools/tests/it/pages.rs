//! The pages in `docs/actions` are those that the registry makes.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

#[test]
fn the_pages_are_up_to_date() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/actions");
    let mut held: BTreeMap<String, String> = fs::read_dir(&folder)
        .expect("docs/actions")
        .map(|file| file.unwrap())
        .map(|file| (file.file_name().into_string().unwrap(), fs::read_to_string(file.path()).unwrap()))
        .collect();
    for (name, text) in sdl_tools::documentation_pages() {
        let is = held.remove(&name);
        assert_eq!(is.as_deref(), Some(text.as_str()), "{name} is stale: run `cargo xtask docs`");
    }
    assert!(held.is_empty(), "pages of no action: {:?}; run `cargo xtask docs`", held.keys());
}
