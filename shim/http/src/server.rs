//! From a connection to an answer. The checks that cost least come first, such as the one of `Host`. A body is read only after
//! its sender was let in, because it takes memory.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ALLOW, CONTENT_TYPE, HeaderValue, VARY,
};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::model::ClientRequest;
use sdl_doors::{Allowed, Foreign};
use sdl_mcp::embed::{Read, read_message};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

use crate::auth::Auth;
use crate::carried;
use crate::fronts::Fronts;
use crate::handler::AsRead;

/// The one path that speaks MCP.
const PATH: &str = "/mcp";

/// The largest body of a request.
const MAX_BODY: usize = 4 << 20;

/// Connections at once; more wait. One stream of a client takes one.
const MOST_CONNECTIONS: usize = 256;

/// How long the head and the body of a request may take.
const HEAD_TIME: Duration = Duration::from_secs(30);
const BODY_TIME: Duration = Duration::from_secs(60);

/// The pause after a failed accept, such as for want of handles.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Headers that a page's requests may have.
const REQUEST_HEADERS: &str = "authorization, content-type, accept, last-event-id, mcp-protocol-version, \
                               mcp-session-id, mcp-method, mcp-name";

/// The body of an answer.
pub(crate) type Body = BoxBody<Bytes, Infallible>;

/// Everything that requests share.
pub(crate) struct Server {
    pub(crate) allowed: Allowed,
    pub(crate) auth: Auth,
    pub(crate) fronts: Fronts,
}

impl Server {
    /// Accepts connections for ever.
    pub(crate) async fn serve(self: Arc<Self>, listener: TcpListener) {
        let places = Arc::new(Semaphore::new(MOST_CONNECTIONS));
        loop {
            let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
            match listener.accept().await {
                Ok((stream, _)) => {
                    let server = Arc::clone(&self);
                    tokio::spawn(async move {
                        server.serve_connection(stream).await;
                        drop(place);
                    });
                }
                Err(error) => {
                    tracing::warn!(%error, "a connection can't be accepted");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            }
        }
    }

    async fn serve_connection(self: Arc<Self>, stream: TcpStream) {
        let _ = stream.set_nodelay(true);
        let service = service_fn(|request| {
            let server = Arc::clone(&self);
            async move { Ok::<_, Infallible>(server.answer(request).await) }
        });
        let mut connection = http1::Builder::new();
        connection.timer(TokioTimer::new()).header_read_timeout(HEAD_TIME);
        // A connection that breaks is the client's affair.
        let _ = connection.serve_connection(TokioIo::new(stream), service).await;
    }

    async fn answer(&self, request: Request<Incoming>) -> Response<Body> {
        let checked = self.allowed.check_host(request.uri(), request.headers());
        let host = match checked {
            Ok(host) => host,
            Err(foreign) => return foreign_response(&foreign),
        };
        let origin = match self.allowed.check_origin(request.headers()) {
            Ok(origin) => origin,
            Err(foreign) => return foreign_response(&foreign),
        };
        let mut response = match request.uri().path() {
            PATH if *request.method() == Method::OPTIONS => preflight_response(origin.is_some()),
            PATH => self.answer_mcp(request, &host).await,
            path => match self.auth.metadata(path, &host) {
                Some(json) if *request.method() == Method::GET => json_response(StatusCode::OK, json.into()),
                Some(_) => not_allowed("GET"),
                None => plain_response(StatusCode::NOT_FOUND, "nothing is here; MCP is at /mcp"),
            },
        };
        if let Some(origin) = origin {
            let headers = response.headers_mut();
            headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
            headers.insert(
                ACCESS_CONTROL_EXPOSE_HEADERS,
                HeaderValue::from_static("mcp-session-id, www-authenticate"),
            );
            headers.append(VARY, HeaderValue::from_static("origin"));
        }
        response
    }

    async fn answer_mcp(&self, request: Request<Incoming>, host: &str) -> Response<Body> {
        if ![Method::GET, Method::POST, Method::DELETE].contains(request.method()) {
            return not_allowed("GET, POST, DELETE");
        }
        let principal = match self.auth.admit(request.headers()).await {
            Ok(principal) => principal,
            Err(refusal) => {
                tracing::info!(?refusal, "a request was refused");
                return refusal.response(&self.auth.challenge(host));
            }
        };
        let front = self.fronts.of(&principal);
        let (mut parts, body) = request.into_parts();
        let body = match read_body(body).await {
            Ok(body) => body,
            Err(refused) => return refused,
        };
        if parts.method == Method::POST {
            match read_message(&body) {
                Read::Request(request) => {
                    if matches!(*request, ClientRequest::InitializeRequest(_)) && front.is_full().await {
                        return plain_response(
                            StatusCode::SERVICE_UNAVAILABLE,
                            "too many sessions of this token are open; end one with DELETE",
                        );
                    }
                    parts.extensions.insert(AsRead(Arc::from(request)));
                }
                Read::Other => {}
                Read::Refused(error) => return json_response(StatusCode::BAD_REQUEST, error.into()),
            }
        }
        let is_end = parts.method == Method::DELETE;
        let mut response = front.mcp.handle(Request::from_parts(parts, Full::new(body))).await;
        if is_end && response.status() == StatusCode::ACCEPTED {
            // It has ended, and some clients want to hear that in this way.
            *response.status_mut() = StatusCode::NO_CONTENT;
        }
        response.map(|body| body.map_frame(|frame| frame.map_data(carried::unpack)).boxed())
    }
}

/// The body of a request. It is small, or the answer that refuses it is returned.
async fn read_body(body: Incoming) -> Result<Bytes, Response<Body>> {
    match tokio::time::timeout(BODY_TIME, Limited::new(body, MAX_BODY).collect()).await {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => {
            Err(plain_response(StatusCode::PAYLOAD_TOO_LARGE, "a request may have 4 MiB"))
        }
        Ok(Err(_)) => Err(plain_response(StatusCode::BAD_REQUEST, "the body broke off")),
        Err(_) => Err(plain_response(StatusCode::REQUEST_TIMEOUT, "the body took too long")),
    }
}

fn foreign_response(foreign: &Foreign) -> Response<Body> {
    tracing::info!(why = foreign.message, "a request was refused");
    plain_response(foreign.status, foreign.message)
}

/// The answer to a browser that asks what a page may send. It asks without a token.
fn preflight_response(is_page: bool) -> Response<Body> {
    if !is_page {
        return not_allowed("GET, POST, DELETE");
    }
    let mut response = plain_response(StatusCode::NO_CONTENT, "");
    let headers = response.headers_mut();
    headers.remove(CONTENT_TYPE);
    headers.insert(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET, POST, DELETE"));
    headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static(REQUEST_HEADERS));
    headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600"));
    response
}

fn not_allowed(methods: &'static str) -> Response<Body> {
    let mut response = plain_response(StatusCode::METHOD_NOT_ALLOWED, "this method means nothing here");
    response.headers_mut().insert(ALLOW, HeaderValue::from_static(methods));
    response
}

/// An answer for people.
pub(crate) fn plain_response(status: StatusCode, text: &'static str) -> Response<Body> {
    let line = if text.is_empty() { Bytes::new() } else { Bytes::from(format!("{text}\n")) };
    made_response(status, "text/plain; charset=utf-8", line)
}

fn json_response(status: StatusCode, json: Bytes) -> Response<Body> {
    made_response(status, "application/json", json)
}

fn made_response(status: StatusCode, kind: &'static str, body: Bytes) -> Response<Body> {
    let mut response = Response::new(Full::new(body).boxed());
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}
