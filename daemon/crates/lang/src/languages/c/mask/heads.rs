//! Heads of declarations: hides the words before and after a name that are neither its type nor a keyword.

use super::declared::clean_declaration;
use super::head_parts::skip_group;
use super::lex::TokKind;
use super::masked::Masked;
use super::words::{Word, classify_word, is_upper_case};

/// The longest head that is read, in tokens.
const MAX_HEAD: usize = 400;

pub(super) fn hide_macros(m: &mut Masked<'_>) {
    // Depth of braces around code; 0 where declarations are allowed.
    let mut code_depth = 0u32;
    let mut head: Vec<usize> = Vec::new();
    let mut parens = 0u32;
    // The enclosing types, each by the token that names it; none for a namespace.
    let mut around: Vec<Option<usize>> = Vec::new();
    let mut at = 0;
    while at < m.toks.len() {
        let class = around.last().copied().flatten();
        let Some(kind) = m.kind(at).filter(|_| !m.is_gone(at)) else {
            at += 1;
            continue;
        };
        if let Some(code) = m.code.get_mut(at) {
            *code = code_depth > 0;
        }
        match kind {
            TokKind::Directive => {}
            TokKind::Punct(b'{') if code_depth > 0 => code_depth += 1,
            TokKind::Punct(b'}') if code_depth > 0 => {
                code_depth -= 1;
                // An initialiser or a parenthesis ends here; the head goes on.
            }
            _ if code_depth > 0 => {}
            TokKind::Punct(b'(') => {
                parens += 1;
                head.push(at);
            }
            TokKind::Punct(b')') => {
                parens = parens.saturating_sub(1);
                head.push(at);
            }
            TokKind::Punct(b'{') => {
                if parens == 0 && holds_declarations(m, &head) {
                    finish_head(m, &head, class);
                    around.push(type_named(m, &head));
                } else {
                    if parens == 0 {
                        finish_head(m, &head, class);
                    }
                    code_depth = 1;
                }
                if parens == 0 {
                    head.clear();
                }
            }
            TokKind::Punct(b'}') => {
                finish_head(m, &head, class);
                around.pop();
                head.clear();
                parens = 0;
            }
            TokKind::Punct(b';' | b'=') if parens == 0 => {
                finish_head(m, &head, class);
                head.clear();
            }
            // `public:`.
            TokKind::Punct(b':') if head.len() == 1 && is_access(m, &head) => head.clear(),
            _ => head.push(at),
        }
        at += 1;
    }
    finish_head(m, &head, None);
}

/// The token that names the type whose body begins after `head`.
fn type_named(m: &Masked<'_>, head: &[usize]) -> Option<usize> {
    let tag = head.iter().rposition(|at| matches!(m.text(*at), b"class" | b"struct" | b"union"))?;
    let mut name = None;
    for (ix, at) in head.iter().enumerate().skip(tag + 1) {
        let is_path = |ix: usize| head.get(ix).is_some_and(|at| m.is(*at, b':'));
        if m.is(*at, b'<') || (m.is(*at, b':') && !is_path(ix + 1) && !is_path(ix - 1)) {
            break;
        }
        if m.is_word(*at) && !m.is_gone(*at) && !matches!(m.text(*at), b"final" | b"alignas") {
            name = Some(*at);
        }
    }
    name
}

fn is_access(m: &Masked<'_>, head: &[usize]) -> bool {
    head.first().is_some_and(|at| matches!(m.text(*at), b"public" | b"private" | b"protected"))
}

/// Whether the block after `head` holds declarations, as a type's or a namespace's does.
fn holds_declarations(m: &Masked<'_>, head: &[usize]) -> bool {
    let mut tagged = false;
    for &at in head {
        match m.text(at) {
            b"namespace" => return true,
            b"extern" => {
                let linkage = head.last().is_some_and(|last| m.kind(*last) == Some(TokKind::Literal));
                if linkage {
                    return true;
                }
            }
            b"enum" => return false,
            b"class" | b"struct" | b"union" => tagged = true,
            _ => {}
        }
    }
    // A function that returns a struct: its parameters come last.
    tagged && !head.last().is_some_and(|last| m.is(*last, b')'))
}

/// Ends a head: hides the words in it that the grammar cannot read.
fn finish_head(m: &mut Masked<'_>, head: &[usize], class: Option<usize>) {
    let mut head = head.get(..MAX_HEAD.min(head.len())).unwrap_or_default();
    // Macros that replace whole statements, each on its own line.
    while let Some(next) = statement_macro(m, head) {
        head = head.get(next..).unwrap_or_default();
    }
    if head.is_empty() {
        return;
    }
    clean_declaration(m, head, class);
}

/// `DEFINE_THING(x)` or `BEGIN_DECLS` on a line of its own. Returns the index of the first token after it.
fn statement_macro(m: &mut Masked<'_>, head: &[usize]) -> Option<usize> {
    let &first = head.first()?;
    if !m.is_word(first) || !is_upper_case(m.text(first)) {
        return None;
    }
    let starts_line = |m: &Masked<'_>, ix: usize| {
        head.get(ix).is_some_and(|at| m.toks.get(*at).is_some_and(|tok| tok.first))
    };
    if head.get(1).is_some_and(|at| m.is(*at, b'(')) {
        let behind = skip_group(m, head, 1);
        if behind >= head.len()
            || !starts_line(m, behind)
            || !head.get(behind).is_some_and(|at| m.is_word(*at))
        {
            return None;
        }
        let last = *head.get(behind - 1)?;
        let end = m.toks.get(last)?.end as usize;
        let has_semicolon = head.get(1..behind).is_some_and(|group| group.iter().any(|at| m.is(*at, b';')));
        // `DEPRECATED("…")` before a member describes that member, and a statement is not allowed there.
        let is_said = m.is_word(*head.get(behind)?)
            && head.get(1..behind).is_some_and(|group| {
                group.iter().any(|at| m.kind(*at) == Some(TokKind::Literal))
                    && !group.iter().any(|at| m.is_word(*at))
            });
        if is_said {
            (0..behind).filter_map(|ix| head.get(ix).copied()).for_each(|at| m.hide(at));
        } else if !has_semicolon && m.bytes.get(end).is_some_and(u8::is_ascii_whitespace) {
            m.semicolons.push(end);
        } else {
            (0..behind).filter_map(|ix| head.get(ix).copied()).for_each(|at| m.hide(at));
        }
        return Some(behind);
    }
    let follows = head.get(1).map(|at| m.text(*at));
    let alone = starts_line(m, 0)
        && match follows {
            None => false,
            Some(text) => starts_line(m, 1) && m.is_word(*head.get(1)?) && classify_word(text) != Word::Name,
        };
    if alone {
        m.hide(first);
        return Some(1);
    }
    None
}
