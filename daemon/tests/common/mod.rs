//! A daemon without its socket, over trees in a folder of their own.
#![allow(dead_code, reason = "each test file uses a part of it")]

use std::fs::{self, File};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sdl_ledger::Options;
use sdl_tools::{Cancel, Host, NoProgress, Session, Tools};
use sdld::engine::Engine;
use serde_json::{Value, json};
use tempfile::TempDir;

/// An engine, its tools, and a client of it.
pub(crate) struct Daemon {
    // Closed before its folder goes.
    pub(crate) engine: Arc<Engine>,
    pub(crate) tools: Tools,
    pub(crate) session: Session,
    pub(crate) folder: TempDir,
}

impl Daemon {
    /// A daemon without repositories. The client's working directory is in none of them.
    pub(crate) fn new() -> Self {
        Self::with_options(Options::default())
    }

    /// The same with other options of ledgers.
    pub(crate) fn with_options(options: Options) -> Self {
        Self::with_facts_options(options, &Options::default())
    }

    /// The same with other options of the facts' store too.
    pub(crate) fn with_facts_options(options: Options, of_facts: &Options) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let engine = Engine::open_with_facts(&folder.path().join("state"), options, of_facts).unwrap();
        let tools = Tools::new(Arc::clone(&engine) as Arc<dyn Host>);
        let session = Session {
            id: 1,
            cwd: None,
            client: "test".into(),
            principal: None,
            run: sdl_tools::ClientRun::default(),
        };
        Self { engine, tools, session, folder }
    }

    /// The root of a repository, whether it exists or not.
    pub(crate) fn root(&self, repo: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(repo)
    }

    pub(crate) fn write(&self, repo: &str, path: &str, text: &str) {
        let path = self.root(repo).join(path);
        fs::create_dir_all(path.parent().unwrap_or(Path::new("/"))).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Writes a tree and registers it.
    pub(crate) fn add_repo(&self, repo: &str, files: &[(&str, &str)]) {
        for (path, text) in files {
            self.write(repo, path, text);
        }
        self.ok("repo.register", json!({ "rootPath": self.root(repo) }));
    }

    pub(crate) fn call(&self, action: &str, args: &Value) -> Result<Value, Value> {
        call_tools(&self.tools, &self.session, action, args)
    }

    #[track_caller]
    pub(crate) fn ok(&self, action: &str, args: Value) -> Value {
        self.call(action, &args).unwrap_or_else(|error| panic!("{action}: {error:#}"))
    }

    #[track_caller]
    pub(crate) fn refused(&self, action: &str, args: Value) -> Value {
        self.call(action, &args).err().unwrap_or_else(|| panic!("{action} was answered"))
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        self.engine.close();
    }
}

/// The data of an answer, or of an error.
pub(crate) fn call_tools(
    tools: &Tools,
    session: &Session,
    action: &str,
    args: &Value,
) -> Result<Value, Value> {
    let args = args.to_string();
    let bytes = tools.call(session, action, args.as_bytes(), &NoProgress, &Cancel::new());
    let mut answer: Value = serde_json::from_slice(&bytes).unwrap();
    let data = answer["structuredContent"].take();
    if answer["isError"] == true { Err(data) } else { Ok(data) }
}

/// Flips a bit of `name` wherever it is in a file.
pub(crate) fn flip(path: &Path, name: &str) {
    let bytes = fs::read(path).unwrap();
    let places = bytes.windows(name.len()).enumerate().filter(|(_, at)| *at == name.as_bytes());
    let places: Vec<usize> = places.map(|(at, _)| at).collect();
    assert!(!places.is_empty(), "{name} is not in {path:?}");
    let mut file = File::options().write(true).open(path).unwrap();
    for at in places {
        file.seek(SeekFrom::Start(at as u64)).unwrap();
        file.write_all(&[bytes[at] ^ 1]).unwrap();
    }
}
