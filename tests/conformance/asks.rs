//! What the suite's tools ask their client, and what they make of the answers.

use std::hash::{BuildHasher as _, RandomState};

use serde_json::{Map, Value, json};

/// A failed request: code, message and data of a JSON-RPC error.
pub(crate) struct Fault {
    pub(crate) code: i64,
    pub(crate) message: String,
    pub(crate) data: Value,
}

impl Fault {
    pub(crate) fn invalid(message: &str) -> Self {
        Self { code: -32602, message: message.to_owned(), data: Value::Null }
    }
}

/// One question: its name among the requests, and the request.
pub(crate) struct Question {
    pub(crate) name: &'static str,
    pub(crate) method: &'static str,
    pub(crate) params: Value,
}

impl Question {
    fn form(name: &'static str, message: &str, fields: &[(&str, Value)]) -> Self {
        let required: Vec<&str> = fields.iter().map(|(field, _)| *field).collect();
        let fields: Map<String, Value> =
            fields.iter().map(|(field, schema)| ((*field).to_owned(), schema.clone())).collect();
        let schema = json!({"type": "object", "properties": fields, "required": required});
        let params = json!({"mode": "form", "message": message, "requestedSchema": schema});
        Self { name, method: "elicitation/create", params }
    }

    fn sample(name: &'static str, prompt: &str, tokens: u64) -> Self {
        let message = json!({"role": "user", "content": {"type": "text", "text": prompt}});
        let params = json!({"messages": [message], "maxTokens": tokens});
        Self { name, method: "sampling/createMessage", params }
    }

    fn roots() -> Self {
        Self { name: "client_roots", method: "roots/list", params: json!({}) }
    }

    /// What the client must be able to do.
    fn capability(&self) -> &'static str {
        match self.method {
            "elicitation/create" => "elicitation",
            "roots/list" => "roots",
            _ => "sampling",
        }
    }

    /// Whether this is an answer to it.
    pub(crate) fn is_answered_by(&self, answer: &Value) -> bool {
        match self.method {
            "elicitation/create" => answer["action"].is_string(),
            "roots/list" => answer["roots"].is_array(),
            _ => answer["role"].is_string(),
        }
    }
}

/// What a tool or a prompt asks before it answers.
pub(crate) struct Asks {
    pub(crate) questions: Vec<Question>,
    /// The state that a client has to send back with the answers; none for one that keeps none.
    pub(crate) state: Option<String>,
}

/// Signs states, so that others are noticed.
pub(crate) struct Signer(RandomState);

impl Signer {
    pub(crate) fn new() -> Self {
        Self(RandomState::new())
    }

    fn sign(&self, tool: &str, round: u8) -> String {
        format!("{round}-{:016x}", self.0.hash_one((tool, round)))
    }

    /// The rounds that were asked before, by the state that came.
    pub(crate) fn read(&self, tool: &str, state: Option<&str>) -> Result<u8, Fault> {
        let Some(state) = state else { return Ok(0) };
        let known = (1..=2).find(|round| self.sign(tool, *round) == state);
        known.ok_or_else(|| Fault::invalid("the state is none of this server's"))
    }

