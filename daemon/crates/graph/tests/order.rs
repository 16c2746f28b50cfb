//! More candidates than are kept: which ones are taken must not depend on the files that were resolved before.
#![allow(clippy::unwrap_used, reason = "a test that has no result must fail")]

mod support;

use sdl_graph::testing::Repo;
use sdl_model::RelPath;

/// A class with methods `visit_NAME_0`, `visit_NAME_1` and so on.
fn class(name: &str, base: &str, methods: usize) -> String {
    let methods: String = (0..methods)
        .map(|at| format!("    def visit_{}_{at}(self, node): ...\n", name.to_lowercase()))
        .collect();
    format!("class {name}{base}:\n{methods}")
}

#[test]
fn of_too_many_members_with_made_up_names_the_nearest_are_taken_in_any_order() {
    let mut repo = Repo::default();
    support::add(&mut repo, "base.py", &class("Base", "", 40));
    support::add(&mut repo, "other.py", "from base import Base\nBase().visit_base_0(1)\n");
    let dispatch = "    def visit(self, node):\n        return getattr(self, 'visit_' + node.kind)(node)\n";
    let visitor = class("Visitor", "(Base)", 40);
    support::add(&mut repo, "visitor.py", &format!("from base import Base\n\n{visitor}{dispatch}"));
    let [visitor, other] = ["visitor.py", "other.py"].map(|path| RelPath::new(path).unwrap());
    let alone = repo.resolve_in_order([&visitor]).unwrap();
    let last = repo.resolve_in_order([&other, &visitor]).unwrap();
    assert_eq!(alone[&visitor], last[&visitor]);
    let found = support::edges(&repo, &alone, &["ref"]);
    let hooks = |class: &str| found.iter().filter(|edge| edge.contains(&format!(":{class}.visit_"))).count();
    assert_eq!((hooks("Visitor"), hooks("Base")), (40, 24), "{found:#?}");
}
