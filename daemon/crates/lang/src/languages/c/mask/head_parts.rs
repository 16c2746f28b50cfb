//! The parts of a declaration's head: groups in brackets, names, and the words between them that are hidden.

use super::lex::TokKind;
use super::masked::Masked;
use super::words::{Word, classify_word, is_upper_case};

/// One name before the declared one.
pub(super) struct Unit {
    /// Its position in the head.
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) after_star: bool,
}

/// The index in `head` after the closing parenthesis of the one that opens at `from`.
pub(super) fn skip_group(m: &Masked<'_>, head: &[usize], from: usize) -> usize {
    let mut depth = 0u32;
    for (ix, &at) in head.iter().enumerate().skip(from) {
        if m.is(at, b'(') {
            depth += 1;
        } else if m.is(at, b')') {
            depth = depth.saturating_sub(1);
            if depth == 0 {
                return ix + 1;
            }
        }
    }
    head.len()
}

/// The index in `head` after the angle brackets that open at `from`.
pub(super) fn skip_angles(m: &Masked<'_>, head: &[usize], from: usize) -> usize {
    let mut depth = 0i32;
    for (ix, &at) in head.iter().enumerate().skip(from) {
        if m.is(at, b'<') {
            depth += 1;
        } else if m.is(at, b'>') {
            depth -= 1;
            if depth <= 0 {
                return ix + 1;
            }
        }
    }
    head.len()
}

/// Whether `head` ends in the name and bases of a type, whose keyword is at `tag`.
pub(super) fn is_type_head(m: &Masked<'_>, head: &[usize], tag: usize) -> bool {
    let Some(&last) = head.last() else { return false };
    let next = (last + 1..m.toks.len()).find(|at| !m.is_gone(*at));
    let opens = next.is_some_and(|next| m.is(next, b'{'));
    opens && !m.is(last, b')') && head.get(tag + 1).is_some()
}

/// Whether the parenthesis at `open`, which ends the head, holds a function's head: a type, a name, parameters.
pub(super) fn is_declaration(m: &Masked<'_>, head: &[usize], open: usize) -> bool {
    let inner = head.get(open + 1..head.len().saturating_sub(1)).unwrap_or_default();
    let words = inner.iter().take_while(|at| m.is_word(**at) || m.is(**at, b'*')).count();
    let named = words > 1 && inner.get(words - 1).is_some_and(|at| m.is_word(*at));
    let opens = inner.get(words).is_some_and(|at| m.is(*at, b'('));
    named
        && opens
        && skip_group(m, inner, words) == inner.len()
        && inner.last().is_some_and(|at| m.is(*at, b')'))
}

/// Whether the parentheses from `open` to `behind` hold numbers and texts but no declaration.
pub(super) fn holds_literals(m: &Masked<'_>, head: &[usize], open: usize, behind: usize) -> bool {
    let inner = head.get(open + 1..behind.saturating_sub(1)).unwrap_or_default();
    let is_literal = |at: &usize| m.kind(*at) == Some(TokKind::Literal);
    inner.iter().any(is_literal) && inner.iter().all(|at| is_literal(at) || m.is(*at, b','))
}

/// Hides superfluous words before an operator. `from` is the token after the `operator` keyword. If it is a word such
/// as a type's name, the operator converts to that type and has no type before it.
pub(super) fn before_operator(m: &mut Masked<'_>, head: &[usize], names: &[Unit], from: usize, typed: bool) {
    let next = head.get(from).map_or(&[][..], |at| m.text(*at));
    let is_word = head.get(from).is_some_and(|at| m.is_word(*at));
    let converts = is_word && !matches!(next, b"new" | b"delete" | b"co_await");
    if !converts {
        return keep_one_type(m, head, names, typed);
    }
    for unit in names {
        if head.get(unit.from).is_some_and(|at| is_upper_case(m.text(*at))) {
            (unit.from..unit.to).filter_map(|ix| head.get(ix).copied()).for_each(|at| m.hide(at));
        }
    }
}

