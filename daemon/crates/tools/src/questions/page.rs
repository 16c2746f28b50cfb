//! Pages of a list: where one starts, and how much fits its tokens.

use sdl_model::ids::stable_hash;
use sdl_retrieve::Source;
use sdl_retrieve::cursor::{read_cursor, write_cursor};
use serde::Serialize;

use crate::call::budget;
use crate::call::context::ReadCx;
use crate::{Explained, ToolError};

/// Tokens of an answer, unless the caller allows another number.
pub(crate) const PAGE_TOKENS: usize = 4_000;

/// The pages of one list.
pub(crate) struct Pages {
    state: sdl_retrieve::cursor::State,
    fingerprint: u32,
    /// The number of the first item of this page.
    pub(crate) offset: usize,
    /// Most items of this page.
    pub(crate) limit: usize,
    most_tokens: usize,
}

impl Pages {
    /// The page that `cursor` names of the list that `parts` tell from others.
    pub(crate) fn read(
        source: &Source<'_>,
        parts: &[&str],
        cursor: Option<&str>,
        (limit, max_tokens): (usize, Option<u32>),
    ) -> Result<Self, ToolError> {
        let state = (source.view().version(), source.overlay());
        let parts: Vec<&[u8]> = parts.iter().map(|part| part.as_bytes()).collect();
        let fingerprint = stable_hash(&parts) as u32;
        let offset = read_cursor(state, cursor, fingerprint).map_err(sdl_retrieve::Error::from)?;
        let most_tokens = max_tokens.map_or(PAGE_TOKENS, |most| most as usize).min(budget::MOST_TOKENS);
        Ok(Self { state, fingerprint, offset, limit, most_tokens })
    }

    /// The items of this page, before they are cut to their tokens.
    pub(crate) fn items<'i, T>(&self, all: &'i [T]) -> &'i [T] {
        let rest = all.get(self.offset..).unwrap_or_default();
        rest.get(..self.limit).unwrap_or(rest)
    }

    /// The cursor of the page after `count` items of this one, if there is more.
    pub(crate) fn next_cursor(&self, count: usize, total: usize) -> Option<String> {
        let next = self.offset + count;
        (next < total && count > 0).then(|| self.cursor_to(next))
    }

    /// The cursor of the page that starts at `offset`.
    pub(crate) fn cursor_to(&self, offset: usize) -> String {
        write_cursor(self.state, offset, self.fingerprint)
    }

    /// The largest answer that fits: `answer` makes it of a number of the page's items. An error if not even one item
    /// fits.
    pub(crate) fn fit<T: Serialize>(
        &self,
        cx: &ReadCx<'_>,
        len: usize,
        mut answer: impl FnMut(usize) -> Result<T, ToolError>,
    ) -> Result<T, ToolError> {
        let room = self.most_tokens.saturating_sub(cx.around()?);
        let count = budget::largest_prefix(len, room, &mut answer)?;
        match count {
            Some(count) if count > 0 || len == 0 => answer(count),
            _ => {
                let needed = cx.around()? + budget::json_tokens(&answer(len.min(1))?)?;
                let message = format!("this answer takes at least {needed} tokens; allow that many");
                Err(ToolError::invalid("maxTokens", message).with("needed", needed))
            }
        }
    }
}
