//! `change.impact`: what a change may break, and the tests to run for it.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use sdl_model::SymbolId;
use sdl_navigate::execution::{SelectedTest, select_tests, test_commands};
use sdl_navigate::reach::{Limits, MAX_REACHED, Reach, Reached, find_dependents};
use sdl_navigate::workspace::split_place;
use sdl_navigate::{Graph, Link};
use sdl_retrieve::Source;
use sdl_retrieve::card::process_chains;
use sdl_retrieve::numbers::Milli;
use serde::{Deserialize, Serialize};

use crate::ToolError;
use crate::call::action::{Action, ActionDef, Namespace, ReadAction, Render};
use crate::call::answers::begin_line;
use crate::call::context::ReadCx;
use crate::questions::changed::{ChangeArgs, changed_symbols};
use crate::questions::completeness::unresolved_mentions;
use crate::questions::filter::read_filter;
use crate::questions::page::{PAGE_TOKENS, Pages};
use crate::questions::rows::{LinkOut, SymbolOut};

/// See [`ActionDef`].
pub(crate) struct ChangeImpact;

/// Rows of a page.
const ROWS: usize = 50;
/// Links to a dependent, unless the caller asks for more.
const DEPTH: u32 = 3;
/// Links to a test: all that there are.
const TEST_DEPTH: u32 = 64;
/// Changed symbols that are named.
const NAMED: usize = 10;
/// Changed symbols whose names are looked for.
const MOST_NAMES: usize = 200;
/// Symbols of a way that is shown.
const WAY: usize = 6;
/// Most dependents that are followed where the answer lists them. Nobody reads more, and a search for all that depend on
/// an allocator of Linux would take seconds.
const MAX_LISTED: usize = 20_000;
/// Most processes that are named, and changed symbols whose processes are looked for.
const MAX_PROCESSES: usize = 5;

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Request {
    /// Symbols. Each written as in `symbol.related`.
    #[serde(default)]
    #[schemars(length(max = 200))]
    symbols: Vec<String>,
    /// Paths. All symbols in them change.
    #[serde(default)]
    #[schemars(length(max = 200))]
    files: Vec<String>,
    /// Unified diff. One that has not been applied, as `git diff` prints it.
    #[schemars(length(max = 4_194_304))]
    diff: Option<String>,
    /// `git:main`. The state before a change that was made, written as in `delta.get`.
    #[schemars(length(min = 1, max = 300))]
    from_version: Option<String>,
    /// Default latest.
    #[schemars(length(min = 1, max = 300))]
    to_version: Option<String>,
    /// Default dependents.
    #[serde(default)]
    want: Want,
    /// Default 3. Links to a dependent.
    #[schemars(range(min = 1, max = 20))]
    depth: Option<u32>,
    /// Default true. Whether tests are among the dependents.
    include_tests: Option<bool>,
    /// 0 to 1. Only edges whose rule is right at least this often.
    #[schemars(range(min = 0, max = 1))]
    min_confidence: Option<f64>,
    /// As in symbol_related. Only dependents in these paths.
    #[serde(default)]
    #[schemars(length(max = 50))]
    paths: Vec<String>,
    /// Default 50.
    #[schemars(range(min = 1, max = 500))]
    limit: Option<u32>,
    /// From the page before.
    cursor: Option<String>,
    /// Default 4000. Tokens of the answer.
    #[schemars(range(min = 400, max = 20_000))]
    max_tokens: Option<u32>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
enum Want {
    #[default]
    Dependents,
    Tests,
}

/// A symbol that the change may affect.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Dependent {
    /// The symbol: `symbolId`, `name`, `kind`, `file`, `line`.
    #[serde(flatten)]
    symbol: SymbolOut,
    /// Links to the nearest changed symbol.
    distance: u32,
    /// How likely the change has an effect here, from 0 to 1, nearness included.
    #[schemars(with = "f64")]
    rank: Milli,
    /// Whether other files can see it.
    exported: bool,
    /// Whether it is in a test.
    test: bool,
    /// Name of the next symbol on the way to the change.
    towards: String,
    /// How it is linked to that.
    #[serde(flatten)]
    link: LinkOut,
}

