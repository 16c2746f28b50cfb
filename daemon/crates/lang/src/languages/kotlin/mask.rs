//! Text that the grammar misreads.
//!
//! * `private set` on a line of its own, after a property's value, reads as a call of `private`: it is removed.
//! * A constructor whose modifiers start a line ends the class before it: its line is joined to the previous one.
//! * An annotation on the line above `get()` ends the property before it: it is removed.
//! * `f<T>(x)` reads as two comparisons: the type is removed where the grammar could read it so.
//! * `get(x)` on the line below a local reads as an accessor: the word is replaced by another.
//! * A declaration before a brace on its line, as in `{ val n = 1 }`, reads as a part of something else: a semicolon ends it.
//! * `internal.next()` reads as a modifier without a declaration: the word is replaced by another. (Texts are taken
//!   from the original file.)

use std::borrow::Cow;

/// Bytes of braces and spaces that are looked at at the end of a line. The line is read once for each brace, and a text may be one
/// line of braces.
const MOST_BRACES: usize = 64;

/// `bytes` as the parser gets them.
pub(super) fn mask_source(bytes: &[u8]) -> Cow<'_, [u8]> {
    let mut out: Option<Vec<u8>> = None;
    // The end of the previous line's code, if that may be a class up to its name.
    let mut class: Option<usize> = None;
    // The extent of the previous line, if it is only an annotation.
    let mut annotation: Option<(usize, usize)> = None;
    let mut at = 0;
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        let start = at;
        at += line.len();
        let code = line.trim_ascii();
        if code.is_empty() {
            continue;
        }
        let code_start = start + line.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        if let Some((from, to)) = annotation.filter(|_| is_accessor(code)) {
            blank_range(out.get_or_insert_with(|| bytes.to_vec()), from, to);
        }
        let is_annotation = code.starts_with(b"@") && !code.contains(&b' ');
        annotation = is_annotation.then_some((code_start, code_start + code.len()));
        if code.ends_with(b"set") && is_setter(code) {
            blank_range(out.get_or_insert_with(|| bytes.to_vec()), code_start, code_start + code.len());
        } else if let Some(end) = class.filter(|_| is_constructor(code)) {
            blank_range(out.get_or_insert_with(|| bytes.to_vec()), end, code_start);
        }
        if code.contains(&b'<') {
            for (from, to) in type_arguments(bytes, code_start, code_start + code.len()) {
                blank_range(out.get_or_insert_with(|| bytes.to_vec()), from, to);
            }
        }
        if is_call_like_accessor(code)
            && let Some(byte) = out.get_or_insert_with(|| bytes.to_vec()).get_mut(code_start)
        {
            *byte = b'_';
        }
        for at in names_like_modifiers(code) {
            if let Some(byte) = out.get_or_insert_with(|| bytes.to_vec()).get_mut(code_start + at) {
                *byte = b'_';
            }
        }
        for at in declarations_before_braces(code) {
            if let Some(byte) = out.get_or_insert_with(|| bytes.to_vec()).get_mut(code_start + at) {
                *byte = b';';
            }
        }
        class = is_class(code).then_some(code_start + code.len());
    }
    out.map_or(Cow::Borrowed(bytes), Cow::Owned)
}

/// Replaces `from..to` with white space, including its line breaks.
fn blank_range(text: &mut [u8], from: usize, to: usize) {
    text.get_mut(from..to).unwrap_or_default().fill(b' ');
}

fn split_words(code: &[u8]) -> impl Iterator<Item = &[u8]> {
    code.split(|byte| byte.is_ascii_whitespace()).filter(|word| !word.is_empty())
}

fn is_modifier(word: &[u8]) -> bool {
    matches!(word, b"private" | b"internal" | b"protected" | b"public" | b"actual" | b"expect")
}

/// `private set`.
fn is_setter(code: &[u8]) -> bool {
    let count = split_words(code).count();
    count > 1
        && split_words(code).take(count - 1).all(is_modifier)
        && split_words(code).last() == Some(b"set")
}

/// `internal actual constructor(…`, `@Inject constructor(…`.
fn is_constructor(code: &[u8]) -> bool {
    let mut rest = split_words(code).skip_while(|word| is_modifier(word) || word.starts_with(b"@"));
    rest.next().is_some_and(|word| word == b"constructor" || word.starts_with(b"constructor("))
}

/// `get() = …`, `private get() {`.
fn is_accessor(code: &[u8]) -> bool {
    let mut rest = split_words(code).skip_while(|word| is_modifier(word));
    rest.next().is_some_and(|word| word.starts_with(b"get(") || word.starts_with(b"set("))
}

