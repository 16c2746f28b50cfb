//! One file per subcommand.

mod activity;
mod audit;
mod bench;
mod card;
mod cred;
mod dispatch;
mod doctor;
mod export;
mod hook;
mod impact;
mod index;
mod kg;
mod ledger;
mod lifecycle;
mod logs;
mod mcp;
mod memory;
mod outline;
mod pages;
mod path;
mod policy;
mod refresh;
mod related;
mod rename;
mod repo;
mod risk;
mod search;
mod service;
mod session;
mod setup;
mod share;
mod slice;
mod status;
mod surface;
mod tool;
mod top;
mod ui;
mod unused;
mod upstream;
mod verify;
mod watch;
mod workspace;

use crate::cli::{Cli, Command, LiveCommand};
use crate::output::{Failure, Outcome};

pub(crate) use hook::run_hook;

/// Runs the command.
pub(crate) fn run_command(cli: Cli) -> Result<Outcome, Failure> {
    let json = cli.json;
    match cli.command {
        Command::Status => status::run_status(json),
        Command::Start => lifecycle::run_start(json),
        Command::Stop => lifecycle::run_stop(json),
        Command::Restart => lifecycle::run_restart(json),
        Command::Logs(args) => logs::run_logs(&args, json),
        Command::Live(LiveCommand::Watch(args)) => watch::run_watch(&args, json),
        Command::Live(LiveCommand::Top) => top::run_top(json),
        Command::Live(LiveCommand::Ui(args)) => ui::run_ui(&args, json),
        Command::Repo(command) => repo::run_repo(command, json),
        Command::Workspace(command) => workspace::run_workspace(command, json),
        Command::Upstream(command) => upstream::run_upstream(command, json),
        Command::Cred(command) => cred::run_cred(command, json),
        Command::Dispatch(command) => dispatch::run_dispatch(command, json),
        Command::Session(command) => session::run_session(command, json),
        Command::Hook(args) => {
            run_hook(args.client);
            Ok(Outcome::Good)
        }
        Command::Activity(args) => activity::run_activity(&args, json),
        Command::Index(args) => index::run_index(&args, json),
        Command::Search(args) => search::run_search(args, json),
        Command::Card(args) => card::run_card(args, json),
        Command::Slice(args) => slice::run_slice(args, json),
        Command::Refresh(args) => refresh::run_refresh(&args, json),
        Command::Related(args) => related::run_related(&args, json),
        Command::Outline(args) => outline::run_outline(&args, json),
        Command::Path(args) => path::run_path(&args, json),
        Command::Impact(args) => impact::run_impact(&args, json),
        Command::Tests(args) => impact::run_tests(&args, json),
        Command::Rename(args) => rename::run_rename(&args, json),
        Command::Unused(args) => unused::run_unused(&args, json),
        Command::Risk(args) => risk::run_risk(&args, json),
        Command::Kg(command) => kg::run_kg(command, json),
        Command::Tool(args) => tool::run_tool(&args, json),
        Command::Export(args) => export::run_export(&args, json),
        Command::Memory(command) => memory::run_memory(command, json),
        Command::Verify(args) => verify::run_verify(&args, json),
        Command::Audit(command) => audit::run_audit(command, json),
        Command::Policy(command) => policy::run_policy(command, json),
        Command::Share(command) => share::run_share(&command, json),
        Command::Ledger(command) => ledger::run_ledger(command, json),
        Command::Bench(command) => bench::run_bench(&command, json),
        Command::Doctor { reach } => doctor::run_doctor(reach, json),
        Command::Setup(args) => setup::run_setup(args, json),
        Command::Mcp(command) => mcp::run_mcp(command, json),
        Command::Surface { name } => surface::run_surface(name, json),
        Command::Service(command) => service::run_service(command, json),
        Command::Completions { shell } => pages::run_completions(shell),
        Command::Man { folder } => pages::run_man(&folder),
    }
}
