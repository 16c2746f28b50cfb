//! Conditions of the preprocessor that cut statements or blocks in pieces: only one branch is kept, the first that a
//! build for Linux may take.

use sdl_model::Lang;

use super::lex::TokKind;
use super::masked::Masked;
use crate::languages::c::platform;

/// How deep conditions are looked at.
const MAX_NESTED: usize = 64;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Directive {
    If,
    Else,
    End,
    Other,
}

fn directive_kind(text: &[u8]) -> Directive {
    let word = text.get(1..).unwrap_or_default().trim_ascii_start();
    if word.starts_with(b"if") {
        Directive::If
    } else if word.starts_with(b"el") {
        Directive::Else
    } else if word.starts_with(b"endif") {
        Directive::End
    } else {
        Directive::Other
    }
}

/// One condition that is open.
struct Open {
    /// Its directives so far.
    marks: Vec<usize>,
    /// How many braces and parentheses were open at its start.
    braces: i32,
    parens: i32,
    /// Whether it is inside a statement.
    cuts: bool,
    /// Whether it is inside a declaration outside of all functions.
    in_head: bool,
    /// Whether it is between items that commas separate.
    in_list: bool,
    /// How many braces and parentheses are open at the end of each branch.
    after: Vec<(i32, i32)>,
    /// Whether a branch ends inside a statement or inside a block that it opened.
    broken: bool,
}

pub(super) fn hide_branches(m: &mut Masked<'_>, lang: Lang) {
    if !m.toks.iter().any(|tok| tok.kind == TokKind::Directive) {
        return;
    }
    let mut open: Vec<Open> = Vec::new();
    let (mut braces, mut parens) = (0i32, 0i32);
    // Whether each open brace begins an initialiser's list, which is no block.
    let mut lists: Vec<bool> = Vec::new();
    let mut before: Option<usize> = None;
    for at in 0..m.toks.len() {
        match m.kind(at) {
            Some(TokKind::Punct(b'{')) => {
                let list = before.is_some_and(|b| {
                    m.is(b, b'=') || m.is(b, b',') || (m.is(b, b'{') && lists.last() == Some(&true))
                });
                lists.push(list);
                braces += 1;
            }
            Some(TokKind::Punct(b'}')) => {
                lists.pop();
                braces -= 1;
            }
            Some(TokKind::Punct(b'(')) => parens += 1,
            Some(TokKind::Punct(b')')) => parens -= 1,
            Some(TokKind::Directive) => match directive_kind(m.text(at)) {
                Directive::If => {
                    let in_list = lists.last() == Some(&true);
                    let whole = before.is_none_or(|b| is_boundary(m, b));
                    open.push(Open {
                        marks: vec![at],
                        braces,
                        parens,
                        cuts: parens > 0 || (!whole && !lists.is_empty() && !in_list && !m.is_comma(before)),
                        in_head: !whole && parens == 0 && lists.is_empty() && !m.is_comma(before),
                        in_list,
                        after: Vec::new(),
                        broken: false,
                    });
                }
                Directive::Else => {
                    let whole = before.is_none_or(|b| is_boundary(m, b) || m.is(b, b','));
                    if let Some(one) = open.last_mut() {
                        one.broken |= (braces, parens) != (one.braces, one.parens)
                            || (!whole && braces > 0 && !one.in_list);
                        one.after.push((braces, parens));
                        one.marks.push(at);
                        (braces, parens) = (one.braces, one.parens);
                    }
                }
                Directive::End => {
                    let whole = before.is_none_or(|b| is_boundary(m, b) || m.is(b, b','));
                    if let Some(mut one) = open.pop() {
                        one.broken |= (braces, parens) != (one.braces, one.parens)
                            || (!whole && braces > 0 && !one.in_list);
                        one.after.push((braces, parens));
                        // `int #ifdef X __attribute__((y)) #endif f(void)`.
                        let start = one.marks.first().copied().unwrap_or(at);
                        one.cuts |= one.in_head && !(start..at).any(|ix| m.is_apart(ix, &one.marks));
                        let kept = kept_branch(m, &one, lang);
                        (braces, parens) = one.after.get(kept).copied().unwrap_or((one.braces, one.parens));
                        one.marks.push(at);
                        // People don't nest more deeply. Each further level would hide the ones in it once more.
                        if open.len() < MAX_NESTED {
                            close_condition(m, &one, kept);
                        }
                    }
                }
                Directive::Other => {}
            },
            _ => {}
        }
        before = Some(at);
    }
}

impl Masked<'_> {
    /// Whether token `at` ends a declaration's head, or is a directive that is none of `marks`.
    fn is_apart(&self, at: usize, marks: &[usize]) -> bool {
        match self.kind(at) {
            Some(TokKind::Punct(b';' | b'{' | b'}')) => true,
            Some(TokKind::Directive) => marks.binary_search(&at).is_err(),
            _ => false,
        }
    }

    fn is_comma(&self, at: Option<usize>) -> bool {
        at.is_some_and(|at| self.is(at, b','))
    }
}

/// Whether a statement or a block ends or begins after token `at`.
fn is_boundary(m: &Masked<'_>, at: usize) -> bool {
    matches!(m.kind(at), Some(TokKind::Directive | TokKind::Punct(b';' | b'{' | b'}' | b':')))
}

/// The branch to keep where only one is allowed.
fn kept_branch(m: &Masked<'_>, one: &Open, lang: Lang) -> usize {
    let may_be_taken = |mark: &usize| {
        let text = std::str::from_utf8(m.text(*mark)).unwrap_or("");
        platform::is_taken(text, platform::Known { lang, own: None, settings: false }) != Some(false)
    };
    if one.cuts || one.broken {
        one.marks.iter().position(may_be_taken).unwrap_or(one.marks.len())
    } else {
        0
    }
}

fn close_condition(m: &mut Masked<'_>, one: &Open, kept: usize) {
    // `#if … else if (x) … #endif`.
    let goes_on = one.marks.iter().any(|mark| m.text(mark + 1) == b"else");
    if !(one.cuts || one.broken || one.in_list || goes_on) {
        return;
    }
    for &mark in &one.marks {
        m.hide(mark);
    }
    if one.cuts || one.broken {
        let (Some(&first), Some(&last)) = (one.marks.first(), one.marks.last()) else { return };
        let own = one.marks.get(kept).copied().unwrap_or(first);
        let behind = one.marks.get(kept + 1).copied().unwrap_or(last);
        for at in (first..own).chain(behind..last) {
            m.hide(at);
        }
    }
}
