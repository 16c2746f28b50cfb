//! A parsed text, with the place of each value in it. All three syntaxes become this.

use std::ops::Range;

use serde_json::{Map, Value};

/// A value and its bytes.
#[derive(Clone, Debug)]
pub(super) struct Node {
    /// Its bytes. Of a block in YAML and a table in TOML only the start can be relied on.
    pub(super) span: Range<usize>,
    pub(super) kind: Kind,
}

/// What a value is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    Map(Vec<Member>),
    List(Vec<Node>),
    /// Anything without parts.
    Leaf(Value),
}

/// A key with its value.
#[derive(Clone, Debug)]
pub(super) struct Member {
    pub(super) key: String,
    pub(super) key_span: Range<usize>,
    pub(super) value: Node,
}

impl PartialEq for Node {
    /// Places don't count.
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind
    }
}

impl PartialEq for Member {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key && self.value == other.value
    }
}

impl Node {
    /// The members of a map; none of anything else.
    pub(super) fn members(&self) -> &[Member] {
        if let Kind::Map(members) = &self.kind { members } else { &[] }
    }

    /// The items of a list; none of anything else.
    pub(super) fn items(&self) -> &[Self] {
        if let Kind::List(items) = &self.kind { items } else { &[] }
    }

    pub(super) fn member(&self, key: &str) -> Option<&Member> {
        self.members().iter().find(|member| member.key == key)
    }

    /// The tree without places. Of a key that occurs twice the last one counts.
    pub(super) fn to_value(&self) -> Value {
        match &self.kind {
            Kind::Map(members) => {
                let members = members.iter().map(|member| (member.key.clone(), member.value.to_value()));
                Value::Object(members.collect::<Map<_, _>>())
            }
            Kind::List(items) => Value::Array(items.iter().map(Self::to_value).collect()),
            Kind::Leaf(value) => value.clone(),
        }
    }

    /// For messages.
    pub(super) fn describe(&self) -> &'static str {
        match &self.kind {
            Kind::Map(_) => "a map",
            Kind::List(_) => "a list",
            Kind::Leaf(Value::Null) => "null",
            Kind::Leaf(Value::Bool(_)) => "true or false",
            Kind::Leaf(Value::Number(_)) => "a number",
            Kind::Leaf(_) => "a text",
        }
    }
}
