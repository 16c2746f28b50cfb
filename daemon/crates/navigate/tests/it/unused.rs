//! Symbols that nothing reaches, on small trees.

use sdl_model::{FileId, RelPath};
use sdl_navigate::Filter;
use sdl_navigate::unused::{Spelled, UnusedSymbol, Wanted, find_candidates};

use crate::ledger::MemoryLedger;

fn unused_in(tree: &str, tests_count: bool) -> Vec<UnusedSymbol> {
    let ledger = MemoryLedger::new(tree);
    let at = ledger.head();
    let source = at.source();
    let wanted = Wanted { kinds: Vec::new(), tests_count };
    let candidates = find_candidates(&source, &wanted, &Filter::default()).unwrap();
    let files: Vec<Spelled> = tree
        .split("//- /")
        .skip(1)
        .map(|part| {
            let (path, text) = part.split_once('\n').unwrap();
            let file = FileId::of(&RelPath::new(path).unwrap());
            Spelled { file, path: path.to_owned(), bytes: text.as_bytes().to_vec() }
        })
        .collect();
    candidates.weigh(Some(&files))
}

fn shown(found: &[UnusedSymbol]) -> Vec<String> {
    let row = |one: &UnusedSymbol| format!("{} {}", one.confidence, one.sym.qualified());
    found.iter().map(row).collect()
}

const APP: &str = "\
//- /app.py
import click
from dispatch import run
from outside import Base


def main():
    return _used(1)


def _used(n):
    return n


def _ping(n):
    return _pong(n)


def _pong(n):
    return _ping(n)


def _orphan():
    return _below()


def _below():
    return 1


def _named():
    return 2


def _visit_name():
    return 3


def exported():
    return 4


@click.command()
def command():
    return 5


class Shown(Base):
    def called_by_outside(self):
        return run(self)

    def __len__(self):
        return 1


class _Shape:
    def area(self):
        return self._side()

    def _side(self):
        return 1

    def _never(self):
        return 2


class _Square(_Shape):
    def _side(self):
        return 3


def _only_tested():
    return 6


TABLE = {'named': '_named', 'shapes': [_Shape().area(), _Square(), Shown()]}
//- /dispatch.py
def run(value):
    return getattr(value, '_visit_' + 'x')
//- /test_app.py
from app import _only_tested


def test_it():
    assert _only_tested()
";

#[test]
fn what_nothing_reaches_is_found_with_its_evidence() {
    let found = unused_in(APP, true);
    assert_eq!(
        shown(&found),
        [
            "80 _ping",
            "80 _pong",
            "80 _orphan",
            "80 _below",
            "80 _Shape._never",
            "50 exported",
            "40 _named",
            "10 _visit_name",
        ]
    );
    let of = |name: &str| found.iter().find(|one| one.sym.name() == name).unwrap();
    assert!(of("_ping").circle.is_some() && of("_ping").circle == of("_pong").circle);
    assert_eq!((of("_below").users.as_slice(), of("_below").circle), (&["_orphan".to_owned()][..], None));
    assert_eq!(of("_named").spelled_at, Some(("app.py".to_owned(), 75)));
    assert_eq!(of("_visit_name").made_from.as_deref(), Some("_visit_"));
}

#[test]
fn what_only_tests_use_is_unused_without_them() {
    let names = |tests: bool| shown(&unused_in(APP, tests)).iter().any(|row| row.ends_with("_only_tested"));
    assert!(!names(true) && names(false));
}

#[test]
fn a_trait_of_rust_keeps_what_implements_it() {
    let tree = "\
//- /Cargo.toml
[package]
name = \"walk\"
//- /src/main.rs
trait Visit { fn visit(&self) -> u32; }
struct Plain;
impl Visit for Plain { fn visit(&self) -> u32 { count() } }
fn count() -> u32 { 1 }
fn unused() -> u32 { 2 }
fn main() { let visitor: &dyn Visit = &Plain; visitor.visit(); }
";
    assert_eq!(shown(&unused_in(tree, true)), ["93 unused"]);
}