/// `get(x)`, `set(x, y)`: calls, because an accessor takes no value or one.
fn is_call_like_accessor(code: &[u8]) -> bool {
    let list = |word: &[u8]| {
        let rest = code.strip_prefix(word)?;
        rest.iter().position(|byte| *byte == b')').and_then(|end| rest.get(..end))
    };
    match (list(b"get("), list(b"set(")) {
        (Some(args), _) => !args.trim_ascii().is_empty(),
        (_, Some(args)) => args.contains(&b','),
        _ => code == b"get(" || code == b"set(",
    }
}

/// The positions of the spaces between declarations and the braces after them, where only braces follow.
fn declarations_before_braces(code: &[u8]) -> impl Iterator<Item = usize> {
    let last = code.iter().rev().take(MOST_BRACES).take_while(|byte| matches!(byte, b'}' | b' ')).count();
    (code.len() - last..code.len()).filter(|at| {
        let is_apart = code.get(*at..*at + 2) == Some(b" }");
        is_apart && is_declaration(last_statement(code.get(..*at).unwrap_or_default()))
    })
}

/// The text after the brace that is open at the end of `code`.
fn last_statement(code: &[u8]) -> &[u8] {
    let mut depth = 1;
    let opening = code.iter().rposition(|byte| {
        match byte {
            b'}' => depth += 1,
            b'{' => depth -= 1,
            _ => {}
        }
        depth == 0
    });
    code.get(opening.map_or(0, |at| at + 1)..).unwrap_or_default()
}

/// `private const val TAG = "x"`, `companion object { … }`.
fn is_declaration(statement: &[u8]) -> bool {
    let is_before = |word: &&[u8]| {
        is_modifier(word)
            || matches!(
                *word,
                b"const" | b"override" | b"final" | b"open" | b"inline" | b"companion" | b"data"
            )
            || word.starts_with(b"@")
    };
    match split_words(statement).find(|word| !is_before(word)) {
        Some(b"val" | b"var") => statement.contains(&b'='),
        Some(b"object" | b"class") => true,
        _ => false,
    }
}

/// Whether the line is `class Name<T>` with nothing after it.
fn is_class(code: &[u8]) -> bool {
    split_words(code).any(|word| word == b"class")
        && !code.iter().any(|byte| matches!(byte, b'(' | b'{' | b'}' | b';' | b'/'))
}

fn is_word_byte(byte: u8) -> bool {
    byte == b'_' || byte.is_ascii_alphanumeric() || !byte.is_ascii()
}

/// The positions in `text`, from byte `from` to `to`, of type arguments that would be read as comparisons: those of a
/// call with arguments or a lambda after them.
fn type_arguments(text: &[u8], from: usize, to: usize) -> Vec<(usize, usize)> {
    let byte = |at: usize| text.get(at).copied().filter(|_| at < to).unwrap_or(0);
    let mut found = Vec::new();
    let mut at = from;
    while at < to {
        let open = at;
        at += 1;
        if byte(open) != b'<' || open == from || !is_word_byte(byte(open - 1)) {
            continue;
        }
        let Some(close) = closing_bracket(text, open, to) else { continue };
        let opens_list = byte(close) == b'(' && byte(close + 1) != b')';
        let opens_lambda = byte(close) == b' ' && byte(close + 1) == b'{';
        let inside = text.get(open + 1..close - 1).unwrap_or_default();
        let is_plain = inside.iter().all(|byte| is_word_byte(*byte) || *byte == b'.');
        let (start, before) = before_callee(text, from, open);
        let in_list = matches!(before, Some(b'(' | b','));
        let is_read_so = match before {
            // A base or a stated type.
            Some(b':') => false,
            _ if opens_list => is_plain || in_list,
            Some(b'=' | b'(' | b')' | b'>' | b'?') => opens_lambda && is_plain,
            _ => false,
        };
        let line = text.get(from..start).unwrap_or_default();
        let names =
            split_words(line).last().is_some_and(|word| matches!(word, b"class" | b"interface" | b"fun"));
        if is_read_so && !names {
            found.push((open, close));
            at = close;
        }
    }
    found
}

/// One past the closing bracket of the one at `open`, if only types are between them.
fn closing_bracket(text: &[u8], open: usize, to: usize) -> Option<usize> {
    let mut depth = 0u32;
    for (at, byte) in text.iter().enumerate().take(to).skip(open).take(200) {
        match byte {
            b'<' => depth += 1,
            b'>' => {
                depth -= 1;
                if depth == 0 {
                    return (at > open + 1).then_some(at + 1);
                }
            }
            b'.' | b',' | b' ' | b'?' | b'*' => {}
            byte if is_word_byte(*byte) => {}
            _ => return None,
        }
    }
    None
}

