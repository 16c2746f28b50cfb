//! The tokens of a text, with those that are hidden from the parser.

use super::lex::{Tok, TokKind};

/// The tokens of a file, and which of them are hidden.
pub(super) struct Masked<'t> {
    pub(super) bytes: &'t [u8],
    pub(super) toks: Vec<Tok>,
    /// By token: whether it is blanked.
    pub(super) gone: Vec<bool>,
    /// By token: whether it is in a function's body.
    pub(super) code: Vec<bool>,
    /// The positions at which a semicolon is inserted.
    pub(super) semicolons: Vec<usize>,
}

impl<'t> Masked<'t> {
    pub(super) fn text(&self, at: usize) -> &'t [u8] {
        self.toks
            .get(at)
            .and_then(|tok| self.bytes.get(tok.start as usize..tok.end as usize))
            .unwrap_or_default()
    }

    pub(super) fn kind(&self, at: usize) -> Option<TokKind> {
        self.toks.get(at).map(|tok| tok.kind)
    }

    pub(super) fn is(&self, at: usize, punct: u8) -> bool {
        self.kind(at) == Some(TokKind::Punct(punct))
    }

    pub(super) fn is_word(&self, at: usize) -> bool {
        self.kind(at) == Some(TokKind::Word)
    }

    pub(super) fn hide(&mut self, at: usize) {
        if let Some(gone) = self.gone.get_mut(at) {
            *gone = true;
        }
    }

    pub(super) fn is_gone(&self, at: usize) -> bool {
        self.gone.get(at).copied().unwrap_or(true)
    }
}
