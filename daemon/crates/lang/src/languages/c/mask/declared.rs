//! One declaration's head: which of the words before its name are its type.

use super::head_parts::{
    Unit, before_operator, hide_trailing_macros, holds_literals, is_declaration, is_type_head, keep_one_type,
    skip_angles, skip_group, type_name, unwrap_type_macro,
};
use super::lex::TokKind;
use super::masked::Masked;
use super::words::{Word, classify_word, is_upper_case};

/// The parts read so far of one declaration's head.
struct Head<'h> {
    tokens: &'h [usize],
    /// The next token, as a place in `tokens`.
    ix: usize,
    names: Vec<Unit>,
    /// Whether a type other than a name was read.
    typed: bool,
    /// Whether `*` or `&` was read.
    star: bool,
}

/// How reading a head continues.
#[derive(PartialEq, Eq)]
enum Reading {
    Goes,
    /// There are no more words.
    Stops,
    /// Everything that had to be hidden is hidden.
    Done,
}

/// Hides superfluous words in one declaration, which is in the type that token `class` names.
pub(super) fn clean_declaration(m: &mut Masked<'_>, tokens: &[usize], class: Option<usize>) {
    let mut head = Head { tokens, ix: 0, names: Vec::new(), typed: false, star: false };
    // Up to the first parenthesis that is not an attribute's.
    while head.ix < tokens.len() {
        match head.next(m, class) {
            Reading::Goes => {}
            Reading::Stops => break,
            Reading::Done => return,
        }
    }
    head.declared(m, class);
}

