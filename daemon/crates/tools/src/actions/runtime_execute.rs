//! `runtime.execute`: runs a command in the repository, if a person allowed it.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::call::action::{Action, ActionDef, Namespace, Render, RepoAction};
use crate::call::answers::{append_block, append_text};
use crate::call::context::RepoCx;
use crate::call::freshness::Stand;
use crate::guard::audit;
use crate::host::policies;
use crate::stored::artifacts;
use crate::{Code, Explained, ToolError};
use sdl_redact as redact;
use sdl_runtime::{self as runtime, Artifact, Command, Mode, Settings};
use sdl_settings::trust;

/// See [`ActionDef`].
pub(crate) struct RuntimeExecute;

/// Default time limit of a command.
const TIMEOUT_MS: u64 = 30_000;
/// Maximum number of characters of one argument.
const ARGUMENT: usize = 8_000;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Request {
    /// Allowed program. For example `pytest`. The user's settings list the allowed programs.
    #[schemars(length(min = 1, max = 1_000))]
    executable: String,
    /// No shell involved. The program's arguments, such as `["test", "--quiet"]`.
    #[serde(default)]
    #[schemars(length(max = 200))]
    args: Vec<String>,
    /// Folder, from the root. The program runs in it.
    #[schemars(length(max = 4_096))]
    relative_cwd: Option<String>,
    /// Default 30000. Kills it after this many milliseconds.
    #[schemars(range(min = 1, max = 600_000))]
    timeout_ms: Option<u64>,
    /// Allowed names only. Environment variables, such as `{"RUST_LOG": "debug"}`.
    #[serde(default)]
    env: BTreeMap<String, String>,
    /// Default digest. How much output to return: `digest` (first, last and failing lines), `tail` or `full`.
    /// All of it can be read with `runtime.queryOutput`.
    output_mode: Option<ModeParam>,
}

/// How much to show at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
enum ModeParam {
    /// The first lines, those that tell of failures, and the last.
    #[default]
    Digest,
    /// The last lines.
    Tail,
    /// All, as far as an answer goes.
    Full,
}

