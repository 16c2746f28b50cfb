//! Where a page ended: short texts that name the last row, or the number of rows before.

use sdl_contract::{Code, Explained as _, Refusal};

use super::index::{Place, row_key};
use super::names::NameHash;
use super::pick::find_row;
use super::view::View;
use crate::Result;
use crate::store::Tables;

/// The end of a page of the facts of an entity: `out:t_…` or `in:t_…`.
pub(super) fn write_place(place: Place, id: &str) -> String {
    let side = if place == Place::Subject { "out" } else { "in" };
    format!("{side}:{id}")
}

/// Returns the key in the index after which the next page of an entity begins.
pub(super) fn read_place(
    tables: &impl Tables,
    view: &View,
    entity: NameHash,
    cursor: &str,
) -> Result<Vec<u8>> {
    let place = match cursor.split_once(':') {
        Some(("out", id)) => Some((Place::Subject, id)),
        Some(("in", id)) => Some((Place::Object, id)),
        _ => None,
    };
    let Some((place, id)) = place else { return Err(bad_cursor(cursor).into()) };
    let row = find_row(tables, view, id)?.ok_or_else(|| bad_cursor(cursor))?;
    Ok(row_key(entity, place, &row))
}

/// The end of a page of a list that is made again for each page: `at:40`.
pub(super) fn write_offset(offset: usize) -> String {
    format!("at:{offset}")
}

/// Returns the number of rows before the next page.
pub(super) fn read_offset(cursor: Option<&str>) -> Result<usize> {
    let Some(cursor) = cursor else { return Ok(0) };
    let offset = cursor.strip_prefix("at:").and_then(|offset| offset.parse().ok());
    Ok(offset.ok_or_else(|| bad_cursor(cursor))?)
}

/// The end of a page of a timeline: the instant, the kind of event and the row.
pub(super) fn write_moment(at: i64, kind: u8, id: &str) -> String {
    format!("{at}:{kind}:{id}")
}

/// Returns the parts of the last event of a page.
pub(super) fn read_moment(cursor: &str) -> Result<(i64, u8, String)> {
    let read = |mut parts: std::str::SplitN<'_, char>| -> Option<(i64, u8, String)> {
        let (at, kind) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
        Some((at, kind, parts.next()?.to_owned()))
    };
    Ok(read(cursor.splitn(3, ':')).ok_or_else(|| bad_cursor(cursor))?)
}

fn bad_cursor(cursor: &str) -> Refusal {
    let shown: String = cursor.chars().take(60).collect();
    let message = format!("the cursor {shown:?} is not from this request; repeat it without one");
    Refusal::new(Code::BadCursor, message).at("cursor")
}
