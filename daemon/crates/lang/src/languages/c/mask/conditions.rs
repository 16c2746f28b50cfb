//! Conditions of the preprocessor that cut statements or blocks in pieces: only the first branch is left.

use super::Masked;
use super::lex::TokKind;

/// How deep conditions are looked at.
const MAX_NESTED: usize = 64;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Directive {
    If,
    Else,
    End,
    Other,
}

fn directive(text: &[u8]) -> Directive {
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
    /// Whether it stands inside a statement.
    cuts: bool,
    /// Whether it stands between things that commas part.
    in_list: bool,
    /// How many braces and parentheses are open at the end of its first branch.
    after: Option<(i32, i32)>,
    /// Whether a branch ends inside a statement or inside a block that it opened.
    broken: bool,
}

pub(super) fn hide(m: &mut Masked<'_>) {
    if !m.toks.iter().any(|tok| tok.kind == TokKind::Directive) {
        return;
    }
    let mut open: Vec<Open> = Vec::new();
    let (mut braces, mut parens) = (0i32, 0i32);
    // What each open brace follows: an initialiser's lists are no blocks.
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
            Some(TokKind::Directive) => match directive(m.text(at)) {
                Directive::If => {
                    let in_list = lists.last() == Some(&true);
                    let whole = before.is_none_or(|b| ends(m, b));
                    open.push(Open {
                        marks: vec![at],
                        braces,
                        parens,
                        cuts: parens > 0 || (!whole && !lists.is_empty() && !in_list && !m.is_comma(before)),
                        in_list,
                        after: None,
                        broken: false,
                    });
                }
                Directive::Else => {
                    let whole = before.is_none_or(|b| ends(m, b) || m.is(b, b','));
                    if let Some(one) = open.last_mut() {
                        one.broken |= (braces, parens) != (one.braces, one.parens)
                            || (!whole && braces > 0 && !one.in_list);
                        one.after = one.after.or(Some((braces, parens)));
                        one.marks.push(at);
                        (braces, parens) = (one.braces, one.parens);
                    }
                }
                Directive::End => {
                    let whole = before.is_none_or(|b| ends(m, b) || m.is(b, b','));
                    if let Some(mut one) = open.pop() {
                        one.broken |= (braces, parens) != (one.braces, one.parens)
                            || (!whole && braces > 0 && !one.in_list);
                        if let Some(after) = one.after {
                            (braces, parens) = after;
                        }
                        one.marks.push(at);
                        // Nested deeper than people do, each level would hide the ones in it once more.
                        if open.len() < MAX_NESTED {
                            close(m, &one);
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
    fn is_comma(&self, at: Option<usize>) -> bool {
        at.is_some_and(|at| self.is(at, b','))
    }
}

/// Whether a statement or a block ends or begins behind token `at`.
fn ends(m: &Masked<'_>, at: usize) -> bool {
    matches!(m.kind(at), Some(TokKind::Directive | TokKind::Punct(b';' | b'{' | b'}' | b':')))
}

fn close(m: &mut Masked<'_>, one: &Open) {
    // `#if … else if (x) … #endif`.
    let goes_on = one.marks.iter().any(|mark| m.text(mark + 1) == b"else");
    if !(one.cuts || one.broken || one.in_list || goes_on) {
        return;
    }
    for &mark in &one.marks {
        m.hide(mark);
    }
    if one.cuts || one.broken {
        let (Some(&second), Some(&last)) = (one.marks.get(1), one.marks.last()) else { return };
        for at in second..last {
            m.hide(at);
        }
    }
}
