//! Heads of declarations: hides the words before and after a name that are neither its type nor a keyword.

use super::Masked;
use super::declared::clean_declaration;
use super::lex::TokKind;

/// The longest head that is read, in tokens.
const MAX_HEAD: usize = 400;

/// The class of a word at the start of a declaration.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Word {
    /// Storage, qualifiers: any number of them.
    Keyword,
    /// A built-in type of the language.
    Primitive,
    /// `struct` and the like: the next word is its name.
    Tag,
    /// An attribute, which may take parentheses.
    Attribute,
    /// Starts something other than a plain declaration.
    Special,
    /// A name.
    Name,
}

pub(super) fn classify_word(text: &[u8]) -> Word {
    match text {
        b"static" | b"extern" | b"inline" | b"const" | b"volatile" | b"register" | b"typedef"
        | b"restrict" | b"__inline" | b"__inline__" | b"__restrict" | b"__restrict__" | b"_Noreturn"
        | b"constexpr" | b"virtual" | b"explicit" | b"mutable" | b"thread_local" | b"_Thread_local"
        | b"__extension__" | b"consteval" | b"constinit" | b"friend" | b"typename" | b"_Atomic"
        | b"__forceinline" | b"__thread" => Word::Keyword,
        b"void" | b"int" | b"char" | b"short" | b"long" | b"unsigned" | b"signed" | b"float" | b"double"
        | b"bool" | b"_Bool" | b"auto" | b"size_t" | b"ssize_t" | b"int8_t" | b"int16_t" | b"int32_t"
        | b"int64_t" | b"uint8_t" | b"uint16_t" | b"uint32_t" | b"uint64_t" | b"ptrdiff_t" | b"intptr_t"
        | b"uintptr_t" | b"wchar_t" | b"char8_t" | b"char16_t" | b"char32_t" => Word::Primitive,
        b"struct" | b"union" | b"enum" | b"class" => Word::Tag,
        b"__attribute__" | b"__attribute" | b"__declspec" | b"alignas" | b"_Alignas" | b"__asm__"
        | b"asm" | b"__asm" => Word::Attribute,
        b"using" | b"namespace" | b"template" | b"operator" | b"public" | b"private" | b"protected"
        | b"if" | b"else" | b"for" | b"while" | b"do" | b"switch" | b"case" | b"return" | b"goto"
        | b"break" | b"static_assert" | b"_Static_assert" | b"concept" | b"decltype" | b"requires"
        | b"export" | b"import" | b"module" | b"new" | b"delete" | b"default" => Word::Special,
        _ => Word::Name,
    }
}

/// Whether `text` is written like a macro: without small letters.
pub(in crate::languages::c) fn is_upper_case(text: &[u8]) -> bool {
    text.len() > 1 && text.iter().any(u8::is_ascii_uppercase) && !text.iter().any(u8::is_ascii_lowercase)
}

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

/// One name before the declared one.
pub(super) struct Unit {
    /// Its position in the head.
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) after_star: bool,
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

/// Whether the parentheses from `open` to `behind` hold numbers and texts but no declaration.
pub(super) fn holds_literals(m: &Masked<'_>, head: &[usize], open: usize, behind: usize) -> bool {
    let inner = head.get(open + 1..behind.saturating_sub(1)).unwrap_or_default();
    let is_literal = |at: &usize| m.kind(*at) == Some(TokKind::Literal);
    inner.iter().any(is_literal) && inner.iter().all(|at| is_literal(at) || m.is(*at, b','))
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

/// Whether `head` ends in the name and bases of a type, whose keyword is at `tag`.
pub(super) fn is_type_head(m: &Masked<'_>, head: &[usize], tag: usize) -> bool {
    let Some(&last) = head.last() else { return false };
    let next = (last + 1..m.toks.len()).find(|at| !m.is_gone(*at));
    let opens = next.is_some_and(|next| m.is(next, b'{'));
    opens && !m.is(last, b')') && head.get(tag + 1).is_some()
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
