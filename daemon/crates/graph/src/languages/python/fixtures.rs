//! Python: the fixtures that a pytest test or another fixture names in its parameters.
//!
//! pytest looks for a fixture in the test's class, in its module, and in each `conftest.py` from its folder up to the
//! root. No call in the text names the fixture, so the edge is made from the parameter: `def test_login(client)` uses
//! the function `client` that is decorated with `@pytest.fixture`.

use sdl_model::facts::{Def, DefFlags, DefIx, Expr, ParamKind};
use sdl_model::lang::is_test_path;
use sdl_model::{Outline, SymbolKind};

use super::lookup;
use crate::modules::Place;
use crate::modules::paths::{folder_ancestors, in_dir};
use crate::resolve::{Implied, Resolver};
use crate::strategies::FIXTURE;
use crate::world::{DefRef, FileIndex, Sym};

/// The fixtures that the tests and fixtures of a file use.
pub(super) fn named_fixtures(resolver: &Resolver<'_, '_>) -> Vec<Implied> {
    let at = resolver.infer.own.file;
    let file = resolver.infer.file(at);
    if !is_test_path(file.path.as_str()) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (user, def) in file.outline.iter().filter(|(_, def)| takes_fixtures(&file.outline, def)) {
        let params = def.params.iter().filter(|param| param.kind != ParamKind::Receiver && !param.optional);
        for param in params {
            let name = file.outline.str(param.name);
            let target = find_fixture(resolver, &file, user, def, name);
            found.extend(target.map(|target| Implied { user, target, rule: &FIXTURE, line: def.line }));
        }
    }
    found
}

/// Whether pytest passes fixtures to a function: it is a test, or a fixture itself.
fn takes_fixtures(outline: &Outline, def: &Def) -> bool {
    def.kind.is_callable() && (def.flags.has(DefFlags::TEST) || is_fixture(outline, def))
}

/// Whether a function is decorated with `@pytest.fixture`, `@pytest_asyncio.fixture(…)`, `@fixture` and the like.
fn is_fixture(outline: &Outline, def: &Def) -> bool {
    let is_named = |name: &str| name == "fixture" || name == "yield_fixture";
    def.decorators.iter().any(|decorator| {
        let expr = match outline.arena.expr(*decorator) {
            Expr::Call(callee, _) => outline.arena.expr(*callee),
            other => other,
        };
        match expr {
            Expr::Name(name) | Expr::Attr(_, name) | Expr::Path(_, name) => is_named(outline.str(*name)),
            _ => false,
        }
    })
}

/// The fixture `name`, as `user` sees it: the nearest other one of that name.
fn find_fixture(
    resolver: &Resolver<'_, '_>,
    file: &FileIndex,
    user: DefIx,
    def: &Def,
    name: &str,
) -> Option<DefRef> {
    let at = resolver.infer.own.file;
    let w = resolver.infer.w;
    let in_class = def.parent.filter(|parent| *parent != DefIx::MODULE).and_then(|class| {
        let found = file.outline.iter().find(|(ix, member)| {
            *ix != user && member.parent == Some(class) && file.outline.str(member.name) == name
        });
        found.map(|(ix, _)| DefRef { file: at, def: ix })
    });
    let sym = w.sym(name);
    let candidates = in_class.into_iter().chain(member_named(resolver, at, sym)).chain(
        folder_ancestors(file.path.dir()).filter_map(|dir| {
            let conftest = w.open_path(&in_dir(dir, "conftest.py"))?;
            member_named(resolver, conftest, sym)
        }),
    );
    let mut others = candidates.filter(|found| *found != DefRef { file: at, def: user });
    others.find(|found| {
        let home = resolver.infer.file(found.file);
        home.outline.def(found.def).is_some_and(|def| is_fixture(&home.outline, def))
    })
}

/// The function that a module defines or imports under this name.
fn member_named(resolver: &Resolver<'_, '_>, at: crate::world::FileIx, name: Sym) -> Option<DefRef> {
    let w = resolver.infer.w;
    match lookup::find_member(w, at, &w.file(at), name) {
        Place::Def(def) => {
            let kind = w.file(def.file).outline.def(def.def).map(|def| def.kind);
            kind.is_some_and(|kind| matches!(kind, SymbolKind::Function | SymbolKind::Method)).then_some(def)
        }
        _ => None,
    }
}
