//! `mcp config`: prints the configuration with which an MCP client starts the shim.

use std::path::PathBuf;

use sdl_setup::snippet::make_snippet;
use sdl_setup::{Client, Machine, Wanted};
use serde_json::{Value, json};

use crate::cli::{McpCommand, Surface};
use crate::output::{self, Failure, Outcome, style_bold, style_dim};

pub(crate) fn run_mcp(command: McpCommand, as_json: bool) -> Result<Outcome, Failure> {
    let McpCommand::Config { client, surface } = command;
    let wanted =
        Wanted { program: shim_command()?, arguments: Some(shim_arguments(surface).unwrap_or_default()) };
    let machine = this_machine()?;
    let chosen: Vec<&Client> =
        sdl_setup::clients().filter(|one| client.as_ref().is_none_or(|id| one.id == id)).collect();
    let described = chosen.iter().map(|client| describe_client(client, &wanted, &machine));
    let described = described.collect::<Result<Vec<_>, _>>()?;
    if as_json {
        output::print_json(&json!({ "clients": described }));
        return Ok(Outcome::Good);
    }
    for about in described {
        output::print_line(&format!(
            "{} ({})",
            style_bold(output::text_at(&about, "/name")),
            output::text_at(&about, "/where")
        ));
        output::print_block(output::text_at(&about, "/snippet"));
        output::print_line("");
    }
    if client.is_none() {
        output::print_line(&style_dim("sdlctl setup writes these files for you"));
    }
    Ok(Outcome::Good)
}

fn describe_client(client: &Client, wanted: &Wanted, machine: &Machine) -> Result<Value, Failure> {
    let snippet = make_snippet(client, wanted).map_err(|fault| Failure::Local(fault.to_string()))?;
    let place = client.user_file(machine).map_or_else(
        || client.by_hand.to_owned(),
        |path| short_path(&path.to_string_lossy(), &machine.home.to_string_lossy()),
    );
    Ok(
        json!({ "client": client.id, "name": client.name, "where": place, "snippet": snippet, "docs": client.docs }),
    )
}

/// A path with `~` for the home folder.
pub(crate) fn short_path(path: &str, home: &str) -> String {
    match path.strip_prefix(home) {
        Some(rest) if !home.is_empty() && rest.starts_with(['/', '\\']) => format!("~{rest}"),
        _ => path.to_owned(),
    }
}

/// This machine, with the project that contains the working directory.
pub(crate) fn this_machine() -> Result<Machine, Failure> {
    let here = std::env::current_dir().map_err(|error| Failure::io("the working directory", &error))?;
    let root = here.ancestors().find(|folder| folder.join(".git").exists()).unwrap_or(&here);
    Machine::of_this_process(root.to_owned())
        .ok_or_else(|| Failure::Local("no home folder is known: set HOME".to_owned()))
}

/// The arguments with which the shim shows a surface. `None` if none was asked for.
pub(crate) fn shim_arguments(surface: Option<Surface>) -> Option<Vec<String>> {
    surface.map(|surface| vec!["--surface".to_owned(), surface.name().to_owned()])
}

/// The shim, as a configuration file names it.
pub(crate) fn shim_command() -> Result<String, Failure> {
    let shim = find_shim()?;
    let text = shim.to_str().filter(|text| !text.chars().any(char::is_control));
    text.map(str::to_owned).ok_or_else(|| {
        Failure::Local(format!(
            "{shim:?} can't be written into a configuration: move the programs to a plain path"
        ))
    })
}

/// This program, as a hook names it: quoted for a shell.
pub(crate) fn hook_program() -> Result<String, Failure> {
    let own =
        std::env::current_exe().map_err(|error| Failure::io("this program's own path is unknown", &error))?;
    let text = own.to_str().filter(|text| !text.chars().any(char::is_control));
    text.map(|text| quote_path(text, cfg!(windows))).ok_or_else(|| {
        Failure::Local(format!(
            "{own:?} can't be written into a configuration: move the programs to a plain path"
        ))
    })
}

/// A path as a word of a shell. On Windows that may be bash, which takes a backslash for an escape.
fn quote_path(path: &str, is_windows: bool) -> String {
    let path = if is_windows { path.replace('\\', "/") } else { path.to_owned() };
    let is_plain = |letter: char| letter.is_alphanumeric() || "/._-+:@".contains(letter);
    match path {
        plain if plain.chars().all(is_plain) => plain,
        path if is_windows => format!("\"{path}\""),
        path => format!("'{}'", path.replace('\'', "'\\''")),
    }
}

/// The shim beside this program, else the one on the path.
fn find_shim() -> Result<PathBuf, Failure> {
    let name = format!("sdl-mcp{}", std::env::consts::EXE_SUFFIX);
    let own =
        std::env::current_exe().map_err(|error| Failure::io("this program's own path is unknown", &error))?;
    let beside = own.with_file_name(&name);
    let on_path = std::env::var_os("PATH")
        .into_iter()
        .flat_map(|path| std::env::split_paths(&path).map(|folder| folder.join(&name)).collect::<Vec<_>>());
    std::iter::once(beside).chain(on_path).find(|path| path.is_absolute() && path.is_file()).ok_or_else(
        || {
            Failure::Local(format!(
                "{name} is neither beside this program nor on the path; build or install it first"
            ))
        },
    )
}

#[cfg(test)]
mod tests {
    use super::quote_path;

    #[test]
    fn paths_are_words_of_a_shell() {
        assert_eq!(quote_path("/opt/sdl/bin/sdlctl", false), "/opt/sdl/bin/sdlctl");
        assert_eq!(quote_path("/home/a b/$x's/sdlctl", false), r"'/home/a b/$x'\''s/sdlctl'");
        assert_eq!(quote_path(r"C:\bin\sdlctl.exe", true), "C:/bin/sdlctl.exe");
        assert_eq!(quote_path(r"C:\Program Files\sdlctl.exe", true), "\"C:/Program Files/sdlctl.exe\"");
    }
}