/// The start of the names that lead to the callee before `end`, and the byte before them; `return` counts as an equals
/// sign.
fn before_callee(text: &[u8], from: usize, end: usize) -> (usize, Option<u8>) {
    let part = text.get(from..end).unwrap_or_default();
    let names = part.iter().rev().take_while(|byte| is_word_byte(**byte) || **byte == b'.').count();
    let start = end - names;
    let before = text.get(from..start).unwrap_or_default().trim_ascii_end();
    if split_words(before).last() == Some(b"return") {
        return (start, Some(b'='));
    }
    (start, before.last().copied())
}

/// The positions in `code` of names that the grammar takes for modifiers. Their use, such as a call, shows that they
/// are names.
fn names_like_modifiers(code: &[u8]) -> Vec<usize> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(rest) = code.get(at..).filter(|rest| !rest.is_empty()) {
        let len = rest.iter().take_while(|byte| is_word_byte(**byte)).count();
        if len == 0 {
            at += 1;
            continue;
        }
        let word = rest.get(..len).unwrap_or_default();
        let joined = at > 0 && matches!(code.get(at - 1), Some(b'.' | b'@' | b'`' | b'$' | b':'));
        if !joined && is_modifier_word(word) && is_used(rest.get(len..).unwrap_or_default()) {
            found.push(at);
        }
        at += len;
    }
    found
}

fn is_modifier_word(word: &[u8]) -> bool {
    matches!(
        word,
        b"open"
            | b"internal"
            | b"override"
            | b"public"
            | b"private"
            | b"protected"
            | b"final"
            | b"abstract"
            | b"sealed"
            | b"inline"
            | b"infix"
            | b"vararg"
            | b"suspend"
            | b"external"
            | b"tailrec"
            | b"lateinit"
            | b"crossinline"
            | b"noinline"
    )
}

/// Whether the text after a word takes a member or an element of it, or sets it.
fn is_used(rest: &[u8]) -> bool {
    matches!(rest, [b'.' | b'[', ..] | [b'?', b'.', ..] | [b'!', b'!', ..] | [b' ', b'=' | b'+' | b'-', ..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn masked(text: &str) -> String {
        String::from_utf8_lossy(&mask_source(text.as_bytes())).into_owned()
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

    #[test]
    fn annotations_of_accessors() {
        let text = "val size: Int\n  @JvmName(\"size\")\n  get() = a\n";
        assert_eq!(masked(text), "val size: Int\n                  \n  get() = a\n");
        let text = "@Test\nfun get() = a\n";
        assert_eq!(masked(text), text);
    }

    #[test]
    fn calls_like_accessors() {
        assert_eq!(masked("val a = b\n  get(c)\n"), "val a = b\n  _et(c)\n");
        assert_eq!(masked("  set(0, c)\n"), "  _et(0, c)\n");
        for text in ["get() = a", "set(value) {", "get()\n"] {
            assert_eq!(masked(text), text);
        }
    }

    #[test]
    fn type_arguments_of_calls() {
        for (text, wanted) in [
            ("a = f<T>(x)", "a = f   (x)"),
            ("g(f<K, V>(x), 1)", "g(f      (x), 1)"),
            ("x.f<a.T>(x)", "x.f     (x)"),
            ("return f<T> { x }", "return f    { x }"),
        ] {
            assert_eq!(masked(text), wanted);
        }
        // The grammar reads these correctly, or they are no type arguments.
        for text in [
            "f<K, V>(x)",
            "f<T>()",
            "f<T?>(x)",
            "class A<T>(val x: T)",
            "fun f(): List<T> {",
            "class A : Base<T>(x)",
            "a < b && c > (d)",
            "if (a<b && c>(d)) e()",
        ] {
            assert_eq!(masked(text), text);
        }
    }

    #[test]
    fn declarations_before_a_brace() {
        for (text, wanted) in [
            ("class A { val n = 1 }\n", "class A { val n = 1;}\n"),
            (
                "companion object { private const val TAG = \"x\" } }",
                "companion object { private const val TAG = \"x\";};}",
            ),
            ("  var all = f { it } }\n", "  var all = f { it };}\n"),
            ("class A { object B { val c = 1 } }", "class A { object B { val c = 1;};}"),
        ] {
            assert_eq!(masked(text), wanted);
        }
        for text in [
            "fun f() { g() }",
            "val a = f { it }",
            "val a = b",
            "interface A { val n: Int }",
            &format!("f {{{}", " }".repeat(1_000_000)),
            "val n = 1}",
            "}",
        ] {
            assert_eq!(masked(text), text);
        }
    }

    #[test]
    fn modifiers_as_names() {
        assert_eq!(masked("x(internal.next())"), "x(_nternal.next())");
        assert_eq!(masked("open[0] = 1"), "_pen[0] = 1");
        for text in ["import a.internal.B", "internal val a = b", "override fun f() = a.open", "final\n"] {
            assert_eq!(masked(text), text);
        }
    }
}
