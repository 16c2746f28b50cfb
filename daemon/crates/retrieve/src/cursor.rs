//! Cursors: where the next page of a list starts, in which version, of which list.

use sdl_model::Version;

use crate::UserError;

/// The state that pages are of: a version and the unsaved buffers over it, if any.
pub type State = (Version, Option<u64>);

/// A cursor to the item at `offset` of the list that `fingerprint` tells from others, such as a hash of the request.
pub fn write_cursor((version, overlay): State, offset: usize, fingerprint: u32) -> String {
    let overlay = overlay.map(|seq| format!(".{seq:x}")).unwrap_or_default();
    format!("c_{:x}.{offset:x}.{fingerprint:x}{overlay}", version.0)
}

/// The offset that `cursor` names; 0 without one.
///
/// # Errors
/// [`UserError::BadCursor`] if it is none of this list, [`UserError::StaleCursor`] if it is of another state.
pub fn read_cursor(
    (version, overlay): State,
    cursor: Option<&str>,
    fingerprint: u32,
) -> Result<usize, UserError> {
    let Some(cursor) = cursor else { return Ok(0) };
    let number = |part: &str| u64::from_str_radix(part, 16).map_err(|_| UserError::BadCursor);
    let mut parts = cursor.strip_prefix("c_").unwrap_or("").splitn(4, '.');
    let mut next = || parts.next().ok_or(UserError::BadCursor).and_then(number);
    let (of_version, offset, of_list) = (next()?, next()?, next()?);
    let of_overlay = parts.next().map(number).transpose()?;
    if of_list != u64::from(fingerprint) {
        return Err(UserError::BadCursor);
    }
    if of_version != version.0 || of_overlay != overlay {
        return Err(UserError::StaleCursor);
    }
    usize::try_from(offset).map_err(|_| UserError::BadCursor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursors_are_bound_to_their_state_and_list() {
        let (plain, overlaid) = ((Version(7), None), (Version(7), Some(3)));
        let cursor = write_cursor(plain, 50, 9);
        assert_eq!(read_cursor(plain, Some(&cursor), 9), Ok(50));
        assert_eq!(read_cursor((Version(8), None), Some(&cursor), 9), Err(UserError::StaleCursor));
        assert_eq!(read_cursor(overlaid, Some(&cursor), 9), Err(UserError::StaleCursor));
        let cursor = write_cursor(overlaid, 50, 9);
        assert_eq!(read_cursor(overlaid, Some(&cursor), 9), Ok(50));
        assert_eq!(read_cursor((Version(7), Some(4)), Some(&cursor), 9), Err(UserError::StaleCursor));
        assert_eq!(read_cursor(plain, Some(&cursor), 9), Err(UserError::StaleCursor));
        assert_eq!(read_cursor(overlaid, Some(&cursor), 8), Err(UserError::BadCursor));
        assert_eq!(read_cursor(plain, Some("nonsense"), 9), Err(UserError::BadCursor));
        assert_eq!(read_cursor(plain, None, 9), Ok(0));
    }
}
