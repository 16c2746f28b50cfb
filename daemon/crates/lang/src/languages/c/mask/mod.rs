//! What the parser gets to see: the text without the macros that its grammar has no place for.
//!
//! The grammars know C, not what a preprocessor makes of a file: `LUA_API int (f)(void)`, `int ZEXPORT f OF((int x))` or a
//! block that one of two conditions opens derail them. Here such words are found by their form alone and blanked.

mod conditions;
mod heads;
mod lex;

use std::borrow::Cow;

use lex::{Tok, TokKind};

/// Files beyond this are data; the parser gets them as they are.
const MAX_LEN: usize = 16 << 20;

/// The tokens of a file, and what becomes of them.
struct Masked<'t> {
    bytes: &'t [u8],
    toks: Vec<Tok>,
    /// By token: whether it is blanked.
    gone: Vec<bool>,
    /// Where a semicolon is put.
    semicolons: Vec<usize>,
}

impl<'t> Masked<'t> {
    fn text(&self, at: usize) -> &'t [u8] {
        self.toks
            .get(at)
            .and_then(|tok| self.bytes.get(tok.start as usize..tok.end as usize))
            .unwrap_or_default()
    }

    fn kind(&self, at: usize) -> Option<TokKind> {
        self.toks.get(at).map(|tok| tok.kind)
    }

    fn is(&self, at: usize, punct: u8) -> bool {
        self.kind(at) == Some(TokKind::Punct(punct))
    }

    fn is_word(&self, at: usize) -> bool {
        self.kind(at) == Some(TokKind::Word)
    }

    fn hide(&mut self, at: usize) {
        if let Some(gone) = self.gone.get_mut(at) {
            *gone = true;
        }
    }

    fn is_gone(&self, at: usize) -> bool {
        self.gone.get(at).copied().unwrap_or(true)
    }
}

/// `bytes` as the parser gets to see them.
pub(super) fn prepare(bytes: &[u8]) -> Cow<'_, [u8]> {
    if bytes.len() > MAX_LEN {
        return Cow::Borrowed(bytes);
    }
    let toks = lex::tokens(bytes);
    let gone = vec![false; toks.len()];
    let mut masked = Masked { bytes, toks, gone, semicolons: Vec::new() };
    conditions::hide(&mut masked);
    heads::hide(&mut masked);
    if masked.semicolons.is_empty() && !masked.gone.contains(&true) {
        return Cow::Borrowed(bytes);
    }
    let mut out = bytes.to_vec();
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
    Cow::Owned(out)
}
