//! The tests among the dependents of a change, and how to run them.
//!
//! Law: a test is selected if it changed itself, or if it depends on the change (see [`crate::reach`]). A file of tests
//! that runs changed code outside of any test is selected as a whole.

use std::collections::{BTreeMap, BTreeSet};

use sdl_ledger::View;
use sdl_model::lang::TestRunner;
use sdl_model::{Lang, SymbolId, SymbolKind};
use sdl_retrieve::{Listed, Result, Source};

use crate::reach::Reach;

/// A test that a change may break.
#[derive(Clone, Debug)]
pub struct SelectedTest {
    /// The test, or the module of a file of tests.
    pub symbol: SymbolId,
    /// Its entry in a list.
    pub listed: Listed,
    /// How the runner of its language names it, such as `tests/test_app.py::TestApp::test_run`.
    pub id: String,
    /// What runs it.
    pub runner: TestRunner,
    /// The number of links to the change; 0 if the test itself changed.
    pub distance: u32,
    /// How likely the change has an effect on it, from 0 to 1.
    pub weight: f32,
}

/// The tests to run after a change of `origins`, whose dependents are `reach`. Nearest first, then the likeliest.
pub fn select_tests(source: &Source<'_>, origins: &[SymbolId], reach: &Reach) -> Result<Vec<SelectedTest>> {
    let crates = CrateFolders::of(source.view())?;
    let mut tests = Vec::new();
    let mut add = |symbol: SymbolId, listed: &Listed, distance: u32, weight: f32| {
        let runner = runner_of(listed.path());
        // Where tests are compiled, nothing in their file runs outside of them.
        let runs_files = matches!(runner, TestRunner::Pytest | TestRunner::Jest | TestRunner::ByFile);
        let whole_file = runs_files && listed.kind() == SymbolKind::Module && listed.is_test();
        if listed.is_test_case() || whole_file {
            let id = test_id(listed, runner, &crates);
            tests.push(SelectedTest { symbol, listed: listed.clone(), id, runner, distance, weight });
        }
    };
    for origin in origins {
        if let Some(listed) = source.listed(*origin)? {
            add(*origin, &listed, 0, 1.0);
        }
    }
    for reached in &reach.reached {
        add(reached.symbol, &reached.listed, reached.distance, reached.weight);
    }
    tests.sort_by(|a, b| {
        let place = |test: &SelectedTest| (test.listed.path().to_owned(), test.listed.line(), test.symbol);
        a.distance.cmp(&b.distance).then(b.weight.total_cmp(&a.weight)).then_with(|| place(a).cmp(&place(b)))
    });
    tests.dedup_by_key(|test| test.symbol);
    Ok(tests)
}

fn runner_of(path: &str) -> TestRunner {
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    Lang::from_extension(extension).map_or(TestRunner::ByFile, |lang| lang.traits().files.runner)
}

/// How the runner names a test.
fn test_id(test: &Listed, runner: TestRunner, crates: &CrateFolders) -> String {
    let path = test.path();
    if test.kind() == SymbolKind::Module {
        return path.to_owned();
    }
    let parts = |separator: &str| test.qualified().replace("::", separator).replace('.', separator);
    match runner {
        TestRunner::Pytest => format!("{path}::{}", parts("::")),
        TestRunner::Cargo => crates.test_path(path, &parts("::")),
        TestRunner::Go => test.name().to_owned(),
        TestRunner::Jest => format!("{path} > {}", test.name()),
        TestRunner::JUnit => match test.qualified().rsplit_once('.') {
            Some((class, method)) => format!("{class}#{method}"),
            None => test.name().to_owned(),
        },
        TestRunner::ByFile => path.to_owned(),
    }
}

/// The folders of Rust's packages, and how paths in them become names of modules.
struct CrateFolders(Vec<String>);

impl CrateFolders {
    fn of(view: &dyn View) -> Result<Self> {
        let mut folders = Vec::new();
        for file in view.files_named("Cargo.toml")? {
            folders.extend(view.file(file)?.map(|row| row.path.dir().to_owned()));
        }
        // The innermost folder first.
        folders.sort_by_key(|folder| std::cmp::Reverse(folder.len()));
        Ok(Self(folders))
    }

