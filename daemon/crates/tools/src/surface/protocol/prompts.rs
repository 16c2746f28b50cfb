//! The four kinds of task as prompts.

use sdl_proto::code;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::errors::{ProtocolError, refused_error};
use sdl_redact::{self as redact, Level};

struct Prompt {
    name: &'static str,
    about: &'static str,
    /// The instructions; the task is added after them.
    steps: &'static str,
}

const PROMPTS: [Prompt; 4] = [
    Prompt {
        name: "debug",
        about: "Find the cause of a failure",
        steps: "Build a slice with slice.build from the task, with stackTrace and failingTestPath where they are known. Read \
                the cards; where one is not enough, code.getSkeleton, then code.getHotPath with the identifiers at \
                fault, and code.needWindow last. Name the cause with file and line, then the smallest fix.",
    },
    Prompt {
        name: "review",
        about: "Judge a change",
        steps: "Get what changed with delta.get and its risk with pr.risk.analyze between the two versions or git revisions. \
                For each changed symbol look at its callers in the blast radius. Report defects by severity, missing \
                tests, and the safe parts.",
    },
    Prompt {
        name: "implement",
        about: "Make a change",
        steps: "Build a slice with slice.build from the task and look for existing code with symbol.search. Follow the \
                signatures and invariants of the cards. After each edit call slice.refresh with the version you know, \
                and check the callers of the changed symbols.",
    },
    Prompt {
        name: "explain",
        about: "Tell how something works",
        steps: "Begin with context.summary, then slice.build. Follow the calls from the entry points through the cards, and \
                read source only where a card leaves a question. Explain from the outside in, naming symbols and files.",
    },
];

#[derive(Deserialize)]
pub(super) struct Get {
    name: String,
    #[serde(default)]
    arguments: Map<String, Value>,
}

pub(super) fn list_prompts() -> Value {
    let prompts = PROMPTS.iter().map(|prompt| {
        json!({
            "name": prompt.name,
            "description": prompt.about,
            "arguments": [
                {"name": "task", "description": "What it is about, in words", "required": true},
                {"name": "repoId", "description": "The repository, if not the working directory's", "required": false},
                {"name": "symbol", "description": "A symbol to begin with", "required": false},
            ],
        })
    });
    json!({ "prompts": prompts.collect::<Vec<_>>() })
}

pub(super) fn get_prompt(Get { name, arguments }: Get) -> Result<Value, ProtocolError> {
    let prompt = PROMPTS.iter().find(|prompt| prompt.name == name).ok_or_else(|| {
        ProtocolError::new(
            code::PROMPT_NOT_FOUND,
            format!("no prompt is called {name:?}; there are debug, review, implement and explain"),
        )
    })?;
    for (argument, value) in &arguments {
        if !["task", "repoId", "symbol"].contains(&argument.as_str()) || !value.is_string() {
            return Err(refused_error(format!("{argument:?} is none of the strings task, repoId, symbol")));
        }
    }
    let given = |name: &str| {
        arguments.get(name).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty())
    };
    let task = given("task").ok_or_else(|| refused_error("required and missing: task".to_owned()))?;
    let mut text = format!("{}: {task}\n", prompt.about);
    for (name, label) in [("repoId", "Repository"), ("symbol", "Begin with the symbol")] {
        if let Some(value) = given(name) {
            text.push_str(&format!("{label}: {value}\n"));
        }
    }
    text.push_str(&format!("\n{}", prompt.steps));
    // Secrets in the client's own arguments are masked, here as in any other answer.
    let text = redact::mask_text(&text, Level::Likely).unwrap_or(text);
    Ok(json!({
        "description": prompt.about,
        "messages": [{"role": "user", "content": {"type": "text", "text": text}}],
    }))
}
