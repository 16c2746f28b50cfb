//! `cred set|ls|rm`: values that `mcp.json` names as `${NAME}`.

use std::io::{IsTerminal, Read};

use sdl_settings::{Secret, list_credentials, remove_credential, store_credential};
use serde_json::json;

use crate::cli::CredCommand;
use crate::output::{self, Failure, Outcome, style_bold};
use crate::session::daemon_paths;

/// The largest value that is read.
const MOST_BYTES: u64 = 64 << 10;

pub(crate) fn run_cred(command: CredCommand, as_json: bool) -> Result<Outcome, Failure> {
    let paths = daemon_paths()?;
    let state = paths.state();
    match command {
        CredCommand::Set { name } => {
            let secret = read_value(&name)?;
            store_credential(state, &name, &secret).map_err(|error| Failure::Local(error.to_string()))?;
            say(as_json, &name, "stored; the next start or request uses it");
        }
        CredCommand::Ls => {
            let names = list_credentials(state).map_err(|error| Failure::Local(error.to_string()))?;
            if as_json {
                output::print_json(&json!({ "names": names }));
            } else if names.is_empty() {
                output::print_line("No credential is stored. Store one: sdlctl cred set NAME");
            } else {
                names.iter().for_each(|name| output::print_line(name));
            }
        }
        CredCommand::Rm { name } => {
            let was_there =
                remove_credential(state, &name).map_err(|error| Failure::Local(error.to_string()))?;
            if !was_there {
                return Err(Failure::Local(format!("no credential is called {name:?}; see: sdlctl cred ls")));
            }
            say(as_json, &name, "removed");
        }
    }
    Ok(Outcome::Good)
}

fn say(as_json: bool, name: &str, what: &str) {
    if as_json {
        output::print_json(&json!({ "name": name }));
    } else {
        output::print_line(&format!("{} {what}", style_bold(name)));
    }
}

/// Reads the value from standard input, so that it is in no list of processes and in no history.
fn read_value(name: &str) -> Result<Secret, Failure> {
    let input = std::io::stdin();
    if input.is_terminal() {
        output::print_note(&format!("Type the value of {name}, then Enter and Ctrl-D."));
    }
    let mut text = String::new();
    input
        .lock()
        .take(MOST_BYTES)
        .read_to_string(&mut text)
        .map_err(|error| Failure::io("can't read the value", &error))?;
    Ok(Secret::new(text.trim_end_matches(['\n', '\r']).to_owned()))
}