    /// What a tool asks in its next round; none for a tool that asks nothing then.
    pub(crate) fn asks(
        &self,
        tool: &str,
        round: u8,
        args: &Value,
        client: &Value,
    ) -> Result<Option<Asks>, Fault> {
        let text = |schema: &str| json!({ "type": schema });
        let name = || ("name", text("string"));
        let questions = match (tool, round) {
            ("test_sampling", 0) => {
                vec![Question::sample("sample", args["prompt"].as_str().unwrap_or("?"), 100)]
            }
            ("test_elicitation", 0) => {
                let message = args["message"].as_str().unwrap_or("?");
                vec![Question::form(
                    "user",
                    message,
                    &[("username", text("string")), ("email", text("string"))],
                )]
            }
            ("test_elicitation_sep1034_defaults", 0) => vec![defaults()],
            ("test_elicitation_sep1330_enums", 0) => vec![choices()],
            ("test_streaming_elicitation" | "test_input_required_result_elicitation", 0) => {
                vec![Question::form("user_name", "What is your name?", &[name()])]
            }
            ("test_input_required_result_sampling", 0) => {
                vec![Question::sample("capital_question", "What is the capital of France?", 100)]
            }
            ("test_input_required_result_list_roots", 0) => vec![Question::roots()],
            (
                "test_input_required_result_request_state" | "test_input_required_result_tampered_state",
                0 | 1,
            ) => {
                vec![Question::form("confirm", "Please confirm", &[("ok", text("boolean"))])]
            }
            ("test_input_required_result_multiple_inputs", 0 | 1) => vec![
                Question::form("user_name", "What is your name?", &[name()]),
                Question::sample("greeting", "Generate a greeting", 50),
                Question::roots(),
            ],
            ("test_input_required_result_multi_round", 0) => {
                vec![Question::form("step1", "Step 1: What is your name?", &[name()])]
            }
            ("test_input_required_result_multi_round", _) => {
                vec![Question::form(
                    "step2",
                    "Step 2: What is your favorite color?",
                    &[("color", text("string"))],
                )]
            }
            ("test_input_required_result_capabilities", 0) => {
                let all = vec![
                    Question::form("user_name", "What is your name?", &[name()]),
                    Question::sample("greeting", "Greet", 50),
                ];
                all.into_iter().filter(|one| client.get(one.capability()).is_some()).collect()
            }
            ("test_missing_capability", 0) => vec![Question::sample("sample", "Say anything", 10)],
            ("test_input_required_result_prompt", 0) => {
                vec![Question::form(
                    "user_context",
                    "What context should the prompt use?",
                    &[("context", text("string"))],
                )]
            }
            _ => return Ok(None),
        };
        if let Some(lacking) = questions.iter().find(|one| client.get(one.capability()).is_none()) {
            let data = json!({"requiredCapabilities": { lacking.capability(): {} }});
            let message = format!("this needs a client with the capability {}", lacking.capability());
            return Err(Fault { code: -32021, message, data });
        }
        let keeps_state = ["request_state", "tampered_state", "multiple_inputs", "multi_round"];
        let keeps_state = keeps_state.iter().any(|end| tool.ends_with(end));
        let is_last = round > 0 && tool != "test_input_required_result_multi_round";
        let next = if is_last { round } else { round + 1 };
        Ok(Some(Asks { questions, state: keeps_state.then(|| self.sign(tool, next.min(2))) }))
    }
}

fn defaults() -> Question {
    let field = |kind: &str, default: Value| json!({"type": kind, "default": default});
    Question::form(
        "user",
        "Please review and update the form fields with defaults",
        &[
            ("name", field("string", json!("John Doe"))),
            ("age", field("integer", json!(30))),
            ("score", field("number", json!(95.5))),
            (
                "status",
                json!({"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"}),
            ),
            ("verified", field("boolean", json!(true))),
        ],
    )
}

fn choices() -> Question {
    let titled = |names: [&str; 3]| {
        json!([1, 2, 3].map(|at| json!({"const": format!("value{at}"), "title": names[at - 1]})))
    };
    let options = || json!(["option1", "option2", "option3"]);
    Question::form(
        "choices",
        "Please select options from the enum fields",
        &[
            ("untitledSingle", json!({"type": "string", "enum": options()})),
            (
                "titledSingle",
                json!({"type": "string", "oneOf": titled(["First Option", "Second Option", "Third Option"])}),
            ),
            (
                "legacyEnum",
                json!({"type": "string", "enum": ["opt1", "opt2", "opt3"], "enumNames": ["Option One", "Option Two", "Option Three"]}),
            ),
            ("untitledMulti", json!({"type": "array", "items": {"type": "string", "enum": options()}})),
            (
                "titledMulti",
                json!({"type": "array", "items": {"anyOf": titled(["First Choice", "Second Choice", "Third Choice"])}}),
            ),
        ],
    )
}

/// The words of an answer for the tool's own result.
pub(crate) fn answer_text(tool: &str, answers: &Map<String, Value>) -> String {
    let name =
        || answers.get("user_name").and_then(|answer| answer["content"]["name"].as_str()).unwrap_or("you");
    match tool {
        "test_input_required_result_elicitation" | "test_streaming_elicitation" => {
            format!("Hello, {}!", name())
        }
        "test_input_required_result_request_state" => "state-ok".to_owned(),
        "test_sampling" => format!("LLM response: {}", answers["sample"]["content"]["text"]),
        _ => format!("Completed: {}", Value::Object(answers.clone())),
    }
}
