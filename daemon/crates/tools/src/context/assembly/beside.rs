//! The text of symbols that another answer lists, within its budget.

use sdl_model::SymbolId;

use super::evidence::{self, Evidence, Opened};
use super::texts::{self, Shown, Task, Told};
use super::{MOST_MISSED, NEAR, is_fatal};
use crate::ToolError;
use crate::call::context::ReadCx;

/// Returns the text of these symbols, best first, as far as `room` tokens allow. Each piece is decided as a window is,
/// with `task` as its reason; the caller logs the rows of those that it shows.
pub(crate) fn texts_of(
    cx: &ReadCx<'_>,
    symbols: &[SymbolId],
    task: &str,
    mut room: usize,
) -> Result<Vec<Evidence>, ToolError> {
    let mut subjects = Vec::new();
    for symbol in symbols {
        subjects.extend(cx.source.symbol(*symbol)?.filter(|sym| evidence::is_shown(sym.kind())));
    }
    let names: Vec<String> = subjects.iter().map(|sym| sym.name().to_owned()).collect();
    let policy = cx.policy()?;
    let task = Task { text: task, names: &names, budget: room, policy: &policy };
    let (mut opened, mut shown) = (Opened::for_slice(symbols), Shown::default());
    let (mut list, mut missed) = (Vec::new(), 0);
    for sym in &subjects {
        if room < evidence::LEAST || missed == MOST_MISSED {
            break;
        }
        cx.call.check()?;
        match texts::show_symbol(cx, &mut list, (&mut opened, &mut shown), (sym, NEAR, task), room) {
            Ok(Told::Shown(size)) => room = room.saturating_sub(size),
            Ok(Told::Covered) => {}
            Ok(Told::NoRoom) => missed += 1,
            Err(error) if !is_fatal(&error) => {
                cx.note(format!("no source of {}: {}", sym.name(), error.refusal.message))
            }
            Err(error) => return Err(error),
        }
    }
    Ok(list)
}
