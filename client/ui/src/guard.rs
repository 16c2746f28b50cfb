//! Who may call: a browser on this machine that asks for this server by its own name, from its own page, with the token of this
//! run. What costs least is checked first.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, HeaderMap, HeaderName};
use axum::http::{Response, StatusCode, Uri};
use axum::middleware::Next;

use crate::App;
use crate::answer::{harden, refusal};

/// Says which kind of page a request comes from, in newer browsers.
const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Lets a request through, or refuses it. Every answer leaves through here.
pub(crate) async fn guard_request(
    State(app): State<Arc<App>>,
    request: Request,
    next: Next,
) -> Response<Body> {
    harden(match check_request(&app, &request) {
        Ok(()) => next.run(request).await,
        Err(refused) => *refused,
    })
}

fn check_request(app: &App, request: &Request) -> Result<(), Box<Response<Body>>> {
    let (uri, headers) = (request.uri(), request.headers());
    let host = app.allowed.check_host(uri, headers).map(|_| ());
    host.and_then(|()| app.allowed.check_origin(headers).map(|_| ())).map_err(|foreign| {
        tracing::info!(why = foreign.message, "a request was refused");
        let message = "this server answers to its own address and its own page alone";
        Box::new(refusal(foreign.status, "foreign", message))
    })?;
    let is_page = uri.path() == "/";
    if !is_page && !is_same_site(headers) {
        let message = "pages of other sites may not call";
        return Err(Box::new(refusal(StatusCode::FORBIDDEN, "foreign", message)));
    }
    // The token of a page is in its address, that of a request in its header: a form or a picture of another page has no header.
    let presented = if is_page { token_of_address(uri) } else { token_of_header(headers) };
    if presented.is_some_and(|presented| app.token.is(presented)) {
        return Ok(());
    }
    let message = "the token is missing or not of this run; open the address that sdlctl ui printed";
    Err(Box::new(refusal(StatusCode::UNAUTHORIZED, "unauthorized", message)))
}

fn is_same_site(headers: &HeaderMap) -> bool {
    headers.get_all(FETCH_SITE).iter().all(|site| site == "same-origin" || site == "none")
}

/// The one `token` of an address.
fn token_of_address(uri: &Uri) -> Option<&str> {
    let mut tokens = uri.query()?.split('&').filter_map(|pair| pair.strip_prefix("token="));
    tokens.next().filter(|_| tokens.next().is_none())
}

/// The one bearer token of a request.
fn token_of_header(headers: &HeaderMap) -> Option<&str> {
    let mut given = headers.get_all(AUTHORIZATION).iter();
    let (Some(one), None) = (given.next(), given.next()) else { return None };
    let (scheme, token) = one.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}
