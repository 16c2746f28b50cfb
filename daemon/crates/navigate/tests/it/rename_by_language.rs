//! Plans of renames where a language has rules of its own: paths of Rust, interfaces of Go, labels of Java.

use crate::rename::{apply_plan, doubts_of, plan_of};

const RUST_PATHS: &str = "\
//- /Cargo.toml
[package]
name = \"tool\"
//- /src/lib.rs
pub mod builder;
pub mod made;
mod twin;
pub use self::made::Made;
pub use self::twin::twin;
//- /src/twin.rs
pub fn twin() {}
//- /src/builder/mod.rs
mod parser;
pub use parser::Parser;
//- /src/builder/parser.rs
pub trait Parser {}

pub enum Token {
    Word,
    Space,
}

impl Token {
    fn is_word(&self) -> bool {
        true
    }
}

fn word() -> Token {
    use Token::*;
    Word
}

pub fn space() -> Token {
    use super::parser::Token::Space;
    Space
}

#[cfg(test)]
mod tests {
    use super::Token::*;

    #[test]
    fn spaces() {
        super::space();
    }
}
//- /src/made.rs
pub struct Made;

rejections! {
    pub struct Missing;
}

rejections! {
    pub enum All {
        Missing,
    }
}
//- /examples/custom.rs
struct Mine(tool::builder::Parser);

fn made() -> tool::Made {
    tool::Made
}

impl tool::builder::Parser for Mine {}
";

#[test]
fn paths_of_rust_lead_to_types_and_macros_may_use_names() {
    let token = plan_of(RUST_PATHS, ("src/builder/parser.rs", "Token"), "Part").unwrap();
    let text = &apply_plan(RUST_PATHS, &token, "Token")["src/builder/parser.rs"];
    let is_whole = token.is_complete()
        && text.contains("use Part::*;")
        && text.contains("super::Part::*")
        && !text.contains("Token");
    assert!(is_whole || (text.contains("use Part::*;") && !token.is_complete()), "{token:?}");
    let parser = plan_of(RUST_PATHS, ("src/builder/parser.rs", "Parser"), "Reader").unwrap();
    let after = apply_plan(RUST_PATHS, &parser, "Parser");
    assert!(!parser.is_complete() || after["examples/custom.rs"].contains("builder::Reader"), "{parser:?}");
    let space = plan_of(RUST_PATHS, ("src/builder/parser.rs", "space"), "gap").unwrap();
    let after = apply_plan(RUST_PATHS, &space, "space");
    assert!(!space.is_complete() || after["src/builder/parser.rs"].contains("super::gap()"), "{space:?}");
    let twin = plan_of(RUST_PATHS, ("src/twin.rs", "twin"), "double").unwrap();
    let after = apply_plan(RUST_PATHS, &twin, "twin");
    assert!(after["src/lib.rs"].contains("mod twin;"), "{}", after["src/lib.rs"]);
    let made = plan_of(RUST_PATHS, ("src/made.rs", "Made"), "Done").unwrap();
    let after = apply_plan(RUST_PATHS, &made, "Made");
    assert!(!made.is_complete() || after["examples/custom.rs"].contains("tool::Done"), "{made:?}");
    let missing = plan_of(RUST_PATHS, ("src/made.rs", "Missing"), "Absent").unwrap();
    assert!(!missing.is_complete());
}

const GO_MATCHERS: &str = "\
//- /go.mod
module example.com/app
//- /route.go
package app

import \"net/http\"

type matcher interface {
	Match(*http.Request, int) (ok bool, err error)
}

type route struct {
	matchers []matcher
}

func (r *route) run(req *http.Request) {
	for _, m := range r.matchers {
		m.Match(req, 1)
	}
}

type header map[string]string

func (h header) Match(r *http.Request, level int) (bool, error) {
	return true, nil
}

type other struct{}

func (o other) Match(text string) bool {
	return false
}

type base struct{}

func (b *base) Match(r *http.Request, level int) (bool, error) {
	return false, nil
}

type wrapped struct {
	*base
}
";

#[test]
fn a_method_of_go_changes_with_the_interface_that_it_satisfies() {
    let plan = plan_of(GO_MATCHERS, ("route.go", "matcher.Match"), "Fits").unwrap();
    let text = &apply_plan(GO_MATCHERS, &plan, "Match")["route.go"];
    for changed in
        ["m.Fits(req", "(h header) Fits", "(b *base) Fits", "\tFits(*http.Request", "(o other) Match"]
    {
        assert!(text.contains(changed), "{changed} {text}");
    }
    let from_type = plan_of(GO_MATCHERS, ("route.go", "header.Match"), "Fits").unwrap();
    assert_eq!(apply_plan(GO_MATCHERS, &from_type, "Match")["route.go"], *text);
}

