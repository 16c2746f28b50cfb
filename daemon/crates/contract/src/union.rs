//! Arguments whose fields depend on one of them: a union of request types, which a tag tells apart.
//!
//! Published schemas have no `oneOf`, because some clients can't handle it. So the schema of a union is flat: the common
//! fields, the tag, and the fields of all branches, none of them required. A field of a branch says in its description to which values of
//! the tag it belongs. Which fields a branch has and needs is checked from the types of the branches themselves.

use serde_json::{Map, Value};

use crate::nearest::nearest_names;
use crate::{Candidate, Code, Explained as _, Refusal};

/// One branch: the fields beside the common ones for one value of the tag.
#[derive(Clone, Debug, PartialEq)]
pub struct Branch {
    /// The value of the tag.
    pub name: &'static str,
    /// The schema of its fields, as [`crate::schema::of_request`] returns it.
    pub schema: Value,
}

/// The branches of a request.
#[derive(Clone, Debug, PartialEq)]
pub struct Union {
    tag: &'static str,
    branches: Vec<Branch>,
}

impl Union {
    /// Creates a union that `tag` tells apart.
    pub fn new(tag: &'static str, branches: Vec<Branch>) -> Self {
        Self { tag, branches }
    }

    /// The field that tells the branches apart.
    pub fn tag(&self) -> &'static str {
        self.tag
    }

    /// The values of the tag.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.branches.iter().map(|branch| branch.name)
    }

    /// The fields of a branch; none for a value that the tag doesn't have.
    pub fn fields_of(&self, name: &str) -> impl Iterator<Item = &str> {
        let branch = self.branches.iter().find(|branch| branch.name == name);
        branch.and_then(properties_of).into_iter().flatten().map(|(name, _)| name.as_str())
    }

    /// The fields that a branch needs; none for a value that the tag doesn't have.
    pub fn required_of(&self, name: &str) -> impl Iterator<Item = &str> {
        let branch = self.branches.iter().find(|branch| branch.name == name);
        let required = branch.and_then(|branch| branch.schema.get("required")).and_then(Value::as_array);
        required.into_iter().flatten().filter_map(Value::as_str)
    }

    /// The branches that have a field.
    pub fn branches_with(&self, field: &str) -> Vec<&'static str> {
        let has = |branch: &&Branch| properties_of(branch).is_some_and(|all| all.contains_key(field));
        self.branches.iter().filter(has).map(|branch| branch.name).collect()
    }

    /// Appends the fields of all branches to the properties of a schema, none of them required. Fails where two branches give one
    /// name two schemas, or where a branch has a field that the schema has already.
    pub fn extend_properties(&self, schema: &mut Value) -> Result<(), String> {
        let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
        let Some(properties) = properties else { return Err("no properties to extend".to_owned()) };
        let mut added: Map<String, Value> = Map::new();
        for branch in &self.branches {
            for (name, property) in properties_of(branch).into_iter().flatten() {
                if name == self.tag || properties.contains_key(name) {
                    return Err(format!("{name} of {} is a common field too", branch.name));
                }
                match added.get(name) {
                    Some(known) if known != property => {
                        return Err(format!(
                            "{name} of {} has another schema than in another branch",
                            branch.name
                        ));
                    }
                    Some(_) => {}
                    None => {
                        added.insert(name.clone(), property.clone());
                    }
                }
            }
        }
        for (name, mut property) in added {
            let of = self.branches_with(&name);
            let needed =
                self.branches.iter().all(|branch| !of.contains(&branch.name) || requires(branch, &name));
            describe_branches(&mut property, &of, needed);
            properties.insert(name, property);
        }
        Ok(())
    }

    /// Checks that the arguments have the fields of their branch: no field of another one, none missing. The arguments fit the flat
    /// schema already.
    pub fn check(&self, args: &Map<String, Value>) -> Result<(), Refusal> {
        let tag = args.get(self.tag).and_then(Value::as_str).unwrap_or_default();
        let Some(branch) = self.branches.iter().find(|branch| branch.name == tag) else { return Ok(()) };
        self.check_fields(branch.name, args.keys().map(String::as_str))?;
        let missing: Vec<&str> =
            self.required_of(branch.name).filter(|name| !args.contains_key(*name)).collect();
        let Some(first) = missing.first() else { return Ok(()) };
        let message = format!("{} {tag:?} needs {}", self.tag, missing.join(", "));
        Err(Refusal::new(Code::MissingField, message).at(*first))
    }

    /// Checks that none of the fields belongs to other branches only.
    pub fn check_fields<'f>(&self, tag: &str, fields: impl Iterator<Item = &'f str>) -> Result<(), Refusal> {
        let own: Vec<&str> = self.fields_of(tag).collect();
        for field in fields.filter(|field| !own.contains(field)) {
            let others = self.branches_with(field);
            if others.is_empty() {
                continue;
            }
            let known = if own.is_empty() {
                "it has no fields of its own".to_owned()
            } else {
                format!("its fields are {}", own.join(", "))
            };
            let message = format!(
                "unknown field {field:?}: {} {tag:?} doesn't have it, but {} does; {known}",
                self.tag,
                others.join(", ")
            );
            let near = nearest_names(field, own.iter().copied(), 3);
            let near = near.into_iter().map(|name| Candidate::of("field", name));
            let others = others.into_iter().map(|name| Candidate::of(self.tag, name));
            return Err(Refusal::new(Code::UnknownField, message).at(field).or_one_of(near.chain(others)));
        }
        Ok(())
    }
}

