//! `cargo xtask conformance`: runs the MCP conformance suite against `sdl-http` (`tests/conformance`), and
//! compares the outcome with the list of known misses.

mod known;
mod outcome;
mod page;

use std::fs;
use std::io::{BufRead, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::command::{self, Fault, Outcome, cargo_command, has_program, in_root};
use crate::quickstart::PROGRAMS;
use known::Known;
use outcome::{Outcomes, Revision};

/// The folder with the server, the pinned suite and the known misses.
const HOME: &str = "tests/conformance";

/// The oldest version that the suite accepts, and the version that is fetched where none is installed.
const NODE: &str = "22.23.3";

/// The stateful revision and the stateless one.
const REVISIONS: [&str; 2] = ["2025-11-25", "2026-07-28"];

/// The targets of the suite: a name, and the arguments that the server is started with.
const TARGETS: [(Target, &[&str]); 3] = [
    (Target::Gateway, &[]),
    (Target::Flat, &["--surface=flat", "--output-schemas"]),
    (Target::Fixtures, &["--fixtures"]),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Target {
    /// The product, with the tools that clients see by default.
    Gateway,
    /// The product, with every action as a tool.
    Flat,
    /// The product, with an upstream that has the suite's fixtures.
    Fixtures,
}

impl Target {
    fn name(self) -> &'static str {
        match self {
            Self::Gateway => "product, gateway",
            Self::Flat => "product, flat",
            Self::Fixtures => "fixtures",
        }
    }
}

/// Runs all of it. With `write` the results are written to the page; without, the page must already state them.
pub(crate) fn run_conformance(write: bool) -> Outcome {
    let dir = command::target_dir()?.join("conformance");
    let suite = Suite::install(&dir)?;
    build_server()?;
    let revisions = suite.revisions()?;
    let mut outcomes = Outcomes::default();
    for (target, arguments) in TARGETS {
        let server = Server::start(arguments)?;
        for revision in &revisions {
            let out = dir.join("results").join(format!("{target:?}-{}", revision.name).to_lowercase());
            println!("--- {}, {}", target.name(), revision.name);
            let checks = suite.check(&server.url, revision, &out)?;
            outcomes.add(target, revision, checks);
        }
    }
    let known = Known::read(&fs::read_to_string(command::workspace_root().join(HOME).join("misses.txt"))?)?;
    let table = page::outcome_table(&outcomes, &known);
    println!("\n{table}");
    let mut faults = known.differences(&outcomes);
    faults.extend(page::compare_page(&table, write)?);
    if faults.is_empty() { Ok(()) } else { Err(Fault::new(faults.join("\n       "))) }
}

fn build_server() -> Outcome {
    let programs = PROGRAMS.iter().flat_map(|name| ["--package", name]);
    cargo_command().args(["build", "--locked", "--bins"]).args(programs).run()?;
    let server = ["--package", "sdl-tests", "--features", "conformance", "--bin", "conformance-server"];
    cargo_command().args(["build", "--locked"]).args(server).run()
}

/// The installed suite.
struct Suite {
    node: PathBuf,
    package: PathBuf,
}

impl Suite {
    /// Installs what `package-lock.json` pins, unless that has happened.
    fn install(dir: &Path) -> Outcome<Self> {
        fs::create_dir_all(dir)?;
        let mut changed = false;
        for name in ["package.json", "package-lock.json"] {
            let wanted = fs::read(command::workspace_root().join(HOME).join(name))?;
            if fs::read(dir.join(name)).ok().as_deref() != Some(&*wanted) {
                fs::write(dir.join(name), wanted)?;
                changed = true;
            }
        }
        let package = dir.join("node_modules").join("@modelcontextprotocol").join("conformance");
        if changed || !package.is_dir() {
            run_npm(dir, &["ci", "--ignore-scripts"])?;
        }
        Ok(Self { node: find_node(&dir.join("node"))?, package })
    }

    fn revisions(&self) -> Outcome<Vec<Revision>> {
        let read = |name: &str| {
            let path = self.package.join("requirements").join(format!("{name}.yaml"));
            Ok(Revision::new(name, &fs::read_to_string(path)?))
        };
        REVISIONS.into_iter().map(read).collect()
    }

    /// Runs the scenarios that a revision requires, and those that the suite adds; returns the folder of each
    /// scenario's checks.
    fn check(&self, url: &str, revision: &Revision, out: &Path) -> Outcome<Vec<outcome::Scenario>> {
        if out.exists() {
            fs::remove_dir_all(out)?;
        }
        fs::create_dir_all(out)?;
        let log = out.join("log.txt");
        let output = in_root(&self.node)
            .arg(self.package.join("dist").join("index.js"))
            .args(["server", "--url", url, "--requirements", &revision.name, "--output-dir"])
            .arg(out)
            .output()?;
        // Its success says no more than the checks do.
        fs::write(&log, [output.stdout, output.stderr].concat())?;
        let scenarios = outcome::read_scenarios(out)?;
        match revision.unseen(&scenarios) {
            unseen if unseen.is_empty() => Ok(scenarios),
            unseen => {
                Err(Fault::new(format!("the suite did not run {}; see {}", unseen.join(", "), log.display())))
            }
        }
    }
}

fn run_npm(dir: &Path, arguments: &[&str]) -> Outcome {
    let npm = if cfg!(windows) { "npm.cmd" } else { "npm" };
    if !has_program(npm, &["--version"]) {
        return Err(Fault::new(format!("the conformance suite needs Node.js {NODE} or newer, and npm")));
    }
    in_root(npm).arg("--prefix").arg(dir).args(arguments).args(["--no-audit", "--no-fund"]).run()
}

/// A Node.js that is new enough: the machine's, or one from the registry.
fn find_node(dir: &Path) -> Outcome<PathBuf> {
    let major = NODE.split('.').next().unwrap_or(NODE);
    let enough = format!("process.exit(process.versions.node.split('.')[0] >= {major} ? 0 : 1)");
    if has_program("node", &["-e", &enough]) {
        return Ok("node".into());
    }
    let fetched = dir.join("node_modules").join("node").join("bin").join("node");
    if !has_program(&fetched.to_string_lossy(), &["-e", &enough]) {
        fs::create_dir_all(dir)?;
        run_npm(dir, &["install", "--no-save", &format!("node@{NODE}")])?;
    }
    Ok(fetched)
}

/// The running server; ends with the end of its input.
struct Server {
    child: Child,
    url: String,
}

impl Server {
    fn start(arguments: &[&str]) -> Outcome<Self> {
        let mut child = Command::new(command::program_path("debug", "conformance-server")?)
            .args(arguments)
            .env("SDL_TEST_BIN_DIR", command::target_dir()?.join("debug"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let mut url = String::new();
        if let Some(stdout) = child.stdout.take() {
            BufReader::new(stdout.take(200)).read_line(&mut url)?;
        }
        let server = Self { child, url: url.trim().to_owned() };
        if server.url.is_empty() {
            return Err(Fault::new("the conformance server did not start"));
        }
        Ok(server)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}
