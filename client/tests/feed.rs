//! Following a daemon, and the next one after a restart.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail")]
#![cfg(unix)]

use std::time::Duration;

use sdl_client::proto::{BUILD, ClientKind, Request, SessionHello, code};
use sdl_client::testing::{FakeDaemon, Reply};
use sdl_client::{Feed, News, Paths};

/// Long enough to never pass on a machine that works at all.
const LONG: Duration = Duration::from_mins(1);

fn hello() -> SessionHello {
    SessionHello {
        kind: ClientKind::Ctl,
        name: "test".to_owned(),
        cwd: None,
        repo: None,
        surface: String::new(),
        output_schemas: false,
        token: None,
        pid: std::process::id(),
    }
}

fn followed(request: &Request) -> Reply {
    assert_eq!(request.method, "feed/follow");
    Reply::ok(request.params.clone())
}

async fn next(feed: &mut Feed) -> News {
    tokio::time::timeout(LONG, feed.next()).await.unwrap().unwrap()
}

#[tokio::test]
async fn a_follower_goes_on_with_the_next_daemon() {
    let folder = tempfile::tempdir().unwrap();
    let paths = Paths::new(folder.path().join("state"), None);
    paths.create().unwrap();
    let mut feed = Feed::new(paths.socket(), hello(), "{\"calls\":true}");
    assert!(matches!(next(&mut feed).await, News::Away(_)), "no daemon yet");

    let daemon = FakeDaemon::start(paths.socket(), BUILD, followed).unwrap();
    assert_eq!(next(&mut feed).await, News::Began(b"{\"calls\":true}".to_vec()));
    daemon.notify("surface/changed", b"{}");
    daemon.notify("feed/version", b"1");
    daemon.notify("feed/call", b"2");
    for (kind, details) in [("feed/version", b"1"), ("feed/call", b"2")] {
        let event = News::Event { method: kind.to_owned(), params: details[..].into() };
        assert_eq!(next(&mut feed).await, event);
    }
    daemon.stop().await;
    assert!(matches!(next(&mut feed).await, News::Away(_)), "once");
    let daemon = FakeDaemon::start(paths.socket(), BUILD, followed).unwrap();
    assert!(matches!(next(&mut feed).await, News::Began(_)));
    daemon.notify("feed/version", b"3");
    assert!(matches!(next(&mut feed).await, News::Event { .. }));
}

#[tokio::test]
async fn a_daemon_that_refuses_ends_it_and_one_that_stops_does_not() {
    let folder = tempfile::tempdir().unwrap();
    let paths = Paths::new(folder.path().join("state"), None);
    paths.create().unwrap();
    let daemon =
        FakeDaemon::start(paths.socket(), BUILD, |_| Reply::error(code::STOPPING, "stopping")).unwrap();
    let mut feed = Feed::new(paths.socket(), hello(), "{}");
    assert!(matches!(next(&mut feed).await, News::Away(_)));
    daemon.stop().await;
    let _daemon = FakeDaemon::start(paths.socket(), BUILD, |_| Reply::error(code::BUSY, "too many")).unwrap();
    let refused = tokio::time::timeout(LONG, feed.next()).await.unwrap().unwrap_err();
    assert_eq!(refused.code, code::BUSY);
}
