//! A small server of objects that speaks as much of S3's protocol as a store needs, and fails on request.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

/// What goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Nothing.
    None,
    /// There is no bucket.
    NoBucket,
    /// The caller has no rights.
    Denied,
    /// Packs end in the middle.
    HalfOfPacks,
    /// Connections are closed without an answer.
    Silent,
    /// The next connection is closed without an answer, and no other.
    OneCut,
}

struct Shared {
    objects: BTreeMap<String, Vec<u8>>,
    fault: Fault,
}

/// The server. Its thread ends with the test.
pub(crate) struct ObjectServer {
    address: SocketAddr,
    shared: Arc<Mutex<Shared>>,
}

fn lock(shared: &Mutex<Shared>) -> MutexGuard<'_, Shared> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

impl ObjectServer {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Mutex::new(Shared { objects: BTreeMap::new(), fault: Fault::None }));
        let served = Arc::clone(&shared);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = Arc::clone(&served);
                // A client that has gone away is no fault of the server.
                thread::spawn(move || drop(answer(stream, &shared)));
            }
        });
        Self { address, shared }
    }

    pub(crate) fn url(&self, bucket: &str) -> String {
        format!("s3://{bucket}/cache?region=us-east-1&endpoint=http://{}", self.address)
    }

    pub(crate) fn set_fault(&self, fault: Fault) {
        lock(&self.shared).fault = fault;
    }
}

struct Request {
    method: String,
    path: String,
    query: String,
    /// The first byte that is wanted of an object.
    from: usize,
    body: Vec<u8>,
}

fn read_request(stream: &TcpStream) -> std::io::Result<Request> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let mut words = line.split(' ');
    let (method, target) =
        (words.next().unwrap_or_default().to_owned(), words.next().unwrap_or_default().to_owned());
    let (mut length, mut from) = (0, 0);
    loop {
        let mut header = String::new();
        reader.read_line(&mut header)?;
        if header.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = header.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().unwrap_or(0);
        } else if let Some(range) = header.to_ascii_lowercase().strip_prefix("range: bytes=") {
            from = range.split('-').next().and_then(|first| first.parse().ok()).unwrap_or(0);
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    Ok(Request { method, path: path.to_owned(), query: query.to_owned(), from, body })
}

fn answer(mut stream: TcpStream, shared: &Mutex<Shared>) -> std::io::Result<()> {
    let request = read_request(&stream)?;
    let mut state = lock(shared);
    let fault = state.fault;
    match fault {
        Fault::OneCut => state.fault = Fault::None,
        Fault::None | Fault::HalfOfPacks => {}
        Fault::Silent => return Ok(()),
        Fault::NoBucket => {
            return respond(&mut stream, &request, 404, &error_body("NoSuchBucket"), usize::MAX);
        }
        Fault::Denied => return respond(&mut stream, &request, 403, &error_body("AccessDenied"), usize::MAX),
    }
    if fault == Fault::OneCut {
        return Ok(());
    }
    let (status, body) = match request.method.as_str() {
        "PUT" => {
            state.objects.insert(request.path.clone(), request.body.clone());
            (200, Vec::new())
        }
        "DELETE" => {
            state.objects.remove(&request.path);
            (204, Vec::new())
        }
        _ if request.query.contains("list-type=2") => (200, listing(&state.objects, &request)),
        _ => match state.objects.get(&request.path) {
            Some(object) if request.from > 0 => (206, object.clone()),
            Some(object) => (200, object.clone()),
            None => (404, error_body("NoSuchKey")),
        },
    };
    drop(state);
    let cut = fault == Fault::HalfOfPacks && request.method == "GET" && request.path.contains("/packs/");
    let most = if cut { body.len() / 2 } else { usize::MAX };
    respond(&mut stream, &request, status, &body, most)
}

fn error_body(code: &str) -> Vec<u8> {
    format!("<?xml version=\"1.0\"?><Error><Code>{code}</Code><Message>no</Message></Error>").into_bytes()
}

/// The objects whose names begin with the prefix of a request.
fn listing(objects: &BTreeMap<String, Vec<u8>>, request: &Request) -> Vec<u8> {
    let prefix = request.query.split('&').find_map(|pair| pair.strip_prefix("prefix=")).unwrap_or_default();
    let prefix = prefix.replace("%2F", "/");
    let bucket = format!("{}/", request.path.trim_end_matches('/'));
    let mut text = String::from("<?xml version=\"1.0\"?><ListBucketResult><IsTruncated>false</IsTruncated>");
    for (path, object) in objects {
        let key = path.strip_prefix(&bucket).unwrap_or(path);
        if key.starts_with(&prefix) {
            let _ = write!(
                text,
                "<Contents><Key>{key}</Key><LastModified>2020-01-01T00:00:00.000Z</LastModified><ETag>\"0\"</ETag>\
                 <Size>{}</Size></Contents>",
                object.len()
            );
        }
    }
    text.push_str("</ListBucketResult>");
    text.into_bytes()
}

/// Sends an answer: its body from the byte on that is wanted, and only the first `most` bytes of it.
fn respond(
    stream: &mut TcpStream,
    request: &Request,
    status: u16,
    body: &[u8],
    most: usize,
) -> std::io::Result<()> {
    let from = if status == 206 { request.from.min(body.len()) } else { 0 };
    let range = match status {
        206 => format!("Content-Range: bytes {from}-{}/{}\r\n", body.len() - 1, body.len()),
        _ => String::new(),
    };
    let head = format!(
        "HTTP/1.1 {status} -\r\n{range}Content-Length: {}\r\nETag: \"0\"\r\nLast-Modified: Wed, 01 Jan 2020 00:00:00 GMT\r\n\
         Connection: close\r\n\r\n",
        body.len() - from
    );
    stream.write_all(head.as_bytes())?;
    if request.method != "HEAD" {
        let end = body.len().min(most).max(from);
        stream.write_all(&body[from..end])?;
    }
    stream.flush()
}
