//! The fields that depend on the kind of a note.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The kind of a note.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Kind {
    /// A choice and its reason.
    Decision,
    /// What was wrong and how it was mended.
    Bugfix,
    /// The progress of a task.
    TaskContext,
    /// A way in which things are done here.
    Pattern,
    /// Anything else.
    Note,
    /// What an agent learned.
    Lesson,
}

impl Kind {
    /// All kinds. Their places are stored, so a new kind comes last.
    pub const ALL: [Self; 6] =
        [Self::Decision, Self::Bugfix, Self::TaskContext, Self::Pattern, Self::Note, Self::Lesson];

    /// The name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Decision => "decision",
            Self::Bugfix => "bugfix",
            Self::TaskContext => "task_context",
            Self::Pattern => "pattern",
            Self::Note => "note",
            Self::Lesson => "lesson",
        }
    }
}

/// The fields of a decision.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Decision {
    /// What else was considered.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 20), inner(length(max = 2_000)))]
    pub alternatives: Option<Vec<String>>,
    /// Why it was chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 2_000))]
    pub rationale: Option<String>,
}

/// The fields of a bugfix.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Bugfix {
    /// How it showed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 2_000))]
    pub symptom: Option<String>,
    /// Where it came from.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 2_000))]
    pub cause: Option<String>,
    /// How it was mended.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 2_000))]
    pub fix: Option<String>,
}

/// The fields of the progress of a task.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct TaskContext {
    /// `d_…`. Its dispatch.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 100))]
    pub dispatch_id: Option<String>,
    /// To do next.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 20), inner(length(max = 2_000)))]
    pub next_steps: Option<Vec<String>>,
    /// What it waits for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 20), inner(length(max = 2_000)))]
    pub blocked_by: Option<Vec<String>>,
}

/// The fields of a pattern.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Pattern {
    /// Where it is followed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 20), inner(length(max = 2_000)))]
    pub applies_to: Option<Vec<String>>,
    /// As it should be.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 2_000))]
    pub example: Option<String>,
    /// As it should not be.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 2_000))]
    pub counter_example: Option<String>,
}

/// A note has no fields of its own.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Note {}

/// The kind of a lesson.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum LessonType {
    /// Something that happened.
    Episodic,
    /// Something that is so.
    Semantic,
    /// A way to do something.
    Procedural,
    /// Something that went wrong.
    Failure,
    /// A wish of the user.
    Preference,
}

impl LessonType {
    /// The name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Episodic => "episodic",
            Self::Semantic => "semantic",
            Self::Procedural => "procedural",
            Self::Failure => "failure",
            Self::Preference => "preference",
        }
    }
}

/// How a task ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum TaskOutcome {
    /// It was done.
    Success,
    /// Some of it was.
    Partial,
    /// It was not.
    #[serde(alias = "failed")]
    Failure,
}

/// The task in which a lesson was learned.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[schemars(inline)]
pub struct TaskFacts {
    /// The task, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 2_000))]
    pub task_text: Option<String>,
    /// `d_…`. Its dispatch.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 100))]
    pub dispatch_id: Option<String>,
    /// How it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<TaskOutcome>,
    /// Its field.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 200))]
    pub domain: Option<String>,
    /// Paths it was about.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 50))]
    pub files: Option<Vec<String>>,
    /// Symbols it was about.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 50))]
    pub symbol_ids: Option<Vec<String>>,
    /// How long it took, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub duration_ms: Option<u64>,
    /// How many tries it took.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1_000))]
    pub attempts: Option<u32>,
}

/// The fields of a lesson.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Lesson {
    /// Kind of lesson.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lesson_type: Option<LessonType>,
    /// 0 to 1, default 0.5. How much it matters.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1))]
    pub importance: Option<f64>,
    /// The task in which it was learned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_context: Option<TaskFacts>,
}

/// The fields of a note's kind, and so its kind. Stored under the name of the kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Details {
    /// A choice and its reason.
    Decision(Decision),
    /// What was wrong and how it was mended.
    Bugfix(Bugfix),
    /// The progress of a task.
    TaskContext(TaskContext),
    /// A way in which things are done here.
    Pattern(Pattern),
    /// Anything else.
    Note(Note),
    /// What an agent learned.
    Lesson(Lesson),
}

