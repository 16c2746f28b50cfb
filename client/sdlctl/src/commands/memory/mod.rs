//! `memory ls|show|search|stale|edit|undo|rm|export|import`.

mod edit;
mod list;
mod transfer;

use serde_json::{Value, json};

use crate::cli::{MemoryCommand, MemoryOneArgs, MemoryScopeArgs};
use crate::output::{self, Failure, Outcome, style_bold};
use crate::session::Session;

pub(crate) fn run_memory(command: MemoryCommand, as_json: bool) -> Result<Outcome, Failure> {
    let session = Session::open()?;
    match command {
        MemoryCommand::Ls(args) => {
            let asked = json!({ "sortBy": "recency", "limit": args.limit });
            list::show_list(&session, &args.scope, asked, as_json)?;
        }
        MemoryCommand::Search(args) => {
            let asked = json!({ "query": args.words.join(" "), "limit": args.list.limit });
            list::show_list(&session, &args.list.scope, asked, as_json)?;
        }
        MemoryCommand::Stale(args) => {
            let asked = json!({ "staleOnly": true, "sortBy": "recency", "limit": args.limit });
            list::show_list(&session, &args.scope, asked, as_json)?;
        }
        MemoryCommand::Show(args) => list::show_one(&session, &args, as_json)?,
        MemoryCommand::Edit(args) => edit::edit_memory(&session, &args, as_json)?,
        MemoryCommand::Undo(args) => edit::undo_change(&session, &args, as_json)?,
        MemoryCommand::Rm(args) => remove_memory(&session, &args, as_json)?,
        MemoryCommand::Export(args) => transfer::export_all(&session, args.file.as_deref())?,
        MemoryCommand::Import(args) => transfer::import_file(&session, &args, as_json)?,
    }
    Ok(Outcome::Good)
}

fn remove_memory(session: &Session, args: &MemoryOneArgs, as_json: bool) -> Result<(), Failure> {
    let answer = session.tool("memory.remove", &one_of(session, args)?)?.structured;
    if as_json {
        output::print_json(&answer);
    } else {
        output::print_line(&format!("{} removed; sdlctl memory undo brings it back", style_bold(&args.id)));
    }
    Ok(())
}

/// The arguments that name a memory.
fn one_of(session: &Session, args: &MemoryOneArgs) -> Result<Value, Failure> {
    let mut asked = whose(session, &args.scope)?;
    asked["memoryId"] = args.id.clone().into();
    Ok(asked)
}

/// The arguments that say whose memories.
fn whose(session: &Session, scope: &MemoryScopeArgs) -> Result<Value, Failure> {
    if scope.all {
        return Ok(json!({ "scope": "all" }));
    }
    match (session.repo(scope.repo.as_deref()), &scope.repo) {
        (Ok(repo), _) => Ok(json!({ "repoId": repo })),
        // Without a repository they are the user's.
        (Err(_), None) => Ok(json!({})),
        (Err(failure), Some(_)) => Err(failure),
    }
}
