//! A running `sdl-http`.

use std::io::{self, BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A server that listens on a port of its own; killed when dropped.
pub struct HttpServer {
    child: Child,
    address: SocketAddr,
}

impl HttpServer {
    /// Starts it and waits until it listens.
    pub(crate) fn spawn(command: &mut Command) -> io::Result<Self> {
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
        let mut line = String::new();
        if let Some(stdout) = child.stdout.take() {
            BufReader::new(stdout).read_line(&mut line)?;
        }
        let said =
            line.trim().strip_prefix("listening on http://").and_then(|rest| rest.strip_suffix("/mcp"));
        match said.and_then(|address| address.parse().ok()) {
            Some(address) => Ok(Self { child, address }),
            None => {
                let _ = child.kill();
                let ended = child.wait()?;
                Err(io::Error::other(format!("it said {line:?} and ended with {ended}")))
            }
        }
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Its endpoint.
    pub fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }

    /// The token that [`write_tokens`] gives a name.
    pub fn token(name: &str) -> String {
        format!("{name}-0123456789abcdef")
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Writes the file of tokens: names and the scopes of each.
pub(crate) fn write_tokens(path: &Path, tokens: &[(&str, &[&str])]) -> io::Result<()> {
    let mut text = String::new();
    for (name, scopes) in tokens {
        text.push_str(&format!("{name}:{}:{}\n", HttpServer::token(name), scopes.join(",")));
    }
    let fresh = path.with_extension("new");
    std::fs::write(&fresh, text)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(&fresh, std::fs::Permissions::from_mode(0o600))?;
    }
    std::fs::rename(&fresh, path)
}
