//! The command line. Flags that choose the listed tools, such as `--surface`, are the shim's own.

use std::ffi::OsString;
use std::net::{Ipv4Addr, SocketAddr};

use sdl_doors::Allowed;
use sdl_proto::SessionHello;

/// The address without `--listen`.
const LISTEN: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 7331);

const HELP: &str = "\
Streamable HTTP server of the symbol delta ledger, at /mcp. Each request needs a token.

Usage: sdl-http [OPTIONS]

Options:
      --listen <ADDRESS>      Where to listen, as IP:PORT (default 127.0.0.1:7331); a socket that was passed wins
      --allow-remote          Listen on an address that other machines reach. There is no TLS: put a proxy before it
      --allow-host <HOST>     Another name in the header Host, as NAME or NAME:PORT (always: the loopback names)
      --allow-origin <ORIGIN> Pages that may call, as SCHEME://HOST[:PORT], with :* for any port (default: none)
      --scope <SCOPE>         A scope that every token needs; may be given several times
      --issuer <URL>          Take the tokens of this identity provider too
      --audience <AUDIENCE>   What its tokens have to be issued for: this server's own URL
      --surface <NAME>        Which tools to list: gateway (default), flat, search or pair
      --names <SPELLING>      How tools are named: underscored (default) or dotted
      --repo <PATH>           Repository that calls without a repoId mean
      --output-schemas        List the tools' output schemas too
  -h, --help                  Print this
  -V, --version               Print the version

Tokens are lines NAME:TOKEN or NAME:TOKEN:SCOPE,SCOPE of a file: sdl-http-tokens in $CREDENTIALS_DIRECTORY, else the
path in $SDL_HTTP_TOKENS. It is read again for each request.";

/// The options that were given.
#[derive(Debug)]
pub(crate) struct Args {
    pub(crate) listen: SocketAddr,
    pub(crate) allow_remote: bool,
    pub(crate) allowed: Allowed,
    /// Scopes that every token needs.
    pub(crate) scopes: Vec<String>,
    pub(crate) issuer: Option<String>,
    #[cfg_attr(not(feature = "oauth"), allow(dead_code, reason = "of identity providers alone"))]
    pub(crate) audience: Option<String>,
    /// The session of each principal.
    pub(crate) hello: SessionHello,
}

/// The action to take.
#[derive(Debug)]
pub(crate) enum Parsed {
    Run(Box<Args>),
    Print(String),
    Wrong(String),
}

pub(crate) fn parse_args(arguments: impl IntoIterator<Item = OsString>) -> Parsed {
    let mut flags = Flags::default();
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        match argument.to_str() {
            Some("-h" | "--help") => return Parsed::Print(HELP.to_owned()),
            Some("-V" | "--version") => return Parsed::Print(format!("sdl-http {}", sdl_proto::BUILD)),
            _ => {}
        }
        if let Err(message) = flags.take(argument, &mut arguments) {
            return Parsed::Wrong(message);
        }
    }
    match flags.finish() {
        Ok(args) => Parsed::Run(Box::new(args)),
        Err(message) => Parsed::Wrong(message),
    }
}

#[derive(Default)]
struct Flags {
    listen: Option<SocketAddr>,
    allow_remote: bool,
    allowed: Allowed,
    scopes: Vec<String>,
    issuer: Option<String>,
    audience: Option<String>,
    /// Flags for the shim.
    others: Vec<OsString>,
}

