//! Logins to upstreams, as they are stored.

use sdl_settings::{Login, Secret};
use sdl_settings::{
    find_login, has_login, hold_login, list_credentials, remove_login, resource_of, store_credential,
    store_login,
};

fn login(access: &str) -> Login {
    Login {
        resource: "https://api.example.com/mcp".to_owned(),
        issuer: Some("https://id.example.com".to_owned()),
        client_id: "client".to_owned(),
        client_secret: None,
        access: Secret::new(access.to_owned()),
        refresh: Some(Secret::new("refresh-token".to_owned())),
        expires_at: Some(1_900_000_000),
        scopes: vec!["read".to_owned(), "write".to_owned()],
        is_private: true,
    }
}

#[test]
fn a_login_is_read_as_it_was_stored_under_each_spelling_of_its_key() {
    let state = tempfile::tempdir().unwrap();
    assert!(find_login(state.path(), "Git-Hub").unwrap().is_none());
    store_login(state.path(), "Git-Hub", &login("first-token")).unwrap();
    store_login(state.path(), "git_hub", &login("second-token")).unwrap();
    let found = find_login(state.path(), "Git-Hub").unwrap().unwrap();
    assert_eq!(found.access.expose(), "second-token");
    assert_eq!(found.resource, "https://api.example.com/mcp");
    assert_eq!(found.issuer.as_deref(), Some("https://id.example.com"));
    assert_eq!(found.expires_at, Some(1_900_000_000));
    assert_eq!(found.scopes, ["read", "write"]);
    assert!(found.is_private && found.client_secret.is_none());
    let secrets: Vec<&str> = found.secrets().map(Secret::expose).collect();
    assert_eq!(secrets, ["second-token", "refresh-token"]);
    assert!(has_login(state.path(), "git-hub"));
    assert!(remove_login(state.path(), "GIT_hub").unwrap());
    assert!(!has_login(state.path(), "git-hub"));
    assert!(!remove_login(state.path(), "git-hub").unwrap());
}

#[test]
fn a_login_is_no_credential_that_a_variable_could_name() {
    let state = tempfile::tempdir().unwrap();
    let guard = hold_login(state.path(), "fs").unwrap();
    store_login(state.path(), "fs", &login("access-token")).unwrap();
    drop(guard);
    store_credential(state.path(), "TOKEN", &Secret::new("some-token".to_owned())).unwrap();
    assert_eq!(list_credentials(state.path()).unwrap(), ["TOKEN"]);
    assert!(!sdl_settings::is_name("@fs.login"));
}

#[cfg(unix)]
#[test]
fn a_login_that_others_can_read_or_that_has_another_form_is_not_used() {
    use std::os::unix::fs::PermissionsExt;
    let state = tempfile::tempdir().unwrap();
    store_login(state.path(), "fs", &login("access-token")).unwrap();
    let path = state.path().join("credentials/@fs.login");
    let mode = |mode| std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    mode(0o640);
    let why = find_login(state.path(), "fs").err().unwrap();
    assert!(why.contains("chmod 600") && !why.contains("access-token"), "{why}");
    mode(0o600);
    std::fs::write(&path, "{\"form\":2,\"access\":\"access-token\"}").unwrap();
    let why = find_login(state.path(), "fs").err().unwrap();
    assert!(why.contains("not of the form") && !why.contains("access-token"), "{why}");
}

#[test]
fn a_key_that_is_none_leads_nowhere() {
    let state = tempfile::tempdir().unwrap();
    for key in ["../x", "", "a/b", "@x"] {
        assert!(find_login(state.path(), key).is_err() && remove_login(state.path(), key).is_err(), "{key}");
        assert!(store_login(state.path(), key, &login("access-token")).is_err(), "{key}");
    }
}

#[test]
fn a_server_is_told_by_its_url_without_query() {
    assert_eq!(resource_of("https://a.example/mcp?key=secret#x"), "https://a.example/mcp");
    assert_eq!(resource_of("https://a.example/mcp"), "https://a.example/mcp");
}