impl Head<'_> {
    fn at(&self, ix: usize) -> usize {
        self.tokens.get(ix).copied().unwrap_or(usize::MAX)
    }

    fn next(&mut self, m: &mut Masked<'_>, class: Option<usize>) -> Reading {
        let here = self.at(self.ix);
        match m.kind(here) {
            Some(TokKind::Word) => return self.word(m, class),
            Some(TokKind::Punct(b'*' | b'&')) => {
                self.star = true;
                self.ix += 1;
            }
            Some(TokKind::Punct(b'(')) => return Reading::Stops,
            Some(TokKind::Punct(b'[')) if self.ix == 0 && m.is(self.at(1), b'[') => {
                while self.ix < self.tokens.len() && !m.is(self.at(self.ix), b']') {
                    self.ix += 1;
                }
                self.ix += 2;
            }
            Some(TokKind::Literal) => self.ix += 1,
            _ => return Reading::Stops,
        }
        Reading::Goes
    }

    fn word(&mut self, m: &mut Masked<'_>, class: Option<usize>) -> Reading {
        let here = self.at(self.ix);
        match classify_word(m.text(here)) {
            Word::Keyword => self.ix += 1,
            Word::Primitive => {
                self.typed = true;
                self.ix += 1;
            }
            Word::Attribute => {
                self.ix += 1;
                if m.is(self.at(self.ix), b'(') {
                    self.ix = skip_group(m, self.tokens, self.ix);
                }
            }
            Word::Tag => {
                if is_type_head(m, self.tokens, self.ix) {
                    type_name(m, self.tokens, self.ix + 1);
                    return Reading::Done;
                }
                self.typed = true;
                self.ix += 2;
            }
            Word::Special if m.text(here) == b"template" => {
                self.ix = skip_angles(m, self.tokens, self.ix + 1);
            }
            Word::Special => {
                if m.text(here) == b"operator" {
                    before_operator(m, self.tokens, &self.names, self.ix + 1, self.typed);
                }
                return Reading::Done;
            }
            Word::Name => return self.name(m, class),
        }
        Reading::Goes
    }

    fn name(&mut self, m: &mut Masked<'_>, class: Option<usize>) -> Reading {
        let from = self.ix;
        if !self.skip_name(m) {
            return Reading::Done;
        }
        if m.is(self.at(self.ix), b'(')
            && let Some(reading) = self.macro_call(m, from, class)
        {
            return reading;
        }
        self.names.push(Unit { from, to: self.ix, after_star: self.star });
        Reading::Goes
    }

    /// Goes past a name with all its parts: `a::B<C>::d`. False if it names an operator, which ends the head.
    fn skip_name(&mut self, m: &mut Masked<'_>) -> bool {
        self.ix += 1;
        loop {
            if m.is(self.at(self.ix), b'<') {
                self.ix = skip_angles(m, self.tokens, self.ix);
            }
            if !m.is(self.at(self.ix), b':') || !m.is(self.at(self.ix + 1), b':') {
                return true;
            }
            self.ix += 2;
            if m.is(self.at(self.ix), b'~') {
                self.ix += 1;
            }
            if m.text(self.at(self.ix)) == b"operator" {
                before_operator(m, self.tokens, &self.names, self.ix + 1, self.typed);
                return false;
            }
            self.ix += 1;
        }
    }

    /// Hides the call of a macro: the name at `from`, with a parenthesis after it. None if it is no such call.
    fn macro_call(&mut self, m: &mut Masked<'_>, from: usize, class: Option<usize>) -> Option<Reading> {
        let (head, ix, here) = (self.tokens, self.ix, self.at(from));
        let behind = skip_group(m, head, ix);
        // `T name GUARDED_BY(lock)`: the macro's argument is no parameter.
        if self.names.len() + usize::from(self.typed) > 1
            && is_upper_case(m.text(here))
            && !m.is(self.at(ix + 1), b'(')
            && behind == head.len()
        {
            (from..head.len()).for_each(|ix| m.hide(self.at(ix)));
            self.names.pop();
            keep_one_type(m, head, &self.names, self.typed);
            return Some(Reading::Done);
        }
        // `printf_like(1, 2) f(…)`: no function has literals for parameters.
        if m.is_word(here) && ix == from + 1 && holds_literals(m, head, ix, behind) && behind < head.len() {
            (from..behind).for_each(|ix| m.hide(self.at(ix)));
            self.ix = behind;
            return Some(Reading::Goes);
        }
        if !self.names.is_empty() || self.typed {
            return None;
        }
        // `API(int) f(void)`: the macro's argument is the type.
        if behind == head.len() && is_upper_case(m.text(here)) && is_declaration(m, head, ix) {
            // `UNUSED(static int f(int x)) {`.
            (from..=ix).chain([behind - 1]).for_each(|ix| m.hide(self.at(ix)));
            clean_declaration(m, head.get(ix + 1..behind - 1).unwrap_or_default(), class);
            return Some(Reading::Done);
        }
        if m.is_word(self.at(behind)) && unwrap_type_macro(m, head, from, ix, behind) {
            self.typed = true;
            self.ix = behind;
            return Some(Reading::Goes);
        }
        None
    }

    /// Hides words around the declared name, now that those before it are known.
    fn declared(mut self, m: &mut Masked<'_>, class: Option<usize>) {
        let (head, ix) = (self.tokens, self.ix);
        let group = ix < head.len() && m.is(self.at(ix), b'(');
        if group && self.constructs(m, class) {
            let before = self.names.iter().take(self.names.len() - 1).flat_map(|unit| unit.from..unit.to);
            before.for_each(|ix| m.hide(self.at(ix)));
            let behind = skip_group(m, head, ix);
            hide_trailing_macros(m, head, behind);
            return;
        }
        // Without parameters: the last name is the declared one.
        if !group {
            self.names.pop();
            keep_one_type(m, head, &self.names, self.typed);
            return;
        }
        let end = self.parameters(m);
        keep_one_type(m, head, &self.names, self.typed);
        hide_trailing_macros(m, head, end);
    }

    /// `API Name(…)` in the type `Name`: a constructor has no type before it.
    fn constructs(&self, m: &Masked<'_>, class: Option<usize>) -> bool {
        let Some(last) = self.names.last().filter(|_| !self.typed && !self.star && self.names.len() > 1)
        else {
            return false;
        };
        class.is_some_and(|class| m.text(self.at(last.from)) == m.text(class))
            || names_constructor(m, self.tokens, last)
    }

    /// Takes the declared name off the names, and hides a macro's additions or doubled parentheses around its
    /// parameters. Returns the end of the parameters.
    fn parameters(&mut self, m: &mut Masked<'_>) -> usize {
        let (head, ix) = (self.tokens, self.ix);
        let behind = skip_group(m, head, ix);
        let inner_pointer = m.is(self.at(ix + 1), b'*')
            || (m.is_word(self.at(ix + 1)) && m.is(self.at(ix + 2), b'*') && m.is(self.at(behind), b'('));
        let paren_name = behind == ix + 3 && m.is_word(self.at(ix + 1)) && m.is(self.at(behind), b'(');
        let doubled = m.is(self.at(ix + 1), b'(')
            && m.is(self.at(behind.saturating_sub(2)), b')')
            && skip_group(m, head, ix + 1) + 1 == behind;
        if doubled && self.names.len() > 1 {
            // `f OF((int x))`.
            if let Some(unit) = self.names.pop() {
                (unit.from..unit.to).for_each(|ix| m.hide(self.at(ix)));
            }
            m.hide(self.at(ix));
            m.hide(self.at(behind - 1));
            self.names.pop();
            behind
        } else if inner_pointer {
            if m.is_word(self.at(ix + 1)) {
                m.hide(self.at(ix + 1));
            }
            head.len()
        } else if paren_name {
            // `T *(f)(U *x)` could be a product.
            m.hide(self.at(ix));
            m.hide(self.at(ix + 2));
            skip_group(m, head, behind)
        } else {
            self.names.pop();
            behind
        }
    }
}

/// `Name::Name`, `Name::~Name`.
fn names_constructor(m: &Masked<'_>, head: &[usize], unit: &Unit) -> bool {
    let at = |ix: usize| head.get(ix).copied().unwrap_or(usize::MAX);
    let Some(last) = unit.to.checked_sub(1) else { return false };
    let colons = if last > 0 && m.is(at(last - 1), b'~') { last - 1 } else { last };
    colons >= unit.from + 3
        && m.is(at(colons - 1), b':')
        && m.is(at(colons - 2), b':')
        && m.is_word(at(colons - 3))
        && m.text(at(colons - 3)) == m.text(at(last))
}
