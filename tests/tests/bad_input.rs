//! Bad input and broken parts get a clear answer, nothing is lost, and the daemon lives on.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "the helpers of a test fail it")]

use std::fs::{self, File};
use std::path::Path;

use sdl_tests::{McpClient, TestEnv};
use serde_json::{Value, json};

fn indexed(env: &TestEnv, root: &Path) -> McpClient {
    let mut client = env.mcp(root, &["--surface", "flat"]);
    client.call("sdl_repo_register", json!({"rootPath": root})).unwrap().ok();
    client.call("sdl_index_refresh", json!({"mode": "incremental"})).unwrap().ok();
    client
}

#[track_caller]
fn refused(client: &mut McpClient, tool: &str, arguments: Value, code: &str, says: &str) {
    let error = client.call(tool, arguments).unwrap().err();
    assert_eq!(error["code"], code, "{error}");
    let message = error["message"].as_str().unwrap_or_default();
    assert!(message.contains(says), "{message:?} does not say {says:?}");
}

#[test]
fn wrong_arguments_are_named() {
    let env = TestEnv::new();
    let root = env.repo("app", "//- /a.py\ndef alpha():\n    return 1\n");
    let client = &mut indexed(&env, &root);
    refused(client, "sdl_symbol_search", json!({"query": "a", "limt": 3}), "unknownField", "limit");
    refused(client, "sdl_symbol_search", json!({"query": 3}), "wrongType", "query");
    refused(client, "sdl_symbol_search", json!({}), "missingField", "query");
    refused(
        client,
        "sdl_symbol_getCard",
        json!({"symbolId": "s_0000000000000"}),
        "unknownSymbol",
        "s_0000000000000",
    );
    refused(
        client,
        "sdl_slice_refresh",
        json!({"sliceHandle": "h_nothing", "knownVersion": "v1"}),
        "unknownHandle",
        "",
    );
    refused(
        client,
        "sdl_symbol_search",
        json!({"query": "a", "repoId": "nowhere"}),
        "unknownRepo",
        "nowhere",
    );
    // Clients stringify nested arguments; snake_case is understood.
    let slice = json!({"repo_id": "app", "task_text": "alpha", "budget": "{\"maxCards\": 3}"});
    client.call("sdl_slice_build", slice).unwrap().ok();
}

#[test]
fn trees_that_may_not_be_registered_are_refused() {
    let env = TestEnv::new();
    let root = env.repo("app", "//- /a.py\nx = 1\n//- /inner/b.py\ny = 1\n");
    let mut client = indexed(&env, &root);
    let home = env.home();
    for bad in [home.as_path(), Path::new("/"), &root.join("inner"), &root.join("missing")] {
        refused(&mut client, "sdl_repo_register", json!({"rootPath": bad}), "refusedRoot", "");
    }
    client.call("sdl_repo_status", json!({})).unwrap().ok();
}

#[cfg(unix)]
#[test]
fn strange_files_are_listed_and_harm_nothing() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::{PermissionsExt, symlink};

    let env = TestEnv::new();
    let root = env.repo("app", "//- /good.py\ndef good():\n    return 1\n");
    symlink(&root, root.join("loop")).unwrap();
    symlink("/etc/passwd", root.join("outside.py")).unwrap();
    File::create(root.join("huge.py")).unwrap().set_len(200 << 20).unwrap();
    fs::write(root.join("brackets.py"), "[".repeat(100_000)).unwrap();
    // One line like that is taken for minified; these reach the parser.
    fs::write(root.join("deep.py"), "[\n".repeat(100_000)).unwrap();
    fs::write(root.join("deep.ts"), "const x = (\n".repeat(100_000)).unwrap();
    fs::write(root.join("deep.rs"), "fn f() {\n".repeat(100_000)).unwrap();
    fs::write(root.join("locked.py"), "x = 1\n").unwrap();
    fs::set_permissions(root.join("locked.py"), fs::Permissions::from_mode(0o000)).unwrap();
    // Permissions do not hold for everybody.
    let locked = fs::read(root.join("locked.py")).is_err();
    fs::write(root.join("latin1.py"), b"def caf\xe9():\n    return '\xff'\n").unwrap();
    fs::write(root.join("binary.py"), [0_u8; 512]).unwrap();
    fs::write(root.join(OsStr::from_bytes(b"bad\xffname.py")), "x = 1\n").unwrap();
    fs::write(root.join("empty.py"), "").unwrap();

    let mut client = indexed(&env, &root);
    let status = client.call("sdl_repo_status", json!({"sync": "require"})).unwrap().ok();
    let skipped = &status["skipped"];
    for reason in ["tooLarge", "binary", "symlink", "nonUtf8Name"] {
        assert_eq!(skipped[reason], 1, "{reason}: {status}");
    }
    assert_eq!(skipped["unreadable"], if locked { json!(1) } else { Value::Null }, "{status}");
    let found = client
        .call("sdl_symbol_search", json!({"query": "good", "exact": true, "kinds": ["function"]}))
        .unwrap()
        .ok();
    assert_eq!(found["total"], 1, "{found}");
    env.ctl_ok(&["verify"]);
    env.ctl_ok(&["ledger", "check"]);
}

