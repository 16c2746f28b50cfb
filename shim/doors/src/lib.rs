//! Which names the server answers to, and which pages may call it. A page of somebody else can make a browser send requests to
//! this machine, under a name of its own if it controls that name's address. The browser says so in `Host` and `Origin`.
//!
//! For every program of ours that listens on a port: `sdl-http` and `sdl-ui`.

#![forbid(unsafe_code)]

use std::net::SocketAddr;

use http::header::{HOST, HeaderMap, HeaderValue, ORIGIN};
use http::uri::Authority;
use http::{StatusCode, Uri};

/// Names that always mean this machine.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// The names and pages.
#[derive(Debug)]
pub struct Allowed {
    /// The names that always mean this machine are answered to, with any port.
    any_loopback: bool,
    hosts: Vec<Name>,
    origins: Vec<Origin>,
}

/// A host, with a port or for any.
#[derive(Debug, PartialEq, Eq)]
struct Name {
    host: String,
    port: Option<u16>,
}

#[derive(Debug, PartialEq, Eq)]
struct Origin {
    scheme: String,
    host: String,
    port: Port,
}

#[derive(Debug, PartialEq, Eq)]
enum Port {
    Any,
    One(u16),
}

/// Why a request is not looked at.
#[derive(Debug, PartialEq, Eq)]
pub struct Foreign {
    /// What to answer with.
    pub status: StatusCode,
    /// The reason, for people.
    pub message: &'static str,
}

impl Foreign {
    fn new(status: StatusCode, message: &'static str) -> Self {
        Self { status, message }
    }
}

/// The names that mean this machine, and no page.
impl Default for Allowed {
    fn default() -> Self {
        Self { any_loopback: true, hosts: Vec::new(), origins: Vec::new() }
    }
}

impl Allowed {
    /// This address and `localhost`, with the port of the address and no other, and the pages that came from there.
    pub fn exactly(address: SocketAddr) -> Self {
        let (port, localhost) = (address.port(), LOOPBACK[0].to_owned());
        let own = parse_name(&address.to_string()).map(|name| name.host);
        let names = own.into_iter().chain([localhost]);
        let (hosts, origins) = names
            .map(|host| {
                let origin = Origin { scheme: "http".to_owned(), host: host.clone(), port: Port::One(port) };
                (Name { host, port: Some(port) }, origin)
            })
            .unzip();
        Self { any_loopback: false, hosts, origins }
    }

    /// Answers to another name: `NAME` or `NAME:PORT`. The error is for whoever wrote it.
    pub fn add_host(&mut self, text: &str) -> Result<(), String> {
        let name = parse_name(text).ok_or_else(|| {
            format!("`{text}` is no host; write one such as sdl.example or sdl.example:8443")
        })?;
        self.hosts.push(name);
        Ok(())
    }

    /// Lets the pages of an origin call: `SCHEME://HOST[:PORT]`, with `:*` for any port. The error is for whoever wrote it.
    pub fn add_origin(&mut self, text: &str) -> Result<(), String> {
        let (text, any) = match text.strip_suffix(":*") {
            Some(text) => (text, true),
            None => (text, false),
        };
        let origin = parse_origin(text).ok_or_else(|| {
            format!("`{text}` is no origin; write one such as https://app.example or http://localhost:*")
        })?;
        self.origins.push(if any { Origin { port: Port::Any, ..origin } } else { origin });
        Ok(())
    }

    /// With the address of the listener, if that is one that a client can name.
    #[must_use]
    pub fn and_listener(mut self, address: SocketAddr) -> Self {
        if !address.ip().is_unspecified()
            && let Some(name) = parse_name(&address.to_string())
        {
            self.hosts.push(name);
        }
        self
    }

    /// The host that a request is for.
    pub fn check_host(&self, uri: &Uri, headers: &HeaderMap) -> Result<String, Foreign> {
        let bad = || Foreign::new(StatusCode::BAD_REQUEST, "the request needs one header Host");
        let mut given = headers.get_all(HOST).iter();
        let text = match (given.next(), given.next()) {
            (Some(host), None) => host.to_str().map_err(|_| bad())?.to_owned(),
            _ => return Err(bad()),
        };
        let name = parse_name(&text).ok_or_else(bad)?;
        // A proxy's form of a request names the host twice.
        if let Some(authority) = uri.authority()
            && parse_name(authority.as_str()).as_ref() != Some(&name)
        {
            return Err(bad());
        }
        let is_loopback = self.any_loopback && LOOPBACK.contains(&name.host.as_str());
        let is_listed = self.hosts.iter().any(|allowed| {
            allowed.host == name.host && allowed.port.is_none_or(|port| name.port == Some(port))
        });
        if is_loopback || is_listed {
            Ok(text)
        } else {
            Err(Foreign::new(StatusCode::FORBIDDEN, "the header Host names another server; see --allow-host"))
        }
    }

    /// The page that a request comes from, if it comes from one.
    pub fn check_origin(&self, headers: &HeaderMap) -> Result<Option<HeaderValue>, Foreign> {
        let mut given = headers.get_all(ORIGIN).iter();
        let Some(origin) = given.next() else { return Ok(None) };
        let parsed = origin.to_str().ok().and_then(parse_origin);
        let is_listed = parsed.is_some_and(|origin| {
            self.origins.iter().any(|allowed| {
                allowed.scheme == origin.scheme
                    && allowed.host == origin.host
                    && (allowed.port == Port::Any || allowed.port == origin.port)
            })
        });
        if is_listed && given.next().is_none() {
            Ok(Some(origin.clone()))
        } else {
            Err(Foreign::new(StatusCode::FORBIDDEN, "pages of this origin may not call; see --allow-origin"))
        }
    }
}

