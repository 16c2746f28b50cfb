//! Starting daemons: exactly one, and the errors when there is none.
//!
//! This program is both sides. When the client library starts it, it is a daemon, whose behaviour a file in its state
//! folder describes; when `cargo test` starts it, it runs the tests.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may fail")]

#[cfg(unix)]
mod unix {
    use std::fs::{self, File, OpenOptions};
    use std::io::Write;
    use std::path::{Path, PathBuf};
    use std::sync::Arc;
    use std::time::Duration;

    use sdl_client::proto::{BUILD, ClientKind, SessionHello, code};
    use sdl_client::testing::{FakeDaemon, Reply};
    use sdl_client::{
        CallOptions, Event, Launch, Paths, Probe, ReconnectOptions, ReconnectingClient, ensure_daemon,
        probe_daemon, spawn,
    };
    use tokio::sync::Notify;

    const LONG: Duration = Duration::from_mins(1);

    pub(crate) fn main() {
        let runtime =
            || tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        if std::env::var_os(spawn::REPORT_VARIABLE).is_some() {
            return runtime().block_on(daemon());
        }
        let filter: Vec<String> =
            std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
        macro_rules! run {
            ($($test:ident)*) => {$(
                if filter.is_empty() || filter.iter().any(|wanted| stringify!($test).contains(&**wanted)) {
                    runtime().block_on($test());
                    println!("test {} ... ok", stringify!($test));
                }
            )*};
        }
        run! {
            one_daemon_for_many_clients_at_once
            a_failed_start_says_what_the_daemon_said
            a_daemon_that_dies_is_quoted
            a_missing_program_is_named
            an_older_daemon_is_replaced_and_a_newer_one_stays
            a_daemon_that_is_starting_is_waited_for
            a_daemon_that_listens_elsewhere_is_named
            a_killed_daemon_is_started_again_within_a_session
            the_daemon_is_detached
        }
    }

    /// The daemon's side: runs when the client library has started this program.
    async fn daemon() {
        let paths = Paths::from_env().unwrap();
        assert_eq!(std::env::current_dir().unwrap(), fs::canonicalize(paths.state()).unwrap());
        let mut starts =
            OpenOptions::new().create(true).append(true).open(paths.state().join("starts")).unwrap();
        writeln!(starts, "{}", std::process::id()).unwrap();
        let behaviour = fs::read_to_string(paths.state().join("behaviour")).unwrap_or_default();
        match behaviour.as_str() {
            "fail" => {
                print!("{}", spawn::failed_line("ledger 7 is newer than this build:\nupdate sdld"));
                return;
            }
            "die" => {
                eprintln!("thread 'main' panicked: out of cheese");
                return;
            }
            _ => {}
        }
        let lock = File::create(paths.instance_lock()).unwrap();
        lock.lock().unwrap();
        let stop = Arc::new(Notify::new());
        let stopping = Arc::clone(&stop);
        let _daemon =
            FakeDaemon::start(paths.socket(), BUILD, move |request| match request.method.as_str() {
                "daemon/stop" => {
                    stopping.notify_one();
                    Reply::ok("")
                }
                "pid" => Reply::ok(std::process::id().to_string()),
                _ => Reply::ok(request.params.clone()),
            })
            .unwrap();
        print!("{}", spawn::ready_line());
        std::io::stdout().flush().unwrap();
        // A test that fails must not leave its daemon running for ever.
        let _ = tokio::time::timeout(LONG, stop.notified()).await;
    }

    fn own_program() -> Launch {
        Launch::Program(std::env::current_exe().unwrap())
    }

    fn folder(behaviour: &str) -> (tempfile::TempDir, Paths) {
        let folder = tempfile::tempdir().unwrap();
        let paths = Paths::new(folder.path().join("state"), None);
        paths.create().unwrap();
        fs::write(paths.state().join("behaviour"), behaviour).unwrap();
        (folder, paths)
    }

    fn client(paths: &Paths) -> ReconnectingClient {
        let hello = SessionHello {
            kind: ClientKind::Other,
            name: "test".into(),
            cwd: None,
            repo: None,
            surface: String::new(),
            output_schemas: false,
            token: None,
            pid: std::process::id(),
        };
        ReconnectingClient::new(ReconnectOptions { paths: paths.clone(), hello, launch: own_program() })
    }

