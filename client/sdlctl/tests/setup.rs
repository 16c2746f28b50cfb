//! `sdlctl setup` end to end, in a home folder of its own. No daemon is started.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "the helpers of a test fail it")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

struct Home {
    folder: tempfile::TempDir,
}

impl Home {
    fn new() -> Self {
        let home = Self { folder: tempfile::tempdir().unwrap() };
        for folder in ["home", "state", "project/.git", "bin"] {
            fs::create_dir_all(home.path(folder)).unwrap();
        }
        // Found if none is beside the program under test.
        fs::write(home.path("bin").join(format!("sdl-mcp{}", std::env::consts::EXE_SUFFIX)), "").unwrap();
        home
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    fn run(&self, args: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_sdlctl"))
            .args(args)
            .env_clear()
            .env("HOME", self.path("home"))
            .env("USERPROFILE", self.path("home"))
            .env("APPDATA", self.path("home/AppData/Roaming"))
            .env("SDL_STATE_DIR", self.path("state"))
            .env("PATH", self.path("bin"))
            .current_dir(self.path("project"))
            .stdin(std::process::Stdio::null())
            .output()
            .unwrap()
    }

    fn good(&self, args: &[&str]) -> String {
        let output = self.run(args);
        let shown = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{args:?}\n{shown}{}", String::from_utf8_lossy(&output.stderr));
        shown
    }

    fn json(&self, args: &[&str]) -> Value {
        let output = self.run(args);
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
    }
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

#[test]
fn what_is_found_is_set_up_once_and_taken_back() {
    let home = Home::new();
    let cursor = home.path("home/.cursor/mcp.json");
    let codex = home.path("home/.codex/config.toml");
    fs::create_dir_all(cursor.parent().unwrap()).unwrap();
    fs::create_dir_all(codex.parent().unwrap()).unwrap();
    fs::write(&codex, "model = \"m\" # mine\n").unwrap();

    let asked = home.run(&["setup"]);
    assert_eq!(asked.status.code(), Some(2), "{asked:?}");
    assert!(home.good(&["setup", "--dry-run"]).contains("dry run: nothing was changed"));
    assert!(!cursor.exists());

    let shown = home.good(&["setup", "--yes"]);
    assert!(shown.contains("changed 4 files"), "{shown}");
    assert!(shown.contains("Cursor rules: none") && shown.contains("run setup --project"), "{shown}");
    let rules = home.path("home/.codex/AGENTS.md");
    assert!(read(&rules).contains("symbol.search"));
    let hooks = read(&home.path("home/.codex/hooks.json"));
    assert!(hooks.contains("hook --client codex") && hooks.contains(env!("CARGO_BIN_EXE_sdlctl")), "{hooks}");
    let entry: Value = serde_json::from_str(&read(&cursor)).unwrap();
    let command = entry["mcpServers"]["sdl"]["command"].as_str().unwrap().to_owned();
    assert!(Path::new(&command).is_absolute() && Path::new(&command).is_file(), "{command}");
    assert!(read(&codex).starts_with("model = \"m\" # mine\n\n[mcp_servers.sdl]\n"), "{}", read(&codex));
    assert_eq!(read(&codex.with_file_name("config.toml.sdl-backup")), "model = \"m\" # mine\n");

    assert!(home.good(&["setup", "--yes"]).contains("nothing to change"));
    let again = home.json(&["setup", "--json", "--yes"]);
    assert_eq!(again["clients"][0]["action"], "keep", "{again}");
    assert_eq!(again["files"].as_array().unwrap().len(), 0);

    let surface = home.good(&["setup", "--yes", "--client", "cursor", "--surface", "flat"]);
    assert!(surface.contains("change"), "{surface}");
    assert!(read(&cursor).contains("\"flat\""));

    home.good(&["setup", "--remove", "--yes"]);
    assert!(!cursor.exists() && !rules.exists() && !home.path("home/.codex/hooks.json").exists());
    assert_eq!(read(&codex), "model = \"m\" # mine\n");
    assert!(!codex.with_file_name("config.toml.sdl-backup").exists());
}

#[test]
fn a_file_that_is_broken_fails_the_run_and_not_the_others() {
    let home = Home::new();
    for name in [".cursor/mcp.json", ".kiro/settings/mcp.json"] {
        let path = home.path("home").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, if name.contains("cursor") { "{\u{1b}[31m" } else { "{}" }).unwrap();
    }
    let output = home.run(&["setup", "--yes"]);
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(1), "{shown}");
    assert!(shown.contains("line 1, column 2") && shown.contains("correct the file"), "{shown}");
    assert!(!shown.contains('\u{1b}'), "{shown:?}");
    assert_eq!(read(&home.path("home/.cursor/mcp.json")), "{\u{1b}[31m");
    assert!(read(&home.path("home/.kiro/settings/mcp.json")).contains("sdl-mcp"));
}