impl Flags {
    fn take(&mut self, argument: OsString, rest: &mut impl Iterator<Item = OsString>) -> Result<(), String> {
        let text = argument.to_string_lossy().into_owned();
        let (flag, inline) = match text.split_once('=') {
            Some((flag, value)) => (flag, Some(value.to_owned())),
            None => (text.as_str(), None),
        };
        let mut value = || {
            let given = inline.clone().or_else(|| rest.next()?.into_string().ok());
            given.filter(|given| !given.is_empty()).ok_or_else(|| format!("{flag} wants a value; see --help"))
        };
        match flag {
            "--listen" => {
                let given = value()?;
                let parsed = given.parse();
                self.listen = Some(
                    parsed
                        .map_err(|_| format!("`{given}` is no address; write one such as 127.0.0.1:7331"))?,
                );
            }
            "--allow-remote" => self.allow_remote = true,
            "--allow-host" => self.allowed.add_host(&value()?)?,
            "--allow-origin" => self.allowed.add_origin(&value()?)?,
            "--scope" => self.scopes.push(checked_scope(value()?)?),
            "--issuer" => self.issuer = Some(value()?),
            "--audience" => self.audience = Some(value()?),
            "--surface" | "--names" | "--repo" if inline.is_none() => {
                let value = value()?;
                self.others.extend([argument, value.into()]);
            }
            "--surface" | "--names" | "--repo" | "--output-schemas" => self.others.push(argument),
            _ => return Err(format!("unknown argument `{text}`; see --help")),
        }
        Ok(())
    }

    fn finish(self) -> Result<Args, String> {
        if self.issuer.is_some() != self.audience.is_some() {
            return Err("--issuer and --audience belong together: give both or none".to_owned());
        }
        if self.issuer.is_some() && !cfg!(feature = "oauth") {
            return Err(
                "this build does not know identity providers: build it with --features oauth".to_owned()
            );
        }
        Ok(Args {
            listen: self.listen.unwrap_or(LISTEN),
            allow_remote: self.allow_remote,
            allowed: self.allowed,
            scopes: self.scopes,
            issuer: self.issuer,
            audience: self.audience,
            hello: sdl_mcp::embed::hello_of_flags(self.others)?,
        })
    }
}

/// A scope as RFC 6749 has it. A header can then quote it.
pub(crate) fn checked_scope(text: String) -> Result<String, String> {
    let is_right = |byte: u8| matches!(byte, 0x21 | 0x23..=0x5b | 0x5d..=0x7e);
    if text.is_empty() || !text.bytes().all(is_right) || text.contains(',') {
        return Err(format!("{text:?} is no scope: use letters, digits and signs without spaces and commas"));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(words: &[&str]) -> Parsed {
        parse_args(words.iter().map(OsString::from))
    }

    #[test]
    fn each_flag_arrives() {
        let words = [
            "--listen=127.0.0.1:80",
            "--scope",
            "read",
            "--surface",
            "flat",
            "--output-schemas",
            "--names=dotted",
            "--allow-remote",
        ];
        let Parsed::Run(args) = parsed(&words) else { panic!("refused") };
        assert_eq!((args.listen.port(), args.scopes.as_slice()), (80, &["read".to_owned()][..]));
        assert!(args.allow_remote && args.hello.output_schemas);
        assert_eq!(args.hello.surface, "flat+dotted");
        assert!(args.hello.cwd.is_none(), "the server's folder is not its clients'");
        let Parsed::Run(args) = parsed(&[]) else { panic!("refused") };
        assert!(args.listen.ip().is_loopback() && args.listen.port() == 7331);
    }

    #[test]
    fn what_makes_no_sense_is_said() {
        for (words, said) in [
            (&["--listen", "here"][..], "address"),
            (&["--listen"], "wants a value"),
            (&["--surface", "wide"], "no surface"),
            (&["--scope", "a b"], "no scope"),
            (&["--issuer", "https://a.example"], "belong together"),
            (&["--quiet"], "unknown argument"),
            (&["--allow-origin", "example.com"], "origin"),
        ] {
            match parsed(words) {
                Parsed::Wrong(message) => assert!(message.contains(said), "{words:?}: {message}"),
                other => panic!("{words:?}: {other:?}"),
            }
        }
        assert!(
            matches!(parsed(&["-V"]), Parsed::Print(_)) && matches!(parsed(&["--help"]), Parsed::Print(_))
        );
    }
}
