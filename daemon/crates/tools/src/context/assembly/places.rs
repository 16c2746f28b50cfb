//! The symbols that are not shown, by file and line.

use std::collections::HashSet;
use std::rc::Rc;

use sdl_model::SymbolKind;
use sdl_retrieve::card::Card;

use crate::call::answers::append_text;

/// Puts the best symbol of each file that the answer does not mention before further symbols of the same files.
pub(super) fn sort_places(rest: &mut Vec<Rc<Card>>, mentioned: &HashSet<String>) {
    let mut seen = mentioned.clone();
    let (first, more): (Vec<_>, Vec<_>) = rest.drain(..).partition(|card| seen.insert(card.file.clone()));
    rest.extend(first);
    rest.extend(more);
}

/// Returns one line for each file: its path, and the names and lines of its symbols.
pub(crate) fn place_lines(cards: &[Rc<Card>]) -> Vec<String> {
    let mut files: Vec<(&str, Vec<&Card>)> = Vec::new();
    for card in cards {
        match files.iter_mut().find(|(file, _)| *file == card.file) {
            Some((_, cards)) => cards.push(card),
            None => files.push((&card.file, vec![card])),
        }
    }
    let line = |(file, mut cards): (&str, Vec<&Card>)| {
        cards.sort_by_key(|card| card.range.start_line);
        let mut line = String::new();
        append_text(&mut line, format_args!("{file}"));
        let named = cards.iter().filter(|card| card.kind != SymbolKind::Module);
        for (at, card) in named.enumerate() {
            let mark = if at == 0 { ": " } else { ", " };
            let (from, to) = (card.range.start_line, card.range.end_line);
            append_text(&mut line, format_args!("{mark}{}:{from}-{to}", card.qualified_name));
        }
        line
    };
    files.into_iter().map(line).collect()
}