    /// The folder of the package that a file belongs to, and the file's path in it.
    fn split<'p>(&self, path: &'p str) -> (&str, &'p str) {
        for folder in &self.0 {
            if folder.is_empty() {
                return ("", path);
            }
            if let Some(inside) = path.strip_prefix(folder.as_str()).and_then(|rest| rest.strip_prefix('/')) {
                return (folder, inside);
            }
        }
        ("", path)
    }

    /// A test's path within its target: `walk::tests::finds_all` of `src/walk.rs`.
    fn test_path(&self, path: &str, name: &str) -> String {
        let (_, inside) = self.split(path);
        let module =
            inside.strip_prefix("src/").unwrap_or("").trim_end_matches(".rs").trim_end_matches("/mod");
        match module {
            "" | "lib" | "main" => name.to_owned(),
            module => format!("{}::{name}", module.replace('/', "::")),
        }
    }

    /// The arguments that select the target of a file: `--lib`, `--test walk`.
    fn target(&self, path: &str) -> (String, String) {
        let (folder, inside) = self.split(path);
        let target = match inside.strip_prefix("tests/") {
            Some(rest) => {
                let name = rest.split('/').next().unwrap_or(rest);
                format!("--test {}", name.trim_end_matches(".rs"))
            }
            None if inside == "src/main.rs" || inside.starts_with("src/bin/") => "--bins".to_owned(),
            None => "--lib".to_owned(),
        };
        (folder.to_owned(), target)
    }
}

/// The commands that run the tests, one for each group that one command can run.
pub fn test_commands(view: &dyn View, tests: &[SelectedTest]) -> Result<Vec<String>> {
    let crates = CrateFolders::of(view)?;
    let mut groups: BTreeMap<(TestRunner, String, String), BTreeSet<String>> = BTreeMap::new();
    for test in tests {
        let path = test.listed.path();
        let dir = path.rsplit_once('/').map_or("", |(dir, _)| dir);
        let (group, item) = match test.runner {
            TestRunner::Cargo => (crates.target(path), test.id.clone()),
            TestRunner::Go => ((dir.to_owned(), String::new()), test.id.clone()),
            TestRunner::Jest | TestRunner::ByFile => ((String::new(), String::new()), path.to_owned()),
            TestRunner::Pytest | TestRunner::JUnit => ((String::new(), String::new()), test.id.clone()),
        };
        groups.entry((test.runner, group.0, group.1)).or_default().insert(item);
    }
    let has = |name: &str| view.files_named(name).map(|files| !files.is_empty());
    let mut commands = Vec::new();
    for ((runner, folder, target), items) in groups {
        let list = |separator: &str| items.iter().map(String::as_str).collect::<Vec<_>>().join(separator);
        commands.push(match runner {
            TestRunner::Pytest => format!("pytest {}", list(" ")),
            TestRunner::Cargo => {
                let manifest = match folder.as_str() {
                    "" => String::new(),
                    folder => format!(" --manifest-path {folder}/Cargo.toml"),
                };
                format!("cargo test{manifest} {target} -- --exact {}", list(" "))
            }
            TestRunner::Go => format!("go test ./{folder} -run '^({})$'", list("|")),
            TestRunner::Jest => {
                let vitest =
                    ["ts", "js", "mts", "mjs"].iter().map(|end| has(&format!("vitest.config.{end}")));
                let is_vitest = vitest.collect::<std::result::Result<Vec<bool>, _>>()?.contains(&true);
                let runner = if is_vitest { "npx vitest run" } else { "npx jest" };
                format!("{runner} {}", list(" "))
            }
            TestRunner::JUnit if has("pom.xml")? => format!("mvn test -Dtest='{}'", list(",")),
            TestRunner::JUnit => {
                let tests = items.iter().map(|item| format!("--tests '*{}'", item.replace('#', ".")));
                format!("gradle test {}", tests.collect::<Vec<_>>().join(" "))
            }
            TestRunner::ByFile => continue,
        });
    }
    Ok(commands)
}
