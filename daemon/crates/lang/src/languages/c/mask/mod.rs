//! The text that the parser gets: without the macros that its grammar cannot read.
//!
//! The grammars know C, but not the effects of a preprocessor: `LUA_API int (f)(void)`, `int ZEXPORT f OF((int x))` or
//! a block that one of two conditions opens derail them. Here such words are found by their form alone and blanked.

mod conditions;
mod declared;
mod head_parts;
mod heads;
mod lex;
mod masked;
mod namespaces;
mod statements;
mod words;

use std::borrow::Cow;

use sdl_model::Lang;

pub(super) use namespaces::opened_namespaces;
pub(super) use words::is_upper_case;

use lex::{Tok, TokKind};
use masked::Masked;

/// Files beyond this are data; the parser gets them as they are.
const MAX_LEN: usize = 16 << 20;

/// `bytes` as the parser gets them.
pub(super) fn mask_source(bytes: &[u8], lang: Lang) -> Cow<'_, [u8]> {
    if bytes.len() > MAX_LEN {
        return Cow::Borrowed(bytes);
    }
    let toks = lex::lex_tokens(bytes);
    if lang == Lang::Cpp
        && let Some(expanded) = namespaces::expand_macros(bytes, &toks)
    {
        let toks = lex::lex_tokens(&expanded);
        let masked = without_macros(&expanded, toks, lang).unwrap_or_default();
        return Cow::Owned(if masked.is_empty() { expanded } else { masked });
    }
    without_macros(bytes, toks, lang).map_or(Cow::Borrowed(bytes), Cow::Owned)
}

/// `bytes`, whose tokens are `toks`, without the text that the grammar cannot read; none if that changes nothing.
fn without_macros(bytes: &[u8], toks: Vec<Tok>, lang: Lang) -> Option<Vec<u8>> {
    let gone = vec![false; toks.len()];
    let code = gone.clone();
    let mut masked = Masked { bytes, toks, gone, code, semicolons: Vec::new() };
    conditions::hide_branches(&mut masked, lang);
    heads::hide_macros(&mut masked);
    statements::hide_stray_names(&mut masked);
    statements::insert_semicolons(&mut masked, lang == Lang::Cpp);
    let comments = comments_in_directives(&masked);
    if masked.semicolons.is_empty() && comments.is_empty() && !masked.gone.contains(&true) {
        return None;
    }
    let mut out = bytes.to_vec();
    for (start, end) in comments {
        for byte in out.get_mut(start..end).unwrap_or_default().iter_mut().filter(|byte| **byte != b'\n') {
            *byte = b' ';
        }
    }
    for (tok, _) in masked.toks.iter().zip(&masked.gone).filter(|(_, gone)| **gone) {
        for byte in out.get_mut(tok.start as usize..tok.end as usize).unwrap_or_default() {
            if !byte.is_ascii_whitespace() {
                *byte = b' ';
            }
        }
    }
    for at in masked.semicolons {
        if let Some(byte) = out.get_mut(at) {
            *byte = b';';
        }
    }
    Some(out)
}

/// Comments that are in the middle of a directive.
fn comments_in_directives(m: &Masked<'_>) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    for (ix, tok) in m.toks.iter().enumerate().filter(|(_, tok)| tok.kind == TokKind::Directive) {
        let text = m.text(ix);
        let mut at = 0;
        while let Some(open) = lex::comment_in(text, at) {
            let end = lex::comment_end(text, open);
            let rest = text.get(end..).unwrap_or_default();
            if !rest.trim_ascii().is_empty() {
                found.push((tok.start as usize + open, tok.start as usize + end));
            }
            at = end;
        }
    }
    found
}
