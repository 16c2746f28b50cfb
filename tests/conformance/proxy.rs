//! Adds the token to the suite's requests, because the suite has none to show. Everything else passes as it is, `Host` and
//! `Origin` too.

use std::io;
use std::net::SocketAddr;

use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1 as client;
use hyper::header::{AUTHORIZATION, HeaderValue};
use hyper::server::conn::http1 as server;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};

/// Serves until accepting fails.
pub(crate) async fn serve(listener: TcpListener, to: SocketAddr, token: HeaderValue) -> io::Result<()> {
    loop {
        let (stream, _) = listener.accept().await?;
        let token = token.clone();
        tokio::spawn(async move {
            let service = service_fn(|request| {
                let token = token.clone();
                async move { Ok::<_, hyper::Error>(pass_on(request, to, token).await) }
            });
            // A connection that breaks is the suite's affair.
            let _ = server::Builder::new().serve_connection(TokioIo::new(stream), service).await;
        });
    }
}

async fn pass_on(
    mut request: Request<Incoming>,
    to: SocketAddr,
    token: HeaderValue,
) -> Response<BoxBody<Bytes, hyper::Error>> {
    request.headers_mut().insert(AUTHORIZATION, token);
    match exchange(request, to).await {
        Ok(response) => response.map(BodyExt::boxed),
        Err(error) => {
            let text = Full::new(Bytes::from(error.to_string())).map_err(|never| match never {});
            let mut response = Response::new(text.boxed());
            *response.status_mut() = StatusCode::BAD_GATEWAY;
            response
        }
    }
}

async fn exchange(request: Request<Incoming>, to: SocketAddr) -> io::Result<Response<Incoming>> {
    let stream = TcpStream::connect(to).await?;
    let (mut sender, connection) = client::handshake(TokioIo::new(stream)).await.map_err(io::Error::other)?;
    tokio::spawn(connection);
    sender.send_request(request).await.map_err(io::Error::other)
}
