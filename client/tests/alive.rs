//! A daemon that does not answer is noticed, one that is busy is waited for, and one that is not this user's gets no
//! data.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that can't go on fails")]

use std::os::unix::fs::PermissionsExt as _;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use sdl_client::testing::{FakeDaemon, Reply};
use sdl_client::{
    CallOptions, Client, ClientError, Launch, Paths, ReconnectOptions, ReconnectingClient, answering_build,
    probe_daemon,
};
use sdl_proto::{ClientKind, SessionHello};
use tempfile::TempDir;
use tokio::time::Instant;

fn hello() -> SessionHello {
    SessionHello {
        kind: ClientKind::Other,
        name: "test".into(),
        cwd: None,
        repo: None,
        surface: String::new(),
        output_schemas: false,
        token: Some("secret".into()),
        pid: 1,
    }
}

fn folder() -> (TempDir, Paths) {
    let folder = tempfile::tempdir().unwrap();
    let paths = Paths::new(folder.path().join("s"), None);
    paths.create().unwrap();
    (folder, paths)
}

fn reconnecting(paths: &Paths) -> ReconnectingClient {
    let options = ReconnectOptions { paths: paths.clone(), hello: hello(), launch: Launch::Never };
    ReconnectingClient::new(options)
}

#[tokio::test(start_paused = true)]
async fn a_daemon_that_gives_no_sign_of_life_is_given_up() {
    let (_folder, paths) = folder();
    let daemon = FakeDaemon::start(paths.socket(), "b", |_| Reply::FallSilent).unwrap();
    let client = Client::connect(paths.socket(), hello()).await.unwrap();
    let begun = Instant::now();
    let error = client.call("x", "", CallOptions::read()).await.unwrap_err();
    assert!(matches!(error, ClientError::Unanswered { .. }), "{error}");
    assert!(error.to_string().contains(&format!("process {}", std::process::id())), "{error}");
    assert_eq!(begun.elapsed().as_secs(), 15, "5 s of silence, and two pings of 5 s");
    assert!(!client.is_open());
    drop(daemon);
}

#[tokio::test(start_paused = true)]
async fn a_busy_daemon_is_waited_for() {
    let (_folder, paths) = folder();
    let daemon = FakeDaemon::start(paths.socket(), "b", |_| Reply::Never).unwrap();
    let client = Client::connect(paths.socket(), hello()).await.unwrap();
    let options = CallOptions::read().deadline(Duration::from_secs(3600));
    let error = client.call("x", "", options).await.unwrap_err();
    assert!(matches!(error, ClientError::Timeout), "{error}");
    assert!(client.is_open());
    let pings = daemon.heard().pings;
    assert!(pings > 100, "{pings}");
    // Nobody waits for anything: nobody asks.
    tokio::time::sleep(Duration::from_secs(3600)).await;
    assert_eq!(daemon.heard().pings, pings);
}

#[tokio::test(start_paused = true)]
async fn a_read_is_asked_once_more_and_a_mutation_is_not() {
    let (_folder, paths) = folder();
    let asked = AtomicUsize::new(0);
    let script = move |_: &_| match asked.fetch_add(1, Ordering::SeqCst) {
        0 => Reply::FallSilent,
        _ => Reply::ok("done"),
    };
    let daemon = FakeDaemon::start(paths.socket(), "b", script).unwrap();
    let client = reconnecting(&paths);
    assert_eq!(client.call("x", b"", CallOptions::read()).await.unwrap(), b"done");
    assert_eq!(daemon.heard().hellos.len(), 2);
    daemon.stop().await;

    let daemon = FakeDaemon::start(paths.socket(), "b", |_| Reply::FallSilent).unwrap();
    let client = reconnecting(&paths);
    let error = client.call("x", b"", CallOptions::read()).await.unwrap_err();
    assert!(matches!(error, ClientError::Unanswered { .. }), "{error}");
    assert_eq!(daemon.heard().requests.len(), 2, "twice, and not for ever");
    let error = client.call("y", b"", CallOptions::mutation()).await.unwrap_err();
    assert!(matches!(error, ClientError::OutcomeUnknown { .. }), "{error}");
    assert!(error.to_string().contains("does not answer"), "{error}");
    assert_eq!(daemon.heard().requests.len(), 3);
}

#[tokio::test]
async fn nothing_is_sent_to_a_socket_in_a_folder_of_others() {
    let (_folder, paths) = folder();
    let daemon = FakeDaemon::start(paths.socket(), "b", |_| Reply::ok("")).unwrap();
    let runtime = paths.socket().parent().unwrap();
    let chmod = |mode| std::fs::set_permissions(runtime, std::fs::Permissions::from_mode(mode)).unwrap();
    chmod(0o777);
    let error = Client::connect(paths.socket(), hello()).await.unwrap_err();
    assert!(error.to_string().contains("can't be trusted"), "{error}");
    assert_eq!(answering_build(paths.socket()).await, None);
    let looked = probe_daemon(paths.socket(), Duration::from_secs(60)).await;
    assert!(matches!(looked, sdl_client::Probe::Unreachable(ClientError::Paths(_))), "{looked:?}");
    assert!(daemon.heard().hellos.is_empty());
    chmod(0o700);
    Client::connect(paths.socket(), hello()).await.unwrap();
    assert_eq!(daemon.heard().hellos.len(), 1);
}
