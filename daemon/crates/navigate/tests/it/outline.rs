//! Outlines of files and types.

use sdl_navigate::outline::folder::{FolderOutline, outline_folder};
use sdl_navigate::outline::{Part, outline_symbol};
use sdl_navigate::{Filter, Graph};
use sdl_retrieve::members::own_members;

use crate::ledger::MemoryLedger;
use crate::trees::{MIXED, SHAPES};

fn outline(tree: &str, path: &str, name: &str, depth: u32) -> Vec<String> {
    let ledger = MemoryLedger::new(tree);
    let at = ledger.head();
    let source = at.source();
    let graph = Graph::new(&source);
    let sym = source.symbol(at.id(path, name)).unwrap().unwrap();
    let parts = outline_symbol(&graph, &sym, depth, &Filter::default()).unwrap().parts;
    let show = |part: &Part| format!("{} {} {}", part.depth, part.sym.qualified(), part.users);
    parts.iter().map(show).collect()
}

#[test]
fn a_file_shows_its_definitions_and_who_uses_them() {
    assert_eq!(
        outline(SHAPES, "shapes/make.py", "", 1),
        ["1 make_square 2", "1 total 1", "1 sum_up 1", "1 unknown 0", "1 KINDS 0"]
    );
    let members = outline(SHAPES, "shapes/base.py", "", 2);
    assert_eq!(members[..3], ["1 Shape 2", "2 Shape.__init__ 0", "2 Shape.name 0"]);
    assert!(members.contains(&"2 Circle.label 1".to_owned()), "{members:?}");
}

#[test]
fn members_are_below_their_type_wherever_they_are_written() {
    assert_eq!(outline(SHAPES, "shapes/base.py", "Circle", 1), ["1 Circle.area 0", "1 Circle.label 1"]);
    let walk = outline(MIXED, "src/walk.rs", "", 3);
    let place = |name: &str| walk.iter().position(|row| row.contains(name)).unwrap();
    assert!(
        place("1 Plain") < place("2 Plain::visit") && place("2 Plain::visit") < place("1 count"),
        "{walk:?}"
    );
    assert_eq!(walk.len(), walk.iter().collect::<std::collections::BTreeSet<_>>().len());
}

fn surface(tree: &str, folder: &str, filter: &Filter) -> (Vec<String>, Vec<(String, usize)>) {
    let ledger = MemoryLedger::new(tree);
    let at = ledger.head();
    let source = at.source();
    let FolderOutline::Outline(outline) = outline_folder(&Graph::new(&source), folder, 1, filter).unwrap()
    else {
        panic!("{folder} has no outline");
    };
    let show = |part: &Part| format!("{} {}", part.sym.qualified(), part.users);
    let users = outline.users.into_iter().map(|user| (user.path, user.parts)).collect();
    (outline.parts.iter().map(show).collect(), users)
}

#[test]
fn a_folder_shows_what_others_use_first() {
    let (parts, users) = surface(SHAPES, "shapes", &Filter::default());
    assert_eq!(parts[..4], ["main 1", "load 1", "make_square 1", "sum_up 1"], "{parts:?}");
    let (parts, none) = surface(SHAPES, "shapes", &Filter { include_tests: false, ..Filter::default() });
    assert!(parts.iter().all(|part| part.ends_with(" 0")), "{parts:?}");
    assert!(none.is_empty(), "{none:?}");
    assert_eq!(users.first().map(|(path, _)| path.as_str()), Some("tests/test_shapes.py"), "{users:?}");
}

#[test]
fn what_the_index_of_a_folder_imports_comes_before_the_rest() {
    let tree = format!("{SHAPES}\n//- /shapes/__init__.py\nfrom .make import KINDS\n");
    let (parts, _) = surface(&tree, "shapes", &Filter { include_tests: false, ..Filter::default() });
    assert_eq!(parts.first().map(String::as_str), Some("KINDS 0"), "{parts:?}");
}

#[test]
fn a_folder_without_files_has_no_outline() {
    let ledger = MemoryLedger::new(SHAPES);
    let at = ledger.head();
    let source = at.source();
    for folder in ["shape", "shapes/base.py", "nowhere"] {
        let found = outline_folder(&Graph::new(&source), folder, 1, &Filter::default()).unwrap();
        assert!(matches!(found, FolderOutline::Unknown), "{folder}");
    }
}

/// The law of [`sdl_navigate::outline::folder`], beside a count over all edges of the tree.
#[test]
fn users_are_the_files_with_an_edge() {
    for tree in [SHAPES, MIXED] {
        let ledger = MemoryLedger::new(tree);
        let at = ledger.head();
        let source = at.source();
        let mut files = Vec::new();
        source
            .view()
            .files_under("", &mut |file, path| {
                files.push((file, path.to_owned()));
                std::ops::ControlFlow::Continue(())
            })
            .unwrap();
        let mut folders: std::collections::BTreeSet<&str> =
            files.iter().map(|(_, path)| path.rsplit_once('/').map_or("", |(dir, _)| dir)).collect();
        folders.insert("");
        for folder in folders {
            let inside = |path: &str| {
                !folder.is_empty() && path.strip_prefix(folder).is_some_and(|p| p.starts_with('/'))
            };
            let found = outline_folder(&Graph::new(&source), folder, 1, &Filter::default()).unwrap();
            let FolderOutline::Outline(outline) = found else { panic!("{folder} has no outline") };
            for part in &outline.parts {
                let mut users = std::collections::BTreeSet::new();
                for (file, path) in
                    files.iter().filter(|(file, path)| !inside(path) && *file != part.sym.file())
                {
                    for sym in source.symbols_of(*file).unwrap() {
                        for edge in source.view().out_edges(sym.id).unwrap() {
                            let to = source.symbol(edge.to).unwrap().unwrap();
                            let is_member = own_members(&part.sym)
                                .iter()
                                .any(|ix| part.sym.beside(*ix).is_some_and(|member| member.id == to.id));
                            if to.id == part.sym.id || is_member {
                                users.insert(path.clone());
                            }
                        }
                    }
                }
                assert_eq!(part.users, users.len(), "{folder}: {} {users:?}", part.sym.qualified());
                assert!(part.users > 0 || part.sym.exported(), "{folder}: {}", part.sym.qualified());
            }
        }
    }
}
