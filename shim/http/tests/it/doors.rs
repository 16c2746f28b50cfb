use sdl_client::Paths;
use sdl_client::proto::Principal;
use sdl_client::testing::Reply;
use serde_json::{Value, json};

use crate::world::{AUDIENCE, Signer, World, now};
use crate::{Fixture, TOKEN, client, command, message_of, write_tokens};

const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}"#;

#[tokio::test]
async fn nobody_is_let_in_without_a_good_token() {
    let fixture = Fixture::answering("{}").await;
    let challenge = |answer: &reqwest::Response| {
        answer.headers().get("www-authenticate").map(|value| value.to_str().unwrap().to_owned())
    };
    for (header, status, said) in [
        (None, 401, "Bearer realm=\"sdl\""),
        (Some("Basic Y2k6"), 401, "Bearer realm=\"sdl\""),
        (Some("Bearer 0123456789abcdeF"), 401, "error=\"invalid_token\""),
        (Some("Bearer ci"), 401, "error=\"invalid_token\""),
        (Some("Bearer"), 400, "error=\"invalid_request\""),
    ] {
        for method in ["POST", "GET", "DELETE"] {
            let mut request = client().request(method.parse().unwrap(), fixture.url("/mcp"));
            if let Some(header) = header {
                request = request.header("authorization", header);
            }
            let answer = request.send().await.unwrap();
            assert_eq!(answer.status(), status, "{method} {header:?}");
            let told = challenge(&answer).unwrap();
            assert!(told.contains(said) && (header.is_some() || told == said), "{method} {header:?}: {told}");
        }
    }
    let in_url = format!("/mcp?access_token={TOKEN}");
    assert_eq!(client().post(fixture.url(&in_url)).body(PING).send().await.unwrap().status(), 401);
    assert_eq!(client().get(fixture.url("/")).send().await.unwrap().status(), 404);
    let metadata = fixture.url("/.well-known/oauth-protected-resource");
    assert_eq!(client().get(metadata).send().await.unwrap().status(), 404, "no provider is configured");
    assert!(fixture.daemon.heard().hellos.is_empty(), "the daemon hears nothing of it");
}