/// A test to run.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct TestOut {
    /// As its runner names it, such as `tests/test_app.py::test_run`.
    id: String,
    /// Path of its file.
    file: String,
    /// Its line.
    line: u32,
    /// Links to the nearest changed symbol; 0 if the test itself changes.
    distance: u32,
    /// Names from the test to the change.
    way: Vec<String>,
}

/// How much the change may affect.
#[derive(Clone, Copy, Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Counts {
    /// Changed symbols.
    changed: usize,
    /// Dependents with one link to the change.
    direct: usize,
    /// The others, as far as `depth` reaches.
    transitive: usize,
    /// Dependents that other files can see.
    exported: usize,
    /// Files of the dependents.
    files: usize,
    /// Tests among the dependents, however far.
    tests: usize,
    /// Dependents that only a guess leads to.
    guessed: usize,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Response {
    /// The first changed symbols.
    changed: Vec<SymbolOut>,
    /// How much the change may affect.
    counts: Counts,
    /// How programs run the first changed symbols: chains of calls from where execution starts, as in cards.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    processes: Vec<String>,
    /// If asked for: symbols that may be affected, likeliest and nearest first.
    #[serde(skip_serializing_if = "Option::is_none")]
    dependents: Option<Vec<Dependent>>,
    /// If asked for: tests to run, nearest first.
    #[serde(skip_serializing_if = "Option::is_none")]
    tests: Option<Vec<TestOut>>,
    /// Commands that run the tests of this page.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    commands: Vec<String>,
    /// Rows on all pages.
    total: u64,
    /// Give it with the next call for the next page.
    #[serde(skip_serializing_if = "Option::is_none")]
    cursor: Option<String>,
    /// What the answer may lack.
    completeness: String,
}

impl Action for ChangeImpact {
    type Request = Request;
    type Response = Response;
    const USUAL_TOKENS: Option<usize> = Some(PAGE_TOKENS);
    const DEF: ActionDef = ActionDef {
        name: "change.impact",
        namespace: Namespace::Query,
        mutating: false,
        description: "Call this when you are about to change code, or did: what may break, and which tests to run",
        needs: "symbols|files|diff|fromVersion",
        examples: &[
            r#"{"repoId":"my-repo","symbols":["validateToken"]}"#,
            r#"{"repoId":"my-repo","fromVersion":"git:main","want":"tests"}"#,
        ],
        aliases: &[],
    };
}

impl ReadAction for ChangeImpact {
    const ACROSS: bool = true;

    fn run(cx: &ReadCx<'_>, request: Request) -> Result<Response, ToolError> {
        let args = ChangeArgs {
            action: Self::DEF.name,
            symbols: &request.symbols,
            files: &request.files,
            diff: request.diff.as_deref(),
            from_version: request.from_version.as_deref(),
            to_version: request.to_version.as_deref(),
        };
        let origins = changed_symbols(cx, cx.source, &args)?;
        let graph = Graph::new(cx.source);
        let change = Change { cx, graph, request: &request, origins };
        match request.want {
            Want::Dependents => change.list_dependents(),
            Want::Tests => change.list_tests(),
        }
    }
}

/// A change that is asked about.
struct Change<'c, 'a> {
    cx: &'c ReadCx<'a>,
    graph: Graph<'c, 'a>,
    request: &'c Request,
    origins: Vec<SymbolId>,
}

