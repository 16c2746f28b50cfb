//! One file per subcommand.

mod audit;
mod bench;
mod card;
mod doctor;
mod export;
mod index;
mod ledger;
mod lifecycle;
mod logs;
mod mcp;
mod pages;
mod policy;
mod refresh;
mod repo;
mod risk;
mod search;
mod service;
mod slice;
mod status;
mod surface;
mod tool;
mod verify;

use crate::cli::{Cli, Command};
use crate::output::{Failure, Outcome};

/// Runs the command.
pub(crate) fn run(cli: Cli) -> Result<Outcome, Failure> {
    let json = cli.json;
    match cli.command {
        Command::Status => status::run(json),
        Command::Start => lifecycle::start(json),
        Command::Stop => lifecycle::stop(json),
        Command::Restart => lifecycle::restart(json),
        Command::Logs(args) => logs::run(&args, json),
        Command::Repo(command) => repo::run(command, json),
        Command::Index(args) => index::run(&args, json),
        Command::Search(args) => search::run(args, json),
        Command::Card(args) => card::run(args, json),
        Command::Slice(args) => slice::run(args, json),
        Command::Refresh(args) => refresh::run(&args, json),
        Command::Risk(args) => risk::run(&args, json),
        Command::Tool(args) => tool::run(&args, json),
        Command::Export(args) => export::run(&args, json),
        Command::Verify(args) => verify::run(&args, json),
        Command::Audit(command) => audit::run(command, json),
        Command::Policy(command) => policy::run(command, json),
        Command::Ledger(command) => ledger::run(command, json),
        Command::Bench(command) => bench::run(&command, json),
        Command::Doctor => doctor::run(json),
        Command::Mcp(command) => mcp::run(command, json),
        Command::Surface { name } => surface::run(name, json),
        Command::Service(command) => service::run(command, json),
        Command::Completions { shell } => pages::completions(shell),
        Command::Man { folder } => pages::man(&folder),
    }
}
