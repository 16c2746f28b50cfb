//! What `setup` prints.

use sdl_setup::plan::FileChange;
use sdl_setup::record::Splice;
use sdl_setup::snippet::make_snippet;
use sdl_setup::{Action, Client, Machine, Part, Plan, Request, Scope, Step, clients};
use serde_json::{Value, json};

use super::Written;
use crate::commands::mcp::short_path;
use crate::output::{self, style_bold, style_dim, style_green, style_red, style_yellow};

/// All clients, or those that were named.
pub(super) fn print_list(machine: &Machine, only: &[String], as_json: bool) {
    let listed = clients().filter(|client| only.is_empty() || only.iter().any(|id| id == client.id));
    let rows: Vec<Value> = listed.map(|client| describe_client(client, machine)).collect();
    if as_json {
        output::print_json(&json!({ "clients": rows }));
        return;
    }
    let home = machine.home.to_string_lossy();
    for row in rows {
        let found = row["found"] == json!(true);
        let mark = if found { style_green("found") } else { style_dim("  -  ") };
        let place = row["file"]
            .as_str()
            .map_or_else(|| output::text_at(&row, "/byHand").to_owned(), |path| short_path(path, &home));
        let there = if row["exists"] == json!(true) { "" } else { " (no file yet)" };
        let there = if row["file"].is_string() { there } else { "" };
        output::print_line(&format!(
            "{mark}  {:<24} {place}{}",
            output::text_at(&row, "/client"),
            style_dim(there)
        ));
    }
}

fn describe_client(client: &Client, machine: &Machine) -> Value {
    let file = client.user_file(machine);
    let rules = client.rules();
    json!({
        "client": client.id,
        "name": client.name,
        "found": client.is_found(machine),
        "file": file,
        "exists": file.as_ref().is_some_and(|file| file.exists()),
        "projectFile": client.project_file(machine),
        "rulesFile": rules.and_then(|rules| rules.user).and_then(|file| file.path(machine)),
        "projectRulesFile": rules.and_then(|rules| rules.project).and_then(|file| file.path(machine)),
        "hooksFile": client.hooks().and_then(|hooks| hooks.path(machine, Scope::User)),
        "byHand": client.by_hand,
        "docs": client.docs,
        "source": client.source,
        "unconfirmed": client.unconfirmed,
    })
}

pub(super) fn print_plan(plan: &Plan, request: &Request, machine: &Machine) {
    if plan.steps.is_empty() {
        let none = if request.remove { "no client has a file" } else { "no client was found" };
        output::print_line(&format!("{none}; sdlctl setup --list shows all that are known"));
    }
    let home = machine.home.to_string_lossy();
    for step in &plan.steps {
        let (word, detail) = describe_action(&step.action);
        let place =
            step.file.as_ref().map(|path| short_path(&path.to_string_lossy(), &home)).unwrap_or_default();
        let name = style_bold(step.client.name);
        let what = match step.part {
            Part::Server => "",
            Part::Rules => " rules",
            Part::Hooks => " hooks",
        };
        output::print_line(&format!("{name}{what}: {word} {}", style_dim(&place)));
        if let Some(detail) = detail {
            output::print_line(&format!("  {detail}"));
        }
        if step.action == Action::ByHand {
            print_by_hand(step, request);
        }
    }
    for change in &plan.changes {
        print_change(change, &home);
    }
}

fn print_by_hand(step: &Step, request: &Request) {
    if request.remove {
        output::print_line("  remove the entry sdl there, if you added it");
        return;
    }
    output::print_line(&format!("  {}", step.client.by_hand));
    if let Ok(snippet) = make_snippet(step.client, &request.wanted) {
        let indented: Vec<String> = snippet.lines().map(|line| format!("    {line}")).collect();
        output::print_block(&indented.join("\n"));
    }
    output::print_line(&style_dim(&format!("  {}", step.client.docs)));
}

/// The lines of a change, without those around it: they may hold tokens of other servers.
fn print_change(change: &FileChange, home: &str) {
    let (before, after) =
        (change.before.as_deref().unwrap_or_default(), change.after.as_deref().unwrap_or_default());
    let (sign, splice, text) = if after.len() >= before.len() {
        ("+", Splice::between(before, after), after)
    } else {
        ("-", Splice::between(after, before), before)
    };
    let path = short_path(&change.path.to_string_lossy(), home);
    let what = match (&change.before, &change.after) {
        (None, _) => "new",
        (_, None) => "deleted",
        _ => "changed",
    };
    output::print_line(&style_dim(&format!("{path} ({what})")));
    let part = text.get(splice.start..splice.start + splice.length).unwrap_or_default();
    let lines: Vec<String> =
        part.lines().filter(|line| !line.trim().is_empty()).map(|line| format!("  {sign} {line}")).collect();
    let lines = lines.iter().map(|line| if sign == "+" { style_green(line) } else { style_red(line) });
    output::print_block(&lines.collect::<Vec<_>>().join("\n"));
}