    fn starts(paths: &Paths) -> Vec<String> {
        let text = fs::read_to_string(paths.state().join("starts")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    async fn stop(client: &ReconnectingClient) {
        let _ = client.call("daemon/stop", b"", CallOptions::mutation().deadline(LONG)).await;
    }

    async fn one_daemon_for_many_clients_at_once() {
        let (_folder, paths) = folder("");
        let clients: Vec<_> = (0..20).map(|_| client(&paths)).collect();
        let calls: Vec<_> = clients
            .iter()
            .cloned()
            .map(|client| {
                tokio::spawn(async move { client.call("pid", b"", CallOptions::read()).await.unwrap() })
            })
            .collect();
        let mut pids = Vec::new();
        for call in calls {
            pids.push(String::from_utf8(call.await.unwrap()).unwrap());
        }
        pids.dedup();
        assert_eq!(pids, starts(&paths), "all talk to the one daemon that was started");
        stop(&clients[0]).await;
    }

    async fn a_failed_start_says_what_the_daemon_said() {
        let (_folder, paths) = folder("fail");
        let error = ensure_daemon(&paths, &own_program()).await.unwrap_err();
        assert_eq!(
            error.to_string(),
            "the daemon could not start: ledger 7 is newer than this build:\nupdate sdld"
        );
        // A burst of calls does not start it again and again.
        let client = client(&paths);
        for _ in 0..5 {
            let error = client.call("x", b"", CallOptions::read()).await.unwrap_err();
            assert_eq!(error.into_wire().code, code::UNREACHABLE);
        }
        assert_eq!(starts(&paths).len(), 2);
    }

    async fn a_daemon_that_dies_is_quoted() {
        let (_folder, paths) = folder("die");
        let error = ensure_daemon(&paths, &own_program()).await.unwrap_err().to_string();
        assert!(error.contains("out of cheese"), "{error}");
    }

    async fn a_missing_program_is_named() {
        let (_folder, paths) = folder("");
        let launch = Launch::Program(PathBuf::from("/nowhere/sdld"));
        let error = ensure_daemon(&paths, &launch).await.unwrap_err().to_string();
        assert!(error.contains("/nowhere/sdld"), "{error}");
        let error = ensure_daemon(&paths, &Launch::Never).await.unwrap_err().to_string();
        assert!(error.contains("sdlctl start"), "{error}");
    }

    /// As when a service manager has started it, and it brings its ledgers up to date before it listens.
    async fn a_daemon_that_is_starting_is_waited_for() {
        let (_folder, paths) = folder("");
        let held = File::create(paths.instance_lock()).unwrap();
        held.lock().unwrap();
        let starting = async {
            // The client has looked once, and nobody listened.
            while !paths.start_lock().exists() {
                tokio::task::yield_now().await;
            }
            FakeDaemon::start(paths.socket(), BUILD, |_| Reply::ok("")).unwrap()
        };
        let launch = own_program();
        let (ensured, daemon) = tokio::join!(ensure_daemon(&paths, &launch), starting);
        ensured.unwrap();
        assert_eq!(starts(&paths), Vec::<String>::new(), "no other was started");
        daemon.stop().await;
        // One that is ending is waited for, too.
        let ensured = async {
            ensure_daemon(&paths, &launch).await.unwrap();
            assert_eq!(starts(&paths).len(), 1);
        };
        let ending = async { drop(held) };
        tokio::join!(ensured, ending);
        stop(&client(&paths)).await;
    }

    /// As when `XDG_RUNTIME_DIR` differs between a session and a service.
    async fn a_daemon_that_listens_elsewhere_is_named() {
        let (_folder, paths) = folder("");
        let mut held = File::create(paths.instance_lock()).unwrap();
        held.lock().unwrap();
        writeln!(held, "4321").unwrap();
        tokio::time::pause();
        let error = ensure_daemon(&paths, &own_program()).await.unwrap_err().to_string();
        tokio::time::resume();
        let is_named = error.contains("another daemon (process 4321) has the state folder");
        assert!(is_named && error.contains(&paths.socket().display().to_string()), "{error}");
        assert_eq!(starts(&paths), Vec::<String>::new());
    }

    async fn an_older_daemon_is_replaced_and_a_newer_one_stays() {
        let (_folder, paths) = folder("");
        let asked = Arc::new(Notify::new());
        let stopped = Arc::clone(&asked);
        let old = FakeDaemon::start(paths.socket(), "0.0.1+old", move |request| {
            assert_eq!(request.method, "daemon/stop");
            stopped.notify_one();
            Reply::ok("")
        })
        .unwrap();
        let seen = probe_daemon(paths.socket(), LONG).await;
        assert!(
            matches!(&seen, Probe::NeedsRestart { build, speaks: true } if build == "0.0.1+old"),
            "{seen:?}"
        );
        let ends = tokio::spawn(async move {
            asked.notified().await;
            old.stop().await;
        });
        let client = client(&paths);
        let pid = client.call("pid", b"", CallOptions::read()).await.unwrap();
        assert_eq!(vec![String::from_utf8(pid).unwrap()], starts(&paths));
        ends.await.unwrap();
        stop(&client).await;

        let (_folder, paths) = folder("");
        let _newer = FakeDaemon::start(paths.socket(), "99.0.0", |_| Reply::ok("newer")).unwrap();
        let client = self::client(&paths);
        assert_eq!(client.call("x", b"", CallOptions::read()).await.unwrap(), b"newer");
        assert_eq!(starts(&paths), Vec::<String>::new());
    }

    async fn a_killed_daemon_is_started_again_within_a_session() {
        let (_folder, paths) = folder("");
        let client = client(&paths);
        let mut events = client.events();
        client.call("x", b"", CallOptions::read()).await.unwrap();
        assert!(matches!(events.recv().await, Ok(Event::Connected { .. })));
        let pid = starts(&paths)[0].parse().unwrap();
        let pid = rustix::process::Pid::from_raw(pid).unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
        assert_eq!(events.recv().await, Ok(Event::Disconnected));
        assert!(paths.socket().exists(), "a killed daemon leaves its socket behind");
        assert_eq!(client.call("x", b"2", CallOptions::mutation()).await.unwrap(), b"2");
        assert_eq!(starts(&paths).len(), 2);
        // The dead daemon is waited for, at the latest when the next call is made.
        while zombie(pid.as_raw_nonzero().get()) {
            client.call("x", b"", CallOptions::read()).await.unwrap();
        }
        stop(&client).await;
    }

    fn zombie(pid: i32) -> bool {
        fs::read_to_string(Path::new("/proc").join(pid.to_string()).join("stat"))
            .is_ok_and(|stat| stat.contains(") Z"))
    }

    async fn the_daemon_is_detached() {
        let (_folder, paths) = folder("");
        let client = client(&paths);
        client.call("x", b"", CallOptions::read()).await.unwrap();
        let pid = rustix::process::Pid::from_raw(starts(&paths)[0].parse().unwrap());
        assert_eq!(rustix::process::getsid(pid).ok(), pid, "it leads a session of its own");
        stop(&client).await;
    }
}

fn main() {
    #[cfg(unix)]
    unix::main();
}
