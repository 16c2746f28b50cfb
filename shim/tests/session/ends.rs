//! All the ways in which a session ends. None may leave a running process.

use std::os::unix::net::UnixStream;

use tokio::io::AsyncReadExt;

use super::*;

#[tokio::test]
async fn an_end_before_initialize_is_no_error() {
    let fixture = Fixture::without_daemon();
    assert!(fixture.client().end().await.success());
    let mut client = fixture.client();
    client.send("not json").await;
    assert!(client.end().await.success());
}

#[tokio::test]
async fn what_was_asked_before_the_end_is_answered() {
    let fixture = Fixture::with(|_| Reply::ok(r#"{"content":[]}"#));
    let mut client = fixture.client();
    client.initialize().await;
    client.send(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}}"#).await;
    drop(client.input.take());
    assert_eq!(client.receive().await["id"], 1);
    assert!(client.end().await.success());
}

#[tokio::test]
async fn it_ends_when_nobody_listens_any_more() {
    let fixture = Fixture::with(|_| Reply::ok(r#"{"tools":[]}"#));
    let mut client = fixture.client();
    client.initialize().await;
    let Client { mut child, input, output } = client;
    drop(output);
    let mut input = input.unwrap();
    let _ = input.write_all(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}\n").await;
    assert!(tokio::time::timeout(LONG, child.wait()).await.expect("it ends").unwrap().success());
}

#[tokio::test]
async fn it_ends_when_its_parent_is_gone_though_its_input_stays_open() {
    let fixture = Fixture::with(|_| Reply::ok("{}"));
    let (ours, theirs) = UnixStream::pair().unwrap();
    // A shell in between, which is then killed. Our end of the input stays open the whole time.
    let mut shell = Command::new("sh");
    shell
        .args(["-c", "exec 3<&0; \"$0\" <&3 & read line < \"$1\"; kill -9 $$"])
        .arg(env!("CARGO_BIN_EXE_sdl-mcp"))
        .arg(fixture.paths.state().join("go"))
        .env("SDL_STATE_DIR", fixture.paths.state())
        .stdin(std::os::fd::OwnedFd::from(theirs))
        .stdout(Stdio::piped());
    assert!(
        std::process::Command::new("mkfifo")
            .arg(fixture.paths.state().join("go"))
            .status()
            .unwrap()
            .success()
    );
    let mut shell = shell.spawn().unwrap();
    let mut output = shell.stdout.take().unwrap();
    ours.set_nonblocking(true).unwrap();
    let mut input = tokio::net::UnixStream::from_std(ours).unwrap();
    let ping = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n";
    input.write_all(ping).await.unwrap();
    let mut first = [0; 1];
    output.read_exact(&mut first).await.unwrap();
    std::fs::write(fixture.paths.state().join("go"), "go\n").unwrap();
    let mut rest = Vec::new();
    // The pipe ends once the shim, too, has closed it.
    tokio::time::timeout(LONG, output.read_to_end(&mut rest)).await.expect("the shim ends").unwrap();
    shell.wait().await.unwrap();
    drop(input);
}

#[tokio::test]
async fn socket_pairs_and_files_work_as_well_as_pipes() {
    let fixture = Fixture::with(|_| Reply::ok(r#"{"tools":[]}"#));
    let (ours, theirs) = UnixStream::pair().unwrap();
    let mut command = fixture.command();
    command
        .stdin(std::os::fd::OwnedFd::from(theirs.try_clone().unwrap()))
        .stdout(std::os::fd::OwnedFd::from(theirs));
    let mut child = command.spawn().unwrap();
    drop(command);
    ours.set_nonblocking(true).unwrap();
    let (read, mut write) = tokio::net::UnixStream::from_std(ours).unwrap().into_split();
    write.write_all(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n").await.unwrap();
    let mut lines = BufReader::new(read).lines();
    assert_eq!(lines.next_line().await.unwrap().unwrap(), r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
    write.shutdown().await.unwrap();
    assert!(tokio::time::timeout(LONG, child.wait()).await.expect("it ends").unwrap().success());

    let file = fixture.paths.state().join("input");
    std::fs::write(&file, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}\n").unwrap();
    let output = fixture.command().stdin(std::fs::File::open(&file).unwrap()).output().await.unwrap();
    assert!(output.status.success());
    assert_eq!(String::from_utf8_lossy(&output.stdout), "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\n");
}

#[tokio::test]
async fn a_wrong_flag_is_named_and_help_is_given() {
    let fixture = Fixture::without_daemon();
    let output = fixture.command().arg("--surfase").stderr(Stdio::piped()).output().await.unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("--surfase"));
    let output = fixture.command().arg("--help").output().await.unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).contains("--surface <NAME>"));
}
