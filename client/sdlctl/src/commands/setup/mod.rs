//! `setup`: adds the server to the MCP clients on this machine, and takes it back.

mod show;

use std::io::IsTerminal;

use sdl_setup::apply::apply_change;
use sdl_setup::jobs;
use sdl_setup::plan::FileChange;
use sdl_setup::{
    Action, Client, Machine, Parts, Plan, Records, Request, Scope, Wanted, clients, find_client, make_plan,
};

use crate::cli::{IndexArgs, ServiceCommand, SetupArgs};
use crate::commands::{index, mcp, service};
use crate::output::{self, Failure, Outcome};
use crate::session;

/// What became of a file.
struct Written<'a> {
    change: &'a FileChange,
    result: Result<Option<String>, String>,
}

pub(crate) fn run_setup(args: SetupArgs, as_json: bool) -> Result<Outcome, Failure> {
    let machine = mcp::this_machine()?;
    if args.list {
        show::print_list(&machine, &args.client, as_json);
        return Ok(Outcome::Good);
    }
    let request = make_request(&args, &machine)?;
    let state = session::daemon_paths()?.state().to_owned();
    let records = Records::load(&state).map_err(|error| Failure::Local(error.to_string()))?;
    let plan = make_plan(&machine, &request, &records);
    if !as_json {
        show::print_plan(&plan, &request, &machine);
    }
    let agreed = args.dry_run || plan.changes.is_empty() || confirm(&args, &plan, as_json)?;
    if !agreed {
        output::print_line("nothing was changed");
        return Ok(Outcome::Bad);
    }
    let written = if args.dry_run { Vec::new() } else { write_files(&plan, records, &state) };
    if as_json {
        show::print_result_json(&plan, &request, &written, args.dry_run);
    } else {
        show::print_result(&plan, &request, &written, args.dry_run);
    }
    let outcome = judge(&plan, &request, &written);
    if args.service {
        service::run_service(ServiceCommand::Install { dry_run: false }, as_json)?;
    }
    if let Some(path) = args.index {
        index::run_index(&IndexArgs { path: Some(path), full: false }, as_json)?;
    }
    Ok(outcome)
}

fn make_request(args: &SetupArgs, machine: &Machine) -> Result<Request, Failure> {
    let scope = if args.project { Scope::Project } else { Scope::User };
    let parts = Parts { rules: !args.no_rules, hooks: !args.no_hooks };
    // A path of this machine is of no use to a team.
    let (program, hook_program) = match scope {
        Scope::Project => ("sdl-mcp".to_owned(), "sdlctl".to_owned()),
        Scope::User if args.remove => Default::default(),
        Scope::User => (mcp::shim_command()?, mcp::hook_program()?),
    };
    let wanted = Wanted { program, arguments: mcp::shim_arguments(args.surface) };
    let clients = choose_clients(args, machine, scope, parts);
    let named = !args.client.is_empty();
    Ok(Request { clients, named, scope, wanted, parts, hook_program, remove: args.remove, force: args.force })
}

fn choose_clients(args: &SetupArgs, machine: &Machine, scope: Scope, parts: Parts) -> Vec<&'static Client> {
    if !args.client.is_empty() {
        return args.client.iter().filter_map(|id| find_client(id)).collect();
    }
    let server = |client: &Client| client.server_file(machine, scope);
    let rules = |client: &Client| client.rules().and_then(|rules| rules.of_scope(scope));
    if !args.remove {
        let usable = |client: &&Client| {
            scope == Scope::User || server(client).is_some() || (parts.rules && rules(client).is_some())
        };
        return clients().filter(|client| client.is_found(machine)).filter(usable).collect();
    }
    // A file that several clients share is named once.
    let mut seen = Vec::new();
    let mut holds_reminder = |client: &Client| {
        let held = rules(client).map(|file| file.candidates(machine)).unwrap_or_default();
        let held: Vec<_> =
            held.into_iter().filter(|path| jobs::holds_rules(path) && !seen.contains(path)).collect();
        let hooks = client.hooks().and_then(|hooks| hooks.path(machine, scope));
        let has_rules = parts.rules && !held.is_empty();
        seen.extend(held);
        has_rules || (parts.hooks && hooks.is_some_and(|path| jobs::holds_hooks(client, &path)))
    };
    let chosen = |client: &&Client| {
        let has_reminder = holds_reminder(client);
        server(client).is_some_and(|file| file.exists()) || has_reminder
    };
    clients().filter(chosen).collect()
}

/// Asks a person. Without one `--yes` has to be given.
fn confirm(args: &SetupArgs, plan: &Plan, as_json: bool) -> Result<bool, Failure> {
    if args.yes {
        return Ok(true);
    }
    if as_json || !std::io::stdin().is_terminal() {
        return Err(Failure::Usage("nobody can be asked here: give --yes to write, or --dry-run".to_owned()));
    }
    let files = output::format_count(plan.changes.len() as u64, "file");
    output::print_line(&format!("Change {files}? [y/N]"));
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer).map_err(|error| Failure::io("can't read the answer", &error))?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

/// Writes the files one by one. One that fails doesn't keep the others from being written.
fn write_files<'a>(plan: &'a Plan, mut records: Records, state: &std::path::Path) -> Vec<Written<'a>> {
    let mut written = Vec::new();
    for change in &plan.changes {
        let applied = apply_change(change, &mut records).map_err(|problem| problem.to_string());
        let result = applied.and_then(|applied| {
            let backup = applied.backup.map(|path| path.display().to_string());
            let kept = records.save(state);
            kept.map(|()| backup).map_err(|error| format!("it was written, but not recorded: {error}"))
        });
        written.push(Written { change, result });
    }
    written
}

fn judge(plan: &Plan, request: &Request, written: &[Written]) -> Outcome {
    let failed = |action: &Action| match action {
        Action::Refuse(_) => true,
        Action::Foreign(_) => !request.remove,
        _ => false,
    };
    let bad =
        plan.steps.iter().any(|step| failed(&step.action)) || written.iter().any(|one| one.result.is_err());
    if bad { Outcome::Bad } else { Outcome::Good }
}
