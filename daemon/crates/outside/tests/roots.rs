//! Packages in injected folders.
#![allow(clippy::unwrap_used, reason = "a test that can't go on fails")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use sdl_ledger::View as _;
use sdl_model::{Lang, RelPath};
use sdl_outside::{DiskTree, Outside, Package, Places, Reading};

fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn packages(outside: &Outside, repo: &Path, path: &str, lang: Lang, module: &str) -> Vec<Package> {
    outside.packages_of(repo, &RelPath::new(path).unwrap(), lang, &BTreeSet::from([module.to_owned()]))
}

#[test]
fn lock_files_and_folders_say_which_version_is_meant() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    let repo = root.join("repo");
    write(&repo, "Cargo.lock", "[[package]]\nname = \"a-b\"\nversion = \"1.2.0\"\n");
    write(&root, "cargo/index/a-b-1.2.0/src/lib.rs", "pub fn f() {}\n");
    write(&root, "cargo/index/a-b-1.3.0/src/lib.rs", "");
    write(&repo, "go.mod", "module x\n\nrequire example.com/Shop v1.0.0\n");
    write(&root, "go/example.com/!shop@v1.0.0/cart/cart.go", "package cart\n");
    write(
        &repo,
        "web/node_modules/@shop/cart/package.json",
        "{\"name\": \"@shop/cart\", \"version\": \"2.0.0\"}",
    );
    let places = Places { cargo: vec![root.join("cargo")], go: vec![root.join("go")], python: Vec::new() };
    let outside = Outside::new(places, Vec::new());
    let of = |path, lang, module| {
        let found = packages(&outside, &repo, path, lang, module);
        found.into_iter().map(|package| (package.name, package.version)).collect::<Vec<_>>()
    };
    let one = |name: &str, version: &str| vec![(name.to_owned(), Some(version.to_owned()))];
    assert_eq!(of("src/main.rs", Lang::Rust, "a_b"), one("a-b", "1.2.0"));
    assert_eq!(of("src/main.rs", Lang::Rust, "other"), []);
    assert_eq!(of("main.go", Lang::Go, "example.com/Shop/cart"), one("example.com/Shop", "v1.0.0"));
    assert_eq!(of("web/src/a.ts", Lang::TypeScript, "@shop/cart/api"), one("@shop/cart", "2.0.0"));
    assert_eq!(of("src/a.ts", Lang::TypeScript, "@shop/cart"), [], "it is not around that file");
    assert_eq!(of("web/a.ts", Lang::TypeScript, "../../repo"), [], "no name leads out");
}

#[test]
fn files_are_read_below_allowed_folders_alone() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    write(&root, "in/a.py", "def f():\n    pass\n");
    write(&root, "in/.env", "TOKEN=x\n");
    write(&root, "out/b.py", "def g():\n    pass\n");
    #[cfg(unix)]
    std::os::unix::fs::symlink(root.join("out/b.py"), root.join("in/b.py")).unwrap();
    let outside = Outside::new(Places::default(), vec![root.join("in")]);
    let (reading, allowed) = (Reading::default(), outside.allowed(&root.join("nothing")));
    let tree = DiskTree::new(&root.join("in"), &allowed, &reading, outside.cache());
    let key = |path: &str| {
        let row = tree.file(tree.file_id(&RelPath::new(path).unwrap())).unwrap();
        row.and_then(|row| row.state.facts())
    };
    let facts = outside.facts(&reading, key("a.py").unwrap()).unwrap();
    assert_eq!(facts.outline.defs.len(), 2);
    assert_eq!((key("b.py"), key(".env"), key("none.py")), (None, None, None));
    assert!(!reading.is_cut());
    // The same file with another text has another key.
    let before = key("a.py");
    write(&root, "in/a.py", "def longer():\n    pass\n");
    let again = DiskTree::new(&root.join("in"), &allowed, &reading, outside.cache());
    let path = RelPath::new("a.py").unwrap();
    let after = again.file(again.file_id(&path)).unwrap().and_then(|row| row.state.facts());
    assert_ne!(before, after);
}

#[test]
fn a_person_can_turn_it_off() {
    let dir = tempfile::tempdir().unwrap();
    let none = |_: &str| None;
    assert!(Outside::of_settings(dir.path(), &none).is_some());
    write(dir.path(), "dependencies.json", "{\"enabled\": false}");
    assert!(Outside::of_settings(dir.path(), &none).is_none());
    write(dir.path(), "dependencies.json", "{\"enabeld\": true}");
    assert!(Outside::of_settings(dir.path(), &none).is_none(), "what can't be read allows nothing");
}