impl Change<'_, '_> {
    fn source(&self) -> &Source<'_> {
        self.cx.source
    }

    fn pages(&self) -> Result<Pages, ToolError> {
        let origins: Vec<String> = self.origins.iter().map(ToString::to_string).collect();
        let Request { want, depth, include_tests, min_confidence, paths, .. } = self.request;
        let how = format!("{want:?} {depth:?} {include_tests:?} {min_confidence:?} {}", paths.join("\n"));
        let limit = self.request.limit.map_or(ROWS, |limit| limit as usize);
        let size = (limit, self.request.max_tokens);
        Pages::read(self.source(), &[&origins.join(","), &how], self.request.cursor.as_deref(), size)
    }

    /// The dependents of tests' code and other code, and the tests among them.
    fn reach_tests(&self, most: usize) -> Result<(Reach, Vec<SelectedTest>), ToolError> {
        let filter = read_filter(None, self.request.min_confidence, &[])?;
        let limits = Limits { distance: TEST_DEPTH, holders: true, most };
        let reach = find_dependents(&self.graph, &self.origins, limits, &filter)?;
        let tests = select_tests(self.source(), &self.origins, &reach)?;
        Ok((reach, tests))
    }

    fn response(&self, counts: Counts) -> Result<Response, ToolError> {
        let mut changed = Vec::new();
        for origin in self.origins.iter().take(NAMED) {
            changed
                .extend(self.source().listed(*origin)?.map(|listed| SymbolOut::of_listed(*origin, &listed)));
        }
        Ok(Response {
            changed,
            counts: Counts { changed: self.origins.len(), ..counts },
            processes: Vec::new(),
            dependents: None,
            tests: None,
            commands: Vec::new(),
            total: 0,
            cursor: None,
            completeness: String::new(),
        })
    }

    fn list_dependents(&self) -> Result<Response, ToolError> {
        let Request { include_tests, min_confidence, paths, depth, .. } = self.request;
        let filter = read_filter(*include_tests, *min_confidence, paths)?;
        let distance = depth.unwrap_or(DEPTH);
        let (whole_reach, tests) = self.reach_tests(MAX_LISTED)?;
        // Where everything may be listed, the first links of the search for tests are the answer.
        let reach = if filter.is_open() {
            whole_reach
        } else {
            let limits = Limits { distance, holders: true, most: MAX_LISTED };
            find_dependents(&self.graph, &self.origins, limits, &filter)?
        };
        let within = reach.within(distance);
        let mut order: Vec<(Milli, &Reached)> = within.iter().map(|one| (rank_of(one), one)).collect();
        order.sort_by(|(rank, a), (other, b)| {
            let place =
                |one: &Reached| (one.listed.is_test(), one.listed.path().to_owned(), one.listed.line());
            other.cmp(rank).then_with(|| place(a).cmp(&place(b))).then(a.symbol.cmp(&b.symbol))
        });
        let counts = Counts { tests: tests.len(), ..count_dependents(within) };
        let pages = self.pages()?;
        let mut rows = Vec::new();
        for (rank, one) in pages.items(&order) {
            rows.push(self.show_dependent(*rank, one)?);
        }
        let whole = Response {
            processes: self.find_processes()?,
            completeness: self.says(&reach)?,
            ..self.response(counts)?
        };
        pages.fit(self.cx, rows.len(), |count| {
            Ok(Response {
                dependents: Some(rows.get(..count).unwrap_or_default().to_vec()),
                total: order.len() as u64,
                cursor: pages.next_cursor(count, order.len()),
                ..whole.clone()
            })
        })
    }

    /// The processes that the first changed symbols take part in, each once.
    fn find_processes(&self) -> Result<Vec<String>, ToolError> {
        let mut found: Vec<String> = Vec::new();
        for origin in self.origins.iter().take(MAX_PROCESSES) {
            for chain in process_chains(self.source(), *origin)? {
                if chain.contains(" > ") && !found.contains(&chain) {
                    found.push(chain);
                }
            }
        }
        found.truncate(MAX_PROCESSES);
        Ok(found)
    }

    fn show_dependent(&self, rank: Milli, one: &Reached) -> Result<Dependent, ToolError> {
        let towards = self.source().listed(one.towards)?;
        Ok(Dependent {
            symbol: SymbolOut::of_listed(one.symbol, &one.listed),
            distance: one.distance,
            rank,
            exported: one.listed.exported(),
            test: one.listed.is_test(),
            towards: towards.map_or_else(|| one.towards.to_string(), |listed| listed.qualified().to_owned()),
            link: LinkOut::of(self.source(), &Link { symbol: one.towards, ..one.link })?,
        })
    }

    fn list_tests(&self) -> Result<Response, ToolError> {
        let (reach, tests) = self.reach_tests(MAX_REACHED)?;
        let tests: Vec<SelectedTest> = {
            let filter = read_filter(None, None, &self.request.paths)?;
            tests.into_iter().filter(|test| filter.keeps(&test.listed)).collect()
        };
        let pages = self.pages()?;
        let on_page = pages.items(&tests);
        let mut rows = Vec::with_capacity(on_page.len());
        for test in on_page {
            rows.push(self.show_test(test, &reach)?);
        }
        let counts = Counts { tests: tests.len(), ..count_dependents(&reach.reached) };
        let whole = Response { completeness: self.says(&reach)?, ..self.response(counts)? };
        pages.fit(self.cx, rows.len(), |count| {
            let fitting = on_page.get(..count).unwrap_or_default();
            Ok(Response {
                tests: Some(rows.get(..count).unwrap_or_default().to_vec()),
                commands: match self.cx.across {
                    Some(_) => Vec::new(),
                    None => test_commands(self.source().view(), fitting)?,
                },
                total: tests.len() as u64,
                cursor: pages.next_cursor(count, tests.len()),
                ..whole.clone()
            })
        })
    }

    fn show_test(&self, test: &SelectedTest, reach: &Reach) -> Result<TestOut, ToolError> {
        let mut way = Vec::new();
        for symbol in reach.way(test.symbol).into_iter().take(WAY) {
            way.extend(self.source().listed(symbol)?.map(|listed| listed.qualified().to_owned()));
        }
        // A runner runs in the test's own repository.
        let id = match self.cx.across {
            Some(_) => split_place(&test.id).map_or(test.id.as_str(), |(_, id)| id),
            None => &test.id,
        };
        Ok(TestOut {
            id: id.to_owned(),
            file: test.listed.path().to_owned(),
            line: test.listed.line(),
            distance: test.distance,
            way,
        })
    }

    /// What the answer may lack.
    fn says(&self, reach: &Reach) -> Result<String, ToolError> {
        let mut names = BTreeSet::new();
        for origin in self.origins.iter().take(MOST_NAMES) {
            names.extend(self.source().listed(*origin)?.map(|listed| listed.name().to_owned()));
        }
        let open = unresolved_mentions(self.source(), names.iter().map(String::as_str))?;
        let known = match open.map(|files| files.len()) {
            None => {
                "It is not known which files mention the changed names without a known meaning.".to_owned()
            }
            Some(0) => "No file mentions a changed name without a known meaning.".to_owned(),
            Some(files) => {
                format!("{files} files mention a changed name without a known meaning and may depend on it.")
            }
        };
        let cut = if reach.is_cut {
            "Cut: the change reaches more symbols than are followed; the nearest are counted. "
        } else {
            ""
        };
        let may_miss = "Code that runs at import, by reflection or in other processes is not followed.";
        Ok(format!("{cut}{known} {may_miss}"))
    }
}