#[tokio::test]
async fn tokens_are_read_again_for_each_request() {
    let fixture = Fixture::answering(r#"{"tools":[]}"#).await;
    let status =
        async |token: &str| fixture.ask(token, "tools/list", "{}").send().await.unwrap().status().as_u16();
    assert_eq!(status(TOKEN).await, 200);
    write_tokens(&fixture.tokens, "ci:another-0123456789\n");
    assert_eq!((status(TOKEN).await, status("another-0123456789").await), (401, 200));
    write_tokens(&fixture.tokens, "ci\n");
    let broken = fixture.ask("another-0123456789", "tools/list", "{}").send().await.unwrap();
    assert_eq!(broken.status(), 503, "what can't be read lets nobody in");
    assert!(!broken.text().await.unwrap().contains("ci"), "and is no business of the caller");
}

#[tokio::test]
async fn a_session_is_its_principals_own() {
    let fixture = Fixture::answering(r#"{"tools":[]}"#).await;
    let other = "fedcba9876543210";
    write_tokens(&fixture.tokens, &format!("ci:{TOKEN}:read\ndev:{other}:read\n"));
    let id = fixture.initialize(TOKEN).await;
    assert_eq!(fixture.in_session(&id, other, PING).send().await.unwrap().status(), 404);
    let ended = client().delete(fixture.url("/mcp")).bearer_auth(other).header("mcp-session-id", &id);
    ended.send().await.unwrap();
    assert_eq!(fixture.in_session(&id, TOKEN, PING).send().await.unwrap().status(), 200, "it goes on");
    let ended = client().delete(fixture.url("/mcp")).bearer_auth(TOKEN).header("mcp-session-id", &id);
    assert_eq!(ended.send().await.unwrap().status(), 204);
    assert_eq!(fixture.in_session(&id, TOKEN, PING).send().await.unwrap().status(), 404, "it has ended");
    let id = fixture.initialize(TOKEN).await;
    // A token with other scopes is another principal.
    write_tokens(&fixture.tokens, &format!("ci:{TOKEN}:read,web\n"));
    assert_eq!(fixture.in_session(&id, TOKEN, PING).send().await.unwrap().status(), 404);
    let heard = fixture.daemon.heard();
    let is_own = |principal: &Principal| principal.token() == Some("ci") && principal.scopes == ["read"];
    assert!(heard.principals.iter().all(is_own), "{heard:?}");
}

#[tokio::test]
async fn other_names_and_pages_are_refused_before_anything_else() {
    let fixture =
        Fixture::new(&["--allow-origin=https://app.example"], |_| Reply::ok(r#"{"tools":[]}"#)).await;
    let ask = || fixture.ask(TOKEN, "tools/list", "{}");
    assert_eq!(ask().header("host", "evil.example").send().await.unwrap().status(), 403);
    assert_eq!(ask().header("host", "evil.example:7331").send().await.unwrap().status(), 403);
    for origin in ["https://evil.example", "http://localhost", "null"] {
        let answer = ask().header("origin", origin).send().await.unwrap();
        assert_eq!(answer.status(), 403, "{origin}");
        assert!(!answer.headers().contains_key("access-control-allow-origin"));
    }
    let answer = ask().header("origin", "https://app.example").send().await.unwrap();
    assert_eq!(
        (answer.status().as_u16(), &answer.headers()["access-control-allow-origin"]),
        (200, &"https://app.example".parse().unwrap())
    );
    let preflight = |origin: &str| {
        let request = client().request("OPTIONS".parse().unwrap(), fixture.url("/mcp"));
        request.header("origin", origin).header("access-control-request-method", "POST")
    };
    let answer = preflight("https://app.example").send().await.unwrap();
    assert_eq!(answer.status(), 204);
    assert!(answer.headers()["access-control-allow-headers"].to_str().unwrap().contains("authorization"));
    assert_eq!(preflight("https://evil.example").send().await.unwrap().status(), 403);
}

#[tokio::test]
async fn a_missing_scope_is_named() {
    let fixture = Fixture::new(&["--scope=read", "--scope=web"], |_| Reply::ok(r#"{"tools":[]}"#)).await;
    let answer = fixture.ask(TOKEN, "tools/list", "{}").send().await.unwrap();
    assert_eq!(answer.status(), 403);
    let told = answer.headers()["www-authenticate"].to_str().unwrap();
    assert!(told.contains("error=\"insufficient_scope\"") && told.contains("scope=\"read web\""), "{told}");
    write_tokens(&fixture.tokens, &format!("ci:{TOKEN}:web,other,read\n"));
    assert_eq!(fixture.ask(TOKEN, "tools/list", "{}").send().await.unwrap().status(), 200);
}

#[tokio::test]
async fn tokens_of_a_provider_are_taken_beside_ones_own() {
    let key = Signer::curve();
    let world = World::new(vec![key.published("a")]).await;
    let flags = ["--issuer", &world.issuer, "--audience", AUDIENCE, "--scope", "read"];
    let fixture = Fixture::new(&flags, |_| Reply::ok(r#"{"tools":[]}"#)).await;
    let ask = async |token: &str| fixture.ask(token, "tools/list", "{}").send().await.unwrap();
    let metadata = "https://sdl.example/.well-known/oauth-protected-resource/mcp";
    let bare = client().post(fixture.url("/mcp")).send().await.unwrap();
    let told = bare.headers()["www-authenticate"].to_str().unwrap().to_owned();
    assert_eq!(bare.status(), 401);
    assert_eq!(told, format!("Bearer realm=\"sdl\", resource_metadata=\"{metadata}\", scope=\"read\""));
    let about = client().get(fixture.url("/.well-known/oauth-protected-resource/mcp"));
    let about: Value = serde_json::from_str(&about.send().await.unwrap().text().await.unwrap()).unwrap();
    assert_eq!(
        (&about["resource"], &about["authorization_servers"][0]),
        (&json!(AUDIENCE), &json!(world.issuer))
    );

    assert_eq!(ask(TOKEN).await.status(), 200);
    let answer = ask(&key.sign("a", &world.claims())).await;
    assert_eq!(answer.status(), 200);
    assert_eq!(message_of(answer).await["result"]["tools"], json!([]));
    for (changes, status, said) in [
        (json!({"exp": now() - 100}), 401, "invalid_token"),
        (json!({"aud": "other"}), 401, "invalid_token"),
        (json!({"iss": "https://evil.example"}), 401, "invalid_token"),
        (json!({"scope": "web"}), 403, "insufficient_scope"),
    ] {
        let answer = ask(&key.sign("a", &world.changed(&changes))).await;
        let told = answer.headers()["www-authenticate"].to_str().unwrap();
        assert_eq!(answer.status(), status, "{changes}");
        assert!(told.contains(said) && told.contains(metadata) && told.contains("scope=\"read\""), "{told}");
    }
    let known: Vec<String> = fixture.daemon.heard().principals.iter().map(ToString::to_string).collect();
    assert_eq!(known, ["token:ci", "oauth:user-1"]);
}

#[tokio::test]
async fn it_does_not_start_open_to_everybody() {
    let folder = tempfile::tempdir().unwrap();
    let paths = Paths::new(folder.path().join("state"), None);
    let tokens = folder.path().join("tokens");
    let said = async |tokens: Option<&std::path::PathBuf>, flags: &[&str]| {
        let output =
            command(&paths, tokens).args(["--listen", "127.0.0.1:0"]).args(flags).output().await.unwrap();
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(said(None, &[]).await.contains("SDL_HTTP_TOKENS"));
    write_tokens(&tokens, "# nobody\n");
    assert!(said(Some(&tokens), &[]).await.contains("has none"));
    write_tokens(&tokens, "ci:short");
    assert!(said(Some(&tokens), &[]).await.contains("line 1"));
    write_tokens(&tokens, &format!("ci:{TOKEN}"));
    assert!(said(Some(&tokens), &["--listen", "0.0.0.0:0"]).await.contains("--allow-remote"));
    assert!(said(Some(&tokens), &["--issuer", "https://id.example"]).await.contains("belong together"));
}
