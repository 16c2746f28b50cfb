//! The seven reference servers, as npm and pip install them below one folder, and scripted ones.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Map, Value, json};

use crate::Outcome;

/// A server as an entry of `mcp.json` starts it.
#[derive(Clone, Debug)]
pub(crate) struct Server {
    pub(crate) key: String,
    pub(crate) command: PathBuf,
    pub(crate) args: Vec<String>,
    pub(crate) env: Vec<(String, String)>,
}

impl Server {
    /// A server of our own that does what it is asked to; see [`super::scripted`].
    pub(crate) fn scripted(key: &str, words: &[&str]) -> Outcome<Self> {
        let args = ["upstream-server"].iter().chain(words).map(|word| (*word).to_owned()).collect();
        Ok(Self { key: key.to_owned(), command: env::current_exe()?, args, env: Vec::new() })
    }

    /// Its entry, with these options of ours.
    pub(crate) fn entry(&self, own: &Value) -> Value {
        let variables: Map<String, Value> =
            self.env.iter().map(|(name, value)| (name.clone(), value.as_str().into())).collect();
        json!({"command": self.command, "args": self.args, "env": variables, "sdl": own})
    }

    /// The command that runs it without us.
    pub(crate) fn direct_command(&self) -> Command {
        let mut command = Command::new(&self.command);
        command.args(&self.args).stderr(Stdio::null());
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        command
    }
}

/// The reference servers that are installed below `folder`, working on files below `state`; and the keys of the others.
pub(crate) fn reference_servers(folder: &Path, state: &Path) -> Outcome<(Vec<Server>, Vec<String>)> {
    let folder = folder.canonicalize()?;
    let (files, repo) = (state.join("files"), state.join("repo"));
    prepare_state(&files, &repo)?;
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let (node, python) = ("node_modules/.bin", "py/bin");
    let memory = vec![("MEMORY_FILE_PATH".to_owned(), text(&state.join("memory.jsonl")))];
    let all = [
        ("everything", node, "mcp-server-everything", vec![], vec![]),
        ("fs", node, "mcp-server-filesystem", vec![text(&files)], vec![]),
        ("memory", node, "mcp-server-memory", vec![], memory),
        ("thinking", node, "mcp-server-sequential-thinking", vec![], vec![]),
        ("fetch", python, "mcp-server-fetch", vec![], vec![]),
        ("git", python, "mcp-server-git", vec!["--repository".to_owned(), text(&repo)], vec![]),
        ("time", python, "mcp-server-time", vec!["--local-timezone".to_owned(), "UTC".to_owned()], vec![]),
    ];
    let (mut servers, mut missing) = (Vec::new(), Vec::new());
    for (key, place, program, args, env) in all {
        let command = folder.join(place).join(program);
        if command.exists() {
            servers.push(Server { key: key.to_owned(), command, args, env });
        } else {
            missing.push(key.to_owned());
        }
    }
    Ok((servers, missing))
}

/// Makes the files that the servers work on as they are at the start of every run.
pub(crate) fn prepare_state(files: &Path, repo: &Path) -> Outcome {
    for folder in [files, repo] {
        if folder.exists() {
            fs::remove_dir_all(folder)?;
        }
        fs::create_dir_all(folder)?;
    }
    fs::write(files.join("a.txt"), "one\ntwo\nthree\n")?;
    fs::create_dir_all(files.join("inner"))?;
    fs::write(files.join("inner/b.md"), "# B\n")?;
    fs::write(repo.join("a.txt"), "first\n")?;
    let steps: [&[&str]; 5] = [
        &["init", "-q", "-b", "main"],
        &["add", "a.txt"],
        &["commit", "-q", "-m", "Begin"],
        &["branch", "other"],
        &["tag", "v1"],
    ];
    for words in steps {
        let mut git = Command::new("git");
        git.current_dir(repo).args(["-c", "user.name=A", "-c", "user.email=a@example.com"]).args(words);
        for date in ["GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"] {
            git.env(date, "2026-01-02T03:04:05Z");
        }
        let done = git.output()?;
        if !done.status.success() {
            return Err(format!("git {}: {}", words.join(" "), String::from_utf8_lossy(&done.stderr)).into());
        }
    }
    Ok(())
}

/// The `mcpServers` object for these servers, each with the same options of ours.
pub(crate) fn server_entries(servers: &[Server], own: &Value) -> Value {
    servers.iter().map(|server| (server.key.clone(), server.entry(own))).collect::<Map<_, _>>().into()
}
