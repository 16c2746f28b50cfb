//! What a server publishes about logins to it, and what of that is believed.

use reqwest::Url;
use rmcp::transport::auth::{AuthError, AuthorizationManager, AuthorizationMetadata};

/// The longest text of a server that is shown.
const MAX_SHOWN_CHARS: usize = 500;

/// Prepares logins to the server at `resource`. Hosts that the server names are looked up by rmcp's own client, which refuses
/// private addresses unless the server has one itself or `is_private`.
pub(super) async fn make_manager(
    resource: &str,
    is_private: bool,
) -> Result<AuthorizationManager, AuthError> {
    crate::http::choose_provider();
    if is_private {
        AuthorizationManager::new_allowing_private_addresses(resource).await
    } else {
        AuthorizationManager::new(resource).await
    }
}

/// What a server publishes, in so far as it is not the manager's business.
pub(super) struct Published {
    /// Whether it publishes anything; otherwise the paths of old servers are tried.
    pub(super) is_discovered: bool,
    /// Who gives the tokens.
    pub(super) issuer: Option<String>,
    /// Whether a client can be registered.
    pub(super) registers: bool,
}

/// Reads what the server publishes, and has the manager use it.
pub(super) async fn learn_metadata(
    manager: &mut AuthorizationManager,
    resource: &str,
) -> Result<Published, String> {
    let found = manager.resolve_metadata().await.map_err(|error| explain_error(&error))?;
    check_metadata(resource, &found.metadata)?;
    let published = Published {
        is_discovered: found.source.is_discovered(),
        issuer: found.metadata.issuer.clone(),
        registers: found.metadata.registration_endpoint.is_some(),
    };
    manager.set_metadata(found.metadata);
    Ok(published)
}

/// Tokens go to these addresses, and one of them is opened in a browser. Without TLS only where the server itself has none.
fn check_metadata(resource: &str, metadata: &AuthorizationMetadata) -> Result<(), String> {
    let is_plain = resource.starts_with("http:");
    let all = [
        Some(("authorization", &metadata.authorization_endpoint)),
        Some(("token", &metadata.token_endpoint)),
        metadata.registration_endpoint.as_ref().map(|url| ("registration", url)),
    ];
    for (name, text) in all.into_iter().flatten() {
        let url = Url::parse(text).map_err(|_| format!("the {name} address of the server is no URL"))?;
        let is_permitted = url.scheme() == "https" || (is_plain && url.scheme() == "http");
        if !is_permitted || !url.has_host() {
            let shown = bounded(&format!("{}://{}", url.scheme(), url.host_str().unwrap_or_default()));
            return Err(format!("the {name} address of the server, {shown}, is not HTTPS"));
        }
    }
    Ok(())
}

/// Why something did not work, with its causes.
pub(super) fn explain_error(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let inner_text = inner.to_string();
        if !text.contains(&inner_text) {
            text.push_str(": ");
            text.push_str(&inner_text);
        }
        cause = inner.source();
    }
    bounded(&text)
}

/// The text of others, on one line of bounded length.
pub(super) fn bounded(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(MAX_SHOWN_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn metadata(authorize: &str, token: &str) -> AuthorizationMetadata {
        let mut metadata = AuthorizationMetadata::default();
        metadata.authorization_endpoint = authorize.to_owned();
        metadata.token_endpoint = token.to_owned();
        metadata
    }

    #[test]
    fn addresses_without_tls_count_only_for_servers_without_tls() {
        let check = |resource, authorize, token| check_metadata(resource, &metadata(authorize, token));
        let (tls, plain) = ("https://id.example/a", "http://id.example/a");
        assert_eq!(check("https://a.example/mcp", tls, tls), Ok(()));
        assert_eq!(check("http://127.0.0.1/mcp", plain, plain), Ok(()));
        assert!(check("https://a.example/mcp", tls, plain).unwrap_err().contains("token address"));
        assert!(check("https://a.example/mcp", plain, tls).unwrap_err().contains("not HTTPS"));
        for bad in ["file:///etc/passwd", "javascript:alert(1)", "nonsense"] {
            assert!(check("http://127.0.0.1/mcp", bad, plain).is_err(), "{bad}");
        }
    }
}
