//! Cards and slices as resources.

use sdl_proto::code;
use serde::Deserialize;
use serde_json::{Value, json};

use super::errors::{ProtocolError, not_found};
use super::request::Request;
use crate::surface::manual::{TOPICS, Topic, find_topic};

/// The names of the templates, for completions.
pub(super) const SYMBOL: &str = "sdl://{repoId}/symbol/{symbol}";
pub(super) const SLICE: &str = "sdl://{repoId}/slice/{sliceHandle}";
const STATUS: &str = "sdl://{repoId}/status";
/// The prefix of the manual's pages.
const MANUAL: &str = "sdl://manual/";
/// The MIME type of Markdown.
const MARKDOWN: &str = "text/markdown";

#[derive(Deserialize)]
pub(super) struct Read {
    uri: String,
}

/// Lists the pages of the manual, and one resource for each repository as a starting point. Symbols are too many to
/// list.
pub(super) fn list_resources(request: &Request<'_>) -> Value {
    let repos = request.services.host.repos();
    let resources = repos.iter().map(|repo| {
        json!({
            "uri": STATUS.replace("{repoId}", &encode_uri(repo.id())),
            "name": format!("{} status", repo.id()),
            "description": "State, version and counts of the repository",
            "mimeType": "application/json",
        })
    });
    let page = |topic: &Topic| {
        json!({
            "uri": format!("{MANUAL}{}", topic.name),
            "name": format!("manual: {}", topic.name),
            "description": topic.about,
            "mimeType": MARKDOWN,
        })
    };
    json!({ "resources": resources.chain(TOPICS.iter().map(page)).collect::<Vec<_>>() })
}

pub(super) fn resource_templates() -> Value {
    let template = |uri: &str, name: &str, description: &str| json!({"uriTemplate": uri, "name": name, "description": description, "mimeType": "application/json"});
    json!({"resourceTemplates": [
        template(SYMBOL, "symbol", "A symbol's card, by id or name"),
        template(SLICE, "slice", "A held slice, whole, as it is now"),
        template(STATUS, "status", "A repository's state"),
    ]})
}

pub(super) fn read_resource(request: &Request<'_>, Read { uri }: &Read) -> Result<Value, ProtocolError> {
    let unknown = || {
        let mut unknown =
            ProtocolError::new(code::RESOURCE_NOT_FOUND, format!("no resource has the URI {uri:?}"));
        unknown.details.insert("uri".to_owned(), uri.as_str().into());
        unknown
    };
    if let Some(topic) = uri.strip_prefix(MANUAL).and_then(find_topic) {
        return Ok(json!({"contents": [{"uri": uri, "mimeType": MARKDOWN, "text": topic.text}]}));
    }
    let path = uri.strip_prefix("sdl://").ok_or_else(unknown)?;
    let mut parts = path.splitn(3, '/').map(|part| decode_uri(part).ok_or_else(unknown));
    let mut next = || parts.next().transpose();
    let (repo, kind, which) = (next()?.ok_or_else(unknown)?, next()?.ok_or_else(unknown)?, next()?);
    let answer = match (kind.as_str(), which.filter(|which| !which.is_empty())) {
        ("symbol", Some(symbol)) => {
            let id = json!({"repoId": repo, "symbolId": symbol});
            let named = json!({"repoId": repo, "symbolRef": {"name": symbol}});
            request.call("symbol.getCard", if symbol.starts_with("s_") { &id } else { &named })
        }
        // No ledger has version `v0`: the whole slice is returned again.
        ("slice", Some(handle)) => request
            .call("slice.refresh", &json!({"repoId": repo, "sliceHandle": handle, "knownVersion": "v0"})),
        ("status", None) => request.call("repo.status", &json!({"repoId": repo, "detail": "full"})),
        _ => return Err(unknown()),
    };
    let answer = Value::Object(answer.map_err(|error| not_found(uri, &error))?);
    Ok(json!({"contents": [{"uri": uri, "mimeType": "application/json", "text": answer.to_string()}]}))
}

/// Encodes a part of a URI's path.
pub(super) fn encode_uri(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

fn decode_uri(text: &str) -> Option<String> {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        if byte != b'%' {
            out.push(byte);
            continue;
        }
        let digits = [bytes.next()?, bytes.next()?];
        out.push(u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?);
    }
    String::from_utf8(out).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_survive_their_uri() {
        for name in ["operator /", "größe", "a%b", "List<T>::new", ""] {
            assert_eq!(decode_uri(&encode_uri(name)).as_deref(), Some(name));
        }
        for bad in ["%", "%2", "%zz", "%ff"] {
            assert_eq!(decode_uri(bad), None, "{bad}");
        }
    }
}
