//! Python: the fixtures that a pytest test or another fixture names in its parameters.
//!
//! pytest looks for a fixture in the test's class, in its module, and in each `conftest.py` from its folder up to the
//! root. No call in the text names the fixture, so the edge is made from the parameter: `def test_login(client)` uses
//! the function `client` that is decorated with `@pytest.fixture`.

use sdl_model::facts::{Def, DefFlags, DefIx, Expr, ParamKind};
use sdl_model::lang::is_test_path;
use sdl_model::{Outline, SymbolKind};

use super::lookup;
use crate::infer::{How, Infer, Ty, Typed};
use crate::modules::Place;
use crate::modules::paths::{folder_ancestors, in_dir};
use crate::resolve::{Implied, Resolver};
use crate::strategies::FIXTURE;
use crate::world::{DefRef, FileIx, Sym};

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
            let target = find_fixture(&resolver.infer, DefRef { file: at, def: user }, name);
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
    def.decorators.iter().any(|decorator| {
        let named = match outline.arena.expr(*decorator) {
            Expr::Call(callee, _) => *callee,
            _ => *decorator,
        };
        matches!(outline.last_name(named), Some("fixture" | "yield_fixture"))
    })
}

/// The value that pytest passes for parameter `at` of the test or fixture `def`: what the fixture of its name returns, or
/// yields once.
pub(super) fn passed_value(infer: &Infer<'_, '_>, def: DefRef, at: usize) -> Option<Typed> {
    let file = infer.file(def.file);
    if !is_test_path(file.path.as_str()) {
        return None;
    }
    let user = file.outline.def(def.def).filter(|user| takes_fixtures(&file.outline, user))?;
    let name = file.outline.str(user.params.get(at)?.name);
    let fixture = find_fixture(infer, def, name)?;
    let value = infer.result(fixture, None);
    let home = infer.file(fixture.file);
    let is_generator = home.outline.def(fixture.def)?.flags.has(DefFlags::GENERATOR);
    let passed = match &value.ty {
        Ty::External(Some(values)) if is_generator => values.arg(0),
        other => other.clone(),
    };
    // Another plugin may put another fixture of the name in its place.
    Some(Typed::new(passed, value.how.max(How::Guessed)))
}

/// The fixture `name`, as the test or fixture `user` sees it: the nearest other one of that name.
fn find_fixture(infer: &Infer<'_, '_>, user: DefRef, name: &str) -> Option<DefRef> {
    let w = infer.w;
    let file = infer.file(user.file);
    let class = file.outline.def(user.def)?.parent.filter(|parent| *parent != DefIx::MODULE);
    let in_class = class.and_then(|class| {
        let found = file.outline.iter().find(|(ix, member)| {
            *ix != user.def && member.parent == Some(class) && file.outline.str(member.name) == name
        });
        found.map(|(ix, _)| DefRef { def: ix, ..user })
    });
    let sym = w.sym(name);
    let in_folders = folder_ancestors(file.path.dir()).filter_map(|dir| {
        let conftest = w.open_path(&in_dir(dir, "conftest.py"))?;
        member_named(infer, conftest, sym)
    });
    let candidates = in_class.into_iter().chain(member_named(infer, user.file, sym)).chain(in_folders);
    candidates.filter(|found| *found != user).find(|found| {
        let home = infer.file(found.file);
        home.outline.def(found.def).is_some_and(|def| is_fixture(&home.outline, def))
    })
}

/// The function that a module defines or imports under this name.
fn member_named(infer: &Infer<'_, '_>, at: FileIx, name: Sym) -> Option<DefRef> {
    let w = infer.w;
    match lookup::find_member(w, at, &w.file(at), name) {
        Place::Def(def) => {
            let kind = w.file(def.file).outline.def(def.def).map(|def| def.kind);
            kind.is_some_and(|kind| matches!(kind, SymbolKind::Function | SymbolKind::Method)).then_some(def)
        }
        _ => None,
    }
}