fn parse_name(text: &str) -> Option<Name> {
    let authority = Authority::try_from(text).ok().filter(|parsed| !parsed.as_str().contains('@'))?;
    let rest = authority.as_str().strip_prefix(authority.host())?;
    let port = match rest.strip_prefix(':') {
        None if rest.is_empty() => None,
        None => return None,
        Some(digits) => Some(digits.parse().ok()?),
    };
    let host = authority.host().to_ascii_lowercase();
    (!host.is_empty()).then_some(Name { host, port })
}

/// An origin as browsers write it: nothing follows the port.
fn parse_origin(text: &str) -> Option<Origin> {
    let (scheme, rest) = text.split_once("://")?;
    let name = parse_name(rest)?;
    let scheme = scheme.to_ascii_lowercase();
    let usual = match scheme.as_str() {
        "http" => 80,
        "https" => 443,
        // Such as `vscode-webview`, which has no ports.
        other if other.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte)) => 0,
        _ => return None,
    };
    Some(Origin { scheme, host: name.host, port: Port::One(name.port.unwrap_or(usual)) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed() -> Allowed {
        let mut allowed = Allowed::default();
        for host in ["sdl.example", "other.example:8443"] {
            allowed.add_host(host).unwrap_or_else(|error| panic!("{error}"));
        }
        for origin in ["https://app.example", "http://localhost:*", "https://[::1]:9"] {
            allowed.add_origin(origin).unwrap_or_else(|error| panic!("{error}"));
        }
        allowed
    }

    fn headers(name: http::header::HeaderName, values: &[&str]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(&name, HeaderValue::from_str(value).unwrap_or_else(|error| panic!("{error}")));
        }
        headers
    }

    #[test]
    fn only_names_of_this_server_are_answered_to() {
        let allowed = allowed().and_listener(([192, 0, 2, 7], 7331).into());
        let status = |hosts: &[&str]| {
            let checked = allowed.check_host(&Uri::from_static("/mcp"), &headers(HOST, hosts));
            checked.map_or_else(|foreign| foreign.status.as_u16(), |_| 200)
        };
        for (hosts, wanted) in [
            (&["localhost"][..], 200),
            (&["LocalHost:7331"], 200),
            (&["127.0.0.1:1"], 200),
            (&["[::1]:7331"], 200),
            (&["sdl.example:9"], 200),
            (&["other.example:8443"], 200),
            (&["192.0.2.7:7331"], 200),
            (&["other.example"], 403),
            (&["192.0.2.7:80"], 403),
            (&["evil.example"], 403),
            (&["localhost.evil.example"], 403),
            (&["evil.example:7331"], 403),
            (&["127.0.0.1.evil.example"], 403),
            (&["localhost."], 403),
            (&["user@localhost"], 400),
            (&["localhost:7331:1"], 400),
            (&["localhost:99999"], 400),
            (&[""], 400),
            (&[], 400),
            (&["localhost", "evil.example"], 400),
        ] {
            assert_eq!(status(hosts), wanted, "{hosts:?}");
        }
        let proxied = Uri::from_static("http://evil.example/mcp");
        assert!(allowed.check_host(&proxied, &headers(HOST, &["localhost"])).is_err());
    }

    #[test]
    fn an_exact_server_answers_to_its_own_port_alone() {
        for (address, own) in [("127.0.0.1:4242", "127.0.0.1"), ("[::1]:4242", "[::1]")] {
            let allowed = Allowed::exactly(address.parse().unwrap_or_else(|error| panic!("{error}")));
            let is_own =
                |host: &str| allowed.check_host(&Uri::from_static("/"), &headers(HOST, &[host])).is_ok();
            let is_page = |origin: &str| allowed.check_origin(&headers(ORIGIN, &[origin])).is_ok();
            assert!(is_own(&format!("{own}:4242")) && is_own("localhost:4242"));
            for host in
                [own, "localhost", "localhost:80", "evil.example:4242", "127.0.0.2:4242", "0.0.0.0:4242"]
            {
                assert!(!is_own(host), "{host}");
            }
            assert!(is_page(&format!("http://{own}:4242")) && is_page("http://localhost:4242"));
            for origin in ["http://localhost", "https://localhost:4242", "http://localhost:4243", "null"] {
                assert!(!is_page(origin), "{origin}");
            }
        }
    }

    #[test]
    fn only_pages_that_were_named_may_call() {
        let allowed = allowed();
        let passes = |origins: &[&str]| allowed.check_origin(&headers(ORIGIN, origins)).is_ok();
        for origins in [
            &[][..],
            &["https://app.example"],
            &["HTTPS://APP.example:443"],
            &["http://localhost:5173"],
            &["http://localhost"],
            &["https://[::1]:9"],
        ] {
            assert!(passes(origins), "{origins:?}");
        }
        for origins in [
            &["http://app.example"][..],
            &["https://app.example:444"],
            &["https://app.example.evil.example"],
            &["https://evil.example"],
            &["https://localhost:5173"],
            &["http://127.0.0.1"],
            &["null"],
            &[""],
            &["https://app.example/"],
            &["https://app.example", "https://evil.example"],
            &["file://"],
        ] {
            assert!(!passes(origins), "{origins:?}");
        }
        let none = Allowed::default();
        assert!(none.check_origin(&headers(ORIGIN, &["http://localhost:7331"])).is_err(), "not even its own");
    }
}
