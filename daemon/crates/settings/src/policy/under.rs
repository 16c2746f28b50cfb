//! Whether a path is under a folder, by its text alone. Links, `~` and variables are not followed, because the file is
//! on the upstream's side.

/// A path without `.`, `..` and doubled `/`. A relative path may keep `..` at its front.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Lexical {
    is_absolute: bool,
    parts: Vec<String>,
}

/// Resolves `.` and `..` by the text. An address `file://…` is the path that it names.
pub(crate) fn resolve_lexically(path: &str) -> Lexical {
    let decoded = path_of_address(path);
    let path = decoded.as_deref().unwrap_or(path);
    let is_absolute = path.starts_with('/');
    let mut parts: Vec<String> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => match parts.last() {
                Some(last) if last != ".." => {
                    parts.pop();
                }
                _ if is_absolute => {}
                _ => parts.push("..".to_owned()),
            },
            part => parts.push(part.to_owned()),
        }
    }
    Lexical { is_absolute, parts }
}

impl Lexical {
    /// Whether it is `folder` or something in it.
    pub(crate) fn is_under(&self, folder: &Self) -> bool {
        // `..` at the front leads anywhere: `../a` may be under `..` or not, so it counts only if both say the same.
        let rest = self.parts.strip_prefix(folder.parts.as_slice());
        self.is_absolute == folder.is_absolute
            && rest.is_some_and(|rest| rest.first().is_none_or(|part| part != ".."))
    }
}

/// The path of `file:///…` or `file://localhost/…`, with its percent signs decoded.
fn path_of_address(text: &str) -> Option<String> {
    let scheme = text.get(..5)?;
    if !scheme.eq_ignore_ascii_case("file:") {
        return None;
    }
    let rest = text.get(5..)?;
    let path = match rest.strip_prefix("//") {
        Some(with_host) => with_host.get(with_host.find('/')?..)?,
        None => rest,
    };
    let mut bytes = Vec::with_capacity(path.len());
    let mut at = 0;
    while let Some(byte) = path.as_bytes().get(at) {
        let code = path.get(at + 1..at + 3).filter(|_| *byte == b'%');
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(decoded) => {
                bytes.push(decoded);
                at += 3;
            }
            None => {
                bytes.push(*byte);
                at += 1;
            }
        }
    }
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
