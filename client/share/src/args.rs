//! The command line. `sdlctl share` is the one for people.

use std::ffi::OsString;
use std::path::PathBuf;

const HELP: &str = "\
Moves snapshots of ledgers between the daemon and a team's store. Run it with: sdlctl share

Usage: sdl-share push [PATH] [OPTIONS]
       sdl-share pull [PATH] [OPTIONS]
       sdl-share gc [OPTIONS]
       sdl-share key [FILE]

Options:
      --store <URL>       The store (default: the one of share.json in the state folder)
      --key-file <FILE>   The team key (default: the one of share.json)
      --keep-days <N>     gc: keep snapshots that were pushed in the last N days (default: 30)
      --json              Print JSON instead of text
  -h, --help              Print this
  -V, --version           Print the version

Credentials come from the environment, such as AWS_ACCESS_KEY_ID.";

/// The action to take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Command {
    Push,
    Pull,
    Gc,
    Key,
}

/// The options that were given.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Args {
    pub(crate) command: Command,
    pub(crate) path: Option<PathBuf>,
    pub(crate) store: Option<String>,
    pub(crate) key_file: Option<PathBuf>,
    pub(crate) keep_days: Option<u64>,
    pub(crate) json: bool,
}

/// The command line, read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Parsed {
    Run(Args),
    Print(String),
    Wrong(String),
}

pub(crate) fn parse_args(arguments: impl IntoIterator<Item = OsString>) -> Parsed {
    match read_args(arguments) {
        Ok(parsed) => parsed,
        Err(message) => Parsed::Wrong(format!("{message}; see: sdl-share --help")),
    }
}

fn read_args(arguments: impl IntoIterator<Item = OsString>) -> Result<Parsed, String> {
    let mut arguments = arguments.into_iter();
    let mut command = None;
    let mut args = Args {
        command: Command::Push,
        path: None,
        store: None,
        key_file: None,
        keep_days: None,
        json: false,
    };
    while let Some(argument) = arguments.next() {
        let text = argument.to_string_lossy().into_owned();
        let mut value = || arguments.next().ok_or_else(|| format!("{text} needs a value"));
        match text.as_str() {
            "--store" => {
                let url = value()?.into_string().map_err(|_| "the url of --store is not UTF-8".to_owned())?;
                args.store = Some(url);
            }
            "--key-file" => args.key_file = Some(value()?.into()),
            "--keep-days" => {
                let days = value()?.to_str().and_then(|days| days.parse().ok());
                args.keep_days = Some(days.ok_or("--keep-days is a number of days")?);
            }
            "--json" => args.json = true,
            "-h" | "--help" => return Ok(Parsed::Print(HELP.to_owned())),
            "-V" | "--version" => {
                return Ok(Parsed::Print(format!("sdl-share {}", env!("CARGO_PKG_VERSION"))));
            }
            other if other.starts_with('-') => return Err(format!("there is no option {other:?}")),
            other if command.is_none() => command = Some(command_of(other)?),
            other if args.path.is_some() => return Err(format!("{other:?} is one argument too many")),
            _ => args.path = Some(argument.into()),
        }
    }
    args.command = command.ok_or("say what to do: push, pull, gc or key")?;
    Ok(Parsed::Run(args))
}

fn command_of(name: &str) -> Result<Command, String> {
    match name {
        "push" => Ok(Command::Push),
        "pull" => Ok(Command::Pull),
        "gc" => Ok(Command::Gc),
        "key" => Ok(Command::Key),
        other => Err(format!("there is no command {other:?}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_and_options_are_read_and_others_refused() {
        let parse = |words: &[&str]| parse_args(words.iter().map(OsString::from));
        let args = Args {
            command: Command::Gc,
            path: None,
            store: Some("fs:///x".into()),
            key_file: Some("/k".into()),
            keep_days: Some(7),
            json: true,
        };
        let words = ["--json", "gc", "--store", "fs:///x", "--key-file", "/k", "--keep-days", "7"];
        assert_eq!(parse(&words), Parsed::Run(args));
        for wrong in
            [&[][..], &["fetch"], &["push", "a", "b"], &["gc", "--keep-days", "x"], &["push", "--nope"]]
        {
            assert!(matches!(parse(wrong), Parsed::Wrong(_)), "{wrong:?}");
        }
        assert!(matches!(parse(&["push", "--help"]), Parsed::Print(_)));
    }
}
