//! A machine of its own for one test: home, state and runtime folders, a cleared environment, and processes that end
//! with it.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use tempfile::TempDir;

use crate::{HttpServer, McpClient, Program, fixture, http};

/// Where daemons of a test write their standard error.
const STDERR: &str = "sdld.stderr";

/// Where the HTTP server's tokens are.
const TOKENS: &str = "http-tokens";

/// The folders and the environment of one test.
pub struct TestEnv {
    // Dropped last: the processes that use it are held by `Daemon` and `McpClient`, which borrow nothing but end with
    // the test.
    root: TempDir,
    variables: Vec<(OsString, OsString)>,
}

impl Default for TestEnv {
    fn default() -> Self {
        Self::new()
    }
}

impl TestEnv {
    /// New and empty.
    ///
    /// # Panics
    /// If the temporary folder can't be made.
    pub fn new() -> Self {
        // The name is short: a socket's path has room for about a hundred bytes.
        let root = tempfile::Builder::new().prefix("sdl").tempdir().expect("a temporary folder");
        let env = Self { root, variables: Vec::new() };
        for dir in [env.home(), env.state_dir(), env.runtime_dir(), env.path("repos")] {
            std::fs::create_dir_all(&dir).expect("a folder for the test");
            #[cfg(unix)]
            {
                use std::os::unix::fs::PermissionsExt;
                let private = std::fs::Permissions::from_mode(0o700);
                std::fs::set_permissions(&dir, private).expect("a private folder");
            }
        }
        env
    }

    /// A variable for every process started from here on.
    #[must_use]
    pub fn with_var(mut self, name: &str, value: &str) -> Self {
        self.set_var(name, value);
        self
    }

    /// A variable for every process started from here on.
    pub fn set_var(&mut self, name: &str, value: &str) {
        self.variables.push((name.into(), value.into()));
    }

    /// A path inside the test's own folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    /// The home folder.
    pub fn home(&self) -> PathBuf {
        self.path("home")
    }

    /// The folder for the daemon's lasting data.
    pub fn state_dir(&self) -> PathBuf {
        self.path("state")
    }

    /// Where the daemon's socket is.
    pub fn runtime_dir(&self) -> PathBuf {
        self.path("run")
    }

    /// Makes a source tree from a fixture (see [`fixture`]) and gives its root.
    ///
    /// # Panics
    /// If it can't be written.
    pub fn repo(&self, name: &str, files: &str) -> PathBuf {
        let root = self.path("repos").join(name);
        std::fs::create_dir_all(&root).expect("a folder for a source tree");
        fixture::write_fixture(&root, files).expect("a source tree");
        root
    }

    /// A program of ours with this environment, and with those of the caller's variables that every process needs.
    pub fn command(&self, program: Program) -> Command {
        let mut command = Command::new(program.path());
        command.env_clear().current_dir(self.home());
        // The loader, the system's temporary folder and, on Windows, the system itself.
        for kept in ["PATH", "LD_LIBRARY_PATH", "SYSTEMROOT", "SYSTEMDRIVE", "TMPDIR", "TEMP", "TMP"] {
            if let Some(value) = std::env::var_os(kept) {
                command.env(kept, value);
            }
        }
        command
            .env("HOME", self.home())
            .env("USERPROFILE", self.home())
            .env("LC_ALL", "C.UTF-8")
            .env("TZ", "UTC")
            .env("RUST_BACKTRACE", "1")
            .env("SDL_STATE_DIR", self.state_dir())
            .env("SDL_RUNTIME_DIR", self.runtime_dir())
            // Tests that let a shim or `sdlctl` start the daemon start this one.
            .env("SDL_DAEMON", Program::Daemon.path())
            .envs(self.variables.iter().cloned());
        command
    }

    /// Runs `sdlctl` to its end.
    ///
    /// # Panics
    /// If it can't be started.
    pub fn ctl(&self, args: &[&str]) -> Output {
        let output = self.command(Program::Ctl).args(args).stdin(Stdio::null()).output();
        output.unwrap_or_else(|error| panic!("sdlctl {args:?}: {error}"))
    }

