//! What a shell command searched for or read, if it plainly did nothing else.
//!
//! Commands are only read here, never run. One with a substitution, a redirection, a variable or a second command says nothing.

use super::event::{Done, Tool};

/// Bytes of a command that is looked at.
const MOST_COMMAND: usize = 2_000;
/// Programs after a pipe that only shorten what they read.
const SHORTENING: [&str; 7] = ["head", "tail", "wc", "sort", "uniq", "less", "cat"];
/// Options of searching programs whose value is a word of its own.
const WITH_VALUE: [&str; 16] = [
    "-A",
    "-B",
    "-C",
    "-m",
    "-g",
    "-t",
    "-T",
    "-d",
    "-j",
    "--include",
    "--exclude",
    "--exclude-dir",
    "--glob",
    "--type",
    "--max-count",
    "--context",
];

/// What a command did. None if that is not plain.
pub(super) fn read_command(command: &str) -> Option<Done> {
    if command.len() > MOST_COMMAND {
        return None;
    }
    let mut stages = split_words(command)?.into_iter();
    let words = stages.next()?;
    if !stages.all(|stage| stage.first().is_some_and(|program| SHORTENING.contains(&program.as_str()))) {
        return None;
    }
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["git", "grep", rest @ ..] | ["grep" | "egrep" | "fgrep" | "rg" | "ag" | "ack", rest @ ..] => {
            searched_pattern(rest).map(|pattern| Done {
                tool: Some(Tool::Grep),
                pattern: pattern.to_owned(),
                files: Vec::new(),
            })
        }
        ["find", rest @ ..] => {
            let at = rest.iter().position(|word| matches!(*word, "-name" | "-iname"))?;
            let acts = |word: &&str| word.starts_with("-exec") || *word == "-delete" || *word == "-ok";
            let pattern = rest.get(at + 1).filter(|_| !rest.iter().any(acts))?;
            Some(Done { tool: Some(Tool::Glob), pattern: (*pattern).to_owned(), files: Vec::new() })
        }
        ["cat" | "head" | "tail" | "less" | "nl" | "bat", rest @ ..] => {
            let mut files = rest.iter().filter(|word| !word.starts_with('-') && !is_number(word));
            read_file(files.next()?).filter(|_| files.next().is_none())
        }
        ["sed", "-n", script, file] if is_range(script) => read_file(file),
        _ => None,
    }
}

fn read_file(file: &str) -> Option<Done> {
    (!file.contains(['*', '?', '['])).then(|| Done {
        tool: Some(Tool::Read),
        pattern: String::new(),
        files: vec![file.to_owned()],
    })
}

fn is_number(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a script of `sed` only prints lines, as `1,40p` does.
fn is_range(script: &str) -> bool {
    let lines = script.strip_suffix('p').unwrap_or_default();
    !lines.is_empty() && lines.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b',' | b'$'))
}

/// The pattern among the arguments of a searching program.
fn searched_pattern<'w>(words: &[&'w str]) -> Option<&'w str> {
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match *word {
            "-e" | "--regexp" | "--" => return words.next().copied(),
            "-f" | "--file" | "--files" => return None,
            option if WITH_VALUE.contains(&option) => {
                words.next();
            }
            option if option.starts_with('-') && option.len() > 1 => {}
            pattern => return Some(pattern),
        }
    }
    None
}

/// The words of each program of a pipe, as a shell splits them. None if the shell would do more than that.
fn split_words(command: &str) -> Option<Vec<Vec<String>>> {
    let mut stages = vec![Vec::new()];
    let mut word: Option<String> = None;
    let mut letters = command.trim().chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match letters.next()? {
                        '\'' => break,
                        quoted => word.push(quoted),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match letters.next()? {
                        '"' => break,
                        '$' | '`' => return None,
                        '\\' => match letters.next()? {
                            escaped @ ('"' | '\\' | '$' | '`') => word.push(escaped),
                            other => word.extend(['\\', other]),
                        },
                        quoted => word.push(quoted),
                    }
                }
            }
            '\\' => word.get_or_insert_default().push(letters.next()?),
            '$' | '`' | ';' | '&' | '<' | '>' | '(' | ')' | '{' | '}' | '\n' | '#' | '!' => return None,
            ' ' | '\t' => stages.last_mut()?.extend(word.take()),
            '|' => {
                stages.last_mut()?.extend(word.take());
                stages.push(Vec::new());
            }
            other => word.get_or_insert_default().push(other),
        }
    }
    stages.last_mut()?.extend(word);
    Some(stages)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_commands_are_read() {
        for (command, tool, wanted) in [
            ("grep -rn validate_token src", Tool::Grep, "validate_token"),
            (r"rg -n 'def validate\(' -g '*.py' | head -20", Tool::Grep, r"def validate\("),
            (r#"rg "class \"Cart\"" ."#, Tool::Grep, r#"class "Cart""#),
            ("git grep -n -e checkout", Tool::Grep, "checkout"),
            ("rg -A 3 checkout", Tool::Grep, "checkout"),
            ("find . -name 'User*.java'", Tool::Glob, "User*.java"),
            ("cat src/auth.py", Tool::Read, "src/auth.py"),
            ("head -n 40 src/auth.py", Tool::Read, "src/auth.py"),
            ("sed -n '1,40p' src/auth.py", Tool::Read, "src/auth.py"),
        ] {
            let done = read_command(command).unwrap_or_else(|| panic!("{command}"));
            assert_eq!(
                (done.tool, done.pattern + &done.files.concat()),
                (Some(tool), wanted.into()),
                "{command}"
            );
        }
    }

    #[test]
    fn all_else_says_nothing() {
        for command in [
            "",
            "ls",
            "grep",
            "grep -rn",
            "rg --files",
            "rg x | xargs rm",
            "rg $(cat x)",
            "rg \"$x\"",
            "rg `x`",
            "rg x; rm y",
            "rg x && rm y",
            "cat a > b",
            "cat a b",
            "cat *.py",
            "cat 'unclosed",
            "cat \"unclosed",
            "cat \\",
            "sed -n '1,3d' a",
            "sed -i s/a/b/ c",
            "find . -name x -delete",
            "find . -name x -exec rm {} +",
            "find . -name",
        ] {
            assert_eq!(read_command(command), None, "{command}");
        }
        assert_eq!(read_command(&format!("rg {}", "x".repeat(MOST_COMMAND))), None);
    }
}
