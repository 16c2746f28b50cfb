//! Cards and slices as resources, and the resources of upstreams.

use std::sync::Arc;

use sdl_proto::code;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::errors::{ProtocolError, ambiguous_error, not_found};
use super::pages::{Theirs, write_page};
use super::params::read_params;
use super::request::{Request, outgoing_params};
use crate::call::pipeline::{Asked, Subject};
use crate::call::upstream::{
    Destination, OfferKind, Offers, Rules, Sees, Shelf, Who, decode_uri, encode_uri, sees_resource,
};
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
struct Read {
    uri: String,
}

/// Lists the pages of the manual, one resource for each repository as a starting point, and the resources of upstreams.
/// Symbols are too many to list.
pub(super) fn list_resources(request: &Request<'_>, params: &[u8]) -> Result<Vec<u8>, ProtocolError> {
    let repos = request.repos();
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
    let ours: Vec<Value> = resources.chain(TOPICS.iter().map(page)).collect();
    let offers = request.fresh_offers(OfferKind::Resources);
    let listed = offers.resources.listed_resources().collect();
    let theirs = Theirs { listed, mark: offers.resources_mark, is_any: !offers.is_empty() };
    write_page("resources", &ours, &theirs, params)
}

/// Lists our templates and those of upstreams.
pub(super) fn list_templates(request: &Request<'_>, params: &[u8]) -> Result<Vec<u8>, ProtocolError> {
    let template = |uri: &str, name: &str, description: &str| json!({"uriTemplate": uri, "name": name, "description": description, "mimeType": "application/json"});
    let ours = [
        template(SYMBOL, "symbol", "A symbol's card, by id or name"),
        template(SLICE, "slice", "A held slice, whole, as it is now"),
        template(STATUS, "status", "A repository's state"),
    ];
    let offers = request.fresh_offers(OfferKind::Resources);
    let listed = offers.resources.listed_templates().collect();
    let theirs = Theirs { listed, mark: offers.resources_mark, is_any: !offers.is_empty() };
    write_page("resourceTemplates", &ours, &theirs, params)
}

pub(super) fn read_resource(request: &Request<'_>, params: &[u8]) -> Result<Vec<u8>, ProtocolError> {
    let Read { uri } = read_params(params)?;
    let offers = request.offers();
    let Some((key, own)) = find_resource(request, &offers, &uri, Shelf::destination)? else {
        return Ok(read_own(request, &uri)?.to_string().into_bytes());
    };
    let mut params = outgoing_params(params, &["uri"])?;
    params.insert("uri".to_owned(), own.as_str().into());
    let subject = Subject::Resource(&own);
    request
        .forward(&offers, &Asked { key: &key, method: "resources/read", subject, args: Map::new(), params })
}

/// Returns the upstream that a URI leads to, and the URI that it knows. None if it leads to none.
pub(super) fn find_resource(
    request: &Request<'_>,
    offers: &Offers,
    uri: &str,
    lead: fn(&Shelf, &str, &[Arc<str>], Sees<'_>) -> Destination,
) -> Result<Option<(Arc<str>, String)>, ProtocolError> {
    if offers.is_empty() {
        return Ok(None);
    }
    let rules = Rules::new(&offers.catalog.settings, Who::of(request.session));
    let links = request.services.upstream.links.keys_of(request.session.id, uri);
    match lead(&offers.resources, uri, &links, &|key, uri| sees_resource(&rules, key, uri)) {
        Destination::One { key, uri } => Ok(Some((key, uri))),
        Destination::Several(named) => {
            let shown: String = uri.chars().take(200).collect();
            Err(ambiguous_error(&format!("the resource {shown:?}"), "uri", named))
        }
        Destination::Ours | Destination::Unknown => Ok(None),
    }
}

fn read_own(request: &Request<'_>, uri: &str) -> Result<Value, ProtocolError> {
    let unknown = || {
        let mut unknown =
            ProtocolError::new(code::RESOURCE_NOT_FOUND, format!("no resource has the URI {uri:?}"));
        unknown.details.insert("uri".to_owned(), uri.into());
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