#[test]
fn a_second_daemon_on_the_same_state_is_turned_away() {
    let env = TestEnv::new();
    let root = env.repo("app", "//- /a.py\nx = 1\n");
    let mut client = indexed(&env, &root);
    let mut second = env.command(sdl_tests::Program::Daemon);
    second.args(["--foreground", "--patience", "0"]);
    let output = second.output().unwrap();
    assert!(!output.status.success());
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("another daemon"), "{said}");
    client.call("sdl_repo_status", json!({"sync": "require"})).unwrap().ok();
}

#[cfg(unix)]
#[test]
fn hostile_frames_end_their_own_connection_only() {
    use std::io::{Read, Write};
    use std::net::Shutdown;
    use std::os::unix::net::UnixStream;
    use std::time::Duration;

    let env = TestEnv::new();
    let root = env.repo("app", "//- /a.py\nx = 1\n");
    let mut daemon = env.daemon();
    let mut client = indexed(&env, &root);
    let socket = env.runtime_dir().join("sdl-v1.sock");
    let connect = || {
        let stream = UnixStream::connect(&socket).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        stream
    };
    // Client and daemon begin alike, so the first bytes of a valid client also work as those of a daemon.
    let mut greeting = vec![0; 4096];
    let length = connect().read(&mut greeting).unwrap();
    greeting.truncate(length);
    assert!(greeting.starts_with(b"SDLIPC\r\n"), "{greeting:?}");
    let with = |tail: &[u8]| [&greeting[..], tail].concat();
    let hostile = [
        ("nothing", Vec::new()),
        ("another protocol", b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".to_vec()),
        ("half a greeting", greeting[..length / 2].to_vec()),
        ("a huge length", with(&[0xff; 16])),
        ("a truncated frame", with(&[0, 0, 1, 0, 7])),
        ("zeros", with(&[0; 4096])),
    ];
    for (what, bytes) in hostile {
        let mut stream = connect();
        // The daemon may have hung up before all is written.
        let _ = stream.write_all(&bytes).and_then(|()| stream.shutdown(Shutdown::Write));
        let mut answer = Vec::new();
        match stream.read_to_end(&mut answer) {
            Ok(_) => assert!(answer.len() < 4096, "{what}: {} bytes", answer.len()),
            Err(error) => assert_eq!(error.kind(), std::io::ErrorKind::ConnectionReset, "{what}: not ended"),
        }
        assert!(daemon.is_running(), "{what}");
        client.call("sdl_repo_status", json!({"sync": "require"})).unwrap().ok();
    }
}

#[test]
fn handles_and_versions_that_no_ledger_gave_are_told_apart() {
    let env = TestEnv::new();
    let root = env.repo("app", "//- /a.py\ndef alpha():\n    return 1\n");
    let client = &mut indexed(&env, &root);
    let slice = client.call("sdl_slice_build", json!({"taskText": "alpha"})).unwrap().ok();
    let mut refresh = |handle: &Value, version: &str| {
        client.call("sdl_slice_refresh", json!({"sliceHandle": handle, "knownVersion": version})).unwrap()
    };
    for handle in ["h_", "h_000000000000000", "sp_00000000000000", "nonsense"] {
        assert_eq!(refresh(&json!(handle), "v1").err()["code"], "unknownHandle", "{handle}");
    }
    // Older or newer than anything known: the whole slice, never a wrong delta.
    for version in ["v1", "v99999999999999"] {
        assert_eq!(refresh(&slice["sliceHandle"], version).ok()["freshInstance"], true, "{version}");
    }
    let error = refresh(&slice["sliceHandle"], "yesterday").err();
    assert!(error["message"].as_str().unwrap_or_default().contains("yesterday"), "{error}");
}
