//! Build constraints: whether a default build, for Linux on amd64 with cgo, includes a file.

/// The longest constraint that is read, and the deepest parentheses in it.
const LONGEST: usize = 1_000;
const DEPTH: u8 = 32;

/// Whether the comments before the package clause exclude the file.
pub(super) fn leave_out(comments: &str) -> bool {
    let mut old = true;
    for line in comments.lines().map(str::trim) {
        if let Some(text) = line.strip_prefix("//go:build ") {
            return !Reader { rest: text.get(..LONGEST).unwrap_or(text) }.any(0);
        }
        // The form before Go 1.17: every line must hold; a line holds if one of its words does, a word if all of its
        // parts do.
        if let Some(text) = line.strip_prefix("// +build ") {
            old &= text.split_ascii_whitespace().any(|word| {
                word.split(',')
                    .all(|part| part.strip_prefix('!').map_or_else(|| is_set(part), |not| !is_set(not)))
            });
        }
    }
    !old
}

fn is_set(tag: &str) -> bool {
    matches!(tag, "linux" | "unix" | "amd64" | "cgo" | "gc") || tag.starts_with("go1.")
}

struct Reader<'t> {
    rest: &'t str,
}

impl Reader<'_> {
    fn eat(&mut self, token: &str) -> bool {
        self.rest = self.rest.trim_start();
        let rest = self.rest.strip_prefix(token);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn any(&mut self, depth: u8) -> bool {
        let mut holds = self.all(depth);
        while self.eat("||") {
            holds |= self.all(depth);
        }
        holds
    }

    fn all(&mut self, depth: u8) -> bool {
        let mut holds = self.one(depth);
        while self.eat("&&") {
            holds &= self.one(depth);
        }
        holds
    }

    fn one(&mut self, depth: u8) -> bool {
        if depth > DEPTH {
            self.rest = "";
            return true;
        }
        if self.eat("!") {
            return !self.one(depth + 1);
        }
        if self.eat("(") {
            let holds = self.any(depth + 1);
            self.eat(")");
            return holds;
        }
        self.rest = self.rest.trim_start();
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
        let end = self.rest.find(|c| !is_word(c)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        is_set(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constraints() {
        for (text, left_out) in [
            ("// Package a.", false),
            ("//go:build linux", false),
            ("//go:build !windows && (linux || darwin)", false),
            ("//go:build windows", true),
            ("//go:build go1.18 && !tiny", false),
            ("//go:build !go1.18", true),
            ("//go:build ignore", true),
            ("// +build darwin freebsd\n// +build !cgo", true),
            ("// +build linux,amd64 windows", false),
        ] {
            assert_eq!(leave_out(text), left_out, "{text}");
        }
        leave_out(&format!("//go:build {}", "(".repeat(100_000)));
    }
}
