//! The command line. `sdlctl ui` is the one for people.

use std::ffi::OsString;
use std::time::Duration;

/// How long the program stays without a connection.
const IDLE: Duration = Duration::from_hours(1);

const HELP: &str = "\
Serves the page of the symbol delta ledger to a browser on this machine. Run it with: sdlctl ui

Usage: sdl-ui [OPTIONS]

Options:
      --port <PORT>     The port (default: a free one)
      --idle <SECONDS>  End after so long without a connection (default: 3600)
      --with-parent     End when the standard input is closed
  -h, --help            Print this
  -V, --version         Print the version

The first line of the output is the address with its token. Who knows it can read what the daemon knows.";

/// The options that were given.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Args {
    pub(crate) port: u16,
    pub(crate) idle: Duration,
    pub(crate) with_parent: bool,
}

/// The action to take.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Parsed {
    Run(Args),
    Print(String),
    Wrong(String),
}

pub(crate) fn parse_args(arguments: impl IntoIterator<Item = OsString>) -> Parsed {
    match read_args(arguments) {
        Ok(parsed) => parsed,
        Err(message) => Parsed::Wrong(format!("{message}; see: sdl-ui --help")),
    }
}

fn read_args(arguments: impl IntoIterator<Item = OsString>) -> Result<Parsed, String> {
    let mut args = Args { port: 0, idle: IDLE, with_parent: false };
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        let flag = argument.to_string_lossy().into_owned();
        let mut value = || {
            let value = arguments.next().ok_or_else(|| format!("{flag} needs a value"))?;
            value.into_string().map_err(|_| format!("the value of {flag} is not UTF-8"))
        };
        match flag.as_str() {
            "--port" => {
                args.port = value()?.parse().map_err(|_| "--port is a number from 0 to 65535".to_owned())?
            }
            "--idle" => {
                let seconds = value()?.parse().map_err(|_| "--idle is a number of seconds".to_owned())?;
                args.idle = Duration::from_secs(seconds);
            }
            "--with-parent" => args.with_parent = true,
            "-h" | "--help" => return Ok(Parsed::Print(HELP.to_owned())),
            "-V" | "--version" => return Ok(Parsed::Print(format!("sdl-ui {}", env!("CARGO_PKG_VERSION")))),
            other => return Err(format!("there is no option {other:?}")),
        }
    }
    Ok(Parsed::Run(args))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_and_others_refused() {
        let parse = |words: &[&str]| parse_args(words.iter().map(OsString::from));
        let args = Args { port: 7, idle: Duration::from_secs(2), with_parent: true };
        assert_eq!(parse(&["--port", "7", "--idle", "2", "--with-parent"]), Parsed::Run(args));
        for wrong in [&["--port"][..], &["--port", "x"], &["--port", "70000"], &["--nope"], &["/a/path"]] {
            assert!(matches!(parse(wrong), Parsed::Wrong(_)), "{wrong:?}");
        }
        assert!(matches!(parse(&["--help"]), Parsed::Print(_)));
    }
}
