//! Private keys.

use std::ops::Range;

const BEGIN: &str = "-----BEGIN ";

/// Finds the private key that begins in the run of letters and dashes at `run`. In code that only mentions a key's
/// first line, no key follows it.
pub(super) fn find_private_key(text: &str, run: Range<usize>) -> Option<Range<usize>> {
    let start = run.end.checked_sub(BEGIN.len() - 1)?;
    let header = text.get(start..text.floor_char_boundary(start + 120))?.strip_prefix(BEGIN)?;
    let header = header.get(..header.find("-----")?)?;
    if !header.contains("PRIVATE KEY") || header.len() >= 60 {
        return None;
    }
    let behind = start + BEGIN.len() + header.len() + "-----".len();
    key_end(text, behind).map(|end| start..end)
}

/// The longest key, in bytes.
const LONGEST: usize = 32 << 10;

/// Returns the end of the key whose first line ends at `behind`: after its last line, or where it was cut off. None if
/// it is no key.
fn key_end(text: &str, behind: usize) -> Option<usize> {
    const END: &str = "-----END ";
    let rest = text.get(behind..text.floor_char_boundary(behind + LONGEST))?;
    // Searches only up to the next `BEGIN`, because keys aren't nested. No text is searched twice.
    let rest = rest.get(..rest.find(BEGIN).unwrap_or(rest.len()))?;
    let mut end = None;
    let mut after_long = false;
    let mut at = behind;
    for (number, line) in rest.split_inclusive('\n').take(400).enumerate() {
        let next = at + line.len();
        if let Some(closing) = line.find(END) {
            let tail = line.get(closing + END.len()..).unwrap_or_default();
            let dashes = tail.find("-----").map_or(tail.trim_end().len(), |dashes| dashes + 5);
            // The text between two such lines is a key, unless it is as long as a page of prose.
            return (number < 200).then_some(at + closing + END.len() + dashes);
        }
        let mut words = line_words(line);
        let long = words.clone().any(is_long);
        let goes_on = match (number, words.next(), words.next()) {
            // A key may follow the dashes on the same line.
            (0, first, _) => first.is_none() || long,
            (_, None, _) => true,
            // `Proc-Type: 4,ENCRYPTED`
            (_, Some(first), Some(_)) => number < 5 && first.ends_with(':') || long,
            (_, Some(only), None) => long || (only.len() < 70 && is_coded(only)),
        };
        if !goes_on {
            break;
        }
        // The last line of a key is shorter than the others.
        if long || after_long && words_end(line) > 0 {
            end = Some(at + if long { line.trim_end_matches('\n').len() } else { words_end(line) });
        }
        after_long = long;
        at = next;
    }
    end
}

/// Returns the words of a line, without the marks that code and comments add.
fn line_words(line: &str) -> impl Iterator<Item = &str> + Clone {
    let mark = |c: char| c.is_whitespace() || "\"'`,;*#()[]>".contains(c);
    // `…\n" +`: the letter of an escaped line end is not part of the key.
    line.split(mark).flat_map(|word| word.split("\\n")).flat_map(|word| word.split("\\r")).filter_map(
        |word| {
            let word = word.trim_matches('\\').trim_start_matches("//");
            (!matches!(word, "" | "+" | "." | "<<" | "..")).then_some(word)
        },
    )
}

/// Returns the end of the last word of a line.
fn words_end(line: &str) -> usize {
    line_words(line).last().map_or(0, |word| word.as_ptr() as usize - line.as_ptr() as usize + word.len())
}

fn is_coded(word: &str) -> bool {
    word.trim_end_matches('…').bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'='))
}

fn is_long(word: &str) -> bool {
    word.len() >= 16 && is_coded(word)
}

/// Returns the last line of a key whose first line is missing: a short line after the `line` of random letters that
/// ends at `end`.
pub(super) fn last_line(text: &str, line: Range<usize>) -> Option<Range<usize>> {
    let below = text.get(line.end..text.floor_char_boundary(line.end + 200))?;
    let (rest, below) = below.split_once('\n')?;
    let below = below.split('\n').next()?;
    let mut words = line_words(below);
    let (only, none) = (words.next()?, words.next());
    let alone = is_marks(rest) && none.is_none();
    let mixed = |is: fn(&u8) -> bool| only.bytes().any(|b| is(&b));
    let random = only.ends_with('=')
        || mixed(u8::is_ascii_digit)
        || mixed(u8::is_ascii_uppercase) && mixed(u8::is_ascii_lowercase);
    let start = only.as_ptr() as usize - text.as_ptr() as usize;
    (alone && random && only.len() >= 4 && is_coded(only)).then_some(start..start + only.len())
}

/// Whether only marks follow on a line.
fn is_marks(rest: &str) -> bool {
    line_words(rest).next().is_none()
}