    /// Runs `sdlctl`, which has to succeed, and returns its output.
    ///
    /// # Panics
    /// If it fails.
    #[track_caller]
    pub fn ctl_ok(&self, args: &[&str]) -> String {
        let output = self.ctl(args);
        assert!(
            output.status.success(),
            "sdlctl {args:?}: {}\n{}\n{}",
            output.status,
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Starts the daemon and waits until it is ready to be called.
    ///
    /// # Panics
    /// If it can't be started, exits, or is not ready in a minute.
    pub fn daemon(&self) -> Daemon {
        self.daemon_with(&[])
    }

    /// Starts the daemon with arguments; see [`Self::daemon`].
    ///
    /// # Panics
    /// As [`Self::daemon`].
    #[track_caller]
    pub fn daemon_with(&self, args: &[&str]) -> Daemon {
        let mut command = self.command(Program::Daemon);
        command.args(args).stdin(Stdio::null());
        Daemon::spawn(&mut command, &self.path(STDERR), Duration::from_mins(1))
            .unwrap_or_else(|error| panic!("starting sdld: {error}\n{}", self.daemon_log()))
    }

    /// Starts a shim in `cwd`, as a client would, and makes the handshake.
    ///
    /// # Panics
    /// If it can't be started or refuses.
    #[track_caller]
    pub fn mcp(&self, cwd: &Path, args: &[&str]) -> McpClient {
        let mut client = self.shim(cwd, args);
        client.initialize().unwrap_or_else(|error| panic!("initialize: {error}"));
        client
    }

    /// Starts a shim in `cwd` and sends nothing.
    ///
    /// # Panics
    /// If it can't be started.
    #[track_caller]
    pub fn shim(&self, cwd: &Path, args: &[&str]) -> McpClient {
        let mut command = self.command(Program::Shim);
        command.current_dir(cwd).args(args).stderr(Stdio::inherit());
        McpClient::spawn(&mut command).unwrap_or_else(|error| panic!("starting sdl-mcp: {error}"))
    }

    /// Starts the HTTP server with these tokens, each a name and its scopes.
    ///
    /// # Panics
    /// If it can't be started.
    #[track_caller]
    pub fn http(&self, tokens: &[(&str, &[&str])], args: &[&str]) -> HttpServer {
        self.write_tokens(tokens);
        let mut command = self.command(Program::Http);
        command.env("SDL_HTTP_TOKENS", self.path(TOKENS)).args(["--listen", "127.0.0.1:0"]).args(args);
        HttpServer::spawn(&mut command).unwrap_or_else(|error| panic!("starting sdl-http: {error}"))
    }

    /// Changes the tokens of the running HTTP server.
    ///
    /// # Panics
    /// If they can't be written.
    pub fn write_tokens(&self, tokens: &[(&str, &[&str])]) {
        http::write_tokens(&self.path(TOKENS), tokens).expect("a file of tokens");
    }

    /// The text that daemons of this test wrote to their logs, for messages.
    pub fn daemon_log(&self) -> String {
        let mut text = std::fs::read_to_string(self.path(STDERR)).unwrap_or_default();
        for dir in [self.state_dir(), self.state_dir().join("log")] {
            for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
                if entry.file_name().to_string_lossy().contains(".log") {
                    text.push_str(&std::fs::read_to_string(entry.path()).unwrap_or_default());
                }
            }
        }
        text
    }
}

impl Drop for TestEnv {
    /// A shim or `sdlctl` may have started a daemon unnoticed by the test: end it.
    fn drop(&mut self) {
        let stop = self.command(Program::Ctl).arg("stop").stdin(Stdio::null()).output();
        drop(stop);
        if thread::panicking() {
            eprintln!("--- the daemon's log ---\n{}", self.daemon_log());
        }
    }
}

/// A running daemon; killed when dropped.
pub struct Daemon {
    child: Child,
}

impl Daemon {
    /// Starts the daemon as a client does: it says on its standard output that it is ready, or why not.
    fn spawn(command: &mut Command, stderr: &Path, patience: Duration) -> io::Result<Self> {
        let stderr = File::options().create(true).append(true).open(stderr)?;
        let mut child = command.env("SDL_REPORT_START", "1").stdout(Stdio::piped()).stderr(stderr).spawn()?;
        let stdout = child.stdout.take().ok_or_else(|| io::Error::other("the daemon has no output"))?;
        // From here on dropping it ends it.
        let daemon = Self { child };
        let (report, said) = channel();
        thread::spawn(move || {
            let mut line = String::new();
            let read = BufReader::new(stdout).read_line(&mut line);
            let _ = report.send(read.map(|_| line));
        });
        match said.recv_timeout(patience) {
            Ok(Ok(line)) if line.trim() == "sdl-ready" => Ok(daemon),
            Ok(Ok(line)) => Err(io::Error::other(format!("it said {:?}", line.trim()))),
            Ok(Err(error)) => Err(error),
            Err(_) => Err(io::Error::new(io::ErrorKind::TimedOut, format!("not ready after {patience:?}"))),
        }
    }

    /// Its process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Kills it as the kernel would, without a chance to tidy up.
    ///
    /// # Panics
    /// If it can't be killed.
    pub fn kill(&mut self) {
        self.child.kill().expect("killing the daemon");
        self.child.wait().expect("waiting for the daemon");
    }

    /// Waits for it to exit by itself.
    ///
    /// # Panics
    /// If it can't be waited for.
    pub fn wait(&mut self) -> ExitStatus {
        self.child.wait().expect("waiting for the daemon")
    }

    /// Whether it still runs.
    pub fn is_running(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
