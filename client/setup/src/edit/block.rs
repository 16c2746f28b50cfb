//! A marked block in a text of others. Everything else stays byte for byte, and removal gives back the text from before,
//! because the way a block is added tells how the text ended.

use std::ops::Range;

use super::{Fault, MARK, line_end, splice};

/// The line before the block.
pub const BEGIN: &str = "<!-- sdl:begin -->";
/// The line after it.
pub const END: &str = "<!-- sdl:end -->";

/// The block with its markers, without a line end after it.
pub fn render_block(body: &str, new_line: &str) -> String {
    let lines: Vec<&str> = std::iter::once(BEGIN).chain(body.trim_end().lines()).chain([END]).collect();
    lines.join(new_line)
}

/// The block that is there, with its markers. Fails if the markers are no pair.
pub fn find_block(text: &str) -> Result<Option<&str>, Fault> {
    Ok(locate_block(text)?.and_then(|span| text.get(span)))
}

/// Whether the block is there and says what it should.
pub fn is_current(text: &str, body: &str) -> Result<bool, Fault> {
    let found = find_block(text)?;
    Ok(found.is_some_and(|block| block == render_block(body, line_end(block))))
}

/// Adds the block at the end, or gives one that is there the text.
pub fn put_block(text: &str, body: &str) -> Result<String, Fault> {
    if let Some(span) = locate_block(text)? {
        let new_line = text.get(span.clone()).map_or("\n", line_end);
        return Ok(splice(text, span, &render_block(body, new_line)));
    }
    let new_line = line_end(text);
    let block = render_block(body, new_line);
    Ok(match text {
        "" => format!("{block}{new_line}"),
        ended if ended.ends_with('\n') => format!("{text}{new_line}{block}{new_line}"),
        _ => format!("{text}{new_line}{new_line}{block}"),
    })
}

/// Removes the block, and the blank line before it.
pub fn remove_block(text: &str) -> Result<String, Fault> {
    let Some(span) = locate_block(text)? else { return Ok(text.to_owned()) };
    let new_line = text.get(span.clone()).map_or("\n", line_end);
    let before = text.get(..span.start).unwrap_or_default();
    let after = text.get(span.end..).unwrap_or_default();
    let before = match after {
        // The text did not end with a line end.
        "" => strip_once(strip_once(before, new_line), new_line),
        _ => {
            let stripped = strip_once(before, new_line);
            if stripped.is_empty() || stripped.ends_with('\n') { stripped } else { before }
        }
    };
    let after = after.strip_prefix('\r').unwrap_or(after);
    Ok(format!("{before}{}", after.strip_prefix('\n').unwrap_or(after)))
}

fn strip_once<'a>(text: &'a str, end: &str) -> &'a str {
    text.strip_suffix(end).unwrap_or(text)
}

/// From the start of the first marker's line to the end of the second marker.
fn locate_block(text: &str) -> Result<Option<Range<usize>>, Fault> {
    let (mut begin, mut end) = (None, None);
    let mut at = 0;
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let number = index + 1;
        let marked = line.strip_prefix(MARK).filter(|_| at == 0);
        let start = at + if marked.is_some() { MARK.len_utf8() } else { 0 };
        at += line.len();
        let broken = |why| Err(Fault::Markers { line: number, why });
        match marked.unwrap_or(line).trim() {
            BEGIN if begin.is_some() => return broken("the block begins twice"),
            BEGIN => begin = Some((start, number)),
            END if begin.is_none() => return broken("the block ends before it begins"),
            END if end.is_some() => return broken("the block ends twice"),
            END => end = Some(start + line.trim_end_matches(['\r', '\n']).len()),
            _ => {}
        }
    }
    match (begin, end) {
        (Some((start, _)), Some(end)) => Ok(Some(start..end)),
        (Some((_, line)), None) => Err(Fault::Markers { line, why: "the block does not end" }),
        _ => Ok(None),
    }
}
