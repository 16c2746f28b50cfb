//! The texts of a tool.

use serde_json::Value;

/// More parameters than this are not read, because a schema may come from anywhere.
const MAX_PARAMETERS: usize = 256;
/// Properties of properties are read down to this depth.
const MAX_DEPTH: usize = 5;

/// A tool as its words: its names and all texts about it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Doc {
    /// Whose tool it is, such as `github`.
    pub key: String,
    /// Its name there, such as `create_issue`.
    pub name: String,
    /// Its name for people.
    pub title: String,
    /// What the whole server is for.
    pub about: String,
    /// What the tool does. The first sentence counts most.
    pub description: String,
    /// Names and descriptions of its parameters, also of those inside others.
    pub parameters: Vec<(String, String)>,
    /// The values that parameters may have, where they are listed.
    pub enums: Vec<String>,
    /// Arguments that work, as text.
    pub examples: Vec<String>,
}

impl Doc {
    /// Adds the parameters and listed values of a JSON Schema.
    pub fn add_schema(&mut self, schema: &Value) {
        self.add_level(schema, 0);
    }

    fn add_level(&mut self, schema: &Value, depth: usize) {
        if depth > MAX_DEPTH {
            return;
        }
        for (name, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
            if self.parameters.len() >= MAX_PARAMETERS {
                return;
            }
            let description = property.get("description").and_then(Value::as_str).unwrap_or_default();
            self.parameters.push((name.clone(), description.to_owned()));
            let values = property.get("enum").and_then(Value::as_array).into_iter().flatten();
            let room = MAX_PARAMETERS.saturating_sub(self.enums.len());
            self.enums.extend(values.filter_map(Value::as_str).take(room).map(str::to_owned));
            self.add_level(property, depth + 1);
            if let Some(items) = property.get("items") {
                self.add_level(items, depth + 1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn parameters_of_parameters_are_read() {
        let mut doc = Doc::default();
        doc.add_schema(&json!({"properties": {
            "mode": {"enum": ["fast", "slow", 3], "description": "How."},
            "rows": {"items": {"properties": {"cell": {}}}},
        }}));
        let names: Vec<&str> = doc.parameters.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["mode", "rows", "cell"]);
        assert_eq!(
            (doc.parameters[0].1.as_str(), doc.enums.as_slice()),
            ("How.", &["fast".into(), "slow".into()][..])
        );
    }

    #[test]
    fn a_schema_that_never_ends_is_cut() {
        let mut doc = Doc::default();
        let many: serde_json::Map<String, Value> = (0..5_000).map(|n| (format!("p{n}"), json!({}))).collect();
        doc.add_schema(&json!({"properties": many}));
        assert_eq!(doc.parameters.len(), MAX_PARAMETERS);
        let deep = (0..100).fold(json!({}), |inner, _| json!({"properties": {"deeper": inner}}));
        let mut doc = Doc::default();
        doc.add_schema(&deep);
        assert_eq!(doc.parameters.len(), MAX_DEPTH + 1);
        Doc::default().add_schema(&json!("no schema"));
    }
}