fn properties_of(branch: &Branch) -> Option<&Map<String, Value>> {
    branch.schema.get("properties").and_then(Value::as_object)
}

fn requires(branch: &Branch, field: &str) -> bool {
    let required = branch.schema.get("required").and_then(Value::as_array);
    required.is_some_and(|required| required.iter().any(|name| name == field))
}

/// Says first of all to which branches a field belongs: the list of tools shows only the first sentence.
fn describe_branches(property: &mut Value, of: &[&str], needed: bool) {
    let text = property.get("description").and_then(Value::as_str).unwrap_or_default().to_owned();
    let needed = if needed { ", required" } else { "" };
    if let Some(property) = property.as_object_mut() {
        property.insert("description".to_owned(), format!("({}{needed}) {text}", of.join(", ")).into());
    }
}

/// Declares a request whose fields depend on a tag: the struct with the common fields and the branch, the enum of the branches, the
/// reading of both, and the flat schema.
///
/// ```ignore
/// sdl_contract::union_request! {
///     pub(crate) struct Request {
///         common: Common,
///         "type" as content: Content {
///             Decision(Decision) = "decision",
///             Note(Note) = "note",
///         }
///     }
/// }
/// ```
#[macro_export]
macro_rules! union_request {
    (
        $(#[$meta:meta])*
        $vis:vis struct $name:ident {
            common: $common:ty,
            $(#[doc = $doc:literal])*
            $tag:literal as $field:ident: $content:ident {
                $( $branch:ident($of:ty) = $wire:literal ),+ $(,)?
            }
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug)]
        $vis struct $name {
            /// The fields that all branches have.
            $vis common: $common,
            /// The fields of the branch.
            $vis $field: $content,
        }

        /// The fields of one branch.
        #[derive(Clone, Debug, PartialEq)]
        #[allow(missing_docs, reason = "each branch is described by its type")]
        $vis enum $content {
            $( $branch($of) ),+
        }

        impl $content {
            /// The value of the tag.
            $vis fn name(&self) -> &'static str {
                match self {
                    $( Self::$branch(_) => $wire ),+
                }
            }

            /// The branches.
            $vis fn branches() -> $crate::Union {
                $crate::Union::new($tag, vec![
                    $( $crate::Branch { name: $wire, schema: $crate::schema::of_request::<$of>() } ),+
                ])
            }

            /// Reads the fields of a branch.
            $vis fn from_fields(
                name: &str,
                fields: serde_json::Map<String, serde_json::Value>,
            ) -> Result<Self, serde_json::Error> {
                let fields = serde_json::Value::Object(fields);
                match name {
                    $( $wire => serde_json::from_value(fields).map(Self::$branch), )+
                    other => Err(serde::de::Error::unknown_variant(other, &[$( $wire ),+])),
                }
            }

            /// The fields of the branch, without those that were not given.
            $vis fn to_fields(&self) -> serde_json::Map<String, serde_json::Value> {
                let value = match self {
                    $( Self::$branch(fields) => serde_json::to_value(fields) ),+
                };
                match value {
                    Ok(serde_json::Value::Object(mut fields)) => {
                        fields.retain(|_, value| !value.is_null());
                        fields
                    }
                    _ => serde_json::Map::new(),
                }
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                use serde::de::Error as _;
                let mut common = serde_json::Map::deserialize(from)?;
                let tag = common.shift_remove($tag).ok_or_else(|| D::Error::missing_field($tag))?;
                let tag = tag.as_str().ok_or_else(|| D::Error::custom("the tag is not a string"))?.to_owned();
                let mut fields = serde_json::Map::new();
                for name in $content::branches().fields_of(&tag) {
                    fields.extend(common.shift_remove_entry(name));
                }
                let $field = $content::from_fields(&tag, fields).map_err(D::Error::custom)?;
                let common = serde_json::from_value(serde_json::Value::Object(common)).map_err(D::Error::custom)?;
                Ok(Self { common, $field })
            }
        }

        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                let doc = concat!($($doc),*).trim();
                let tag = serde_json::json!({ "type": "string", "enum": [$( $wire ),+], "description": doc });
                let schema = $crate::flat_schema(
                    $crate::schema::of_request::<$common>(),
                    ($tag, tag),
                    &$content::branches(),
                );
                schemars::Schema::try_from(schema).unwrap_or_default()
            }
        }
    };
}

