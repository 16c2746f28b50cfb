//! Cursors: where the next page starts, in which version, of which search.

use sdl_model::Version;
use sdl_model::ids::stable_hash;

use super::SearchRequest;
use crate::UserError;

/// What tells one search from another.
fn fingerprint(request: &SearchRequest) -> u32 {
    let kinds: Vec<u8> = request.kinds.iter().flat_map(|kind| kind.name().bytes().chain([b','])).collect();
    let switches = [request.exact, request.regex, request.exported_only, request.semantic].map(u8::from);
    let glob = request.path_glob.as_deref().unwrap_or("");
    let mentions = request.chat_mentions.join("\n");
    stable_hash(&[request.query.as_bytes(), &kinds, &switches, glob.as_bytes(), mentions.as_bytes()]) as u32
}

/// A cursor to the result at `offset`.
pub(crate) fn write(version: Version, offset: usize, request: &SearchRequest) -> String {
    format!("c_{:x}.{offset:x}.{:x}", version.0, fingerprint(request))
}

/// The offset that the request's cursor names; 0 without one.
pub(crate) fn read(version: Version, request: &SearchRequest) -> Result<usize, UserError> {
    let Some(cursor) = &request.cursor else { return Ok(0) };
    let mut parts = cursor.strip_prefix("c_").unwrap_or("").splitn(3, '.');
    let mut number =
        || parts.next().and_then(|part| u64::from_str_radix(part, 16).ok()).ok_or(UserError::BadCursor);
    let (of_version, offset, of_search) = (number()?, number()?, number()?);
    if of_search != u64::from(fingerprint(request)) {
        return Err(UserError::BadCursor);
    }
    if of_version != version.0 {
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
        request.cursor = Some(write(Version(7), 50, &request));
        assert_eq!(read(Version(7), &request), Ok(50));
        assert_eq!(read(Version(8), &request), Err(UserError::StaleCursor));
        request.exact = true;
        assert_eq!(read(Version(7), &request), Err(UserError::BadCursor));
        request.cursor = Some("nonsense".into());
        assert_eq!(read(Version(7), &request), Err(UserError::BadCursor));
    }
}
