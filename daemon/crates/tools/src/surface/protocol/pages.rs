//! Lists of ours, followed by those of upstreams, in pages.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use sdl_proto::code;
use serde::Deserialize;
use serde_json::Value;

use super::errors::ProtocolError;

/// Definitions of upstreams on one page, and their bytes.
const MOST: usize = 1_000;
const MAX_BYTES: usize = 8 << 20;

/// The parameters of a list.
#[derive(Default, Deserialize)]
pub(super) struct Page {
    #[serde(default)]
    pub(super) cursor: Option<String>,
}

/// What upstreams list.
pub(super) struct Theirs<'a> {
    pub(super) listed: Vec<&'a str>,
    /// Tells this list from others. A cursor is good for one list, because a place in another one means something else.
    pub(super) mark: u64,
    /// Whether there is an upstream at all.
    pub(super) is_any: bool,
}

/// Returns the page of a whole list of tools that the parameters ask for. A list that fits on one is as it was.
pub(crate) fn page_of_tools(list: &Value, is_any: bool, params: &[u8]) -> Result<Vec<u8>, ProtocolError> {
    let tools = list.get("tools").and_then(Value::as_array).into_iter().flatten();
    let texts: Vec<String> = tools.map(Value::to_string).collect();
    let mut hasher = DefaultHasher::new();
    texts.hash(&mut hasher);
    let listed = texts.iter().map(String::as_str).collect();
    write_page("tools", &[], &Theirs { listed, mark: hasher.finish(), is_any }, params)
}

/// Returns the result `{member: [...]}`: all of ours and the first of theirs, or the page of theirs after the cursor.
pub(super) fn write_page(
    member: &str,
    ours: &[Value],
    theirs: &Theirs<'_>,
    params: &[u8],
) -> Result<Vec<u8>, ProtocolError> {
    let page: Page = serde_json::from_slice(params).unwrap_or_default();
    let start = match page.cursor.filter(|_| theirs.is_any) {
        Some(cursor) => Some(read_cursor(&cursor, theirs)?),
        None => None,
    };
    let mut texts: Vec<String> = match start {
        None => ours.iter().map(Value::to_string).collect(),
        Some(_) => Vec::new(),
    };
    let start = start.unwrap_or(0);
    let (mut bytes, mut end) = (0, start);
    for text in theirs.listed.iter().skip(start).take(MOST) {
        bytes += text.len();
        if bytes > MAX_BYTES && end > start {
            break;
        }
        texts.push((*text).to_owned());
        end += 1;
    }
    let mut out = format!("{{\"{member}\":[{}]", texts.join(","));
    if end < theirs.listed.len() {
        out.push_str(&format!(",\"nextCursor\":\"{:016x}-{end}\"", theirs.mark));
    }
    out.push('}');
    Ok(out.into_bytes())
}

fn read_cursor(cursor: &str, theirs: &Theirs<'_>) -> Result<usize, ProtocolError> {
    let place = cursor.split_once('-').filter(|(mark, _)| *mark == format!("{:016x}", theirs.mark));
    let place = place.and_then(|(_, at)| at.parse().ok()).filter(|at| *at <= theirs.listed.len());
    place.ok_or_else(|| {
        let message =
            "the cursor is of another list, which may have changed; ask for the list without a cursor";
        ProtocolError::new(code::INVALID_PARAMS, message)
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(ours: &[Value], theirs: &Theirs<'_>, cursor: &Value) -> Result<Value, ProtocolError> {
        let params = json!({ "cursor": cursor }).to_string();
        let page = write_page("all", ours, theirs, params.as_bytes())?;
        Ok(serde_json::from_slice(&page).unwrap())
    }

    #[test]
    fn pages_together_are_the_list() {
        let (small, large) = ("1.50".to_owned(), format!("\"{}\"", "x".repeat(MAX_BYTES / 2)));
        for texts in [vec![small.clone(); 2_500], vec![large; 5], vec![small], vec![]] {
            let theirs = Theirs { listed: texts.iter().map(String::as_str).collect(), mark: 7, is_any: true };
            let ours = [json!({"a": 1}), json!(2)];
            let (mut all, mut cursor) = (Vec::new(), Value::Null);
            loop {
                let page = read(&ours, &theirs, &cursor).unwrap();
                all.extend(page["all"].as_array().unwrap().iter().map(Value::to_string));
                cursor = page["nextCursor"].clone();
                if cursor.is_null() {
                    break;
                }
            }
            let expected: Vec<String> =
                ours.iter().map(Value::to_string).chain(texts.iter().cloned()).collect();
            assert_eq!(all, expected);
        }
    }

    #[test]
    fn a_cursor_is_good_for_one_list() {
        let mut theirs = Theirs { listed: vec!["1"; 1_001], mark: 1, is_any: true };
        let cursor = read(&[], &theirs, &Value::Null).unwrap()["nextCursor"].clone();
        assert_eq!(read(&[json!(0)], &theirs, &cursor).unwrap(), json!({"all": [1]}));
        theirs.mark = 2;
        assert_eq!(read(&[], &theirs, &cursor).unwrap_err().code, code::INVALID_PARAMS);
        assert_eq!(read(&[], &theirs, &json!("x")).unwrap_err().code, code::INVALID_PARAMS);
        let none = Theirs { listed: vec![], mark: 0, is_any: false };
        assert_eq!(write_page("all", &[json!(0)], &none, b"{\"cursor\":\"x\"}").unwrap(), b"{\"all\":[0]}");
        assert_eq!(write_page("all", &[], &none, b"").unwrap(), b"{\"all\":[]}");
    }
}
