//! Node kinds and field names as small enums, looked up by the grammar's numbers.

use tree_sitter::Language as Grammar;

use crate::tokens::Form;

/// An enum of node kinds, made by [`kinds!`](crate::kinds).
pub trait KindNames: Copy + Eq + std::fmt::Debug + Send + Sync + 'static {
    /// Every kind, its name in the grammar, and whether it is a named node (else a token).
    const NAMES: &'static [(Self, &'static str, bool)];
    /// A kind that the language has no use for.
    const OTHER: Self;
    /// Text that the parser could not read.
    const ERROR: Self;
}

/// An enum of field names, made by [`kinds!`](crate::kinds).
pub trait FieldNames: Copy + Eq + std::fmt::Debug + Send + Sync + 'static {
    /// Every field and its name in the grammar.
    const NAMES: &'static [(Self, &'static str)];
    /// No field, or one that the language has no use for.
    const NONE: Self;
}

/// Declares a language's node kinds, tokens and fields.
///
/// Named nodes that are not listed appear on the tape as `Other`; tokens that are not listed do not appear at all.
#[macro_export]
macro_rules! kinds {
    (
        nodes { $($node:ident = $node_name:literal),* $(,)? }
        tokens { $($token:ident = $token_name:literal),* $(,)? }
        fields { $($field:ident = $field_name:literal),* $(,)? }
    ) => {
        /// Node kinds and tokens.
        #[allow(missing_docs, reason = "the names are the grammar's")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u16)]
        pub enum K { Other, Error, $($node,)* $($token,)* }

        impl $crate::KindNames for K {
            const NAMES: &'static [(Self, &'static str, bool)] =
                &[$((Self::$node, $node_name, true),)* $((Self::$token, $token_name, false),)*];
            const OTHER: Self = Self::Other;
            const ERROR: Self = Self::Error;
        }

        /// Field names.
        #[allow(missing_docs, reason = "the names are the grammar's")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum F { None, $($field,)* }

        impl $crate::FieldNames for F {
            const NAMES: &'static [(Self, &'static str)] = &[$((Self::$field, $field_name),)*];
            const NONE: Self = Self::None;
        }
    };
}

/// Whether the grammar's name for a kind marks it as a comment or a text literal. Every such name contains one of
/// these words: `line_comment`, `interpreted_string_literal`, `template_string`, `heredoc_body`, `encapsed_string`.
fn is_prose(name: &str) -> bool {
    ["comment", "string", "heredoc", "nowdoc"].iter().any(|word| name.contains(word))
}

/// One grammar's numbers, mapped to a language's enums.
#[derive(Debug)]
pub struct Tables<K, F> {
    /// By kind id: the kind, and whether nodes of it go on the tape.
    kinds: Vec<(K, bool)>,
    /// By kind id: whether nodes of it are comments or text literals.
    prose: Vec<bool>,
    /// By kind id.
    forms: Vec<Form>,
    /// By field id.
    fields: Vec<F>,
}

impl<K: KindNames, F: FieldNames> Tables<K, F> {
    /// Looks every name up in `grammar`.
    pub fn new(grammar: &Grammar) -> Self {
        let by_name: std::collections::HashMap<(&str, bool), K> =
            K::NAMES.iter().map(|&(kind, name, named)| ((name, named), kind)).collect();
        let kinds = (0..grammar.node_kind_count() as u16)
            .map(|id| {
                let named = grammar.node_kind_is_named(id);
                let name = grammar.node_kind_for_id(id).unwrap_or("");
                match by_name.get(&(name, named)) {
                    Some(&kind) => (kind, true),
                    None => (K::OTHER, named),
                }
            })
            .collect();
        let prose = (0..grammar.node_kind_count() as u16)
            .map(|id| grammar.node_kind_is_named(id) && is_prose(grammar.node_kind_for_id(id).unwrap_or("")))
            .collect();
        let forms = (0..grammar.node_kind_count() as u16)
            .map(|id| Form::of(grammar.node_kind_for_id(id).unwrap_or(""), grammar.node_kind_is_named(id)))
            .collect();
        let mut fields = vec![F::NONE; grammar.field_count() + 1];
        for &(field, name) in F::NAMES {
            if let Some(slot) =
                grammar.field_id_for_name(name).and_then(|id| fields.get_mut(usize::from(id.get())))
            {
                *slot = field;
            }
        }
        Self { kinds, prose, forms, fields }
    }

    /// The names that `grammar` does not have; a test requires that there are none.
    pub fn unknown_names(grammar: &Grammar) -> Vec<String> {
        let kinds = K::NAMES.iter().filter(|(_, name, named)| {
            !(0..grammar.node_kind_count() as u16).any(|id| {
                grammar.node_kind_is_named(id) == *named && grammar.node_kind_for_id(id) == Some(name)
            })
        });
        let fields = F::NAMES.iter().filter(|(_, name)| grammar.field_id_for_name(name).is_none());
        kinds
            .map(|(_, name, named)| format!("{} {name}", if *named { "node" } else { "token" }))
            .chain(fields.map(|(_, name)| format!("field {name}")))
            .collect()
    }

    /// The kind of that number, and whether its nodes go on the tape.
    pub(crate) fn kind(&self, id: u16) -> (K, bool) {
        // Ids above the table are the parser's own: errors.
        self.kinds.get(usize::from(id)).copied().unwrap_or((K::ERROR, true))
    }

    /// Whether nodes of that number are comments or text literals.
    pub(crate) fn is_prose(&self, id: u16) -> bool {
        self.prose.get(usize::from(id)).copied().unwrap_or(false)
    }

    /// The form of nodes of that number for the recorder of tokens.
    pub(crate) fn form(&self, id: u16) -> Form {
        self.forms.get(usize::from(id)).copied().unwrap_or_default()
    }

    /// The field of that number.
    pub(crate) fn field(&self, id: Option<std::num::NonZeroU16>) -> F {
        id.and_then(|id| self.fields.get(usize::from(id.get())).copied()).unwrap_or(F::NONE)
    }
}
