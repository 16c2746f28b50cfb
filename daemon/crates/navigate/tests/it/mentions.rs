//! Each place that mentions a symbol.

use sdl_ledger::View;
use sdl_model::FactsKey;
use sdl_model::facts::Body;
use sdl_navigate::mentions::{Bodies, Mentions, SourceOutlines, mentioning_files};
use sdl_navigate::{Filter, Graph};

use crate::ledger::{At, MemoryLedger};
use crate::trees::SHAPES;

/// The bodies of a tree in memory.
pub(crate) struct TreeBodies<'l>(pub(crate) &'l MemoryLedger);

impl Bodies for TreeBodies<'_> {
    fn body(&self, key: FactsKey) -> sdl_ledger::Result<Option<Body>> {
        Ok(self.0.body(key))
    }
}

fn places(
    ledger: &MemoryLedger,
    at: &At<'_>,
    asked: (&str, &str),
    open: &[&str],
) -> (Vec<String>, Vec<String>) {
    let source = at.source();
    let graph = Graph::new(&source);
    let bodies = TreeBodies(ledger);
    let outlines = SourceOutlines::of(&source);
    let mentions = Mentions::new(&source, &outlines, &bodies);
    let targets = [at.id(asked.0, asked.1)];
    let mut found = Vec::new();
    for file in mentioning_files(&graph, &targets, &Filter::default()).unwrap() {
        let here = mentions.in_file(file.file, &targets, &[]).unwrap().unwrap().found;
        found
            .extend(here.iter().map(|site| format!("{}:{} {}", file.path, site.line, site.edge.kind.name())));
    }
    let mut unknown = Vec::new();
    for name in open {
        for file in at.unresolved_files(name).unwrap().unwrap() {
            let path = at.file(file).unwrap().unwrap().path;
            let here = mentions.in_file(file, &targets, open).unwrap().unwrap().open;
            unknown.extend(here.iter().map(|site| format!("{path}:{} {}", site.line, site.name)));
        }
    }
    (found, unknown)
}

#[test]
fn every_mention_is_found_with_its_line() {
    let ledger = MemoryLedger::new(SHAPES);
    let at = ledger.head();
    let (found, _) = places(&ledger, &at, ("shapes/make.py", "make_square"), &[]);
    assert_eq!(
        found,
        [
            "shapes/app.py:1 import",
            "shapes/app.py:5 call",
            "shapes/make.py:20 ref",
            "tests/conftest.py:2 import",
            "tests/conftest.py:7 call",
        ]
    );
}

#[test]
fn a_mention_without_a_known_meaning_is_told() {
    let ledger = MemoryLedger::new(SHAPES);
    let at = ledger.head();
    let (_, open) = places(&ledger, &at, ("shapes/base.py", "Shape.area"), &["area"]);
    assert_eq!(open, ["shapes/make.py:17 area"], "three types have it, so nothing tells which is meant");
    assert_eq!(at.unresolved_files("no_such_name").unwrap(), Some(Vec::new()));
}