/// The schema of a request: the tag, the common fields, and those of all branches. A breach of the rules shows in the lint of schemas: such a schema
/// says nothing.
pub fn flat_schema(common: Value, (tag, tag_schema): (&str, Value), union: &Union) -> Value {
    let mut properties = Map::from_iter([(tag.to_owned(), tag_schema)]);
    properties.extend(common.get("properties").and_then(Value::as_object).cloned().unwrap_or_default());
    let mut required = vec![Value::from(tag)];
    required.extend(common.get("required").and_then(Value::as_array).cloned().unwrap_or_default());
    let mut schema = serde_json::json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false
    });
    match union.extend_properties(&mut schema) {
        Ok(()) => schema,
        Err(breach) => serde_json::json!({ "not": breach }),
    }
}

#[cfg(test)]
mod tests {
    use schemars::JsonSchema;
    use serde::{Deserialize, Serialize};
    use serde_json::json;

    use super::*;
    use crate::schema::{lint_schema, of_request};

    #[derive(Clone, Debug, Deserialize, JsonSchema)]
    #[serde(rename_all = "camelCase", deny_unknown_fields)]
    struct Common {
        /// One line.
        title: String,
    }

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "camelCase", deny_unknown_fields)]
    struct Bugfix {
        /// What was wrong.
        cause: String,
        /// Related.
        links: Option<Vec<String>>,
    }

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "camelCase", deny_unknown_fields)]
    struct Note {
        /// Related.
        links: Option<Vec<String>>,
    }

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "camelCase", deny_unknown_fields)]
    struct Other {
        /// Other.
        links: Option<u32>,
    }

    union_request! {
        struct Request {
            common: Common,
            /// Kind.
            "type" as content: Content {
                Bugfix(Bugfix) = "bugfix",
                Note(Note) = "note",
            }
        }
    }

    #[test]
    fn the_schema_is_flat_and_says_whose_a_field_is() {
        let schema = of_request::<Request>();
        assert_eq!(lint_schema(&schema), Vec::<String>::new());
        let said = |name: &str| schema["properties"][name]["description"].as_str().unwrap().to_owned();
        assert_eq!(said("cause"), "(bugfix, required) What was wrong.");
        assert_eq!(said("links"), "(bugfix, note) Related.");
        assert_eq!(schema["required"], json!(["type", "title"]));
        assert_eq!(schema["properties"]["type"]["enum"], json!(["bugfix", "note"]));
    }

    #[test]
    fn two_schemas_for_one_name_are_a_breach() {
        let branch = |name, schema| Branch { name, schema };
        let union =
            Union::new("type", vec![branch("a", of_request::<Note>()), branch("b", of_request::<Other>())]);
        let schema = flat_schema(of_request::<Common>(), ("type", json!({"type": "string"})), &union);
        assert!(!lint_schema(&schema).is_empty(), "{schema}");
    }

    #[test]
    fn a_field_of_another_branch_is_refused_by_name() {
        let union = Content::branches();
        let check = |value: Value| union.check(value.as_object().unwrap());
        assert_eq!(check(json!({"type": "bugfix", "title": "t", "cause": "c"})), Ok(()));
        let refused = check(json!({"type": "note", "title": "t", "cause": "c"})).unwrap_err();
        assert_eq!((refused.code, refused.about.field.as_deref()), (Code::UnknownField, Some("cause")));
        assert!(refused.message.contains("but bugfix does"), "{refused}");
        let refused = check(json!({"type": "bugfix", "title": "t"})).unwrap_err();
        assert_eq!((refused.code, refused.about.field.as_deref()), (Code::MissingField, Some("cause")));
    }

    #[test]
    fn values_are_read_into_their_branch() {
        let read = |value: Value| serde_json::from_value::<Request>(value);
        let fix = read(json!({"type": "bugfix", "title": "t", "cause": "c"})).unwrap();
        assert_eq!(fix.common.title, "t");
        assert_eq!(fix.content, Content::Bugfix(Bugfix { cause: "c".to_owned(), links: None }));
        assert_eq!(Value::Object(fix.content.to_fields()), json!({"cause": "c"}));
        assert_eq!(fix.content.name(), "bugfix");
        assert!(read(json!({"type": "note", "title": "t", "cause": "c"})).is_err());
        assert!(read(json!({"title": "t"})).is_err());
    }
}
