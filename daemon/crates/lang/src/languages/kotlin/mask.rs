//! Text that the grammar takes for something else.
//!
//! * `private set` on a line of its own, behind a property's value, reads as a call of `private`: it goes.
//! * A constructor whose modifiers start a line ends the class before it: that line goes on with the one before.

use std::borrow::Cow;

/// `bytes` as the parser gets to see them.
pub(super) fn mask(bytes: &[u8]) -> Cow<'_, [u8]> {
    let mut out: Option<Vec<u8>> = None;
    // Where the code of the line before ends, if that may be a class up to its name.
    let mut class: Option<usize> = None;
    let mut at = 0;
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        let start = at;
        at += line.len();
        let code = line.trim_ascii();
        if code.is_empty() {
            continue;
        }
        let code_start = start + line.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        if code.ends_with(b"set") && is_setter(code) {
            blank(out.get_or_insert_with(|| bytes.to_vec()), code_start, code_start + code.len());
        } else if let Some(end) = class.filter(|_| is_constructor(code)) {
            blank(out.get_or_insert_with(|| bytes.to_vec()), end, code_start);
        }
        class = is_class(code).then_some(code_start + code.len());
    }
    out.map_or(Cow::Borrowed(bytes), Cow::Owned)
}

/// White space for `from..to`; of the white space that is there, ends of lines go, too.
fn blank(text: &mut [u8], from: usize, to: usize) {
    text.get_mut(from..to).unwrap_or_default().fill(b' ');
}

fn words(code: &[u8]) -> impl Iterator<Item = &[u8]> {
    code.split(|byte| byte.is_ascii_whitespace()).filter(|word| !word.is_empty())
}

fn is_modifier(word: &[u8]) -> bool {
    matches!(word, b"private" | b"internal" | b"protected" | b"public" | b"actual" | b"expect")
}

/// `private set`.
fn is_setter(code: &[u8]) -> bool {
    let count = words(code).count();
    count > 1 && words(code).take(count - 1).all(is_modifier) && words(code).last() == Some(b"set")
}

/// `internal actual constructor(…`, `@Inject constructor(…`.
fn is_constructor(code: &[u8]) -> bool {
    let mut rest = words(code).skip_while(|word| is_modifier(word) || word.starts_with(b"@"));
    rest.next().is_some_and(|word| word == b"constructor" || word.starts_with(b"constructor("))
}

/// `class Name<T>`, and nothing behind it.
fn is_class(code: &[u8]) -> bool {
    words(code).any(|word| word == b"class")
        && !code.iter().any(|byte| matches!(byte, b'(' | b'{' | b'}' | b';' | b'/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn masked(text: &str) -> String {
        String::from_utf8_lossy(&mask(text.as_bytes())).into_owned()
    }

    #[test]
    fn setters_without_a_body() {
        assert_eq!(masked("var a = b\n  private set\n"), "var a = b\n             \n");
        assert_eq!(masked("val set = a set\n"), "val set = a set\n");
    }

    #[test]
    fn constructors_on_their_own_line() {
        let text = "open class A\ninternal actual constructor(\n  val b: Int,\n)";
        assert_eq!(masked(text), text.replacen('\n', " ", 1));
        let text = "class A {\n  internal constructor(b: Int) : this()\n}";
        assert_eq!(masked(text), text);
    }
}
