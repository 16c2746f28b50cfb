//! The four kinds of task as prompts, and the prompts of upstreams.

use std::sync::Arc;

use sdl_contract::nearest_names;
use sdl_proto::code;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::errors::{ProtocolError, ambiguous_error, refused_error};
use super::pages::{Theirs, write_page};
use super::params::read_params;
use super::request::{Request, outgoing_params};
use crate::call::pipeline::{Asked, Subject};
use crate::call::upstream::{FoundPrompt, OfferKind, Offers, Prompt};
use sdl_redact::{self as redact, Level};

struct OwnPrompt {
    name: &'static str,
    about: &'static str,
    /// The instructions; the task is added after them.
    steps: &'static str,
}

const PROMPTS: [OwnPrompt; 4] = [
    OwnPrompt {
        name: "debug",
        about: "Find the cause of a failure",
        steps: "Build a slice with slice.build from the task, with stackTrace and failingTestPath where they are known. Read \
                the cards; where one is not enough, code.getSkeleton, then code.getHotPath with the identifiers at \
                fault, and code.needWindow last. Name the cause with file and line, then the smallest fix.",
    },
    OwnPrompt {
        name: "review",
        about: "Judge a change",
        steps: "Get what changed with delta.get and its risk with pr.risk.analyze between the two versions or git revisions. \
                For each changed symbol look at its callers in the blast radius. Report defects by severity, missing \
                tests, and the safe parts.",
    },
    OwnPrompt {
        name: "implement",
        about: "Make a change",
        steps: "Build a slice with slice.build from the task and look for existing code with symbol.search. Follow the \
                signatures and invariants of the cards. After each edit call slice.refresh with the version you know, \
                and check the callers of the changed symbols.",
    },
    OwnPrompt {
        name: "explain",
        about: "Tell how something works",
        steps: "Begin with context.summary, then slice.build. Follow the calls from the entry points through the cards, and \
                read source only where a card leaves a question. Explain from the outside in, naming symbols and files.",
    },
];

#[derive(Deserialize)]
struct Get {
    name: String,
    #[serde(default)]
    arguments: Map<String, Value>,
}

pub(super) fn list_prompts(request: &Request<'_>, params: &[u8]) -> Result<Vec<u8>, ProtocolError> {
    let ours = PROMPTS.iter().map(|prompt| {
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
    let offers = request.fresh_offers(OfferKind::Prompts);
    let listed = offers.prompts.listed().collect();
    let theirs = Theirs { listed, mark: offers.prompts_mark, is_any: !offers.is_empty() };
    write_page("prompts", &ours.collect::<Vec<_>>(), &theirs, params)
}

pub(super) fn get_prompt(request: &Request<'_>, params: &[u8]) -> Result<Vec<u8>, ProtocolError> {
    let Get { name, arguments } = read_params(params)?;
    if let Some(prompt) = PROMPTS.iter().find(|prompt| prompt.name == name) {
        return Ok(own_prompt(prompt, &arguments)?.to_string().into_bytes());
    }
    let Some((offers, prompt)) = find_prompt(request, &name, true)? else {
        return Err(unknown_prompt(request, &name));
    };
    let mut params = outgoing_params(params, &["name", "arguments"])?;
    params.insert("name".to_owned(), prompt.name.as_str().into());
    let (key, method) = (&prompt.key, "prompts/get");
    request
        .forward(&offers, &Asked { key, method, subject: Subject::Prompt(&prompt), args: arguments, params })
}

/// Whether a prompt is one of ours.
pub(super) fn is_own_prompt(name: &str) -> bool {
    PROMPTS.iter().any(|prompt| prompt.name == name)
}

/// Returns the prompt of an upstream with this name. If nobody has it and `looks` says so, the upstream that the name points
/// to is read again first.
pub(super) fn find_prompt(
    request: &Request<'_>,
    name: &str,
    looks: bool,
) -> Result<Option<(Arc<Offers>, Prompt)>, ProtocolError> {
    let offers = request.offers();
    match offers.prompts.find(name) {
        FoundPrompt::One(prompt) => {
            let prompt = prompt.clone();
            Ok(Some((offers, prompt)))
        }
        FoundPrompt::Several(several) => {
            let named = several.into_iter().map(|prompt| prompt.advertised.clone()).collect();
            let shown: String = name.chars().take(80).collect();
            Err(ambiguous_error(&format!("a prompt {shown:?}"), "name", named))
        }
        FoundPrompt::Unknown => {
            for key in offers.prompts.likely_upstreams(name).iter().filter(|_| looks) {
                if request.read_again(key)
                    && let Some(found) = find_prompt(request, name, false)?
                {
                    return Ok(Some(found));
                }
            }
            Ok(None)
        }
    }
}

fn unknown_prompt(request: &Request<'_>, name: &str) -> ProtocolError {
    let message = format!("no prompt is called {name:?}; there are debug, review, implement and explain");
    let mut unknown = ProtocolError::new(code::PROMPT_NOT_FOUND, message);
    let offers = request.offers();
    let near = nearest_names(name, offers.prompts.names(), 3);
    if !near.is_empty() {
        let candidates = near.into_iter().map(|near| json!({ "name": near }));
        unknown.details.insert("candidates".to_owned(), candidates.collect());
    }
    unknown
}

fn own_prompt(prompt: &OwnPrompt, arguments: &Map<String, Value>) -> Result<Value, ProtocolError> {
    for (argument, value) in arguments {
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

#[cfg(test)]
mod tests {
    use super::PROMPTS;
    use crate::call::upstream::OUR_PROMPTS;

    #[test]
    fn no_upstream_gets_the_name_of_a_prompt_of_ours() {
        assert_eq!(PROMPTS.map(|prompt| prompt.name), OUR_PROMPTS);
    }
}
