//! The one line of git's configuration that matters here: `core.worktree`.

use std::path::{Path, PathBuf};

use super::check::CONFIG;
use crate::plain::{self, Links};

/// The work tree that a git folder says it belongs to.
pub(super) fn work_tree(own: &Path) -> Option<PathBuf> {
    // `config.worktree` is read first, because git moves the setting there if `extensions.worktreeConfig` is set.
    ["config.worktree", "config"].into_iter().find_map(|name| {
        let bytes = plain::read_plain(&own.join(name), CONFIG, Links::Refused).ok()??;
        parse_worktree(&String::from_utf8_lossy(&bytes)).map(PathBuf::from)
    })
}

/// The last value of `worktree` in a section `[core]`.
fn parse_worktree(text: &str) -> Option<String> {
    let mut in_core = false;
    let mut found = None;
    for line in text.lines() {
        let mut rest = line.trim();
        if let Some(header) = rest.strip_prefix('[') {
            let (name, after) = header.split_once(']')?;
            in_core = name.trim().eq_ignore_ascii_case("core");
            rest = after.trim();
        }
        if in_core
            && let Some((key, value)) = rest.split_once('=')
            && key.trim().eq_ignore_ascii_case("worktree")
        {
            found = Some(value_of(value.trim()));
        }
    }
    found
}

/// A value without its quotes, escapes and comment.
fn value_of(text: &str) -> String {
    let mut value = String::new();
    let mut quoted = false;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '"' => quoted = !quoted,
            '\\' => value.extend(chars.next()),
            '#' | ';' if !quoted => break,
            c => value.push(c),
        }
    }
    value.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_work_tree_of_the_core_section_counts() {
        let of = |text: &str| parse_worktree(text);
        assert_eq!(of("[core]\n\tbare = false\n\tworktree = ../../../sub\n"), Some("../../../sub".into()));
        assert_eq!(of("[CORE] WorkTree = \"a # b\" ; c\n"), Some("a # b".into()));
        assert_eq!(of("[core]\nworktree = a\\\\b\n[core]\nworktree = c\n"), Some("c".into()));
        assert_eq!(of("[core \"x\"]\nworktree = a\n"), None);
        assert_eq!(of("[remote \"origin\"]\nworktree = a\n[core]\nfilemode = true\n"), None);
        assert_eq!(of("[core\nworktree = a"), None);
    }
}
