//! Limits on the size of an answer, in exact tokens of its serialized form, and the cutting of its lists to them.
//!
//! Handles, cursors and the like are drawn at random, and some have more tokens than others. If they were counted as
//! they are, one call would hold an item that the same call on another ledger of the same tree has no room for. So each
//! is counted as a text of its length with as many tokens as any can have.

use std::borrow::Cow;
use std::sync::OnceLock;

use regex::{Captures, Regex};
use serde::Serialize;
use serde_json::json;

use crate::call::freshness::Freshness;
use crate::{Cancel, Explained, ToolError};

/// The budget of answers whose action has none of its own.
pub(crate) const DEFAULT_TOKENS: usize = 8_000;
/// The hard limit of every answer.
pub(crate) const MOST_TOKENS: usize = 20_000;

/// Returns the tokens of `value` as JSON. Random parts count as the most that they can have.
pub(crate) fn json_tokens(value: &impl Serialize) -> Result<usize, ToolError> {
    Ok(text_tokens(&counted_json(value)?))
}

/// Returns `value` as the JSON text whose tokens count.
fn counted_json(value: &impl Serialize) -> Result<String, ToolError> {
    let text =
        serde_json::to_string(value).map_err(|e| ToolError::internal("writing an answer as JSON", e))?;
    Ok(match without_chance(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(counted) => counted,
    })
}

/// The forms of random parts in JSON.
const FORMS: &str = r#""(?:(h_|sp_|as_)[0-9a-z]{13,15}|(c_)[0-9a-f]+\.[0-9a-f.]+|[0-9a-f]{64})""#;

/// Returns a JSON text with placeholders for handles, assembly ids, cursors and hashes of versions.
fn without_chance(json: &str) -> Cow<'_, str> {
    static DRAWN: OnceLock<Option<Regex>> = OnceLock::new();
    let Some(drawn) = DRAWN.get_or_init(|| Regex::new(FORMS).ok()) else { return Cow::Borrowed(json) };
    drawn.replace_all(json, |found: &Captures<'_>| {
        let length = found.get(0).map_or(0, |all| all.as_str().len() - 2);
        let kind = found.get(1).or(found.get(2)).map_or("", |kind| kind.as_str());
        // Digits and letters alternate, because then no two of them are one token.
        let stand_in: String = "1a2b3c4d5e6f7g8h9j".chars().cycle().take(length - kind.len()).collect();
        format!("\"{kind}{stand_in}\"")
    })
}

/// Returns the tokens of `text`.
pub(crate) fn text_tokens(text: &str) -> usize {
    sdl_tokens::count_tokens(text)
}

/// Whether `text` has more than `limit` tokens. Stops counting there.
pub(crate) fn is_above(text: &str, limit: usize) -> bool {
    // A text of at most `limit` bytes needs no counting, because no token is shorter than a byte.
    text.len() > limit && sdl_tokens::count_at_most(text, limit).is_none()
}

/// Cuts an answer until it fits `most` tokens, beginning with a cut to `first`. `cut` returns as much as fits a number
/// of tokens, and the tokens of the whole answer with that. It must be cheap: everything that it cuts was found before.
/// Returns the last cut and its tokens, which are above `most` only if even a cut to nothing is.
pub(crate) fn fit_answer<T>(
    cancel: &Cancel,
    most: usize,
    first: usize,
    mut cut: impl FnMut(usize) -> Result<(T, usize), ToolError>,
) -> Result<(T, usize), ToolError> {
    let mut room = first;
    loop {
        let (fitted, total) = cut(room)?;
        if total <= most || room == 0 {
            return Ok((fitted, total));
        }
        // Slightly more than the excess, because naming the dropped parts takes some tokens too.
        room = room.saturating_sub(total - most + 8);
        cancel.check()?;
    }
}

/// Returns the most of `len` items with which something fits; none if it does not fit even without items. What fits with
/// some items fits with fewer.
pub(crate) fn most_fitting(
    len: usize,
    mut fits: impl FnMut(usize) -> Result<bool, ToolError>,
) -> Result<Option<usize>, ToolError> {
    if fits(len)? {
        return Ok(Some(len));
    }
    if len == 0 || !fits(0)? {
        return Ok(None);
    }
    let (mut fitting, mut above) = (0, len);
    while above - fitting > 1 {
        let middle = fitting + (above - fitting) / 2;
        if fits(middle)? {
            fitting = middle;
        } else {
            above = middle;
        }
    }
    Ok(Some(fitting))
}

/// Returns the largest prefix of `len` items with which `answer` has at most `most` tokens as JSON, as a number of items.
/// None if it has more even without items.
pub(crate) fn largest_prefix<T: Serialize>(
    len: usize,
    most: usize,
    mut answer: impl FnMut(usize) -> Result<T, ToolError>,
) -> Result<Option<usize>, ToolError> {
    most_fitting(len, |count| Ok(!is_above(&counted_json(&answer(count)?)?, most)))
}

/// Room for the items of a list that is filled one by one. It is for items that are costly to make; a list that is there
/// already is cut by [`largest_prefix`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    /// Tokens that are left.
    pub(crate) tokens: usize,
    /// Items that are left.
    pub(crate) items: usize,
}

impl Room {
    /// Creates room for any number of items with this many tokens together.
    pub(crate) fn of(tokens: usize) -> Self {
        Self { tokens, items: usize::MAX }
    }

