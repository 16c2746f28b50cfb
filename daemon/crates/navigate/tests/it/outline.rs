//! Outlines of files and types.

use sdl_navigate::outline::outline_parts;
use sdl_navigate::{Filter, Graph};

use crate::ledger::MemoryLedger;
use crate::trees::{MIXED, SHAPES};

fn outline(tree: &str, path: &str, name: &str, depth: u32) -> Vec<String> {
    let ledger = MemoryLedger::new(tree);
    let at = ledger.head();
    let source = at.source();
    let graph = Graph::new(&source);
    let sym = source.symbol(at.id(path, name)).unwrap().unwrap();
    let parts = outline_parts(&graph, &sym, depth, &Filter::default()).unwrap();
    let show = |part: &sdl_navigate::outline::Part| {
        format!("{} {} {}", part.depth, part.sym.qualified(), part.users)
    };
    parts.iter().map(show).collect()
}

#[test]
fn a_file_shows_its_definitions_and_who_uses_them() {
    assert_eq!(
        outline(SHAPES, "shapes/make.py", "", 1),
        ["1 make_square 2", "1 total 1", "1 sum_up 1", "1 unknown 0", "1 KINDS 0"]
    );
    let members = outline(SHAPES, "shapes/base.py", "", 2);
    assert_eq!(members[..3], ["1 Shape 1", "2 Shape.__init__ 0", "2 Shape.name 0"]);
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
