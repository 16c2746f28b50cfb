//! Headers of requests.

use std::sync::Arc;

use reqwest::header::{HeaderName, HeaderValue};
use sdl_proto::code;
use sdl_settings::Template;

use crate::shared::{World, run_blocking};
use crate::trouble::Trouble;
use crate::wire::params::Members;

/// Headers that the protocol or the transport sets.
const RESERVED: [&str; 9] = [
    "accept",
    "content-length",
    "content-type",
    "host",
    "last-event-id",
    "mcp-method",
    "mcp-protocol-version",
    "mcp-session-id",
    "transfer-encoding",
];

/// The person's headers with the values that their variables have now.
pub(super) async fn own_headers(
    world: &World,
    headers: Arc<Vec<(String, Template)>>,
) -> Result<Vec<(HeaderName, HeaderValue)>, Trouble> {
    let misconfigured = |message: String| Trouble::new(code::MISCONFIGURED, message);
    let credentials = world.credentials();
    let resolved = run_blocking(move || {
        let each = headers.iter().map(|(name, value)| Ok((name.clone(), value.resolve(&credentials)?)));
        each.collect::<Result<Vec<_>, sdl_settings::Unset>>()
    });
    let resolved =
        resolved.await.map_err(Trouble::down)?.map_err(|unset| misconfigured(unset.to_string()))?;
    world.learn_secrets(resolved.iter().map(|(_, value)| value)).await;
    let mut own = Vec::new();
    for (name, value) in &resolved {
        let header = HeaderName::from_bytes(name.as_bytes());
        let header = header.map_err(|_| misconfigured(format!("{name:?} is no name of a header")))?;
        if RESERVED.contains(&header.as_str()) {
            return Err(misconfigured(format!(
                "the header {name:?} is set by the protocol; remove it from the entry"
            )));
        }
        let value = HeaderValue::from_str(value.expose());
        let mut value =
            value.map_err(|_| misconfigured(format!("the value of the header {name:?} is not permitted")))?;
        value.set_sensitive(true);
        own.push((header, value));
    }
    Ok(own)
}

/// From 2026-07-28 on a header names what a request is for, so that proxies need not read its body. rmcp does not see the
/// parameters of a forwarded request, so it can't set it.
pub(super) fn name_header(request: &str) -> Option<(HeaderName, HeaderValue)> {
    let members = Members::read(request).ok()?;
    let method: String = serde_json::from_str(members.get("method")?).ok()?;
    let key = match method.as_str() {
        "tools/call" | "prompts/get" => "name",
        "resources/read" => "uri",
        _ => return None,
    };
    let params = Members::read(members.get("params")?).ok()?;
    let name: String = serde_json::from_str(params.get(key)?).ok()?;
    let value = HeaderValue::from_str(&header_text(&name)).ok()?;
    Some((HeaderName::from_static("mcp-name"), value))
}

/// Text that a header can't carry as it is, is written in base64 with a mark.
fn header_text(text: &str) -> String {
    let is_plain = text.bytes().all(|byte| (0x20..=0x7e).contains(&byte)) && text.trim() == text;
    let looks_coded = text.starts_with("=?base64?") && text.ends_with("?=");
    if is_plain && !looks_coded { text.to_owned() } else { format!("=?base64?{}?=", base64(text.as_bytes())) }
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let byte = |at: usize| u32::from(group.get(at).copied().unwrap_or_default());
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for at in 0..4 {
            let letter = LETTERS.get((bits >> (18 - 6 * at) & 63) as usize).copied().unwrap_or(b'=');
            out.push(if at <= group.len() { char::from(letter) } else { '=' });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_header_carries_any_name() {
        let header = |request: &str| {
            name_header(request).map(|(_, value)| value.to_str().unwrap_or_default().to_owned())
        };
        let call = |name: &str| format!(r#"{{"method":"tools/call","params":{{"name":"{name}"}}}}"#);
        assert_eq!(header(&call("echo")).as_deref(), Some("echo"));
        assert_eq!(header(&call("ü")).as_deref(), Some("=?base64?w7w=?="));
        assert_eq!(
            header(r#"{"method":"resources/read","params":{"uri":"a://b"}}"#).as_deref(),
            Some("a://b")
        );
        assert_eq!(header(r#"{"method":"tools/list","params":{}}"#), None);
    }

    #[test]
    fn base64_is_padded() {
        let all = ["", "f", "fo", "foo", "foob", "fooba", "foobar"].map(|text| base64(text.as_bytes()));
        assert_eq!(all, ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"]);
    }
}
