//! The command line. Five flags don't need a library, and each shim is one more process on the user's machine.

use std::ffi::OsString;
use std::path::PathBuf;

/// The surfaces that the contract names.
const SURFACES: &[&str] = &["gateway", "flat", "search", "pair"];
/// How names may be spelled.
const SPELLINGS: &[&str] = &["underscored", "dotted"];

const HELP: &str = "\
Stdio MCP server of the symbol delta ledger. MCP clients start it; it talks to the daemon and starts that when needed.

Usage: sdl-mcp [OPTIONS]

Options:
      --surface <NAME>   Which tools to list: gateway (default), flat, search or pair
      --names <SPELLING> How tools are named: underscored (default, sdl_slice_build) or dotted (sdl.slice.build)
      --repo <PATH>      Repository that calls without a repoId mean, if not the working directory's
      --output-schemas   List the tools' output schemas too
      --channel          Send messages from other agents to the client as they come (claude/channel)
  -h, --help             Print this
  -V, --version          Print the version";

/// The options that were given.
#[derive(Debug, PartialEq, Eq, Default)]
pub(crate) struct Args {
    /// Empty means the daemon's default.
    pub(crate) surface: String,
    /// Whether names have dots.
    pub(crate) dotted: bool,
    pub(crate) repo: Option<String>,
    pub(crate) output_schemas: bool,
    /// Whether messages are sent to the client unasked.
    pub(crate) channel: bool,
}

/// The action to take.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Parsed {
    Run(Args),
    Print(String),
    Wrong(String),
}

pub(crate) fn parse_args(arguments: impl IntoIterator<Item = OsString>) -> Parsed {
    let mut args = Args::default();
    let chosen = |what: &str, given: OsString, choices: &[&str]| {
        let given = given.to_string_lossy().into_owned();
        if choices.contains(&&*given) {
            return Ok(given);
        }
        Err(format!("no {what} is called `{given}`: choose {}", choices.join(", ")))
    };
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        let text = argument.to_string_lossy();
        let (flag, inline) = match text.split_once('=') {
            Some((flag, value)) => (flag, Some(OsString::from(value))),
            None => (&*text, None),
        };
        let mut value = || {
            inline
                .clone()
                .or_else(|| arguments.next())
                .filter(|value| !value.is_empty())
                .ok_or_else(|| format!("{flag} wants a value; see --help"))
        };
        match flag {
            "--surface" => match value().and_then(|value| chosen("surface", value, SURFACES)) {
                Ok(surface) => args.surface = surface,
                Err(message) => return Parsed::Wrong(message),
            },
            "--names" => match value().and_then(|value| chosen("spelling", value, SPELLINGS)) {
                Ok(spelling) => args.dotted = spelling == "dotted",
                Err(message) => return Parsed::Wrong(message),
            },
            "--repo" => match value() {
                Ok(path) => args.repo = Some(absolute_path(path)),
                Err(message) => return Parsed::Wrong(message),
            },
            "--output-schemas" => args.output_schemas = true,
            "--channel" => args.channel = true,
            "-h" | "--help" => return Parsed::Print(HELP.to_owned()),
            "-V" | "--version" => return Parsed::Print(format!("sdl-mcp {}", sdl_proto::BUILD)),
            _ => return Parsed::Wrong(format!("unknown argument `{text}`; see --help")),
        }
    }
    Parsed::Run(args)
}

/// The daemon's working directory is another one, so a relative path would mean nothing to it.
fn absolute_path(path: OsString) -> String {
    let path = PathBuf::from(path);
    std::path::absolute(&path).unwrap_or(path).to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(arguments: &[&str]) -> Parsed {
        parse_args(arguments.iter().map(OsString::from))
    }

    #[test]
    fn flags_are_taken_in_both_spellings() {
        assert_eq!(parsed(&[]), Parsed::Run(Args::default()));
        let expected = Args {
            surface: "flat".into(),
            dotted: true,
            repo: Some("/a b".into()),
            output_schemas: true,
            channel: true,
        };
        let given = ["--surface", "flat", "--names=dotted", "--repo=/a b", "--output-schemas", "--channel"];
        assert_eq!(parsed(&given), Parsed::Run(expected));
        assert_eq!(parsed(&["--names", "underscored"]), Parsed::Run(Args::default()));
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (arguments, expected) in [
            (&["--surface", "tiny"][..], "`tiny`"),
            (&["--surface"], "--surface wants a value"),
            (&["--names", "camel"], "no spelling is called `camel`: choose underscored, dotted"),
            (&["--repo="], "--repo wants a value"),
            (&["--sruface", "flat"], "`--sruface`"),
            (&["serve"], "`serve`"),
        ] {
            let Parsed::Wrong(message) = parsed(arguments) else { panic!("{arguments:?} was taken") };
            assert!(message.contains(expected), "{message}");
        }
    }
}