#[test]
fn crates_are_found_under_the_names_that_code_gives_them() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    let repo = root.join("repo");
    write(&repo, "Cargo.lock", "[[package]]\nname = \"wire-core\"\nversion = \"1.2.0\"\n");
    write(&repo, "Cargo.toml", "[dependencies]\nwire = { version = \"1\", package = \"wire-core\" }\n");
    write(&root, "cargo/index/wire-core-1.2.0/Cargo.toml", "[package]\nname = \"wire-core\"\n");
    let places = Places { cargo: vec![root.join("cargo")], ..Places::default() };
    let outside = Outside::new(places, Vec::new());
    let found = packages(&outside, &repo, "src/main.rs", Lang::Rust, "wire");
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].name.as_str(), found[0].version.as_deref()), ("wire-core", Some("1.2.0")));
}

#[test]
fn types_of_others_are_taken_for_packages_without_their_own() {
    let dir = tempfile::tempdir().unwrap();
    let repo = dir.path().canonicalize().unwrap();
    write(&repo, "node_modules/plain/package.json", "{\"name\": \"plain\", \"version\": \"1.0.0\"}");
    write(
        &repo,
        "node_modules/@types/plain/package.json",
        "{\"name\": \"@types/plain\", \"version\": \"1.0.3\"}",
    );
    write(
        &repo,
        "node_modules/@types/a__b/package.json",
        "{\"name\": \"@types/a__b\", \"version\": \"2.0.0\"}",
    );
    write(&repo, "node_modules/typed/package.json", "{\"name\": \"typed\", \"types\": \"t.d.ts\"}");
    write(&repo, "node_modules/@types/typed/package.json", "{\"name\": \"@types/typed\"}");
    write(&repo, "node_modules/lone/package.json", "{\"name\": \"lone\"}");
    let outside = Outside::new(Places::default(), Vec::new());
    let name = |module: &str| {
        packages(&outside, &repo, "src/a.ts", Lang::TypeScript, module)
            .first()
            .map(|found| found.name.clone())
    };
    assert_eq!(name("plain").as_deref(), Some("@types/plain"));
    assert_eq!(name("plain/part").as_deref(), Some("@types/plain"));
    assert_eq!(name("@a/b").as_deref(), Some("@types/a__b"), "even without the package itself");
    assert_eq!(name("typed").as_deref(), Some("typed"));
    assert_eq!(name("lone").as_deref(), Some("lone"));
    assert_eq!(name("none"), None);
}

#[test]
fn the_standard_library_is_that_of_the_interpreter_of_the_environment() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    let repo = root.join("repo");
    let settings = format!("home = {}\nversion = 3.12.4\n", root.join("python/bin").display());
    write(&repo, ".venv/pyvenv.cfg", &settings);
    write(&root, "python/bin/python3", "");
    let outside = Outside::new(Places::default(), Vec::new());
    let find = |module: &str| packages(&outside, &repo, "a.py", Lang::Python, module);
    write(&root, "python/lib/python3.12/textwrap.py", "def dedent(text):\n    return text\n");
    assert_eq!(find("textwrap"), [], "a folder is a library only if it looks like one");
    for name in ["os", "abc", "enum"] {
        write(&root, &format!("python/lib/python3.12/{name}.py"), "");
    }
    let found = find("textwrap");
    assert_eq!(found.first().and_then(|found| found.version.clone()).as_deref(), Some("Python 3.12"));
    assert_eq!(find("unknown"), []);
    // An installed package of the name comes first.
    write(&repo, ".venv/lib/python3.12/site-packages/textwrap.py", "");
    assert_eq!(find("textwrap").first().and_then(|found| found.version.clone()), None);
    // It may be read, and nothing beside it.
    let (reading, allowed) = (Reading::default(), outside.allowed(&repo));
    let tree = DiskTree::new(&root.join("python/lib/python3.12"), &allowed, &reading, outside.cache());
    assert!(tree.file(tree.file_id(&RelPath::new("textwrap.py").unwrap())).unwrap().is_some());
    write(&root, "python/lib/other.py", "");
    let beside = DiskTree::new(&root.join("python/lib"), &allowed, &reading, outside.cache());
    assert!(beside.file(beside.file_id(&RelPath::new("other.py").unwrap())).unwrap().is_none());
}
