//! Texts with the settings that they have, or with the exact error.

use sdl_settings::{ErrorKind, Lifecycle, Mode, Own, Settings, SettingsError, Transport};

fn parse(text: &str) -> Settings {
    Settings::parse(text).unwrap_or_else(|error| panic!("{error}\n{text}")).settings
}

fn error_of(text: &str) -> SettingsError {
    Settings::parse(text).map(|_| ()).expect_err(text)
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
    assert_eq!((web.own.mode, web.own.lifecycle), (Mode::Auto, Lifecycle::Shared));
    assert!(web.own.tools.permits("get") && !web.own.tools.permits("delete_all"));
}

#[test]
fn server_sent_events_are_refused_with_advice() {
    let error = error_of("{\"mcpServers\": {\n  \"old\": {\"type\": \"sse\", \"url\": \"https://a/sse\"}}}");
    assert_eq!((error.line, error.column, error.path.as_str()), (2, 19, "mcpServers.old.type"));
    assert_eq!(error.kind, ErrorKind::UnsupportedTransport);
    assert!(error.message.contains("/mcp"), "{error}");
}
