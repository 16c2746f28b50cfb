//! Cursors: where the next page starts, in which version, of which search.

use sdl_model::Version;
use sdl_model::ids::stable_hash;

use super::SearchRequest;
use crate::UserError;

/// A fingerprint that distinguishes one search from another.
fn request_fingerprint(request: &SearchRequest) -> u32 {
    let kinds: Vec<u8> = request.kinds.iter().flat_map(|kind| kind.name().bytes().chain([b','])).collect();
    let switches = [request.exact, request.regex, request.exported_only, request.semantic].map(u8::from);
    let glob = request.path_glob.as_deref().unwrap_or("");
    let mentions = request.chat_mentions.join("\n");
    stable_hash(&[request.query.as_bytes(), &kinds, &switches, glob.as_bytes(), mentions.as_bytes()]) as u32
}

/// The state that pages are of: a version and the unsaved buffers over it, if any.
pub(crate) type State = (Version, Option<u64>);

/// A cursor to the result at `offset`.
pub(crate) fn write_cursor((version, overlay): State, offset: usize, request: &SearchRequest) -> String {
    let overlay = overlay.map(|seq| format!(".{seq:x}")).unwrap_or_default();
    format!("c_{:x}.{offset:x}.{:x}{overlay}", version.0, request_fingerprint(request))
}

/// The offset that the request's cursor names; 0 without one.
pub(crate) fn read_cursor((version, overlay): State, request: &SearchRequest) -> Result<usize, UserError> {
    let Some(cursor) = &request.cursor else { return Ok(0) };
    let number = |part: &str| u64::from_str_radix(part, 16).map_err(|_| UserError::BadCursor);
    let mut parts = cursor.strip_prefix("c_").unwrap_or("").splitn(4, '.');
    let mut next = || parts.next().ok_or(UserError::BadCursor).and_then(number);
    let (of_version, offset, of_search) = (next()?, next()?, next()?);
    let of_overlay = parts.next().map(number).transpose()?;
    if of_search != u64::from(request_fingerprint(request)) {
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
    fn cursors_are_bound_to_version_and_search() {
        let mut request = SearchRequest::new("user");
        let (plain, overlaid) = ((Version(7), None), (Version(7), Some(3)));
        request.cursor = Some(write_cursor(plain, 50, &request));
        assert_eq!(read_cursor(plain, &request), Ok(50));
        assert_eq!(read_cursor((Version(8), None), &request), Err(UserError::StaleCursor));
        assert_eq!(read_cursor(overlaid, &request), Err(UserError::StaleCursor));
        request.cursor = Some(write_cursor(overlaid, 50, &request));
        assert_eq!(read_cursor(overlaid, &request), Ok(50));
        assert_eq!(read_cursor((Version(7), Some(4)), &request), Err(UserError::StaleCursor));
        assert_eq!(read_cursor(plain, &request), Err(UserError::StaleCursor));
        request.exact = true;
        assert_eq!(read_cursor(overlaid, &request), Err(UserError::BadCursor));
        request.cursor = Some("nonsense".into());
        assert_eq!(read_cursor(plain, &request), Err(UserError::BadCursor));
    }
}
