//! The page: one document that loads nothing.

use axum::body::Body;
use axum::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderValue};
use axum::http::{Response, StatusCode};

use crate::answer::refusal;

/// The document, with [`PLACE`] where the number of a visit belongs.
const PAGE: &str = include_str!(concat!(env!("OUT_DIR"), "/page.html"));

/// The place of the number in the document.
const PLACE: &str = "__NONCE__";

/// Bytes of the number.
const BYTES: usize = 16;

/// The page with a number of its own: only its own script and style run.
pub(crate) async fn show_page() -> Response<Body> {
    let mut bytes = [0; BYTES];
    if let Err(error) = getrandom::fill(&mut bytes) {
        let message = format!("no number can be drawn: {error}");
        return refusal(StatusCode::INTERNAL_SERVER_ERROR, "internal", message);
    }
    let nonce: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let Ok(policy) = HeaderValue::from_str(&content_policy(&nonce)) else {
        return refusal(StatusCode::INTERNAL_SERVER_ERROR, "internal", "the policy is no header");
    };
    let mut response = Response::new(Body::from(number_page(PAGE, &nonce)));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    headers.insert(CONTENT_SECURITY_POLICY, policy);
    response
}

/// Puts the number into the tags of the document.
fn number_page(page: &str, nonce: &str) -> String {
    page.replace(&format!("nonce=\"{PLACE}\""), &format!("nonce=\"{nonce}\""))
}

fn content_policy(nonce: &str) -> String {
    format!(
        "default-src 'none'; connect-src 'self'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; \
         img-src data: blob:; worker-src blob:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; \
         require-trusted-types-for 'script'; trusted-types sdl-worker"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_is_in_the_tags_alone() {
        let page =
            "<script nonce=\"__NONCE__\">let x = '__NONCE__'</script><style nonce=\"__NONCE__\"></style>";
        let made = number_page(page, "7f");
        assert_eq!(made, "<script nonce=\"7f\">let x = '__NONCE__'</script><style nonce=\"7f\"></style>");
        assert!(content_policy("7f").starts_with("default-src 'none'; "));
    }
}
