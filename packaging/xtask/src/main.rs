//! The project's own commands, as `cargo xtask <command>`. It has few dependencies because it is built before
//! anything else.

mod command;
mod conformance;
mod guard;
mod package;
mod page;
mod quickstart;
mod test;
mod units;
mod upstreams;

use std::env;
use std::process::ExitCode;

use command::{Fault, Outcome};

const HELP: &str = "\
cargo xtask <command>

  quickstart [PATH]   Build the release programs, index PATH (default: this repository), and show what a
                      client gets: status, a search, a slice, and an edit that arrives as a delta.
  test [--fast]       Build the programs and run the tests: units, end to end, real MCP clients.
                      --fast leaves the end-to-end tests out. On Linux the tests can write to folders of
                      their own alone.
  guard [--write PATH]... -- PROGRAM [ARGUMENT]...
                      Run a program that can write nowhere but below these paths (Linux).
  ci                  Everything that CI runs.
  package             Collect the release programs, completions, man pages and service files under
                      target/package.
  page [--offline]    Make the page of sdl-ui from client/ui/page, with packages of the npm registry.
  docs                Write the page of every action into docs/actions.
  conformance [--write]
                      Run the MCP conformance suite (fetched with npm) and compare with what docs/conformance.md
                      says, or write it there.
  upstreams           Install the reference servers of MCP with npm and pip, and check that what they answer
                      reaches a client byte for byte.
  check-units         Check the service files with the platform's own tools.
";

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match run_task(&words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => {
            eprintln!("xtask: {fault}");
            ExitCode::FAILURE
        }
    }
}

fn run_task(words: &[&str]) -> Outcome {
    match words {
        ["quickstart"] => quickstart::run_quickstart(None),
        ["quickstart", path] if !path.starts_with('-') => quickstart::run_quickstart(Some(path)),
        ["test"] => test::run_tests(test::Extent::Full),
        ["test", "--fast"] => test::run_tests(test::Extent::Fast),
        ["guard", rest @ ..] => guard::run_guard(rest),
        ["ci"] => command::in_root(".ci/run").run(),
        ["page", rest @ ..] => page::make_page(rest),
        ["package"] => package::run_package(),
        ["docs"] => {
            let pages =
                ["run", "--quiet", "--package", "sdl-tools", "--example", "pages", "--", "docs/actions"];
            command::cargo_command().args(pages).run()
        }
        ["conformance"] => conformance::run_conformance(false),
        ["conformance", "--write"] => conformance::run_conformance(true),
        ["upstreams"] => upstreams::check_upstreams(),
        ["check-units"] => units::check_units(),
        [] | ["help" | "--help" | "-h"] => {
            print!("{HELP}");
            Ok(())
        }
        _ => Err(Fault::new(format!("no command `{}`\n\n{HELP}", words.join(" ")))),
    }
}
