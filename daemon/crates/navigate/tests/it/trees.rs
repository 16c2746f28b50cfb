//! The trees that the tests ask about.

use sdl_model::{EdgeKind, SymbolId};
use sdl_navigate::Graph;
use sdl_retrieve::{Source, Sym};

use crate::ledger::{At, MemoryLedger};

/// Shapes with a method that two classes override, a factory, a registry, and their tests.
pub(crate) const SHAPES: &str = "\
//- /shapes/base.py
class Shape:
    def __init__(self, name):
        self.name = name

    def area(self):
        raise NotImplementedError

    def describe(self):
        return self.label() + str(self.area())

    def label(self):
        return self.name


class Square(Shape):
    def area(self):
        return 4


class Circle(Shape):
    def area(self):
        return 3

    def label(self):
        return 'round'


//- /shapes/make.py
from .base import Circle, Shape, Square


def make_square():
    return Square('square')


def total(shapes: list[Shape]):
    return sum_up([shape.area() for shape in shapes])


def sum_up(numbers):
    return numbers[0]


def unknown(thing):
    return thing.area() + thing.label()


KINDS = {'circle': Circle, 'square': make_square}


//- /shapes/app.py
from .make import make_square, total


def main():
    shape = make_square()
    print(shape.describe())
    return total([shape])


class Plugin:
    def on_start(self):
        return main()


def load():
    return Plugin()


//- /tests/conftest.py
import pytest
from shapes.make import make_square


@pytest.fixture
def square():
    return make_square()


//- /tests/test_shapes.py
from shapes.app import load, main
from shapes.make import sum_up


def helper():
    return main()


def test_main():
    assert helper()


def test_sum():
    assert sum_up([1])


def test_square(square):
    assert square


class TestPlugin:
    def test_load(self):
        assert load()


def test_nothing():
    assert 1
";

/// A package of Rust with a trait, and a file of TypeScript with a chain of calls.
pub(crate) const MIXED: &str = "\
//- /Cargo.toml
[package]
name = \"walk\"
//- /src/lib.rs
pub mod walk;
pub trait Visit { fn visit(&self) -> u32; }
pub fn run(visitor: &dyn Visit) -> u32 { visitor.visit() }
//- /src/walk.rs
use crate::{Visit, run};
pub struct Plain;
impl Visit for Plain { fn visit(&self) -> u32 { count() } }
fn count() -> u32 { 1 }
#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn runs() { assert_eq!(run(&Plain), 1); }
}
//- /web/a.ts
import { second } from './b';
export function first() { return second(1); }
export function detour() { return third0(); }
function third0() { return second(2); }
//- /web/b.ts
export function second(n: number) { return third(n); }
export function third(n: number) { return n > 1 ? second(n - 1) : fourth(); }
export function fourth() { return 4; }
//- /web/a.test.ts
import { first } from './a';
test('goes first', () => { first(); });
";

/// All symbols of a version, without modules and blocks.
pub(crate) fn all_symbols(at: &At<'_>, source: &Source<'_>) -> Vec<Sym> {
    let mut all = Vec::new();
    let view: &dyn sdl_ledger::View = at;
    let mut files = Vec::new();
    view.files_under("", &mut |file, _| {
        files.push(file);
        std::ops::ControlFlow::Continue(())
    })
    .unwrap();
    for file in files {
        all.extend(source.symbols_of(file).unwrap());
    }
    all
}

/// The links away from a symbol, without a limit or an index: by looking at each pair of symbols.
pub(crate) fn naive_calls(graph: &Graph<'_, '_>, symbols: &[Sym]) -> Vec<(SymbolId, SymbolId)> {
    let view = graph.source().view();
    let mut pairs = Vec::new();
    for from in symbols {
        for edge in view.out_edges(from.id).unwrap().iter().filter(|edge| edge.kind == EdgeKind::Call) {
            pairs.push((from.id, edge.to));
            for other in symbols.iter().filter(|other| overrides(graph, other, edge.to)) {
                pairs.push((from.id, other.id));
            }
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

/// Whether `member` is of a type that derives from the type of the member `base`, and has its name. By the qualified
/// names that the trees use.
fn overrides(graph: &Graph<'_, '_>, member: &Sym, base: SymbolId) -> bool {
    let names = |id| graph.source().symbol(id).unwrap().map(|sym| sym.qualified().to_owned());
    let derived =
        [("Square.area", "Shape.area"), ("Circle.area", "Shape.area"), ("Circle.label", "Shape.label")];
    let Some(base) = names(base) else { return false };
    let own = member.qualified();
    derived.contains(&(own, base.as_str()))
        || member.path() == "src/walk.rs" && own.ends_with("visit") && base.ends_with("Visit::visit")
}

/// Runs a test on both trees.
pub(crate) fn on_both(test: impl Fn(&At<'_>, &Graph<'_, '_>)) {
    for tree in [SHAPES, MIXED] {
        let ledger = MemoryLedger::new(tree);
        let at = ledger.head();
        let source = at.source();
        test(&at, &Graph::new(&source));
    }
}