/// How likely the change has an effect, halved with each link.
fn rank_of(one: &Reached) -> Milli {
    Milli::of(f64::from(one.weight) / f64::from(one.distance.max(1)))
}

fn count_dependents(reached: &[Reached]) -> Counts {
    let all = || reached.iter();
    let files: BTreeSet<&str> = all().map(|one| one.listed.path()).collect();
    Counts {
        changed: 0,
        direct: all().filter(|one| one.distance == 1).count(),
        transitive: all().filter(|one| one.distance > 1).count(),
        exported: all().filter(|one| one.listed.exported() && !one.listed.is_test()).count(),
        files: files.len(),
        tests: 0,
        guessed: all().filter(|one| one.link.resolution == sdl_model::Resolution::Ambiguous).count(),
    }
}

impl Render for Response {
    fn text(&self) -> String {
        let Counts { changed, direct, transitive, exported, files, tests, guessed } = self.counts;
        let mut text = format!(
            "{changed} changed; {direct} direct and {transitive} transitive dependents in {files} files, {exported} exported, {guessed} by a guess; {tests} tests"
        );
        for symbol in &self.changed {
            begin_line(&mut text, format_args!("changed {} {}:{}", symbol.name, symbol.file, symbol.line));
        }
        for process in &self.processes {
            begin_line(&mut text, format_args!("process {process}"));
        }
        for row in self.dependents.iter().flatten() {
            let SymbolOut { name, file, line, symbol_id, .. } = &row.symbol;
            let rank = f64::from(row.rank.0) / 1000.0;
            begin_line(
                &mut text,
                format_args!("{rank} {name} {file}:{line} {} {} {symbol_id}", row.link.edge, row.towards),
            );
        }
        for test in self.tests.iter().flatten() {
            begin_line(&mut text, format_args!("{} ({})", test.id, test.way.join(" > ")));
        }
        for command in &self.commands {
            begin_line(&mut text, format_args!("$ {command}"));
        }
        if let Some(cursor) = &self.cursor {
            begin_line(&mut text, format_args!("{} in all, next page: cursor {cursor}", self.total));
        }
        begin_line(&mut text, format_args!("{}", self.completeness));
        text
    }
}
