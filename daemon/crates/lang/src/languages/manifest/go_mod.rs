//! `go.mod`.

use sdl_model::facts::ManifestKind;

use crate::builder::Found;

fn directive_lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(|line| line.split("//").next().unwrap_or("").trim()).filter(|line| !line.is_empty())
}

/// Whether one of the first directives in `text` is `module`.
pub(super) fn is_go_mod(text: &str) -> bool {
    directive_lines(text)
        .take(40)
        .any(|line| line.strip_prefix("module").is_some_and(|rest| rest.starts_with([' ', '\t', '('])))
}

pub(super) fn read_go_mod(text: &str) -> Found {
    let mut found = Found::new(ManifestKind::GoMod);
    // The directive of the block that the line is in.
    let mut block = "";
    for line in directive_lines(text) {
        if line == ")" {
            block = "";
            continue;
        }
        let (directive, rest) = if block.is_empty() {
            line.split_once([' ', '\t', '(']).map_or((line, ""), |(directive, rest)| (directive, rest.trim()))
        } else {
            (block, line)
        };
        if block.is_empty() && (line.ends_with('(') || rest == "(") {
            block = directive;
            continue;
        }
        let mut words = rest.split_whitespace();
        let first = words.next().unwrap_or("").trim_matches(['"', '`']);
        match directive {
            "module" => found.name = Some(first.to_owned()).filter(|name| !name.is_empty()),
            "go" | "require" if !first.is_empty() => {
                found.add(directive, first);
                if let Some(version) = words.next().filter(|_| directive == "require") {
                    found.add(format!("asks:{first}"), version);
                }
            }
            "replace" => {
                if let Some((_, new)) = rest.split_once("=>") {
                    let new = new.split_whitespace().next().unwrap_or("").trim_matches(['"', '`']);
                    found.add(format!("replace:{first}"), new);
                }
            }
            _ => {}
        }
    }
    found
}
