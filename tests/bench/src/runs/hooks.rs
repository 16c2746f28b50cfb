//! Hooks of clients: the time of the whole process, because a client waits for it, and the tokens of each reminder.
//!
//! Each call has a session of its own, because nothing is said twice in one.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;
use std::time::Instant;

use sdl_tests::{Program, TestEnv};
use serde_json::{Value, json};

use crate::figures::Times;
use crate::options::Options;
use crate::world::World;
use crate::{Outcome, tree};

/// Names and files that are asked about in turn.
const MOST_SUBJECTS: usize = 50;

pub(crate) fn run_hooks(options: &Options) -> Outcome {
    let path = options.path.as_ref().ok_or("hooks wants the path of a tree")?;
    let calls = options.number("calls", 200) as usize;
    let env = TestEnv::new();
    let root = env.repo("tree", "");
    tree::clone_tree(path, &root)?;
    let (mut world, _) = World::indexed(env, &root)?;
    let subjects = Subjects::find(&mut world)?;
    let mut hooks = Hooks { world: &world, session: 0 };
    hooks.measure_floor(calls)?;
    hooks.measure("start", calls, |_| json!({"hook_event_name": "SessionStart"}))?;
    hooks.measure("subagent", calls, |_| json!({"hook_event_name": "SubagentStart"}))?;
    hooks.measure("prompt", calls, |_| json!({"hook_event_name": "UserPromptSubmit", "prompt": "x"}))?;
    hooks.measure("grep, name", calls, |at| {
        tool("Grep", json!({"pattern": format!("{}\\(", subjects.name(at))}))
    })?;
    hooks
        .measure("grep, text", calls, |at| tool("Grep", json!({"pattern": format!("no such text {at}")})))?;
    hooks.measure("glob", calls, |at| {
        tool("Glob", json!({"pattern": format!("**/{}.*", subjects.name(at))}))
    })?;
    hooks.measure("read", calls, |at| tool("Read", json!({"file_path": root.join(subjects.file(at))})))?;
    measure_edits(&mut hooks, &subjects, (&root, calls.min(50)))
}

/// The subjects of the questions: the functions and types that most others use, and their files.
struct Subjects(Vec<(String, String)>);

impl Subjects {
    fn find(world: &mut World) -> Outcome<Self> {
        let overview = world.call("repo_overview", json!({"level": "full", "maxTokens": 20_000}))?;
        let text = |row: &Value, key: &str| row[key].as_str().unwrap_or_default().to_owned();
        let rows = ["hotspots", "entryPoints"]
            .into_iter()
            .flat_map(|list| overview[list].as_array().into_iter().flatten());
        let mut found: Vec<(String, String)> = rows
            .filter(|row| row["kind"] != "module")
            .map(|row| {
                (
                    text(row, "name").rsplit(['.', ':']).next().unwrap_or_default().to_owned(),
                    text(row, "file"),
                )
            })
            .collect();
        found.truncate(MOST_SUBJECTS);
        if found.is_empty() { Err("the tree has no symbol to ask about".into()) } else { Ok(Self(found)) }
    }

    fn name(&self, at: usize) -> &str {
        &self.0[at % self.0.len()].0
    }

    fn file(&self, at: usize) -> &str {
        &self.0[at % self.0.len()].1
    }
}

fn tool(name: &str, input: Value) -> Value {
    json!({"hook_event_name": "PostToolUse", "tool_name": name, "tool_input": input})
}

/// Runs hooks, and prints what they take.
struct Hooks<'w> {
    world: &'w World,
    session: u64,
}

impl Hooks<'_> {
    /// The time of a process that does nothing of all this.
    fn measure_floor(&self, calls: usize) -> Outcome {
        let mut times = Times::default();
        for _ in 0..calls {
            times.measure(|| {
                self.world.env.command(Program::Ctl).arg("--version").stdout(Stdio::null()).status()
            })?;
        }
        println!("{:<12} {}", "--version", times.summary());
        Ok(())
    }

    fn measure(&mut self, kind: &str, calls: usize, input: impl Fn(usize) -> Value) -> Outcome {
        let mut told = Told::default();
        for at in 0..calls {
            self.session += 1;
            let session = format!("session {}", self.session);
            told.add(self.run(input(at), &session)?);
        }
        told.print(kind);
        Ok(())
    }

    /// Runs one hook: its time, and what it adds to the context.
    fn run(&self, mut input: Value, session: &str) -> Outcome<(std::time::Duration, String)> {
        input["cwd"] = json!(self.world.root);
        input["session_id"] = session.into();
        let mut command = self.world.env.command(Program::Ctl);
        command.args(["hook", "--client", "claude-code"]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let began = Instant::now();
        let mut child = command.spawn()?;
        child.stdin.take().ok_or("no standard input")?.write_all(input.to_string().as_bytes())?;
        let output = child.wait_with_output()?;
        let time = began.elapsed();
        if !output.status.success() {
            return Err(format!("a hook ended with {}", output.status).into());
        }
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        let text = answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default();
        Ok((time, text.to_owned()))
    }
}

/// The times of one kind of hook, and the tokens of its texts.
#[derive(Default)]
struct Told {
    times: Times,
    tokens: Vec<usize>,
    example: String,
}

impl Told {
    fn add(&mut self, (time, text): (std::time::Duration, String)) {
        self.times.push(time);
        if !text.is_empty() {
            self.tokens.push(sdl_tokens::count_tokens(&text));
            self.example = text;
        }
    }

    fn print(mut self, kind: &str) {
        self.tokens.sort_unstable();
        let said = self.tokens.len();
        let middle = self.tokens.get(said / 2).copied().unwrap_or_default();
        let most = self.tokens.last().copied().unwrap_or_default();
        println!("{kind:<12} {}  said {said}, tokens p50 {middle} max {most}", self.times.summary());
        for line in self.example.lines() {
            println!("    | {line}");
        }
    }
}

/// Edits that take the first used function of a file away, and bring it back. Each is followed at once by its hook.
fn measure_edits(hooks: &mut Hooks<'_>, subjects: &Subjects, (root, calls): (&Path, usize)) -> Outcome {
    let (mut broken, mut mended) = (Told::default(), Told::default());
    for at in 0..calls {
        let (name, file) = (subjects.name(at), root.join(subjects.file(at)));
        let text = fs::read_to_string(&file)?;
        let session = format!("edits {at}");
        hooks.run(json!({"hook_event_name": "SessionStart"}), &session)?;
        let input = tool("Edit", json!({"file_path": file}));
        fs::write(&file, text.replace(name, &format!("{name}_renamed")))?;
        broken.add(hooks.run(input.clone(), &session)?);
        fs::write(&file, text)?;
        mended.add(hooks.run(input, &session)?);
    }
    broken.print("edit, breaks");
    mended.print("edit, mends");
    Ok(())
}
