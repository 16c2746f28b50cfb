//! Patterns of names.

use std::fmt;

use globset::{GlobBuilder, GlobMatcher};

use crate::keys::fold_key;

/// A glob over names. `*` matches any characters, `/` too, because names and URIs are not paths.
#[derive(Clone)]
pub struct Pattern {
    text: String,
    matcher: GlobMatcher,
}

impl Pattern {
    /// Compiles a glob. The error says why it is none.
    pub fn compile(text: &str) -> Result<Self, String> {
        Self::build(text, false)
    }

    pub(crate) fn build(text: &str, ignores_case: bool) -> Result<Self, String> {
        let mut builder = GlobBuilder::new(text);
        builder
            .literal_separator(false)
            .backslash_escape(true)
            .empty_alternates(true)
            .case_insensitive(ignores_case);
        let glob = builder.build().map_err(|error| format!("{text:?} is no glob: {}", error.kind()))?;
        Ok(Self { text: text.to_owned(), matcher: glob.compile_matcher() })
    }

    /// Whether the whole name matches.
    pub fn is_match(&self, name: &str) -> bool {
        self.matcher.is_match(name)
    }

    /// The glob as it is written.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl fmt::Debug for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text.fmt(f)
    }
}

/// Names that are allowed, less those that are denied.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Globs {
    /// None allows every name; an empty list none.
    pub allow: Option<Vec<Pattern>>,
    /// Wins over `allow`.
    pub deny: Vec<Pattern>,
}

impl Globs {
    /// Whether a name is allowed and not denied.
    pub fn permits(&self, name: &str) -> bool {
        self.allow.as_ref().is_none_or(|allow| allow.iter().any(|pattern| pattern.is_match(name)))
            && !self.deny.iter().any(|pattern| pattern.is_match(name))
    }
}

/// A pattern of upstreams' keys: letters, digits, `_`, `-`, and `*` and `?` for any. Spellings that fold alike match alike.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyPattern {
    text: String,
    folded: Pattern,
}

impl KeyPattern {
    /// Compiles a pattern. The error says why it is none.
    pub fn compile(text: &str) -> Result<Self, String> {
        let is_key = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '*' | '?');
        if text.is_empty() || !text.chars().all(is_key) {
            return Err(format!("{text:?} is no key of an upstream, nor a pattern such as \"git*\""));
        }
        Ok(Self { text: text.to_owned(), folded: Pattern::build(&fold_key(text), false)? })
    }

    /// Whether a key matches.
    pub fn is_match(&self, key: &str) -> bool {
        self.folded.is_match(&fold_key(key))
    }

    /// The pattern as it is written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether it can only mean one key.
    pub fn is_literal(&self) -> bool {
        !self.text.contains(['*', '?'])
    }
}

/// A pattern of tools, `key/name`. Ours are `sdl/name`; resources, prompts and questions are `key/resource:URI`,
/// `key/prompt:NAME` and `key/ask:KIND`.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolPattern {
    /// The part before the first `/`.
    pub key: KeyPattern,
    /// The rest, over original names.
    pub name: Pattern,
}

impl ToolPattern {
    /// Compiles a pattern. The error says why it is none.
    pub fn compile(text: &str) -> Result<Self, String> {
        let Some((key, name)) = text.split_once('/') else {
            return Err(format!("{text:?} names no upstream; write KEY/TOOL, for example \"*/{text}\""));
        };
        if name.is_empty() {
            return Err(format!("{text:?} names no tool; write \"{key}/*\" for all"));
        }
        Ok(Self { key: KeyPattern::compile(key)?, name: Pattern::compile(name)? })
    }

    /// Whether a tool of the upstream `key` matches by its original name.
    pub fn is_match(&self, key: &str, name: &str) -> bool {
        self.key.is_match(key) && self.name.is_match(name)
    }
}
