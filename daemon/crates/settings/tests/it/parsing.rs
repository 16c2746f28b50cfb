//! Texts with the settings that they have.

use sdl_settings::{
    Asks, Effect, ErrorKind, Lifecycle, Mode, Own, Parsed, Pin, Protocol, Redact, Settings, Transport,
    fold_key,
};

fn parse_all(text: &str) -> Parsed {
    Settings::parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn parse(text: &str) -> Settings {
    parse_all(text).settings
}

/// The options of an entry with this `sdl` object, below this one at the top.
fn own(top: &str, entry: &str) -> Own {
    let text = format!(r#"{{"sdl": {top}, "mcpServers": {{"a": {{"command": "x", "sdl": {entry}}}}}}}"#);
    parse(&text).upstreams.remove(0).own
}

#[test]
fn an_entry_is_what_clients_take() {
    let settings = parse(
        r#"{"mcpServers": {
            "fs": {"command": "npx", "args": ["-y", "server", "/src"], "env": {"A": "${A:-1}"}},
            "web": {"type": "http", "url": "https://api.example.com/mcp", "headers": {"Authorization": "Bearer ${T}"},
                    "disabled": true, "sdl": {"mode": "auto", "tools": {"deny": ["delete_*"]}}}
        }}"#,
    );
    let [fs, web] = &settings.upstreams[..] else { panic!("{settings:?}") };
    assert_eq!((fs.key.as_str(), fs.enabled, web.enabled), ("fs", true, false));
    assert_eq!(fs.own, Own::default());
    let Transport::Stdio { command, args, env } = &fs.transport else { panic!("{fs:?}") };
    assert_eq!((command.as_str(), args[2].as_str(), env[0].1.as_str()), ("npx", "/src", "${A:-1}"));
    let Transport::Http { url, headers } = &web.transport else { panic!("{web:?}") };
    assert_eq!((url.as_str(), headers[0].1.as_str()), ("https://api.example.com/mcp", "Bearer ${T}"));
    assert_eq!((web.own.mode, web.own.lifecycle), (Mode::Auto, Lifecycle::Shared));
    assert!(web.own.tools.permits("get") && !web.own.tools.permits("delete_all"));
}

#[test]
fn a_file_may_have_no_servers() {
    for text in ["{}", r#"{"mcpServers": {}}"#, r#"{"servers": {}, "inputs": []}"#, r#"{"sdl": {}}"#] {
        assert_eq!(
            parse_all(text),
            Parsed { settings: Settings::default(), unused: vec![], remarks: vec![] }
        );
    }
}

