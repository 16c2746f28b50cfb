//! Where a browser arrives after a login: a page at 127.0.0.1 that is there for this login alone.

use std::time::Duration;

use reqwest::Url;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::oauth::metadata::bounded;

/// The path of the page.
const PATH: &str = "/callback";

/// Connections at once. Browsers open some that they don't use.
const MAX_VISITORS: usize = 16;
/// The largest head of a request.
const MAX_HEAD_BYTES: usize = 16 << 10;
/// How long a request may take to arrive.
const HEAD_TIME: Duration = Duration::from_secs(10);

/// What a browser brings from the issuer.
#[derive(Debug, PartialEq)]
pub(super) struct Callback {
    pub(super) code: String,
    pub(super) state: String,
    pub(super) issuer: Option<String>,
}

/// The result of a login at the issuer: a code, or why there is none.
pub(super) type Outcome = Result<Callback, String>;

/// A browser that has arrived.
pub(super) struct Arrival {
    pub(super) outcome: Outcome,
    pub(super) visitor: Visitor,
}

/// A browser that waits for its page.
pub(super) struct Visitor(TcpStream);

impl Visitor {
    /// Shows how it went.
    pub(super) async fn show_end(mut self, is_good: bool) {
        let (status, text) = if is_good {
            ("200 OK", "You are logged in. You can close this page.")
        } else {
            ("400 Bad Request", "The login did not work. The terminal says why.")
        };
        show_page(&mut self.0, status, text).await;
    }
}

/// See the module.
pub(super) struct Landing {
    listener: TcpListener,
    redirect: String,
}

impl Landing {
    /// Opens the page, at a free port if `port` is 0.
    pub(super) async fn open(port: u16) -> std::io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", port)).await?;
        let redirect = format!("http://{}{PATH}", listener.local_addr()?);
        Ok(Self { listener, redirect })
    }

    /// The address of the page.
    pub(super) fn redirect(&self) -> &str {
        &self.redirect
    }

    /// Waits for a browser that comes from the login with this state. Others are sent away.
    pub(super) async fn wait(&self, state: &str) -> std::io::Result<Arrival> {
        let (sender, mut arrivals) = mpsc::channel(1);
        let mut visitors = JoinSet::new();
        loop {
            tokio::select! {
                accepted = self.listener.accept(), if visitors.len() < MAX_VISITORS => {
                    visitors.spawn(receive_visitor(accepted?.0, state.to_owned(), sender.clone()));
                }
                Some(_) = visitors.join_next() => {}
                Some(arrival) = arrivals.recv() => return Ok(arrival),
            }
        }
    }
}

async fn receive_visitor(mut stream: TcpStream, state: String, arrivals: mpsc::Sender<Arrival>) {
    let Ok(Some(target)) = tokio::time::timeout(HEAD_TIME, read_target(&mut stream)).await else { return };
    let url = Url::parse(&format!("http://127.0.0.1{target}")).ok().filter(|url| url.path() == PATH);
    let Some(url) = url else {
        return show_page(&mut stream, "404 Not Found", "There is nothing here.").await;
    };
    match read_callback(&url, &state) {
        Some(outcome) => {
            // The first one counts.
            let _ = arrivals.send(Arrival { outcome, visitor: Visitor(stream) }).await;
        }
        None => {
            let text = "This page belongs to another login. The one in the terminal still waits.";
            show_page(&mut stream, "400 Bad Request", text).await;
        }
    }
}

/// The target of a GET request.
async fn read_target(stream: &mut TcpStream) -> Option<String> {
    let mut head = Vec::new();
    let mut part = [0; 2_048];
    while !head.windows(4).any(|four| four == b"\r\n\r\n") {
        let count = stream.read(&mut part).await.ok().filter(|count| *count > 0)?;
        head.extend_from_slice(part.get(..count)?);
        if head.len() > MAX_HEAD_BYTES {
            return None;
        }
    }
    let head = String::from_utf8(head).ok()?;
    let mut words = head.lines().next()?.split(' ');
    let is_get = words.next() == Some("GET");
    words.next().filter(|target| is_get && target.starts_with('/')).map(str::to_owned)
}

/// What the address of the page says. None if it does not belong to the login with this state.
pub(super) fn read_callback(url: &Url, state: &str) -> Option<Outcome> {
    let part =
        |name: &str| url.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned());
    let state = part("state").filter(|given| given == state)?;
    if let Some(error) = part("error") {
        let about = part("error_description").map(|about| format!(": {about}")).unwrap_or_default();
        return Some(Err(bounded(&format!("the server refused the login: {error}{about}"))));
    }
    let code = part("code").filter(|code| !code.is_empty())?;
    Some(Ok(Callback { code, state, issuer: part("iss") }))
}

/// Shows a text that is ours: nothing of the request is in it.
async fn show_page(stream: &mut TcpStream, status: &str, text: &str) {
    let body = format!("<!doctype html><meta charset=\"utf-8\"><title>sdl</title><p>{text}</p>\n");
    let page = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\nCache-Control: no-store\r\n\
         Referrer-Policy: no-referrer\r\nContent-Security-Policy: default-src 'none'\r\nConnection: close\r\n\r\n{body}",
        body.len()
    );
    // A browser that is gone needs no page.
    let _ = stream.write_all(page.as_bytes()).await;
    let _ = stream.shutdown().await;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(query: &str) -> Option<Outcome> {
        read_callback(&Url::parse(&format!("http://127.0.0.1:1/callback?{query}")).unwrap(), "s1")
    }

    #[test]
    fn only_the_login_with_the_state_counts() {
        let code = |issuer: Option<&str>| Callback {
            code: "c d".to_owned(),
            state: "s1".to_owned(),
            issuer: issuer.map(str::to_owned),
        };
        assert_eq!(read("code=c%20d&state=s1"), Some(Ok(code(None))));
        assert_eq!(read("code=c+d&iss=https://i&state=s1"), Some(Ok(code(Some("https://i")))));
        for other in ["code=c&state=s2", "code=c", "state=s1", "error=x&state=s2", "code=&state=s1", ""] {
            assert_eq!(read(other), None, "{other}");
        }
    }

    #[test]
    fn a_refusal_is_told_on_one_line() {
        let refused = read("error=access_denied&error_description=no%0Away&state=s1").unwrap().unwrap_err();
        assert_eq!(refused, "the server refused the login: access_denied: no way");
    }
}