fn describe_action(action: &Action) -> (String, Option<String>) {
    match action {
        Action::Add => (style_green("add"), None),
        Action::Change => (style_yellow("change"), None),
        Action::Keep => ("is set up".to_owned(), None),
        Action::Remove => (style_yellow("remove"), None),
        Action::Nothing => ("has no entry".to_owned(), None),
        Action::ByHand => (style_yellow("by hand"), None),
        Action::Skip(why) => ("none".to_owned(), Some((*why).to_owned())),
        Action::Foreign(what) => (
            style_red("left alone"),
            Some(format!("its entry sdl starts {what}, which is not sdl-mcp; --force replaces it")),
        ),
        Action::Refuse(why) => (style_red("left alone"), Some(why.clone())),
    }
}

pub(super) fn print_result(plan: &Plan, request: &Request, written: &[Written], dry_run: bool) {
    if dry_run {
        output::print_line("dry run: nothing was changed");
        return;
    }
    if plan.changes.is_empty() {
        output::print_line("nothing to change");
        return;
    }
    for one in written {
        match &one.result {
            Ok(Some(backup)) => output::print_line(&format!("kept the old file as {backup}")),
            Ok(None) => {}
            Err(why) => output::print_line(&format!("{} {why}", style_red("failed:"))),
        }
    }
    let done = written.iter().filter(|one| one.result.is_ok()).count();
    output::print_line(&format!("changed {}", output::format_count(done as u64, "file")));
    let changed = |step: &&Step| matches!(step.action, Action::Add | Action::Change | Action::Remove);
    let mut advised = Vec::new();
    for step in plan.steps.iter().filter(changed) {
        if advised.contains(&step.client.id) {
            continue;
        }
        advised.push(step.client.id);
        output::print_line(&style_dim(&format!("{}: {}", step.client.name, step.client.fresh.advice())));
    }
    if request.scope == Scope::Project && !request.remove {
        output::print_note(
            "the files name sdl-mcp and sdlctl without a folder: each member of the team needs both on the path",
        );
    }
}

pub(super) fn print_result_json(plan: &Plan, request: &Request, written: &[Written], dry_run: bool) {
    let steps: Vec<Value> = plan.steps.iter().map(|step| describe_step(step, request)).collect();
    let files = plan.changes.iter().map(|change| {
        let result = written.iter().find(|one| std::ptr::eq(one.change, change)).map(|one| &one.result);
        json!({
            "path": change.path,
            "created": change.before.is_none(),
            "deleted": change.after.is_none(),
            "written": matches!(result, Some(Ok(_))),
            "backup": result.and_then(|result| result.as_ref().ok()).cloned().flatten(),
            "error": result.and_then(|result| result.as_ref().err()),
        })
    });
    output::print_json(&json!({
        "scope": if request.scope == Scope::Project { "project" } else { "user" },
        "dryRun": dry_run,
        "clients": steps,
        "files": files.collect::<Vec<_>>(),
    }));
}

fn describe_step(step: &Step, request: &Request) -> Value {
    let (action, detail) = match &step.action {
        Action::Add => ("add", None),
        Action::Change => ("change", None),
        Action::Keep => ("keep", None),
        Action::Remove => ("remove", None),
        Action::Nothing => ("nothing", None),
        Action::ByHand => ("byHand", Some(step.client.by_hand)),
        Action::Skip(why) => ("skip", Some(*why)),
        Action::Foreign(what) => ("foreign", Some(what.as_str())),
        Action::Refuse(why) => ("refused", Some(why.as_str())),
    };
    let by_hand = step.action == Action::ByHand && !request.remove;
    json!({
        "client": step.client.id,
        "name": step.client.name,
        "part": match step.part {
            Part::Server => "server",
            Part::Rules => "rules",
            Part::Hooks => "hooks",
        },
        "file": step.file,
        "action": action,
        "detail": detail,
        "snippet": by_hand.then(|| make_snippet(step.client, &request.wanted).ok()).flatten(),
        "then": step.client.fresh.advice(),
        "docs": step.client.docs,
    })
}
