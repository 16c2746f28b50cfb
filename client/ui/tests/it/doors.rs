//! Who gets in, and which requests are refused before they reach the daemon.

use serde_json::json;

use super::{World, echo};

const CALL: &str = r#"{"action":"symbol.search","arguments":{"query":"x"}}"#;

#[tokio::test(flavor = "multi_thread")]
async fn only_the_own_name_and_the_own_page_are_answered() {
    let world = World::start(echo).await;
    let (own, port) = (world.address.to_string(), world.address.port());
    let bearer = format!("Bearer {}", world.token);
    let page = format!("GET /?token={}", world.token);
    let good = world.send(&page, &[("Host", &own)], "").await;
    assert_eq!(good.status, 200, "{good:?}");
    let localhost = format!("localhost:{port}");
    assert_eq!(world.send(&page, &[("Host", &localhost)], "").await.status, 200);
    let evil = format!("evil.example:{port}");
    for host in [evil.as_str(), "127.0.0.1", "localhost", "127.0.0.1:1", "127.0.0.1.evil.example", "0.0.0.0"]
    {
        for line in [page.as_str(), "POST /api/call", "GET /api/events"] {
            let refused = world.send(line, &[("Host", host), ("Authorization", &bearer)], "").await;
            assert_eq!(refused.status, 403, "{host} {line}: {refused:?}");
        }
    }
    for hosts in [&[][..], &[("Host", own.as_str()), ("Host", own.as_str())]] {
        assert_eq!(world.send(&page, hosts, "").await.status, 400);
    }
    let https = format!("https://{own}");
    for origin in ["http://evil.example", "null", "http://localhost:1", &https, "file://"] {
        let headers = [("Host", own.as_str()), ("Origin", origin), ("Authorization", &bearer)];
        let refused = world.send("POST /api/call", &headers, CALL).await;
        assert_eq!(refused.status, 403, "{origin}: {refused:?}");
        assert_eq!(refused.header("access-control-allow-origin"), None);
    }
    for site in ["cross-site", "same-site"] {
        let headers = [("Host", own.as_str()), ("Sec-Fetch-Site", site), ("Authorization", &bearer)];
        assert_eq!(world.send("POST /api/call", &headers, CALL).await.status, 403, "{site}");
    }
    let preflight = [("Host", own.as_str()), ("Origin", "http://evil.example")];
    assert_eq!(world.send("OPTIONS /api/call", &preflight, "").await.status, 403);
    assert!(world.asked().is_empty(), "{:?}", world.asked());
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_answered_without_the_token_in_its_place() {
    let world = World::start(echo).await;
    let own = world.address.to_string();
    let (token, bearer) = (world.token.clone(), format!("Bearer {}", world.token));
    let wrong = format!("Bearer {}0", &token[..token.len() - 1].replace('0', "1"));
    let (basic, twice) = (format!("Basic {token}"), format!("{bearer}, {bearer}"));
    for path in [
        "/",
        "/api/call",
        "/api/ask",
        "/api/graph?repo=a",
        "/api/events",
        "/nothing",
        "/?token=",
        "/?token=x",
    ] {
        for method in ["GET", "POST", "PUT", "OPTIONS"] {
            let refused = world.send(&format!("{method} {path}"), &[("Host", &own)], "").await;
            assert_eq!(refused.status, 401, "{method} {path}: {refused:?}");
        }
    }
    for value in [
        wrong.as_str(),
        &basic,
        &twice,
        "Bearer",
        "Bearer ",
        &token,
        &bearer.replace("Bearer", "Bearer Bearer"),
    ] {
        let headers = [("Host", own.as_str()), ("Authorization", value)];
        assert_eq!(world.send("POST /api/call", &headers, CALL).await.status, 401, "{value}");
    }
    // In another place.
    let cookie = format!("token={token}");
    for (line, headers) in [
        (format!("POST /api/call?token={token}"), vec![("Host", own.as_str())]),
        (format!("GET /api/events?token={token}"), vec![("Host", own.as_str())]),
        ("POST /api/call".to_owned(), vec![("Host", own.as_str()), ("Cookie", &cookie)]),
        ("GET /".to_owned(), vec![("Host", own.as_str()), ("Authorization", &bearer)]),
        (format!("GET /?token={token}&token={token}"), vec![("Host", own.as_str())]),
        (format!("GET /?x=1&token={token}x"), vec![("Host", own.as_str())]),
    ] {
        assert_eq!(world.send(&line, &headers, "").await.status, 401, "{line}");
    }
    assert!(world.asked().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_has_a_policy_and_loads_nothing() {
    let world = World::start(echo).await;
    let own = world.address.to_string();
    let line = format!("GET /?token={}", world.token);
    let page = world.send(&line, &[("Host", &own)], "").await;
    let policy = page.header("content-security-policy").unwrap().to_owned();
    for part in [
        "default-src 'none'",
        "connect-src 'self'",
        "script-src 'nonce-",
        "style-src 'nonce-",
        "img-src data: blob:",
        "worker-src blob:",
        "frame-ancestors 'none'",
        "base-uri 'none'",
        "form-action 'none'",
    ] {
        assert!(policy.contains(part), "{policy}");
    }
    assert!(!policy.contains("unsafe") && !policy.contains("http"), "{policy}");
    assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
    assert!(!page.body.contains("__NONCE__\""), "the number is in its place");
    let other = world.send(&line, &[("Host", &own)], "").await;
    assert_ne!(other.header("content-security-policy"), Some(policy.as_str()), "a number for each visit");
    let refused = world.send("GET /", &[("Host", &own)], "").await;
    for answer in [&page, &refused, &world.page_request("GET /nothing", "").await] {
        assert_eq!(answer.header("cache-control"), Some("no-store"), "{answer:?}");
        assert_eq!(answer.header("referrer-policy"), Some("no-referrer"));
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(answer.header("cross-origin-resource-policy"), Some("same-origin"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn only_listed_names_reach_the_daemon() {
    let world = World::start(echo).await;
    for action in [
        "repo.register",
        "memory.store",
        "runtime.execute",
        "chain",
        "tool.call",
        "index.refresh",
        "session.send",
        "kg.add",
        "no.such",
        "",
        "symbol.search ",
        "sdl_symbol_search",
        "policy.set\u{0}",
    ] {
        let refused = world.page_request("POST /api/call", &json!({ "action": action }).to_string()).await;
        assert_eq!((refused.status, &refused.json()["error"]["code"]), (403, &json!("denied")), "{action}");
    }
    for method in
        ["daemon/stop", "repo/remove", "policy/ceiling", "tools/call", "feed/follow", "work/ask", ""]
    {
        let refused = world.page_request("POST /api/ask", &json!({ "method": method }).to_string()).await;
        assert_eq!((refused.status, &refused.json()["error"]["code"]), (403, &json!("denied")), "{method}");
    }
    for body in [
        "",
        "{",
        "[]",
        "null",
        r#"{"action":1}"#,
        r#"{"arguments":{}}"#,
        r#"{"action":"info","more":1}"#,
        r#"{"action":"info","action":"chain"}"#,
        r#"{"action":"info","arguments":{}} x"#,
    ] {
        let refused = world.page_request("POST /api/call", body).await;
        assert_eq!(refused.status, 400, "{body}: {refused:?}");
    }
    for (line, status) in [
        ("GET /api/call", 405),
        ("POST /api/events", 405),
        ("POST /", 401),
        ("GET /api", 404),
        ("GET /api/call/", 404),
        ("GET //api/events", 404),
        ("GET /api/graph", 400),
    ] {
        assert_eq!(world.page_request(line, "").await.status, status, "{line}");
    }
    assert!(world.asked().is_empty(), "{:?}", world.asked());
}

#[tokio::test(flavor = "multi_thread")]
async fn bodies_are_bounded() {
    let world = World::start(echo).await;
    let huge = format!(r#"{{"action":"info","arguments":{{"a":"{}"}}}}"#, "x".repeat(2 << 20));
    let refused = world.page_request("POST /api/call", &huge).await;
    assert_eq!(refused.status, 413, "{}", refused.head);
    // Without a length, in pieces that go on.
    let piece = format!("10000\r\n{}\r\n", "x".repeat(1 << 16));
    let head = format!(
        "POST /api/call HTTP/1.1\r\nConnection: close\r\nHost: {}\r\nAuthorization: Bearer {}\r\n\
         Transfer-Encoding: chunked\r\n\r\n",
        world.address, world.token
    );
    assert_eq!(world.raw(format!("{head}{}", piece.repeat(40))).await.status, 413);
    // One that breaks off.
    let head = head.replace("Transfer-Encoding: chunked", "Content-Length: 999");
    let refused = world.raw(format!("{head}{{\"action\"")).await;
    assert!(matches!(refused.status, 400 | 408), "{refused:?}");
    let line = format!("GET /{} HTTP/1.1\r\nHost: a\r\n\r\n", "a".repeat(200 << 10));
    assert!(matches!(world.raw(line).await.status, 0 | 400..=499));
    assert_eq!(world.page_request("POST /api/call", CALL).await.status, 200, "others are served");
    assert_eq!(world.asked(), ["tools/call"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn it_ends_when_nobody_is_connected() {
    let mut world = World::start_with(&["--idle", "0"], echo).await;
    let ended = tokio::time::timeout(super::LONG, world.program.wait()).await.unwrap().unwrap();
    assert!(ended.success());
}

#[tokio::test(flavor = "multi_thread")]
async fn it_ends_with_the_program_that_started_it() {
    let mut world = World::start_with(&["--with-parent"], echo).await;
    assert_eq!(world.page_request("POST /api/call", CALL).await.status, 200);
    assert!(world.program.try_wait().unwrap().is_none(), "it runs");
    drop(world.program.stdin.take());
    let ended = tokio::time::timeout(super::LONG, world.program.wait()).await.unwrap().unwrap();
    assert!(ended.success());
}
