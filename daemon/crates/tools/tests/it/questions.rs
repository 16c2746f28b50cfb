//! Callers, mentions, ways and impacts, on a small tree of Python that the real resolver reads.

use std::collections::BTreeSet;

use crate::common::World;
use serde_json::{Value, json};

/// A base class that is called, a class that overrides its method, a helper that several functions use, and tests.
pub(crate) const TREE: &str = "\
//- /real/linked/shapes.py
class Shape:
    def area(self):
        raise NotImplementedError

    def report(self):
        return self.area()


class Square(Shape):
    def area(self):
        return 4


class Circle(Shape):
    def area(self):
        return 3


def grow(shape: Shape):
    return shape.area() + shape.area()


def shrink(thing):
    return thing.area()


def connect():
    return login(password='hunter2-but-longer-x9', area=grow)


def login(password, area):
    return area
//- /real/linked/app.py
from real.linked.shapes import Square, connect, grow


def main():
    grow(Square())
    return connect()


def again():
    return grow(Square()), main()
//- /real/linked/test_app.py
from real.linked.app import again, main
from real.linked.shapes import grow


def test_main():
    assert main()


def test_again():
    assert again()


def test_other():
    assert grow
";

/// A key that is the name of a value too, and a comment.
pub(crate) const SHORTHAND: &str = "\
//- /real/linked/save.ts
// Calls save.
export function save(n: number) { return n; }
export const actions = { save };
";

/// Functions that use each other, and no one else does.
pub(crate) const CIRCLE: &str = "\
//- /real/linked/circle.py
def _ping(n):
    return _pong(n)


def _pong(n):
    return _ping(n)
";

fn tree() -> World {
    let world = World::empty();
    world.repo.write(TREE);
    world
}

