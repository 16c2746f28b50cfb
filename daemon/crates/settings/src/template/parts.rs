//! The parts of a template.

/// The longest name of a variable.
const MAX_NAME_CHARS: usize = 128;

#[derive(Clone, PartialEq, Eq)]
pub(super) enum Part {
    Text(String),
    Variable { name: String, default: Option<String> },
}

/// The reason why a text is no template.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct TemplateError {
    /// The fault, and the remedy.
    pub message: String,
}

/// Whether a text can be the name of a variable. Such a name is safe as that of a file too.
pub fn is_name(text: &str) -> bool {
    text.len() <= MAX_NAME_CHARS
        && text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'))
}

/// Splits a text at its variables.
pub(super) fn split_parts(text: &str) -> Result<Vec<Part>, TemplateError> {
    let mut parts = Vec::new();
    let mut literal = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("${") {
        let (before, from) = rest.split_at(at);
        let inside = from.get(2..).unwrap_or_default();
        if let Some(unescaped) = before.strip_suffix('$') {
            literal.push_str(unescaped);
            literal.push_str("${");
            rest = inside;
            continue;
        }
        literal.push_str(before);
        let Some(end) = inside.find('}') else {
            return Err(refuse(inside, "has no '}'"));
        };
        let (content, after) = inside.split_at(end);
        if !literal.is_empty() {
            parts.push(Part::Text(std::mem::take(&mut literal)));
        }
        parts.push(read_variable(content)?);
        rest = after.get(1..).unwrap_or_default();
    }
    literal.push_str(rest);
    if !literal.is_empty() {
        parts.push(Part::Text(literal));
    }
    Ok(parts)
}

fn read_variable(content: &str) -> Result<Part, TemplateError> {
    let bare = content.strip_prefix("env:").or_else(|| content.strip_prefix("input:")).unwrap_or(content);
    let (name, default) = match bare.split_once(":-") {
        Some((name, default)) => (name, Some(default)),
        None => (bare, None),
    };
    if default.is_some_and(|default| default.contains("${")) {
        return Err(refuse(content, "has a variable in its default, which is not possible"));
    }
    if !is_name(name) {
        return Err(refuse(content, "names no variable"));
    }
    Ok(Part::Variable { name: name.to_owned(), default: default.map(str::to_owned) })
}

fn refuse(content: &str, why: &str) -> TemplateError {
    let shown: String = content.chars().take(20).collect();
    TemplateError {
        message: format!(
            "\"${{{shown}\" {why}; write ${{NAME}}, ${{NAME:-default}} or ${{env:NAME}}, or $${{ for a literal ${{"
        ),
    }
}
