//! The symbols that did not fit, page by page.

use sdl_model::SymbolId;

use crate::card::{self, Card, CardOptions, Enrichment};
use crate::{Result, Source};

/// Maximum number of symbols on a page.
const MOST: usize = 100;
/// Default number of symbols on a page.
const USUAL: usize = 20;

/// One page of the symbols that did not fit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// The cards, best first.
    pub cards: Vec<Card>,
    /// Where the next page starts, if there is one.
    pub next: Option<usize>,
    /// Tokens of the cards, serialized as one array.
    pub tokens: usize,
}

/// The page of `spilled` that starts at `from`: at most `size` cards (0: the usual number) and `max_tokens` tokens, but
/// at least one card if any remains. Symbols that are gone by now are skipped.
pub fn spill_page(
    source: &Source<'_>,
    spilled: &[SymbolId],
    (from, size): (usize, usize),
    max_tokens: usize,
    options: CardOptions,
    enrichment: &dyn Enrichment,
) -> Result<Page> {
    let size = if size == 0 { USUAL } else { size.min(MOST) };
    let mut page = Page::default();
    let mut at = from;
    let mut room = max_tokens.saturating_sub(2);
    for &symbol in spilled.get(from..).unwrap_or_default() {
        if page.cards.len() >= size {
            break;
        }
        if let Some(card) = card::build_card(source, symbol, options, enrichment)? {
            let tokens = sdl_tokens::count_tokens(&serde_json::to_string(&card)?) + 1;
            if tokens > room && !page.cards.is_empty() {
                break;
            }
            room = room.saturating_sub(tokens);
            page.cards.push(card);
        }
        at += 1;
    }
    page.next = (at < spilled.len()).then_some(at);
    page.tokens = sdl_tokens::count_tokens(&serde_json::to_string(&page.cards)?);
    Ok(page)
}