    /// Takes room for an item with this many tokens, if there is enough.
    pub(crate) fn take(&mut self, tokens: usize) -> bool {
        let (Some(left), Some(items)) = (self.tokens.checked_sub(tokens), self.items.checked_sub(1)) else {
            return false;
        };
        *self = Self { tokens: left, items };
        true
    }
}

/// Returns the tokens of an item in a list, with the comma.
pub(crate) fn item_tokens(item: &impl Serialize) -> Result<usize, ToolError> {
    Ok(json_tokens(item)? + 1)
}

/// Tokens that stay free for the notes that the pipeline adds to an answer from no repository.
pub(crate) const NOTES_TOKENS: usize = 150;

/// A lag with the most tokens that a waiting call can have.
const MOST_LAG_MS: u64 = 999_999;

/// Returns the tokens of the pipeline's own fields of an answer. `noted` is a note that may be added.
pub(crate) fn reserved_tokens(freshness: &Freshness, noted: &str) -> Result<usize, ToolError> {
    // The duration of the wait must not decide how much fits.
    let measured = Freshness { lag_ms: freshness.lag_ms.max(MOST_LAG_MS), ..freshness.clone() };
    json_tokens(&json!({ "freshness": measured, "notes": [noted] }))
}

/// Returns the tokens of an answer that is about to be sent, as JSON. An error above [`MOST_TOKENS`]: every action
/// keeps to a budget of its own, and this is the last line of defence for the reader's context.
pub(crate) fn check_tokens(structured: &str) -> Result<usize, ToolError> {
    let tokens = text_tokens(structured);
    if tokens > MOST_TOKENS {
        return Err(ToolError::internal(
            "keeping the answer to its budget",
            format!("it has {tokens} tokens"),
        ));
    }
    Ok(tokens)
}

/// Returns how many of `items` stay if enough are dropped from the end to save at least `excess` tokens.
pub(crate) fn count_kept<T: Serialize>(items: &[T], excess: usize) -> Result<usize, ToolError> {
    let mut gone = 0;
    let mut kept = items.len();
    // A dropped item may count one token more than the whole shrinks by, because it was joined with its neighbours.
    while gone < excess && kept > 0 {
        kept -= 1;
        gone += items.get(kept).map(json_tokens).transpose()?.unwrap_or(0).saturating_sub(1);
    }
    Ok(kept)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_cut_is_made_smaller_until_it_fits_and_never_below_nothing() {
        let mut asked = Vec::new();
        // The answer around the cut takes 10 tokens, and the cut comes in pieces of 7.
        let mut cut = |room: usize| {
            asked.push(room);
            Ok((room / 7, 10 + room / 7 * 7))
        };
        assert_eq!(fit_answer(&Cancel::new(), 40, 40, &mut cut).unwrap(), (3, 31));
        assert_eq!(fit_answer(&Cancel::new(), 5, 5, &mut cut).unwrap(), (0, 10), "told all the same");
        assert_eq!(asked, [40, 27, 5, 0]);
        let cancel = Cancel::new();
        cancel.cancel();
        assert!(fit_answer(&cancel, 5, 20, |room| Ok(((), room))).is_err());
    }

    #[test]
    fn the_largest_prefix_fits_and_one_more_item_does_not() {
        let items: Vec<String> = (0..500).map(|at| format!("item {at}")).collect();
        let answer = |count: usize| Ok(json!({ "items": items[..count], "left": 500 - count }));
        for most in [20, 100, 1_000] {
            let count = largest_prefix(500, most, answer).unwrap().unwrap();
            let tokens = |count| json_tokens(&answer(count).unwrap()).unwrap();
            assert!(tokens(count) <= most && tokens(count + 1) > most, "{count} of {most}");
        }
        assert_eq!(largest_prefix(500, 100_000, answer).unwrap(), Some(500));
        assert_eq!(largest_prefix(500, 1, answer).unwrap(), None);
        assert_eq!(largest_prefix(0, 1, answer).unwrap(), None);
    }

    #[test]
    fn room_is_taken_until_one_of_its_limits() {
        let mut room = Room { tokens: 10, items: 2 };
        assert!(!room.take(11) && room.take(4) && !room.take(7) && room.take(6) && !room.take(0));
        let mut room = Room::of(3);
        assert!((0..3).all(|_| room.take(1)) && !room.take(1));
    }

    #[test]
    fn what_is_drawn_by_chance_counts_the_same_whatever_is_drawn() {
        let size = |text: &str| json_tokens(&json!({ "x": text })).unwrap();
        let alike = [
            ["h_aaaaaaaaaaaaaaa", "h_1a2b3c4d5e6f7g8"],
            ["sp_000000000000000", "sp_9z8y7x6w5v4t3s2"],
            ["as_functionfunct", "as_0a1b2c3d4e5f6"],
            ["c_19b0c0ffee0.10.aaaaaaaa", "c_19aa1b2c3d4.10.1b2c3d4e"],
        ];
        for [one, other] in alike {
            assert_eq!(one.len(), other.len());
            assert_eq!(size(one), size(other), "{one}");
            assert!(text_tokens(&json!({ "x": one }).to_string()) <= size(one), "{one}");
        }
        assert_eq!(size(&"a".repeat(64)), size(&"0f".repeat(32)));
        for plain in ["h_", "s_0123456789abc", "as_is", "class_of"] {
            assert_eq!(size(plain), text_tokens(&json!({ "x": plain }).to_string()), "{plain}");
        }
    }
}