impl Details {
    /// No fields of a kind.
    pub fn of_kind(kind: Kind) -> Self {
        match kind {
            Kind::Decision => Self::Decision(Decision::default()),
            Kind::Bugfix => Self::Bugfix(Bugfix::default()),
            Kind::TaskContext => Self::TaskContext(TaskContext::default()),
            Kind::Pattern => Self::Pattern(Pattern::default()),
            Kind::Note => Self::Note(Note::default()),
            Kind::Lesson => Self::Lesson(Lesson::default()),
        }
    }

    /// The kind.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Decision(_) => Kind::Decision,
            Self::Bugfix(_) => Kind::Bugfix,
            Self::TaskContext(_) => Kind::TaskContext,
            Self::Pattern(_) => Kind::Pattern,
            Self::Note(_) => Kind::Note,
            Self::Lesson(_) => Kind::Lesson,
        }
    }

    /// The fields that have values, by their names on the wire.
    pub fn fields(&self) -> Map<String, Value> {
        let value = match self {
            Self::Decision(fields) => serde_json::to_value(fields),
            Self::Bugfix(fields) => serde_json::to_value(fields),
            Self::TaskContext(fields) => serde_json::to_value(fields),
            Self::Pattern(fields) => serde_json::to_value(fields),
            Self::Note(fields) => serde_json::to_value(fields),
            Self::Lesson(fields) => serde_json::to_value(fields),
        };
        match value {
            Ok(Value::Object(fields)) => fields,
            _ => Map::new(),
        }
    }

    /// The same kind with these fields in place of its own of the same names. An empty text, list or object takes a field away.
    /// An error for a field that the kind doesn't have.
    pub fn with_fields(&self, changed: &Map<String, Value>) -> serde_json::Result<Self> {
        let mut fields = self.fields();
        for (name, value) in changed {
            let empty = match value {
                Value::String(text) => text.is_empty(),
                Value::Array(items) => items.is_empty(),
                Value::Object(fields) => fields.is_empty(),
                other => other.is_null(),
            };
            if empty {
                fields.shift_remove(name);
            } else {
                fields.insert(name.clone(), value.clone());
            }
        }
        let fields = Value::Object(fields);
        Ok(match self {
            Self::Decision(_) => Self::Decision(serde_json::from_value(fields)?),
            Self::Bugfix(_) => Self::Bugfix(serde_json::from_value(fields)?),
            Self::TaskContext(_) => Self::TaskContext(serde_json::from_value(fields)?),
            Self::Pattern(_) => Self::Pattern(serde_json::from_value(fields)?),
            Self::Note(_) => Self::Note(serde_json::from_value(fields)?),
            Self::Lesson(_) => Self::Lesson(serde_json::from_value(fields)?),
        })
    }

    /// Every text in the fields.
    pub fn texts(&self) -> Vec<String> {
        fn collect(value: &Value, texts: &mut Vec<String>) {
            match value {
                Value::String(text) => texts.push(text.clone()),
                Value::Array(items) => items.iter().for_each(|item| collect(item, texts)),
                Value::Object(fields) => fields.values().for_each(|value| collect(value, texts)),
                _ => {}
            }
        }
        let mut texts = Vec::new();
        self.fields().values().for_each(|value| collect(value, &mut texts));
        texts
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fields_change_within_their_kind() {
        let fix = Details::Bugfix(Bugfix { symptom: Some("slow".to_owned()), ..Bugfix::default() });
        let change = |value: Value| fix.with_fields(value.as_object().unwrap());
        assert_eq!(
            Value::Object(change(json!({"cause": "a lock"})).unwrap().fields()),
            json!({"symptom": "slow", "cause": "a lock"})
        );
        assert_eq!(Value::Object(change(json!({"symptom": ""})).unwrap().fields()), json!({}));
        assert!(change(json!({"rationale": "no"})).is_err());
    }

    #[test]
    fn the_stored_form_names_the_kind_and_keeps_numbers() {
        let lesson = Lesson { importance: Some(0.3), ..Lesson::default() };
        let details = Details::Lesson(lesson);
        let text = serde_json::to_string(&details).unwrap();
        assert_eq!(text, r#"{"lesson":{"importance":0.3}}"#);
        assert_eq!(serde_json::from_str::<Details>(&text).unwrap(), details);
        assert_eq!(Details::of_kind(Kind::Pattern).kind().name(), "pattern");
    }
}
