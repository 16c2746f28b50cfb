//! HTTP in front of rmcp's transport. Bodies are read by the shim's own reader first, as if each were a line of its
//! standard input.

use std::convert::Infallible;
use std::io;
use std::sync::Arc;

use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use sdl_mcp::testing::{self, Read};
use tokio::net::TcpListener;

use crate::handler::{AsRead, Front, Handler};

/// More than any message of the suite.
const MAX_BODY: usize = 4 << 20;

type Mcp = StreamableHttpService<Handler, LocalSessionManager>;

/// Serves until accepting fails.
pub(crate) async fn serve(listener: TcpListener, front: Arc<Front>) -> io::Result<()> {
    // Pages of this machine only, on any port.
    let config = StreamableHttpServerConfig::default().with_allowed_origins([
        "http://localhost:*",
        "http://127.0.0.1:*",
        "http://[::1]:*",
    ]);
    let mcp = Mcp::new(move || Ok(Handler::new(Arc::clone(&front))), Arc::default(), config);
    loop {
        let (stream, _) = listener.accept().await?;
        let mcp = mcp.clone();
        tokio::spawn(async move {
            let service = service_fn(|request| answer(mcp.clone(), request));
            // A connection that breaks is the client's affair.
            let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
        });
    }
}

async fn answer(
    mcp: Mcp,
    request: Request<Incoming>,
) -> Result<Response<BoxBody<Bytes, Infallible>>, Infallible> {
    let (mut parts, body) = request.into_parts();
    let Ok(body) = Limited::new(body, MAX_BODY).collect().await else {
        return Ok(plain(StatusCode::PAYLOAD_TOO_LARGE, Bytes::new()));
    };
    let body = body.to_bytes();
    if parts.method == Method::POST {
        match testing::read_message(&body) {
            Read::Request(request) => {
                parts.extensions.insert(AsRead(Arc::from(request)));
            }
            Read::Other => {}
            Read::Refused(error) => return Ok(plain(StatusCode::BAD_REQUEST, error.into())),
        }
    }
    Ok(mcp.handle(Request::from_parts(parts, Full::new(body))).await)
}

fn plain(status: StatusCode, json: Bytes) -> Response<BoxBody<Bytes, Infallible>> {
    let mut response = Response::new(Full::new(json).boxed());
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}
