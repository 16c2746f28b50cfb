//! `ui`: starts the server of the page and opens the page in a browser. The server is a program of its own, `sdl-ui`, because
//! this one has no network in it.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::json;

use crate::cli::UiArgs;
use crate::output::{self, Failure, Outcome, text_at};
use crate::programs::program_beside;
use crate::session::{Session, asked_to_end, make_runtime};

pub(crate) fn run_ui(args: &UiArgs, as_json: bool) -> Result<Outcome, Failure> {
    let repo = repo_to_show(args.path.as_deref())?;
    let program = program_beside("sdl-ui", "SDL_UI");
    let port = args.port.to_string();
    let mut server = Command::new(&program)
        .args(["--port", &port, "--with-parent"])
        // Its end is the end of this program, however that comes.
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| Failure::io(&format!("can't run {}", program.display()), &error))?;
    let mut address = String::new();
    if let Some(said) = server.stdout.take() {
        BufReader::new(said)
            .read_line(&mut address)
            .map_err(|error| Failure::io("the page's server", &error))?;
    }
    let address = address.trim();
    if !address.starts_with("http://") {
        let ended = server.wait().map_err(|error| Failure::io("the page's server", &error))?;
        return Err(Failure::Local(format!("the page's server did not start ({ended})")));
    }
    let address = match repo {
        Some(repo) => format!("{address}#/repository?repo={}", escape_query(&repo)),
        None => address.to_owned(),
    };
    show_address(&address, args, as_json);
    wait_for_end(&mut server)
}

/// The repository to show first: of the path, which is registered if necessary, else of the working directory if it has one.
fn repo_to_show(path: Option<&Path>) -> Result<Option<String>, Failure> {
    let session = Session::open()?;
    let Some(path) = path else { return Ok(session.repo(None).ok()) };
    let root = path.canonicalize().map_err(|error| Failure::io(&path.display().to_string(), &error))?;
    if let Ok(known) = session.repo(root.to_str()) {
        return Ok(Some(known));
    }
    let registered = session.tool("repo.register", &json!({ "rootPath": root }))?.structured;
    Ok(Some(text_at(&registered, "/repoId").to_owned()))
}

/// Ids have letters, digits and `._-` alone; anything else is escaped all the same.
fn escape_query(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    text.bytes()
        .map(|byte| if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

fn show_address(address: &str, args: &UiArgs, as_json: bool) {
    if as_json {
        output::print_live_json(&json!({ "url": address }));
    } else {
        output::print_line(address);
    }
    if !args.no_open && open::that_detached(address).is_err() {
        output::print_note("no browser could be opened: open this address in one");
    }
    if !as_json {
        output::print_note("who has this address can read what the daemon knows; Ctrl-C ends it");
    }
}

/// Waits until the server has ended or a person ends it.
fn wait_for_end(server: &mut Child) -> Result<Outcome, Failure> {
    let input = server.stdin.take();
    let runtime = make_runtime()?;
    let ended = runtime.block_on(async {
        let mut asked = std::pin::pin!(asked_to_end());
        loop {
            match server.try_wait() {
                Ok(Some(status)) => return Ok(Some(status)),
                Ok(None) => {}
                Err(error) => return Err(Failure::io("the page's server", &error)),
            }
            tokio::select! {
                () = &mut asked => return Ok(None),
                () = tokio::time::sleep(std::time::Duration::from_millis(500)) => {}
            }
        }
    })?;
    match ended {
        Some(status) if status.success() => {
            output::print_note("nobody was connected for an hour; the page's server has ended");
            Ok(Outcome::Good)
        }
        Some(status) => Err(Failure::Local(format!("the page's server ended ({status})"))),
        None => {
            drop(input);
            server.wait().map_err(|error| Failure::io("the page's server", &error))?;
            Ok(Outcome::Good)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_can_break_out_of_no_address() {
        assert_eq!(escape_query("my.app-2_x"), "my.app-2_x");
        assert_eq!(escape_query("a&b #ä"), "a%26b%20%23%C3%A4");
    }
}