#[test]
fn types_of_all_clients_are_known() {
    let kind = |entry: &str| {
        let settings = parse(&format!(r#"{{"servers": {{"a": {entry}}}}}"#));
        matches!(settings.upstreams[0].transport, Transport::Http { .. })
    };
    for name in ["http", "streamable-http", "streamableHttp"] {
        assert!(kind(&format!(r#"{{"type": "{name}", "url": "HTTPS://a/mcp"}}"#)), "{name}");
    }
    assert!(kind(r#"{"url": "http://localhost:1/mcp", "headers": null}"#));
    assert!(kind(r#"{"url": "${BASE}/mcp"}"#));
    assert!(!kind(r#"{"type": "stdio", "command": "/bin/x", "url": "left over"}"#));
    assert!(!kind(r#"{"command": "${HOME}/bin/x", "args": null, "env": null, "type": null}"#));
}

#[test]
fn enabled_and_disabled_count() {
    let is_enabled = |more: &str| {
        parse(&format!(r#"{{"mcpServers": {{"a": {{"command": "x"{more}}}}}}}"#)).upstreams[0].enabled
    };
    assert!(is_enabled(""));
    assert!(is_enabled(r#", "disabled": false"#));
    assert!(is_enabled(r#", "enabled": true, "disabled": false"#));
    assert!(!is_enabled(r#", "disabled": true"#));
    assert!(!is_enabled(r#", "enabled": false"#));
    assert!(!is_enabled(r#", "enabled": false, "disabled": true"#));
}

#[test]
fn server_sent_events_are_refused_with_advice() {
    let text = "{\"mcpServers\": {\n  \"old\": {\"type\": \"sse\", \"url\": \"https://a/sse\"}}}";
    let error = Settings::parse(text).map(|_| ()).unwrap_err();
    assert_eq!((error.line, error.column, error.path.as_str()), (2, 19, "mcpServers.old.type"));
    assert_eq!((error.kind, error.kind.as_str()), (ErrorKind::UnsupportedTransport, "unsupportedTransport"));
    assert!(error.message.contains("/mcp") && error.message.contains("supergateway"), "{error}");
    assert!(error.to_string().starts_with("line 2, column 19, mcpServers.old.type: \"sse\" is"), "{error}");
}

#[test]
fn keys_of_clients_that_are_not_read_are_named() {
    let parsed = parse_all(
        r#"{"mcpServers": {"a": {"command": "x", "cwd": "/src", "autoApprove": [], "headers": {}},
            "b": {"url": "https://a/sse", "args": []}}, "theme": "dark", "$schema": "x", "inputs": []}"#,
    );
    assert_eq!(
        parsed.unused,
        [
            "mcpServers.a.cwd",
            "mcpServers.a.autoApprove",
            "mcpServers.a.headers",
            "mcpServers.b.args",
            "theme"
        ]
    );
    let places: Vec<_> = parsed.remarks.iter().map(|remark| (remark.line, remark.path.as_str())).collect();
    assert_eq!(places, [(1, "mcpServers.a.cwd"), (2, "mcpServers.b.url")]);
}

#[test]
fn what_may_not_be_meant_is_remarked() {
    let remark = |text: &str| {
        let parsed = parse_all(text);
        assert_eq!(parsed.remarks.len(), 1, "{text}: {:?}", parsed.remarks);
        parsed.remarks[0].message.clone()
    };
    assert!(
        remark(r#"{"mcpServers": {"a": {"command": "npx -y x"}}}"#).contains("put the arguments in \"args\"")
    );
    assert!(remark(r#"{"mcpServers": {"a": {"url": "https://u:p@a/mcp"}}}"#).contains("sdlctl cred set"));
    assert!(remark(r#"{"mcp": {}}"#).contains("no \"mcpServers\""));
    let unknown = r#"{"mcpServers": {"fs": {"command": "x"}}, "sdl": {"policy": [
        {"effect": "deny", "tools": ["FS/*", "sdl/memory.*", "*/x", "git/*"]}]}}"#;
    assert_eq!(remark(unknown), "no upstream has the key git");
    let root = r#"{"mcpServers": {"a": {"command": "x", "sdl": {"lifecycle": "root", "ask": ["roots"]}}}}"#;
    assert!(remark(root).contains("\"session\""));
}

#[test]
fn every_option_is_read() {
    let read = own(
        "{}",
        r#"{"mode": "passthrough", "about": "files", "tools": {"allow": "get_*"}, "prompts": false, "resources": false,
            "prefix": false, "lifecycle": "root", "pin": "strict", "redact": "likely", "cwd": "${SESSION_ROOT}",
            "startTimeoutMs": 100, "timeoutMs": 101, "maxTotalMs": 102, "refreshSeconds": 5, "idleStopSeconds": 0,
            "maxInFlight": 1, "maxPerMinute": 2, "memoryMb": 16, "resultTokens": 20000, "autoTokens": 0,
            "protocol": "2025-06-18", "retryReads": true}"#,
    );
    assert!(read.tools.permits("get_x") && !read.tools.permits("set_x"));
    assert_eq!(read.cwd.as_ref().unwrap().as_str(), "${SESSION_ROOT}");
    let rest = Own { tools: Own::default().tools, cwd: None, ..read };
    let expected = Own {
        mode: Mode::Passthrough,
        about: Some("files".to_owned()),
        tools: Own::default().tools,
        prompts: false,
        resources: false,
        prefix: false,
        lifecycle: Lifecycle::Root,
        ask: Asks::default(),
        pin: Pin::Strict,
        redact: Redact::Likely,
        cwd: None,
        start_timeout_ms: 100,
        timeout_ms: 101,
        max_total_ms: 102,
        refresh_seconds: 5,
        idle_stop_seconds: 0,
        max_in_flight: 1,
        max_per_minute: Some(2),
        memory_mb: 16,
        result_tokens: 20_000,
        auto_tokens: 0,
        protocol: Protocol::V20250618,
        retry_reads: true,
    };
    assert_eq!(rest, expected);
}

#[test]
fn defaults_hold_for_entries_that_state_nothing_else() {
    let defaults = r#"{"defaults": {"mode": "auto", "maxPerMinute": 9, "timeoutMs": 70000}}"#;
    let read = own(defaults, r#"{"timeoutMs": 80000, "maxPerMinute": null}"#);
    assert_eq!((read.mode, read.max_per_minute, read.timeout_ms), (Mode::Auto, None, 80_000));
}

#[test]
fn who_may_ask_has_a_connection_for_each_session() {
    let read = own("{}", r#"{"ask": ["elicitation", "roots"], "cwd": "${SESSION_CWD}/x"}"#);
    assert_eq!(read.ask, Asks { elicitation: true, sampling: false, roots: true });
    assert_eq!(read.lifecycle, Lifecycle::Session);
    assert_eq!(own("{}", r#"{"ask": []}"#).lifecycle, Lifecycle::Shared);
    assert_eq!(own(r#"{"defaults": {"ask": ["roots"]}}"#, "{}").lifecycle, Lifecycle::Session);
    assert_eq!(own(r#"{"defaults": {"ask": ["roots"]}}"#, r#"{"ask": []}"#).lifecycle, Lifecycle::Shared);
}

#[test]
fn an_empty_list_of_allowed_tools_allows_none() {
    let globs = |tools: &str| own("{}", &format!("{{\"tools\": {tools}}}")).tools;
    assert!(globs("{}").permits("a"));
    assert!(!globs(r#"{"allow": []}"#).permits("a"));
    let some = globs(r#"{"allow": ["get_*", "{read,list}_?"], "deny": ["get_secret*"]}"#);
    for (name, is_permitted) in
        [("get_a", true), ("get_secrets", false), ("read_a", true), ("read_ab", false), ("Get_a", false)]
    {
        assert_eq!(some.permits(name), is_permitted, "{name}");
    }
}

#[test]
fn profiles_and_rules_are_read() {
    let settings = parse(
        r#"{"sdl": {"modules": ["memory", "kg", "memory"], "default": "deny", "audit": {"calls": "denied", "args": true},
            "credentialHelper": ["pass", "show", "{name}"],
            "profiles": [{"name": "ci", "match": {"token": "ci", "client": ["a*", "b"]}, "upstreams": ["git*"],
                          "tools": {"allow": ["github/get_*"]}, "repos": ["shop"], "modules": [], "surface": "pair",
                          "mode": "auto"}],
            "policy": [{"effect": "ask", "tools": ["*/delete_*"], "why": "takes something away"},
                       {"effect": "deny", "profiles": ["ci", "default"], "flagged": true,
                        "hints": {"destructive": true, "readOnly": false}}]}}"#,
    );
    assert_eq!(settings.modules, ["memory", "kg"]);
    assert_eq!(settings.default, Effect::Deny);
    assert_eq!(
        (settings.audit.permitted_calls, settings.audit.args, settings.audit.keep),
        (false, true, 500_000)
    );
    assert_eq!(settings.credential_helper.unwrap(), ["pass", "show", "{name}"]);
    let profile = &settings.profiles[0];
    assert!(profile.matches.is_match(Some("ci"), &[], "abc"));
    assert!(profile.matches.is_match(Some("ci"), &[], "b"));
    assert!(!profile.matches.is_match(Some("ci"), &[], "c"));
    assert!(!profile.matches.is_match(None, &[], "a"));
    assert!(profile.upstreams.as_ref().unwrap()[0].is_match("GitHub"));
    assert!(profile.tools.permits("github", "get_x") && !profile.tools.permits("fs", "get_x"));
    assert_eq!((profile.modules.as_deref(), profile.surface.as_deref()), (Some(&[][..]), Some("pair")));
    let [ask, deny] = &settings.policy[..] else { panic!() };
    assert_eq!((ask.effect, ask.why.as_deref()), (Effect::Ask, Some("takes something away")));
    assert!(ask.tools[0].is_match("any", "delete_it") && !ask.tools[0].is_match("any", "get"));
    assert_eq!(
        (deny.flagged, deny.hints.destructive, deny.hints.read_only),
        (Some(true), Some(true), Some(false))
    );
    assert_eq!(deny.hints.open_world, None);
    assert!(Effect::Deny > Effect::Ask && Effect::Ask > Effect::Allow);
}

#[test]
fn patterns_of_tools_reach_resources_and_spellings_of_keys() {
    let text =
        r#"{"sdl": {"policy": [{"effect": "deny", "tools": ["My-Fs/resource:file:///etc/*", "a_*/x"]}]}}"#;
    let tools = parse(text).policy.remove(0).tools;
    assert!(tools[0].is_match("my_fs", "resource:file:///etc/ssh/key"));
    assert!(!tools[0].is_match("my_fs", "resource:file:///home"));
    assert!(tools[1].is_match("A-b", "x"));
    assert_eq!(fold_key("My-Fs"), "my_fs");
}
