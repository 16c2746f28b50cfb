//! Ends and new beginnings.

use sdl_client::{CallOptions, ClientError, Event, Launch, ReconnectOptions, ReconnectingClient};

use super::*;

fn reconnecting_client(paths: &Paths) -> ReconnectingClient {
    ReconnectingClient::new(ReconnectOptions {
        paths: paths.clone(),
        hello: test_hello("test"),
        launch: Launch::Never,
    })
}

fn temp_paths() -> (tempfile::TempDir, Paths) {
    let folder = tempfile::tempdir().unwrap();
    let paths = Paths::new(folder.path().join("state"), None);
    (folder, paths)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_drain_lets_running_requests_finish_and_begins_none() {
    let fixture = Fixture::start(test_options()).await;
    let client = fixture.client().await;
    let running = client.start("wait", vec![1], CallOptions::mutation()).await.unwrap();
    fixture.service.begun(1).await;
    fixture.handle.shutdown();
    let error = loop {
        // The drain begins a moment after it was asked for.
        match client.call("echo", vec![], CallOptions::read()).await {
            Ok(_) => tokio::task::yield_now().await,
            Err(error) => break error,
        }
    };
    assert!(error.is_untouched(), "{error}");
    fixture.service.gate.add_permits(1);
    assert_eq!(running.finish().await.unwrap(), [1]);
    fixture.stop().await;
    let error = client.call("echo", vec![], CallOptions::read()).await.unwrap_err();
    assert!(matches!(&error, ClientError::Closed { sent: false, .. }), "{error}");
    assert!(error.to_string().contains("stopping"), "{error}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_drain_finishes_an_answer_that_is_half_written() {
    let fixture = Fixture::start(test_options()).await;
    let client = fixture.client().await;
    let large = client.start("bytes", "8000000", CallOptions::mutation()).await.unwrap();
    let small = client.start("wait", vec![1], CallOptions::mutation()).await.unwrap();
    fixture.service.begun(1).await;
    fixture.handle.shutdown();
    fixture.service.gate.add_permits(1);
    assert_eq!(large.finish().await.unwrap().len(), 8_000_000);
    assert_eq!(small.finish().await.unwrap(), [1]);
    fixture.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_drain_does_not_wait_for_ever() {
    let fixture = Fixture::start(Options { drain: Duration::from_millis(50), ..test_options() }).await;
    let client = fixture.client().await;
    let stuck = client.start("wait", vec![1], CallOptions::mutation()).await.unwrap();
    fixture.service.begun(1).await;
    let service = fixture.stop().await;
    assert_eq!(service.cancelled.load(Ordering::SeqCst), 1);
    assert!(stuck.finish().await.is_err());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reads_survive_a_restart_and_mutations_are_not_repeated() {
    let (_folder, paths) = temp_paths();
    let first = Fixture::start_in(paths.clone(), Options { drain: Duration::ZERO, ..test_options() }).await;
    let client = reconnecting_client(&paths);
    let mut events = client.events();
    client.call("echo", b"a", CallOptions::read()).await.unwrap();
    let Event::Connected { instance: before, .. } = events.recv().await.unwrap() else { panic!() };

    let under_way = |options: CallOptions| {
        let client = client.clone();
        tokio::spawn(async move { client.call("wait", b"x", options.deadline(LONG)).await })
    };
    let read = under_way(CallOptions::read());
    let mutation = under_way(CallOptions::mutation());
    first.service.begun(2).await;
    first.stop().await;
    let second = Fixture::start_in(paths.clone(), test_options()).await;
    second.service.gate.add_permits(10);

    assert_eq!(read.await.unwrap().unwrap(), b"x");
    let error = mutation.await.unwrap().unwrap_err();
    assert!(matches!(&error, ClientError::OutcomeUnknown { method, .. } if method == "wait"), "{error}");
    assert_eq!(error.into_wire().code, code::OUTCOME_UNKNOWN);
    second.service.begun(1).await;
    assert_eq!(second.service.begun.available_permits(), 0, "only the read was repeated");

    assert_eq!(events.recv().await.unwrap(), Event::Disconnected);
    let Event::Connected { instance: after, .. } = events.recv().await.unwrap() else { panic!() };
    assert_ne!(before, after);
    second.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_mutation_that_was_never_sent_goes_to_the_next_daemon() {
    let (_folder, paths) = temp_paths();
    let first = Fixture::start_in(paths.clone(), test_options()).await;
    let client = reconnecting_client(&paths);
    client.call("echo", b"a", CallOptions::read()).await.unwrap();
    first.stop().await;
    let second = Fixture::start_in(paths.clone(), test_options()).await;
    assert_eq!(client.call("echo", b"b", CallOptions::mutation()).await.unwrap(), b"b");
    second.stop().await;
    let error = client.call("echo", b"c", CallOptions::mutation()).await.unwrap_err();
    assert!(error.is_untouched(), "{error}");
    assert_eq!(error.into_wire().code, code::UNREACHABLE);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_socket_left_behind_is_taken_over_and_a_live_one_is_not() {
    let (_folder, paths) = temp_paths();
    paths.create().unwrap();
    drop(std::os::unix::net::UnixListener::bind(paths.socket()).unwrap());
    assert!(paths.socket().exists());
    let fixture = Fixture::start_in(paths.clone(), test_options()).await;
    fixture.client().await.call("echo", vec![], CallOptions::read()).await.unwrap();

    // A daemon with another state folder but the same socket.
    let other = tempfile::tempdir().unwrap();
    let thief = Paths::new(other.path().join("state"), Some(paths.runtime().to_owned()));
    let instance = Instance::acquire(&thief, Duration::ZERO).unwrap();
    let Err(error) = Listener::bind(thief.socket(), &instance).await else { panic!("stole a live socket") };
    assert!(matches!(error, BindError::Taken { .. }), "{error}");
    fixture.client().await.call("echo", vec![], CallOptions::read()).await.unwrap();
    fixture.stop().await;

    // A file that is no socket at all is kept.
    std::fs::write(paths.socket(), "precious").unwrap();
    let instance = Instance::acquire(&paths, LONG).unwrap();
    assert!(Listener::bind(paths.socket(), &instance).await.is_err());
    assert_eq!(std::fs::read_to_string(paths.socket()).unwrap(), "precious");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_path_that_is_too_long_for_a_socket_works_all_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let short = folder.path().join("s");
    std::fs::create_dir(&short).unwrap();
    let paths = Paths::with_short_folder(folder.path().join("long".repeat(30)).join("state"), None, &short);
    let fixture = Fixture::start_in(paths.clone(), test_options()).await;
    fixture.client().await.call("echo", vec![], CallOptions::read()).await.unwrap();
    fixture.stop().await;
    assert!(paths.socket().starts_with(&short), "{}", paths.socket().display());
}

/// Names the variable that tells the next test that it is the daemon.
const CHILD: &str = "SDL_TEST_INHERITS_A_SOCKET";

/// The daemon of the test below: serves what it inherits until its first client has left.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn child_of_a_service_manager() {
    if std::env::var_os(CHILD).is_none() {
        return;
    }
    let service = Echo::new();
    let handle = make_server(Arc::clone(&service), test_options());
    let listeners = Listener::inherited().unwrap();
    assert_eq!(listeners.len(), 1);
    let serving = tokio::spawn(serve_listeners(handle.clone(), listeners));
    while service.closed.load(Ordering::SeqCst) == 0 {
        tokio::task::yield_now().await;
    }
    handle.shutdown();
    serving.await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_inherited_socket_is_served_and_left_in_its_place() {
    let (_folder, paths) = temp_paths();
    paths.create().unwrap();
    let listener = std::os::unix::net::UnixListener::bind(paths.socket()).unwrap();
    let mut daemon = std::process::Command::new("sh")
        .args([
            "-c",
            "exec 3<&0 </dev/null; LISTEN_PID=$$ LISTEN_FDS=1 exec \"$0\" --exact --nocapture \"$1\"",
        ])
        .arg(std::env::current_exe().unwrap())
        .arg(concat!(module_path!(), "::child_of_a_service_manager").split_once("::").unwrap().1)
        .env(CHILD, "1")
        .stdin(std::os::fd::OwnedFd::from(listener.try_clone().unwrap()))
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let client = sdl_client::Client::connect(paths.socket(), test_hello("test")).await.unwrap();
    assert_ne!(client.welcome().pid, std::process::id());
    assert_eq!(client.call("echo", vec![1], CallOptions::read()).await.unwrap(), [1]);
    drop(client);
    let status = tokio::task::spawn_blocking(move || daemon.wait().unwrap()).await.unwrap();
    assert!(status.success());
    assert!(paths.socket().exists(), "it is the service manager's");
}
