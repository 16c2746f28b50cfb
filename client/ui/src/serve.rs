//! Connections of browsers: bounded in number and in time.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::{Response, StatusCode};
use axum::middleware::from_fn_with_state;
use axum::routing::{get, post};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::time::sleep;

use crate::App;
use crate::answer::refusal;
use crate::guard::guard_request;
use crate::{call, events, graph, page};

/// Connections at once; more wait.
const MOST_CONNECTIONS: usize = 64;

/// How long the head of a request may take, and how long a connection may wait for the next request.
const HEAD_TIME: Duration = Duration::from_secs(30);

/// The pause after a failed accept, such as for want of handles.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// The routes. Each request passes the guard first.
pub(crate) fn make_router(app: Arc<App>) -> Router {
    Router::new()
        .route("/", get(page::show_page))
        .route("/api/call", post(call::answer_call))
        .route("/api/ask", post(call::answer_ask))
        .route("/api/graph", get(graph::answer_graph))
        .route("/api/events", get(events::stream_events))
        .fallback(nothing_here)
        .method_not_allowed_fallback(wrong_method)
        .layer(from_fn_with_state(Arc::clone(&app), guard_request))
        .with_state(app)
}

async fn nothing_here() -> Response<Body> {
    refusal(StatusCode::NOT_FOUND, "notFound", "nothing is here")
}

async fn wrong_method() -> Response<Body> {
    refusal(StatusCode::METHOD_NOT_ALLOWED, "notAllowed", "this method means nothing here")
}

/// Accepts connections until nobody was connected for `idle`.
pub(crate) async fn serve_browsers(app: Arc<App>, listener: TcpListener, idle: Duration) {
    let places = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    let router = make_router(app);
    let (open, mut changes) = watch::channel(());
    loop {
        let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
        // One receiver is the loop's own; each connection has another one.
        let is_idle = open.receiver_count() == 1;
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    let (router, connected, ended) = (router.clone(), open.subscribe(), open.clone());
                    tokio::spawn(async move {
                        serve_connection(router, stream).await;
                        drop((place, connected));
                        let _ = ended.send(());
                    });
                }
                Err(error) => {
                    tracing::warn!(%error, "a connection can't be accepted");
                    sleep(ACCEPT_PAUSE).await;
                }
            },
            // Another look: the last connection may have ended.
            _ = changes.changed() => {}
            () = sleep(idle), if is_idle => {
                tracing::info!("nobody was connected for a while");
                return;
            }
        }
    }
}

async fn serve_connection(router: Router, stream: TcpStream) {
    let _ = stream.set_nodelay(true);
    let mut connection = http1::Builder::new();
    connection.timer(TokioTimer::new()).header_read_timeout(HEAD_TIME).max_buf_size(64 << 10);
    // A connection that breaks is the browser's affair.
    let _ = connection.serve_connection(TokioIo::new(stream), TowerToHyperService::new(router)).await;
}