/// Keeps one type among the names before the declared one, and hides the others.
pub(super) fn keep_one_type(m: &mut Masked<'_>, head: &[usize], names: &[Unit], typed: bool) {
    let before = names.iter().filter(|unit| !unit.after_star);
    let text = |m: &Masked<'_>, unit: &Unit| head.get(unit.from).is_some_and(|at| is_upper_case(m.text(*at)));
    let kept = if typed {
        None
    } else {
        let quiet = before.clone().rfind(|unit| !text(m, unit));
        quiet.or_else(|| before.clone().next_back()).map(|unit| unit.from)
    };
    for unit in names.iter().filter(|unit| Some(unit.from) != kept) {
        (unit.from..unit.to).filter_map(|ix| head.get(ix).copied()).for_each(|at| m.hide(at));
    }
}

/// `API(int)`, from `from` to `behind`: whether the parentheses hold only a type. If so, everything else is hidden.
pub(super) fn unwrap_type_macro(
    m: &mut Masked<'_>,
    head: &[usize],
    from: usize,
    open: usize,
    behind: usize,
) -> bool {
    let inner = head.get(open + 1..behind.saturating_sub(1)).unwrap_or_default();
    let is_type = !inner.is_empty() && inner.iter().all(|at| m.is_word(*at) || m.is(*at, b'*'));
    // On separate lines they are two declarations.
    let same_line = head.get(behind).is_some_and(|at| m.toks.get(*at).is_some_and(|tok| !tok.first));
    if !is_type || !same_line {
        return false;
    }
    (from..=open).chain([behind - 1]).filter_map(|ix| head.get(ix).copied()).for_each(|at| m.hide(at));
    true
}

/// Hides macros after the parameters, also among attributes: `void f(int x) __attribute__((cold)) FAST __must_check;`.
pub(super) fn hide_trailing_macros(m: &mut Masked<'_>, head: &[usize], from: usize) {
    let rest = head.get(from..).unwrap_or_default();
    let words = rest.iter().filter(|at| m.is_word(**at)).count();
    let mut macros = Vec::new();
    let mut ix = 0;
    while let Some(&at) = rest.get(ix).filter(|at| m.is_word(**at)) {
        let text = m.text(at);
        let behind = match rest.get(ix + 1) {
            Some(next) if m.is(*next, b'(') => skip_group(m, rest, ix + 1),
            _ => ix + 1,
        };
        let stays = matches!(text, b"noexcept" | b"override" | b"final" | b"throw" | b"try");
        match classify_word(text) {
            Word::Attribute => {}
            Word::Name if stays => {}
            // Old-style parameters are two words at least.
            Word::Name if words > 1 && !is_upper_case(text) && !text.starts_with(b"__") => return,
            Word::Name => macros.push(ix..behind),
            _ => break,
        }
        ix = behind;
    }
    macros.into_iter().flatten().filter_map(|ix| rest.get(ix).copied()).for_each(|at| m.hide(at));
}

/// `class API Name final : public Base`: hides the words before the name.
pub(super) fn type_name(m: &mut Masked<'_>, head: &[usize], from: usize) {
    let mut names = Vec::new();
    let mut ix = from;
    while let Some(&at) = head.get(ix) {
        if m.is(at, b':') && !head.get(ix + 1).is_some_and(|next| m.is(*next, b':')) {
            break;
        }
        if m.is(at, b'<') || m.is(at, b':') {
            return hide_all_but_last(m, &names);
        }
        if m.is_word(at) {
            match classify_word(m.text(at)) {
                Word::Attribute => {}
                Word::Name if m.text(at) != b"final" => names.push(at),
                _ => {}
            }
        } else if m.is(at, b'(') {
            let behind = skip_group(m, head, ix);
            // `class DEPRECATED("…") Name`: the macro's arguments are hidden with it.
            let of_macro = ix > from && head.get(ix - 1).is_some_and(|before| names.last() == Some(before));
            if of_macro && head.get(behind).is_some_and(|next| m.is_word(*next)) {
                (ix..behind).filter_map(|ix| head.get(ix).copied()).for_each(|at| m.hide(at));
            }
            ix = behind;
            continue;
        }
        ix += 1;
    }
    hide_all_but_last(m, &names);
}

fn hide_all_but_last(m: &mut Masked<'_>, names: &[usize]) {
    for &at in names.split_last().map_or(&[][..], |(_, rest)| rest) {
        if is_upper_case(m.text(at)) || m.text(at).contains(&b'_') {
            m.hide(at);
        }
    }
}
