//! Macros in code that replace a statement or precede a block: `FOR_EACH(x) { … }`.

use super::lex::TokKind;
use super::masked::Masked;
use super::words::{Word, classify_word, is_upper_case};

/// Hides names right before a built-in type, and between a type and a star, because no expression has two names in a
/// row.
pub(super) fn hide_stray_names(m: &mut Masked<'_>) {
    let mut before: Option<usize> = None;
    for at in 0..m.toks.len() {
        if m.is_gone(at) {
            continue;
        }
        if let Some(last) = before.filter(|last| m.is_word(*last) && m.is_word(at)) {
            // The grammar knows `__asm__ __volatile__` and not this spelling.
            if m.text(at) == b"__volatile" && classify_word(m.text(last)) == Word::Attribute {
                m.hide(at);
                continue;
            }
            match (classify_code_word(m.text(last)), classify_code_word(m.text(at))) {
                (Word::Name, Word::Primitive) => m.hide(last),
                (Word::Name | Word::Primitive, Word::Name)
                    if is_upper_case(m.text(at)) && m.is(at + 1, b'*') =>
                {
                    m.hide(at);
                    continue;
                }
                _ => {}
            }
        }
        before = Some(at);
    }
}

/// [`classify_word`], with a class of its own for the words of expressions.
fn classify_code_word(text: &[u8]) -> Word {
    match text {
        b"throw" | b"co_return" | b"co_yield" | b"co_await" | b"and" | b"or" | b"not" | b"xor"
        | b"sizeof" | b"alignof" | b"_Alignof" | b"typeof" | b"__typeof__" | b"final" | b"override"
        | b"noexcept" | b"try" | b"catch" | b"this" => Word::Special,
        _ => classify_word(text),
    }
}

/// Puts a semicolon after macros that lack one.
pub(super) fn insert_semicolons(m: &mut Masked<'_>, cpp: bool) {
    let mut before = None;
    let mut at = 0;
    while at < m.toks.len() {
        let Some(kind) = m.kind(at).filter(|_| !m.is_gone(at)) else {
            at += 1;
            continue;
        };
        let starts = before.is_none_or(|b| {
            matches!(m.kind(b), Some(TokKind::Directive | TokKind::Punct(b';' | b'{' | b'}' | b':')))
        });
        let code = m.code.get(at).copied().unwrap_or(false);
        // `done:` before the end of a condition: a label needs a statement.
        let label = kind == TokKind::Word && m.is(at + 1, b':') && !m.is(at + 2, b':');
        if code && starts && label && m.kind(at + 2) == Some(TokKind::Directive) {
            let end = m.toks.get(at + 1).map_or(0, |tok| tok.end as usize);
            if m.bytes.get(end).is_some_and(u8::is_ascii_whitespace) {
                m.semicolons.push(end);
            }
        }
        if code && starts && kind == TokKind::Word && m.is(at + 1, b'(') && !is_control(m.text(at)) {
            let behind = group_end(m, at + 1);
            let follows = m.toks.get(behind);
            let text = m.text(behind);
            // A constructor of a type inside a function looks the same.
            let block = text == b"{" && (!cpp || is_upper_case(m.text(at)));
            let line = !m.text(at).iter().any(u8::is_ascii_lowercase)
                && follows.is_some_and(|tok| tok.first)
                && (m.is_word(behind) || text == b"}");
            let last = m.toks.get(behind.saturating_sub(1)).map(|tok| tok.end as usize);
            if (block || line)
                && let Some(end) = last
                && m.bytes.get(end).is_some_and(u8::is_ascii_whitespace)
            {
                m.semicolons.push(end);
            }
        }
        before = Some(at);
        at += 1;
    }
}

/// The token after the closing parenthesis of the one that opens at `from`.
fn group_end(m: &Masked<'_>, from: usize) -> usize {
    let mut depth = 0u32;
    for at in from..m.toks.len().min(from + 200) {
        if m.is(at, b'(') {
            depth += 1;
        } else if m.is(at, b')') {
            depth = depth.saturating_sub(1);
            if depth == 0 {
                return at + 1;
            }
        }
    }
    m.toks.len()
}

fn is_control(text: &[u8]) -> bool {
    matches!(
        text,
        b"if"
            | b"while"
            | b"for"
            | b"switch"
            | b"return"
            | b"sizeof"
            | b"catch"
            | b"else"
            | b"do"
            | b"constexpr"
            | b"requires"
            | b"operator"
            | b"__attribute__"
            | b"alignas"
            | b"decltype"
            | b"noexcept"
    )
}