fn names(rows: &Value) -> Vec<String> {
    rows.as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn callers_come_with_their_lines_and_with_what_may_be_missing() {
    let world = tree();
    let found = world.ok("sdl_symbol_related", json!({"symbol": "Square.area", "includeText": true}));
    assert_eq!(names(&found["related"]), ["Shape.report", "grow"], "{found:#}");
    let grow = &found["related"][1];
    assert_eq!((&grow["at"], &grow["sites"]), (&json!(20), &json!(2)));
    assert_eq!(grow["text"], "return shape.area() + shape.area()");
    assert_eq!((&grow["through"], &grow["resolution"]), (&json!("Shape.area"), &json!("ambiguous")));
    let says = found["completeness"].as_str().unwrap();
    assert!(says.starts_with("1 file mentions area without a known meaning"), "{says}");
    assert_eq!(found["unresolvedFiles"], json!(["real/linked/shapes.py"]));
    let none = world.ok("sdl_symbol_related", json!({"symbol": "test_other"}));
    assert_eq!((&none["related"], &none["total"]), (&json!([]), &json!(0)));
    assert!(none["completeness"].as_str().unwrap().starts_with("Complete as far as static reading goes"));
}

#[test]
fn pages_lose_nothing_and_double_nothing() {
    let world = tree();
    for (want, symbol) in
        [("callers", "grow"), ("callees", "again"), ("references", "grow"), ("references", "Square")]
    {
        for depth in [1, 3] {
            let ask = |limit: u64, cursor: Value| {
                let args =
                    json!({"symbol": symbol, "want": want, "depth": depth, "limit": limit, "cursor": cursor});
                world.ok("sdl_symbol_related", args)
            };
            let whole = ask(500, Value::Null);
            assert!(whole.get("cursor").is_none());
            let mut rows = Vec::new();
            let mut cursor = Value::Null;
            loop {
                let page = ask(1, cursor);
                assert_eq!(page["related"].as_array().unwrap().len(), 1);
                rows.extend(page["related"].as_array().unwrap().clone());
                match page.get("cursor") {
                    Some(next) => cursor = next.clone(),
                    None => break,
                }
            }
            assert_eq!(json!(rows), whole["related"], "{want} of {symbol}");
            let distinct: BTreeSet<String> =
                rows.iter().map(|row| format!("{}{}", row["symbolId"], row["at"])).collect();
            assert_eq!(distinct.len(), rows.len());
            assert_eq!(whole["total"], rows.len(), "{want} of {symbol}");
        }
    }
}

#[test]
fn a_mention_shows_its_line_without_its_secret() {
    let world = tree();
    let found = world.ok("sdl_symbol_related", json!({"symbol": "login", "want": "references"}));
    let text = found["related"][0]["text"].as_str().unwrap();
    assert!(text.starts_with("return login(password=") && !text.contains("hunter2"), "{text}");
    let row = world.shown(1).remove(0);
    assert_eq!(row.decision, "served");
    assert_eq!(row.details["lines"], json!([found["related"][0]["at"]]));
}

#[test]
fn a_symbol_is_named_in_many_ways_and_never_guessed() {
    let world = tree();
    let id = world.ok("sdl_symbol_related", json!({"symbol": "grow"}))["of"][0]["symbolId"].clone();
    for name in ["real/linked/shapes.py:grow", "shapes.py:grow", "real/linked/shapes.py:19"] {
        let found = world.ok("sdl_symbol_related", json!({"symbol": name}));
        assert_eq!(found["of"][0]["symbolId"], id, "{name}");
    }
    let module =
        world.ok("sdl_symbol_related", json!({"symbol": "real/linked/shapes.py", "want": "references"}));
    assert_eq!(module["of"][0]["kind"], "module");
    let many = world.err("sdl_symbol_related", json!({"symbol": "area"}));
    assert_eq!((&many["code"], &many["field"]), (&json!("ambiguousSymbol"), &json!("symbol")));
    assert_eq!(many["candidates"].as_array().unwrap().len(), 3);
    let none = world.err("sdl_symbol_path", json!({"from": "grwo", "to": "main"}));
    assert_eq!((&none["code"], &none["field"]), (&json!("unknownSymbol"), &json!("from")));
    assert_eq!(none["candidates"][0]["name"], "grow");
    let line = world.err("sdl_symbol_related", json!({"symbol": "real/linked/nothing.py:3"}));
    assert_eq!(line["code"], "unknownPath");
}

#[test]
fn a_file_that_was_not_parsed_says_why() {
    let world = tree();
    world.repo.write("//- /binary/table.py\ndef found():\n    return 1\n");
    let questions = [
        ("sdl_symbol_related", json!({"symbol": "binary/table.py", "want": "members"}), "symbol"),
        ("sdl_symbol_related", json!({"symbol": "./binary/table.py:found"}), "symbol"),
        ("sdl_symbol_related", json!({"symbol": "binary/table.py:1"}), "symbol"),
        ("sdl_change_impact", json!({"files": ["binary/table.py"]}), "files"),
    ];
    for (tool, arguments, field) in questions {
        let error = world.err(tool, arguments);
        assert_eq!((&error["code"], &error["field"]), (&json!("unavailable"), &json!(field)), "{error:#}");
        assert_eq!(error["message"], "binary/table.py is listed but not read (binary)");
    }
}

#[test]
fn an_outline_shows_what_a_file_contains_and_who_uses_it() {
    let world = tree();
    let found = world.ok("sdl_symbol_related", json!({"symbol": "real/linked/shapes.py", "want": "members"}));
    assert_eq!(names(&found["related"]), ["Shape", "Square", "Circle", "grow", "shrink", "connect", "login"]);
    let grow = &found["related"][3];
    assert_eq!((&grow["exported"], &grow["users"]), (&json!(true), &json!(2)));
    let deep = world.ok("sdl_symbol_related", json!({"symbol": "Shape", "want": "members"}));
    assert_eq!(names(&deep["related"]), ["Shape.area", "Shape.report"]);
    assert_eq!(found["usedBy"][0], json!({"file": "real/linked/app.py", "uses": 3}));
}

const RUN: &str = "from real.linked.kit.shapes import grow\n\n\ndef run():\n    return grow(1)\n";

#[test]
fn an_outline_of_a_folder_shows_what_others_use() {
    let world = World::empty();
    let kit = TREE.replace("real/linked", "real/linked/kit").replace("real.linked", "real.linked.kit");
    world.repo.write(&format!("{kit}//- /real/linked/run.py\n{RUN}"));
    let members = |args: Value| {
        let mut args = args;
        args["want"] = json!("members");
        world.ok("sdl_symbol_related", args)
    };
    let found = members(json!({"symbol": "real/linked/kit/", "limit": 2}));
    assert_eq!(names(&found["related"])[0], "grow");
    assert_eq!((&found["folder"], &found["related"][0]["users"]), (&json!("real/linked/kit"), &json!(1)));
    assert_eq!(found["usedBy"], json!([{"file": "real/linked/run.py", "uses": 1}]));
    let rest = members(json!({"symbol": "real/linked/kit/", "limit": 100, "cursor": found["cursor"]}));
    assert_eq!(rest["related"].as_array().unwrap().len() as u64 + 2, found["total"].as_u64().unwrap());
    assert_eq!(members(json!({"symbol": "."}))["folder"], "");
    assert_eq!(members(json!({"symbol": "real"}))["folder"], "real", "no symbol is called so");
    let error = world.err("sdl_symbol_related", json!({"symbol": "real/linked/kit"}));
    assert!(error["message"].as_str().unwrap().contains("is a folder"), "{error}");
}

#[test]
fn a_way_shows_each_link() {
    let world = tree();
    let found = world.ok("sdl_symbol_path", json!({"from": "again", "to": "connect", "includeText": true}));
    let hops = &found["ways"][0]["hops"];
    assert_eq!(
        (names(hops), &found["edges"]),
        (vec!["main".to_owned(), "connect".to_owned()], &json!("calls"))
    );
    assert_eq!((&hops[1]["at"], &hops[1]["text"]), (&json!(6), &json!("return connect()")));
    let to_area = world.ok("sdl_symbol_path", json!({"from": "main", "to": "Circle.area"}));
    assert_eq!(to_area["ways"][0]["hops"][1]["through"], "Shape.area");
    let none = world.ok("sdl_symbol_path", json!({"from": "connect", "to": "again"}));
    assert_eq!(none["ways"], json!([]));
    assert!(none["remark"].as_str().unwrap().contains("from connect to again"), "{none}");
    let from_starts = world.ok("sdl_symbol_path", json!({"to": "login"}));
    assert_eq!(from_starts["ways"][0]["from"]["name"], "again", "{from_starts:#}");
}

#[test]
fn the_impact_of_a_change_is_ranked_and_names_tests() {
    let world = tree();
    let found = world.ok("sdl_change_impact", json!({"symbols": ["connect"], "depth": 5}));
    assert_eq!(names(&found["dependents"])[..2], ["main", "again"], "{found:#}");
    assert_eq!((&found["counts"]["direct"], &found["counts"]["tests"]), (&json!(1), &json!(2)));
    assert_eq!(found["processes"], json!(["again > main > connect"]));
    let tests = |args: Value| -> Vec<String> {
        let mut args = args;
        args["want"] = json!("tests");
        let found = world.ok("sdl_change_impact", args);
        let ids = found["tests"].as_array().unwrap().iter();
        let mut ids: Vec<String> = ids.map(|test| test["id"].as_str().unwrap().to_owned()).collect();
        ids.sort();
        ids
    };
    let of = |name: &str| format!("real/linked/test_app.py::{name}");
    assert_eq!(tests(json!({"symbols": ["connect"]})), [of("test_again"), of("test_main")]);
    assert_eq!(tests(json!({"symbols": ["again"]})), [of("test_again")]);
    let diff = "--- a/real/linked/app.py\n+++ b/real/linked/app.py\n@@ -9,2 +9,2 @@\n def again():\n-    return grow(Square()), main()\n+    return 1\n";
    assert_eq!(tests(json!({"diff": diff})), [of("test_again")]);
    world.repo.write(&TREE.replace("return grow(Square()), main()", "return 2"));
    assert_eq!(tests(json!({"fromVersion": "previous"})), [of("test_again")]);
    let found = world.ok("sdl_change_impact", json!({"symbols": ["main"], "want": "tests"}));
    assert_eq!(found["commands"], json!(["pytest real/linked/test_app.py::test_main"]));
}

#[test]
fn a_diff_counts_by_what_it_does() {
    let world = tree();
    let changed = |diff: &str| {
        let found = world.ok("sdl_change_impact", json!({"diff": diff}));
        names(&found["changed"])
    };
    let of = |hunk: &str| format!("--- a/real/linked/shapes.py\n+++ b/real/linked/shapes.py\n{hunk}");
    let comment =
        of("@@ -23,2 +23,3 @@\n def shrink(thing):\n+    # makes it smaller\n     return thing.area()\n");
    assert!(changed(&comment).is_empty(), "a comment");
    let code = of(
        "@@ -23,2 +23,2 @@\n def shrink(thing):\n-    return thing.area()\n+    return thing.area() - 1\n",
    );
    assert_eq!(changed(&code), ["shrink"]);
    let new = of(
        "@@ -23,2 +23,5 @@\n+def widen(thing):\n+    return 1\n+\n def shrink(thing):\n     return thing.area()\n",
    );
    assert!(changed(&new).is_empty(), "a new function");
    let other_text = of("@@ -23,2 +23,2 @@\n def shrink(other):\n-    return other.area()\n+    return 1\n");
    assert_eq!(changed(&other_text), ["shrink"], "by its lines, since it is of another text");
}

#[test]
fn a_change_that_is_not_named_is_refused() {
    let world = tree();
    for (args, field) in [
        (json!({}), "symbols"),
        (json!({"diff": "not a diff"}), "diff"),
        (json!({"toVersion": "latest"}), "fromVersion"),
        (json!({"files": ["real/linked/none.py"]}), "files"),
        (json!({"symbols": ["nowhere"]}), "symbols"),
        (json!({"symbols": ["main"], "paths": ["a["]}), "paths"),
    ] {
        let error = world.err("sdl_change_impact", args.clone());
        assert_eq!(error["field"], field, "{args}: {error}");
    }
}

#[test]
fn an_earlier_version_answers_as_it_did() {
    let world = tree();
    let before = world.repo.head();
    world.repo.write(&TREE.replace("    grow(Square())\n", ""));
    let now = world.ok("sdl_symbol_related", json!({"symbol": "grow", "includeTests": false}));
    assert_eq!(names(&now["related"]), ["again"]);
    let then = json!({"symbol": "grow", "includeTests": false, "atVersion": before});
    let then = world.ok("sdl_symbol_related", then);
    assert_eq!(
        (names(&then["related"]), &then["atVersion"]),
        (vec!["main".into(), "again".into()], &json!(before))
    );
}

/// A prototype and its function are one symbol to a reader; two functions of a name are not.
#[test]
fn a_name_means_the_function_and_not_its_prototype() {
    let world = World::shop();
    world.repo.write(
        "//- /real/bio.h\nvoid submit_bio(int a);\n//- /real/bio.c\nvoid submit_bio(int a) { run(a); }\n",
    );
    let found = world.ok("sdl_symbol_related", json!({"symbol": "submit_bio"}));
    assert!(found["of"].to_string().contains("real/bio.c"), "{found:#}");
    world.repo.write("//- /real/other.c\nvoid submit_bio(int a) { stop(a); }\n");
    let error = world.err("sdl_symbol_related", json!({"symbol": "submit_bio"}));
    assert_eq!(error["code"], "ambiguousSymbol", "{error:#}");
    assert!(error["message"].as_str().unwrap().contains("give `path:name`"), "{error:#}");
    // An abstract overload is no prototype: both are asked about.
    world.repo.write("//- /real/Box.java\nabstract class Box {\n  abstract int size();\n  int size(int of) { return of; }\n}\n");
    let both = world.ok("sdl_symbol_related", json!({"symbol": "Box.size"}));
    assert_eq!(both["of"].as_array().unwrap().len(), 2, "{both:#}");
}

/// What can't be read may spell the name too, so a plan without it proves nothing.
#[test]
fn a_rename_is_not_complete_without_a_file_that_cant_be_read() {
    let world = World::shop();
    world.repo.write(
        "//- /real/one.py\ndef lonely():\n    return 1\n//- /real/two.py\ndef other():\n    return 2\n",
    );
    let plan = || world.ok("sdl_symbol_rename", json!({"symbol": "lonely", "newName": "alone"}));
    assert_eq!(plan()["complete"], true, "{:#}", plan());
    world.repo.write("//- /real/two.py\ndef other():\n    return 3\n");
    *world.repo.locked.lock().unwrap() = Some("real/two.py".to_owned());
    let blind = plan();
    assert_eq!(blind["complete"], false, "{blind:#}");
    assert!(blind["notes"].to_string().contains("such as real/two.py"), "{blind:#}");
}