impl From<ModeParam> for Mode {
    fn from(param: ModeParam) -> Self {
        match param {
            ModeParam::Digest => Self::Digest,
            ModeParam::Tail => Self::Tail,
            ModeParam::Full => Self::Full,
        }
    }
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Response {
    /// Exit code; missing if a signal ended it.
    #[serde(skip_serializing_if = "Option::is_none")]
    exit_code: Option<i32>,
    /// The signal that ended it.
    #[serde(skip_serializing_if = "Option::is_none")]
    signal: Option<i32>,
    /// Whether it was killed for taking too long.
    timed_out: bool,
    /// Milliseconds it ran.
    duration_ms: u64,
    /// Lines of standard output.
    stdout_lines: u64,
    /// Lines of standard error.
    stderr_lines: u64,
    /// The output, as much as `outputMode` says.
    digest: String,
    /// Give it to `runtime.queryOutput`.
    artifact_handle: String,
    /// True if a process that it started still held its output when it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    output_held: Option<bool>,
}

impl Action for RuntimeExecute {
    type Request = Request;
    type Response = Response;
    const DEF: ActionDef = ActionDef {
        name: "runtime.execute",
        namespace: Namespace::Agent,
        mutating: true,
        description: "Call this when you need a test or build run in the repository and its output in few tokens; off by default",
        needs: "executable",
        examples: &[
            r#"{"repoId":"my-repo","executable":"cargo","args":["test","-q"],"timeoutMs":60000}"#,
            r#"{"repoId":"my-repo","executable":"git","args":["log","-n","3"],"relativeCwd":"src","outputMode":"tail"}"#,
        ],
        aliases: &[],
    };
}

impl RepoAction for RuntimeExecute {
    fn run(cx: &RepoCx<'_>, request: Request) -> Result<(Response, Stand), ToolError> {
        let host = cx.call.host;
        let settings = Settings::read(Path::new(&host.info().state_dir), trust::read_private)?;
        let ran = Ran { line: line_of(&request), cwd: request.relative_cwd.clone() };
        let command =
            build_command(cx, &settings, request.args, &request.executable, ran.cwd.as_deref(), &request.env);
        let mut command = match command {
            Ok(command) => command,
            Err(error) => {
                if error.refusal.code == Code::Denied {
                    ran.log(cx, "denied", &error.refusal.message, json!({}))?;
                }
                return Err(error);
            }
        };
        let timeout = request.timeout_ms.unwrap_or(TIMEOUT_MS).min(settings.max_timeout_ms);
        command.timeout = Duration::from_millis(timeout);
        let level = policies::repo_policy(host, cx.repo)?.level();
        let mask = |text: String| {
            let secrets = redact::find_secrets(&text, level);
            redact::mask_part(&text, &secrets, 0..text.len()).into_owned()
        };
        let outcome = match runtime::run_command(&command, cx.call.cancel, &mask) {
            Ok(outcome) => outcome,
            Err(error) => {
                ran.log(cx, "ran", &error.message, json!({}))?;
                return Err(error.into());
            }
        };
        let ended = json!({
            "exitCode": outcome.exit_code,
            "signal": outcome.signal,
            "timedOut": outcome.timed_out,
            "durationMs": outcome.duration_ms,
        });
        ran.log(cx, "ran", "runtime.json allows it", ended)?;
        let digest = runtime::digest_output(&outcome, request.output_mode.unwrap_or_default().into());
        let (stdout_lines, stderr_lines) = (outcome.stdout.count(), outcome.stderr.count());
        let artifact =
            Artifact { at_ms: cx.call.leases.now(), stdout: outcome.stdout, stderr: outcome.stderr };
        let response = Response {
            exit_code: outcome.exit_code,
            signal: outcome.signal,
            timed_out: outcome.timed_out,
            duration_ms: outcome.duration_ms,
            stdout_lines,
            stderr_lines,
            digest,
            artifact_handle: artifacts::keep(host.agent(), cx.repo.id(), &artifact)?,
            output_held: outcome.held.then_some(true),
        };
        Ok((response, Stand::apart(cx.repo)))
    }
}

/// Returns the command with every limit but the time.
fn build_command(
    cx: &RepoCx<'_>,
    settings: &Settings,
    args: Vec<String>,
    executable: &str,
    folder: Option<&str>,
    env: &BTreeMap<String, String>,
) -> Result<Command, ToolError> {
    for (i, arg) in args.iter().enumerate() {
        if arg.contains('\0') || arg.chars().count() > ARGUMENT {
            let message = format!("an argument has at most {ARGUMENT} characters and no NUL");
            return Err(ToolError::invalid(format!("args[{i}]"), message));
        }
    }
    Ok(Command {
        program: runtime::allowed_program(settings, (executable, &args), cx.repo.root())?,
        args,
        folder: runtime::run_folder(cx.repo.root(), folder)?,
        env: runtime::command_environment(settings, env)?,
        timeout: Duration::ZERO,
        memory_mb: settings.memory_mb,
        max_processes: settings.max_processes,
    })
}

/// Maximum number of characters of a command in the log.
const LOGGED: usize = 2_000;

/// Returns the command as one line, because a secret is recognized by the option before it.
fn line_of(request: &Request) -> String {
    let words = std::iter::once(&request.executable).chain(&request.args);
    let line = words.map(String::as_str).collect::<Vec<_>>().join(" ");
    line.chars().take(LOGGED).collect()
}

/// Returns the log's row for a command.
struct Ran {
    line: String,
    cwd: Option<String>,
}

impl Ran {
    fn log(&self, cx: &RepoCx<'_>, decision: &str, why: &str, mut details: Value) -> Result<(), ToolError> {
        details["command"] = self.line.as_str().into();
        details["cwd"] = self.cwd.as_deref().unwrap_or(".").into();
        let row = audit::Row {
            repo_id: cx.repo.id().to_owned(),
            action: RuntimeExecute::DEF.name.to_owned(),
            decision: decision.to_owned(),
            why: vec![why.to_owned()],
            details,
            ..audit::Row::default()
        };
        cx.call.log(row).map(drop)
    }
}

impl Render for Response {
    fn text(&self) -> String {
        let mut text = match (self.timed_out, self.exit_code, self.signal) {
            (true, ..) => "killed, it took too long".to_owned(),
            (_, Some(code), _) => format!("exit code {code}"),
            (_, _, Some(signal)) => format!("ended by signal {signal}"),
            _ => "ended".to_owned(),
        };
        let Self { duration_ms, artifact_handle, digest, .. } = self;
        append_text(&mut text, format_args!(" after {duration_ms} ms, {artifact_handle}"));
        append_block(&mut text, digest);
        text
    }
}
