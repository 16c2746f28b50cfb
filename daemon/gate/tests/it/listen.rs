//! A server of HTTP that answers with text of the test's own.

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// At the end of a response: the connection is cut there.
pub(crate) const CUT: &str = "\0cut";

/// A response that never comes.
pub(crate) const NEVER: &str = "\0never";

/// Before the end of a response: what follows is sent again and again, until the reader is gone.
pub(crate) const AGAIN: &str = "\0again";

/// Answers each request with what `respond` makes of its head and body. Returns the address, such as `127.0.0.1:4000`.
pub(crate) async fn listen(respond: impl Fn(&str, &str) -> String + Clone + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(serve(stream, respond.clone()));
        }
    });
    address
}

async fn serve(stream: TcpStream, respond: impl Fn(&str, &str) -> String) {
    let mut stream = BufReader::new(stream);
    loop {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if stream.read_line(&mut head).await.unwrap_or(0) == 0 {
                return;
            }
        }
        let length = header(&head, "content-length").map_or(0, |length| length.parse().unwrap());
        let mut body = vec![0; length];
        stream.read_exact(&mut body).await.unwrap();
        let response = respond(&head, &String::from_utf8(body).unwrap());
        if response == NEVER {
            return std::future::pending().await;
        }
        if let Some((start, again)) = response.split_once(AGAIN) {
            if stream.write_all(start.as_bytes()).await.is_ok() {
                while stream.write_all(again.as_bytes()).await.is_ok() {}
            }
            return;
        }
        if let Some(response) = response.strip_suffix(CUT) {
            // A reader that is gone is what the test wants.
            let _ = stream.write_all(response.as_bytes()).await;
            return;
        }
        if stream.write_all(response.as_bytes()).await.is_err() {
            return;
        }
    }
}

/// A header of a head.
pub(crate) fn header<'h>(head: &'h str, name: &str) -> Option<&'h str> {
    let mut lines = head.lines().filter_map(|line| line.split_once(':'));
    lines.find(|(given, _)| given.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
}

/// A response of known length.
pub(crate) fn whole(status: &str, headers: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\n{headers}\r\n{body}", body.len())
}

/// Gets a page as a browser does, without following where it leads. Returns the whole response.
pub(crate) async fn get_page(url: &str) -> String {
    let (address, path) = url.strip_prefix("http://").unwrap().split_once('/').unwrap();
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!("GET /{path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut stream = BufReader::new(stream);
    let mut response = String::new();
    while !response.ends_with("\r\n\r\n") {
        assert!(stream.read_line(&mut response).await.unwrap() > 0, "{response}");
    }
    let length = header(&response, "content-length").map_or(0, |length| length.parse().unwrap());
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.unwrap();
    response + std::str::from_utf8(&body).unwrap()
}
