//! A daemon of its own, one repository, one shim.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use sdl_tests::{Daemon, McpClient, TestEnv};
use serde_json::{Value, json};

use crate::options::Options;
use crate::{Outcome, tree};

/// Everything that a run talks to. Dropping it ends all of it.
pub(crate) struct World {
    // In this order: a client goes before the daemon, the daemon before its folders.
    pub(crate) client: McpClient,
    pub(crate) daemon: Daemon,
    pub(crate) root: PathBuf,
    pub(crate) repo: String,
    pub(crate) env: TestEnv,
}

impl World {
    /// Starts a daemon and a shim, and registers the tree at `root`, which is in `env`. Does not wait for the index.
    pub(crate) fn start(env: TestEnv, root: &Path) -> Outcome<Self> {
        let daemon = env.daemon();
        let client = connect_shim(&env, root)?;
        let mut world = Self { client, daemon, root: root.to_owned(), repo: String::new(), env };
        let registered = world.call("repo_register", json!({"rootPath": root}))?;
        world.repo = text_field(&registered, "repoId")?;
        Ok(world)
    }

    /// Starts as [`Self::start`] does, and waits until the tree is indexed.
    pub(crate) fn indexed(env: TestEnv, root: &Path) -> Outcome<(Self, Duration)> {
        let began = Instant::now();
        let mut world = Self::start(env, root)?;
        world.wait_until_indexed()?;
        Ok((world, began.elapsed()))
    }

    /// Indexes a copy of the tree at PATH, or a small one that is made up, and prints its size.
    pub(crate) fn of_options(options: &Options) -> Outcome<Self> {
        let env = TestEnv::new();
        let root = env.repo("tree", "");
        match &options.path {
            Some(path) => tree::clone_tree(path, &root)?,
            None => println!("{} made files", tree::make_tree(&root, 300)?.len()),
        }
        let (mut world, time) = Self::indexed(env, &root)?;
        let status = world.call("repo_status", json!({}))?;
        println!(
            "{} files, {} symbols, {} edges, indexed in {:.2} s",
            status["files"],
            status["symbols"],
            status["edges"],
            time.as_secs_f64()
        );
        Ok(world)
    }

    /// Waits until the ledger has all of the tree.
    pub(crate) fn wait_until_indexed(&mut self) -> Outcome<Value> {
        self.client.timeout = Duration::from_mins(10);
        self.call("index_refresh", json!({"mode": "incremental"}))
    }

    /// Calls an action, which has to succeed, on the repository.
    pub(crate) fn call(&mut self, action: &str, arguments: Value) -> Outcome<Value> {
        call_action(&mut self.client, &self.repo, action, arguments)
    }

    /// The head's version, with every write so far in it.
    pub(crate) fn head(&mut self) -> Outcome<u64> {
        let status = self.call("repo_status", json!({"sync": "require"}))?;
        version_number(&text_field(&status, "ledgerVersion")?)
    }
}

/// A shim that has made its handshake.
pub(crate) fn connect_shim(env: &TestEnv, root: &Path) -> Outcome<McpClient> {
    let mut client = env.shim(root, &[]);
    client.initialize()?;
    Ok(client)
}

/// Calls an action, which has to succeed.
pub(crate) fn call_action(
    client: &mut McpClient,
    repo: &str,
    action: &str,
    mut arguments: Value,
) -> Outcome<Value> {
    if let (Some(fields), false) = (arguments.as_object_mut(), repo.is_empty()) {
        fields.entry("repoId").or_insert_with(|| repo.into());
    }
    let shown = arguments.to_string();
    let result = client.call(&format!("sdl_{action}"), arguments)?;
    if result.is_error {
        return Err(format!("{action} {shown}: {}", result.raw).into());
    }
    Ok(result.data)
}

/// A field of an answer that is text.
pub(crate) fn text_field(answer: &Value, field: &str) -> Outcome<String> {
    let found = answer[field].as_str().map(str::to_owned);
    found.ok_or_else(|| format!("the answer has no `{field}`: {answer}").into())
}

/// The number of a version.
pub(crate) fn version_number(text: &str) -> Outcome<u64> {
    let number = text.strip_prefix('v').and_then(|digits| digits.parse().ok());
    number.ok_or_else(|| format!("{text:?} is no version").into())
}

/// Fails unless an answer says that it includes every write that came before its question.
pub(crate) fn check_synced(answer: &Value) -> Outcome {
    if answer["freshness"]["synced"] == true {
        return Ok(());
    }
    Err(format!("not synced: {}", answer["freshness"]).into())
}

/// The id of the one symbol of that name.
pub(crate) fn symbol_id(world: &mut World, name: &str) -> Outcome<String> {
    let found =
        world.call("symbol_search", json!({"query": name, "exact": true, "limit": 2, "sync": "require"}))?;
    let results = found["results"].as_array().map(Vec::as_slice).unwrap_or_default();
    match results {
        [one] => text_field(one, "symbolId"),
        _ => Err(format!("{name}: {} results: {found}", results.len()).into()),
    }
}