const JAVA_NESTED: &str = "\
//- /a/Outer.java
package a;

class Outer {
  interface Supplier {
    int get();
  }
}
//- /a/Made.java
package a;

final class Made implements Outer.Supplier {
  public int get() {
    return 1;
  }
}
";

#[test]
fn a_nested_type_is_renamed_where_it_is_a_base() {
    let plan = plan_of(JAVA_NESTED, ("a/Outer.java", "Outer.Supplier"), "Giver").unwrap();
    let after = apply_plan(JAVA_NESTED, &plan, "Supplier");
    assert!(plan.is_complete() && after["a/Made.java"].contains("implements Outer.Giver"), "{plan:?}");
}

const TAKEN_APART: &str = "\
//- /package.json
{}
//- /src/args.ts
const { isArray } = Array;

export function all(value: unknown): boolean {
  return isArray(value);
}

export function listen(socket: WebSocket): void {
  socket.onopen = () => all(socket);
}
";

#[test]
fn a_name_taken_from_a_value_keeps_its_key() {
    let plan = plan_of(TAKEN_APART, ("src/args.ts", "isArray"), "isList").unwrap();
    let text = &apply_plan(TAKEN_APART, &plan, "isArray")["src/args.ts"];
    assert!(text.contains("const { isArray: isList } = Array") && text.contains("return isList(value)"));
    let opened = plan_of(TAKEN_APART, ("src/args.ts", "listen.onopen"), "onready").unwrap();
    assert!(!opened.is_complete(), "{opened:?}");
}

const GO_HEADERS: &str = "\
//- /go.mod
module example.com/app
//- /map.go
package app

type setter interface {
	TrySet() bool
}

func fill(setter setter) bool {
	return setter.TrySet()
}

type Shown int

type FlagSet struct{}

func (f *FlagSet) Add(given *goflag.FlagSet) {}
//- /map_test.go
package app

func ExampleShown() {}
";

#[test]
fn a_parameter_named_as_its_type_and_an_example_of_go_are_for_a_person() {
    let setter = plan_of(GO_HEADERS, ("map.go", "setter"), "filler").unwrap();
    assert!(!setter.is_complete() && doubts_of(&setter).iter().all(|why| why.starts_with("map.go:7")));
    let flags = plan_of(GO_HEADERS, ("map.go", "FlagSet"), "Flags").unwrap();
    let text = &apply_plan(GO_HEADERS, &flags, "FlagSet")["map.go"];
    assert!(text.contains("func (f *Flags) Add(given *goflag.FlagSet)"), "{text}");
    let shown = plan_of(GO_HEADERS, ("map.go", "Shown"), "Seen").unwrap();
    assert_eq!(doubts_of(&shown), ["map.go:11 an example of Go is named after it"]);
}

const JAVA_CASES: &str = "\
//- /a/Token.java
package a;

class Token {
  enum Kind {
    Doctype,
    Tag
  }

  static class Doctype {}
}
//- /a/Builder.java
package a;

class Builder {
  int build(Token.Kind kind) {
    switch (kind) {
      case Doctype:
        return 1;
      case Tag:
        return 2;
    }
    return 3;
  }
}
";

#[test]
fn a_case_label_of_java_is_not_taken_for_a_type() {
    let plan = plan_of(JAVA_CASES, ("a/Token.java", "Token.Kind.Doctype"), "Head").unwrap();
    let text = &apply_plan(JAVA_CASES, &plan, "Doctype")["a/Builder.java"];
    assert!(!plan.is_complete() || text.contains("case Head:"), "{plan:?}");
}

#[test]
fn a_field_that_is_set_to_a_parameter_of_its_name_is_told_from_it() {
    let tree = "\
//- /app.py
class App:
    def __init__(self, key: str = 'a'):
        self.key = key

    def shown(self):
        return self.key
";
    let plan = plan_of(tree, ("app.py", "App.key"), "label").unwrap();
    let text = &apply_plan(tree, &plan, "key")["app.py"];
    assert!(plan.is_complete() && text.contains("self.label = key") && text.contains("return self.label"));
}
