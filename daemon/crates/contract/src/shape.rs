//! A schema, compiled for checking. It is made from the published schema itself, because then the check and the
//! documentation can't differ.

use serde_json::{Map, Value};

/// The form that a value must have.
#[derive(Clone, Debug)]
pub enum Shape {
    /// An object.
    Object(ObjectShape),
    /// An array, with bounds on its length.
    Array {
        /// The form of each item.
        items: Box<Shape>,
        /// Fewest items.
        min: usize,
        /// Most items.
        max: usize,
    },
    /// A string, with bounds on its length in characters.
    String {
        /// The allowed values; empty for any text.
        choices: Vec<String>,
        /// Fewest characters.
        min: usize,
        /// Most characters.
        max: usize,
    },
    /// A number without a fraction.
    Integer {
        /// The least.
        min: Option<f64>,
        /// The greatest.
        max: Option<f64>,
    },
    /// A number.
    Number {
        /// The least.
        min: Option<f64>,
        /// The greatest.
        max: Option<f64>,
    },
    /// `true` or `false`.
    Boolean,
}

/// The form that an object must have.
#[derive(Clone, Debug)]
pub struct ObjectShape {
    /// Its fields, in the order of the schema.
    pub fields: Vec<FieldShape>,
    /// How other keys are treated.
    pub rest: Rest,
}

/// How keys that no field has are treated.
#[derive(Clone, Debug)]
pub enum Rest {
    /// They are refused.
    Refused,
    /// They may hold anything.
    Any,
    /// Their values have this shape.
    Each(Box<Shape>),
}

/// One field.
#[derive(Clone, Debug)]
pub struct FieldShape {
    /// Its name in the schema.
    pub name: String,
    /// Other spellings: the name in snake case, and those that the action lists.
    pub aliases: Vec<String>,
    /// Whether it must be given.
    pub required: bool,
    /// The form of its value.
    pub shape: Shape,
}

impl Shape {
    /// Compiles a normalized schema. Fails on schemas that the lint would refuse.
    pub fn compile(schema: &Value, aliases: &[(&str, &str)]) -> Result<Self, String> {
        let object = schema.as_object().ok_or_else(|| format!("{schema} is not an object"))?;
        match object.get("type").and_then(Value::as_str) {
            Some("object") => ObjectShape::compile(object, aliases).map(Self::Object),
            Some("array") => {
                let items = object.get("items").ok_or("an array without items")?;
                Ok(Self::Array {
                    items: Box::new(Self::compile(items, &[])?),
                    min: size_bound(object, "minItems").unwrap_or(0),
                    max: size_bound(object, "maxItems").unwrap_or(usize::MAX),
                })
            }
            Some("string") => {
                let choices = object.get("enum").and_then(Value::as_array);
                let choices =
                    choices.map(|all| all.iter().filter_map(Value::as_str).map(str::to_owned).collect());
                Ok(Self::String {
                    choices: choices.unwrap_or_default(),
                    min: size_bound(object, "minLength").unwrap_or(0),
                    max: size_bound(object, "maxLength").unwrap_or(usize::MAX),
                })
            }
            Some("integer") => Ok(Self::Integer {
                min: number_bound(object, "minimum"),
                max: number_bound(object, "maximum"),
            }),
            Some("number") => Ok(Self::Number {
                min: number_bound(object, "minimum"),
                max: number_bound(object, "maximum"),
            }),
            Some("boolean") => Ok(Self::Boolean),
            other => Err(format!("type {other:?} in {schema}")),
        }
    }

    /// The shape's name in messages.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Object(_) => "object",
            Self::Array { .. } => "array",
            Self::String { .. } => "string",
            Self::Integer { .. } => "integer",
            Self::Number { .. } => "number",
            Self::Boolean => "boolean",
        }
    }
}

impl ObjectShape {
    fn compile(object: &Map<String, Value>, aliases: &[(&str, &str)]) -> Result<Self, String> {
        let required: Vec<&str> = object
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let mut fields = Vec::new();
        for (name, schema) in object.get("properties").and_then(Value::as_object).into_iter().flatten() {
            let listed =
                aliases.iter().filter(|(_, field)| field == name).map(|(alias, _)| (*alias).to_owned());
            let snake = snake_case(name);
            fields.push(FieldShape {
                aliases: listed.chain((snake != *name).then_some(snake)).collect(),
                required: required.contains(&name.as_str()),
                shape: Shape::compile(schema, &[]).map_err(|e| format!("{name}: {e}"))?,
                name: name.clone(),
            });
        }
        let rest = match object.get("additionalProperties") {
            Some(Value::Bool(false)) => Rest::Refused,
            None | Some(Value::Bool(true)) => Rest::Any,
            Some(schema) => Rest::Each(Box::new(Shape::compile(schema, &[])?)),
        };
        Ok(Self { fields, rest })
    }

    /// Returns the field with this name or alias.
    pub fn field(&self, key: &str) -> Option<&FieldShape> {
        self.fields
            .iter()
            .find(|field| field.name == key)
            .or_else(|| self.fields.iter().find(|field| field.aliases.iter().any(|alias| alias == key)))
    }
}

/// Converts `knownCardEtags` to `known_card_etags`.
fn snake_case(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 4);
    for c in name.chars() {
        if c.is_ascii_uppercase() {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

fn size_bound(object: &Map<String, Value>, key: &str) -> Option<usize> {
    object.get(key).and_then(Value::as_u64).map(|n| n as usize)
}

fn number_bound(object: &Map<String, Value>, key: &str) -> Option<f64> {
    object.get(key).and_then(Value::as_f64)
}