#[test]
fn definitions_of_one_name_live_together() {
    let tree = "\
//- /app.py
import sys
from typing import overload

try:
    from fast import _parse
except ImportError:
    from slow import _parse


@overload
def show(it: int) -> str: ...
@overload
def show(it: str) -> str: ...
def show(it):
    return str(it)


if sys.platform == 'win32':
    def _width():
        return 80
else:
    def _width():
        return 100

print(show(_width()), _parse())
//- /fast.py
def _parse():
    return 1
//- /slow.py
def _parse():
    return 2


def _left():
    return 3
";
    assert_eq!(shown(&unused_in(tree, true)), ["80 _left"]);
}

#[test]
fn no_symbol_is_surer_than_those_that_use_it() {
    let tree = "\
//- /app.py
def _visit_plus():
    return _helper()


def _helper():
    return _below()


def _below():
    return 1
//- /dispatch.py
print('_visit_' + kind)
";
    let found = unused_in(tree, true);
    assert_eq!(shown(&found), ["10 _visit_plus", "10 _helper", "10 _below"]);
    assert_eq!(found[1].less_by.as_deref(), Some("_visit_plus"));
}

#[test]
fn public_and_reflected_symbols_are_less_sure() {
    let tree = "\
//- /app.py
from outside import shown


class _Wrapper:
    def seekable(self):
        return True

    def _hidden(self):
        return False


shown(_Wrapper())
//- /lookup.py
def _found_by_name():
    return 1


print(globals())
//- /listed.py
__all__ = ['listed_here']


def listed_here():
    return 1


def not_listed_here():
    return 2
";
    let found = unused_in(tree, true);
    assert_eq!(
        shown(&found),
        ["80 _Wrapper._hidden", "60 _found_by_name", "50 _Wrapper.seekable", "50 not_listed_here"]
    );
}

#[test]
fn tests_of_mixins_run_and_data_of_tests_may() {
    let tree = "\
//- /tests/test_app.py
from outside import TestCase


class _Shared:
    def test_shared(self):
        return self._check()

    def _check(self):
        return 1

    def setup_method(self):
        return 2

    def __never(self):
        return 3


class FirstCase(_Shared, TestCase):
    pass


def unused_helper():
    return 4
//- /tests/data/case.py
def read_by_tests():
    return 5
";
    assert_eq!(shown(&unused_in(tree, true)), ["80 unused_helper", "50 read_by_tests"]);
}

#[test]
fn a_private_name_counts_only_where_code_can_name_it() {
    let tree = "\
//- /module.ts
import { other } from './other'

function fold() { return 1 }
function outer() {
  function inner() { return 2 }
  return 3
}
other(outer())
//- /other.ts
export function other(fold: number) { const inner = fold; return inner }
//- /script.js
function shown() { return 4 }
//- /page.js
shown()
";
    let found = unused_in(tree, true);
    assert_eq!(shown(&found), ["93 fold", "93 outer.inner", "30 shown"]);
    assert_eq!(found[0].region.as_deref(), Some("module.ts"));
}

#[test]
fn what_others_than_code_name_is_not_sure() {
    let rust = "\
//- /Cargo.toml
[package]
name = \"walk\"
//- /src/main.rs
fn main() {}
quickcheck::quickcheck! {
    fn holds(value: u32) -> bool { value == value }
}
";
    assert_eq!(shown(&unused_in(rust, true)), ["40 holds"]);
    let go = "\
//- /go.mod
module example.com/app
//- /main.go
package main

type Command struct{ Run func() int }

func main() {
	one := Command{Run: func() int { return 1 }}
	one.Run = func() int { return 2 }
	println(one.Run())
}
";
    assert_eq!(shown(&unused_in(go, true)), [""; 0]);
    let script = "\
//- /app.ts
export {}
declare global {
  interface Window { ready: boolean }
}
";
    assert_eq!(shown(&unused_in(script, true)), ["40 Window"]);
}

#[test]
fn what_is_private_in_a_type_of_outside_is_not_run_there() {
    let java = "\
//- /a/App.java
package a;

public class App {
  public static void main(String[] args) {
    throw new Fault();
  }
}
//- /a/Fault.java
package a;

public class Fault extends RuntimeException {
  public String shown() {
    return null;
  }

  private int never(int value) {
    return value;
  }

  private Object readResolve() {
    return this;
  }
}
";
    assert_eq!(shown(&unused_in(java, true)), ["93 Fault.never"]);
}