#[test]
fn a_project_gets_files_that_fit_every_machine() {
    let home = Home::new();
    let clients = ["--client", "claude-code", "--client", "cursor", "--client", "vscode"];
    let run = |rest: &[&str]| home.good(&[&["setup", "--project", "--yes"], &clients[..], rest].concat());
    run(&[]);
    for name in [".mcp.json", ".cursor/mcp.json", ".vscode/mcp.json"] {
        let text = read(&home.path("project").join(name));
        assert!(text.contains("\"command\": \"sdl-mcp\""), "{name}: {text}");
    }
    let settings = read(&home.path("project/.claude/settings.json"));
    assert!(settings.contains("\"command\": \"sdlctl hook --client claude-code\""), "{settings}");
    for name in
        [".claude/skills/sdl/SKILL.md", ".cursor/rules/sdl.mdc", ".github/instructions/sdl.instructions.md"]
    {
        assert!(read(&home.path("project").join(name)).contains("symbol.search"), "{name}");
    }
    assert!(!home.path("home/.claude.json").exists() && !home.path("home/.claude").exists());
    run(&["--remove"]);
    let left: Vec<_> =
        fs::read_dir(home.path("project")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, [".git"]);
}

#[test]
fn all_known_clients_are_listed_and_all_have_a_snippet() {
    let home = Home::new();
    let listed = home.json(&["setup", "--list", "--json"]);
    let listed = listed["clients"].as_array().unwrap().len();
    assert!(listed >= 25, "{listed}");
    let snippets = home.json(&["mcp", "config", "--json"]);
    assert_eq!(snippets["clients"].as_array().unwrap().len(), listed);
    let codex = home.good(&["mcp", "config", "--client", "codex", "--surface", "search"]);
    assert!(codex.contains("~/.codex/config.toml") && codex.contains("[mcp_servers.sdl]"), "{codex}");
    assert!(codex.contains("args = [\"--surface\", \"search\"]"), "{codex}");
    let text = home.good(&["setup", "--list"]);
    assert!(text.lines().any(|line| line.contains("trae") && line.contains("Add Manually")), "{text}");
}

#[test]
fn reminders_can_be_left_out_and_are_found_without_a_name() {
    let home = Home::new();
    fs::create_dir_all(home.path("home/.claude")).unwrap();
    let skill = home.path("home/.claude/skills/sdl/SKILL.md");
    let settings = home.path("home/.claude/settings.json");
    home.good(&["setup", "--yes", "--no-rules", "--no-hooks"]);
    assert!(!skill.exists() && !settings.exists());
    let again = home.json(&["setup", "--json", "--yes", "--no-hooks"]);
    assert_eq!(again["clients"][1]["part"], "rules", "{again}");
    assert!(skill.exists() && !settings.exists());
    home.good(&["setup", "--yes"]);
    // The entry is gone, the reminders are found all the same.
    fs::remove_file(home.path("home/.claude.json")).unwrap();
    home.good(&["setup", "--remove", "--yes"]);
    assert!(!skill.exists() && !settings.exists() && home.path("home/.claude").exists());

    // A team's AGENTS.md, without any client that is found.
    let team = home.path("project/AGENTS.md");
    fs::write(&team, "# Ours\n").unwrap();
    home.good(&["setup", "--project", "--yes", "--client", "opencode", "--client", "crush"]);
    assert_eq!(read(&team).matches("sdl:begin").count(), 1);
    home.good(&["setup", "--project", "--remove", "--yes"]);
    assert_eq!(read(&team), "# Ours\n");
    fs::write(&team, "<!-- sdl:begin -->\n").unwrap();
    let broken = home.run(&["setup", "--project", "--yes", "--client", "crush"]);
    assert_eq!(broken.status.code(), Some(1));
    let shown = String::from_utf8_lossy(&broken.stdout).into_owned();
    assert!(shown.contains("line 1: the block does not end"), "{shown}");
}
