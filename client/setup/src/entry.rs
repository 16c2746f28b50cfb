//! Our entry: what it says in each client's form, and whether an entry is ours.

use serde_json::{Map, Value, json};

use crate::catalog::{FieldValue, Shape};

/// What clients are to start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// The shim: an absolute path for a user's file, its bare name for files that a team commits.
    pub program: String,
    /// Its arguments. `None` keeps those of an entry that is there, and means none for a new one.
    pub arguments: Option<Vec<String>>,
}

/// What an entry that is there means for us.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It is ours and says what it should.
    Same,
    /// It is ours, and these fields say something else.
    Differs(Vec<(String, Value)>),
    /// It starts another program.
    Foreign(String),
}

impl Wanted {
    /// The fields of a new entry, in order.
    pub fn fields(&self, shape: &Shape, name: &str) -> Vec<(String, Value)> {
        let arguments = self.arguments.clone().unwrap_or_default();
        self.render_fields(shape, name, &arguments)
    }

    fn render_fields(&self, shape: &Shape, name: &str, arguments: &[String]) -> Vec<(String, Value)> {
        let value = |field: &FieldValue| match field {
            FieldValue::Command => json!(self.program),
            FieldValue::Args => json!(arguments),
            FieldValue::CommandLine => {
                std::iter::once(&self.program).chain(arguments).map(String::as_str).collect()
            }
            FieldValue::Name => json!(name),
            FieldValue::Text(text) => json!(text),
            FieldValue::Texts(texts) => json!(texts),
            FieldValue::Bool(yes) => json!(yes),
            FieldValue::Number(number) => json!(number),
            FieldValue::Empty => Value::Object(Map::new()),
        };
        shape.fields.iter().map(|(key, field)| ((*key).to_owned(), value(field))).collect()
    }

    /// Compares with an entry that is there. Fields that a person may set, such as `disabled`, are left alone.
    pub fn compare(&self, shape: &Shape, name: &str, entry: &Value) -> Standing {
        let there = command_of(shape, entry);
        let Some((program, arguments)) = there else {
            return Standing::Foreign("something that is no command".to_owned());
        };
        if !is_shim(&program) {
            return Standing::Foreign(program);
        }
        let arguments = self.arguments.clone().unwrap_or(arguments);
        let wanted = self.render_fields(shape, name, &arguments);
        let differing = shape.fields.iter().zip(wanted).filter_map(|((_, field), (key, value))| {
            let ours = matches!(field, FieldValue::Command | FieldValue::Args | FieldValue::CommandLine);
            let same = entry.get(&key) == Some(&value)
                || (matches!(field, FieldValue::Args) && arguments.is_empty() && entry.get(&key).is_none());
            (ours && !same).then_some((key, value))
        });
        let differing: Vec<_> = differing.collect();
        if differing.is_empty() { Standing::Same } else { Standing::Differs(differing) }
    }
}

/// The program and the arguments of an entry. Arguments that are no texts count as none.
fn command_of(shape: &Shape, entry: &Value) -> Option<(String, Vec<String>)> {
    let texts = |value: Option<&Value>| -> Vec<String> {
        value
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect()
    };
    let key_of =
        |wanted: FieldValue| shape.fields.iter().find(|(_, field)| *field == wanted).map(|(key, _)| *key);
    if let Some(key) = key_of(FieldValue::CommandLine) {
        let mut line = texts(entry.get(key)).into_iter();
        return Some((line.next()?, line.collect()));
    }
    let program = entry.get(key_of(FieldValue::Command)?)?.as_str()?.to_owned();
    let arguments = key_of(FieldValue::Args).map(|key| texts(entry.get(key))).unwrap_or_default();
    Some((program, arguments))
}

/// Whether a command starts our shim, wherever it is installed.
fn is_shim(program: &str) -> bool {
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    name == "sdl-mcp" || name.eq_ignore_ascii_case("sdl-mcp.exe")
}
