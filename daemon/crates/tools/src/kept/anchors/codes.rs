//! The code of symbols that links lead to, as hashes, remembered for a version. Most calls show rows whose code was looked at before, and reading it
//! means decoding a file's facts.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use sdl_model::SymbolId;

use super::same::CodeHashes;
use crate::ToolError;
use crate::call::context::ReadCx;
use crate::call::memos::Recent;

/// Symbols that are remembered for a version.
const MOST: usize = 4_096;

/// A repository, which index of it, and its version.
type State = (String, u64, u64);

/// What was looked at in a version.
type Codes = Arc<Mutex<HashMap<SymbolId, Option<CodeHashes>>>>;

type RecentCodes = Recent<State, Codes, 4>;

/// Returns the hashes of a symbol's code in the version of the call; none if the symbol is not there.
pub(super) fn code_now(cx: &ReadCx<'_>, id: SymbolId) -> Result<Option<CodeHashes>, ToolError> {
    // Unsaved buffers lie over the version, which then doesn't say what the code is.
    if cx.overlay.is_some() {
        return read_code(cx, id);
    }
    let state = (cx.repo.id().to_owned(), u64::from(cx.snapshot.incarnation().0), cx.version.0);
    let recent = cx.call.memos.shared::<RecentCodes>();
    let codes = recent.get(&state).unwrap_or_else(|| {
        let codes = Codes::default();
        recent.put(state, Arc::clone(&codes));
        codes
    });
    if let Some(known) = codes.lock().unwrap_or_else(PoisonError::into_inner).get(&id) {
        return Ok(*known);
    }
    let code = read_code(cx, id)?;
    let mut codes = codes.lock().unwrap_or_else(PoisonError::into_inner);
    if codes.len() < MOST {
        codes.insert(id, code);
    }
    Ok(code)
}

fn read_code(cx: &ReadCx<'_>, id: SymbolId) -> Result<Option<CodeHashes>, ToolError> {
    Ok(cx.source.symbol(id)?.map(|sym| CodeHashes::of(sym.def())))
}
