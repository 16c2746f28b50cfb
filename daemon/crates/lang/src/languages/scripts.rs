//! Vue and Svelte: components, read as the TypeScript or JavaScript that their `<script>` blocks hold.
//!
//! Everything else becomes white space of the same length, so that offsets, lines and columns hold. All blocks are one
//! module, as the compilers of both make it: `<script>` and `<script setup>` see each other's names.

use std::borrow::Cow;
use std::ops::Range;

use sdl_model::Lang;

use super::blank::blank_range;

/// The language and text that `bytes` in `lang` are parsed as. Linear.
pub(crate) fn read_as(lang: Lang, bytes: &[u8]) -> (Lang, Cow<'_, [u8]>) {
    if !matches!(lang, Lang::Vue | Lang::Svelte) {
        return (lang, Cow::Borrowed(bytes));
    }
    let scripts = find_scripts(bytes);
    let has = |wanted: Lang| scripts.iter().any(|script| script.lang == wanted);
    let lang = [Lang::Tsx, Lang::TypeScript].into_iter().find(|lang| has(*lang));
    let mut text = bytes.to_vec();
    let mut at = 0;
    for script in &scripts {
        blank_range(&mut text, at..script.place.start);
        at = script.place.end;
    }
    blank_range(&mut text, at..bytes.len());
    (lang.unwrap_or(Lang::JavaScript), Cow::Owned(text))
}

/// The places outside of the scripts, without the white space around them.
pub(crate) fn outside_ranges(lang: Lang, bytes: &[u8]) -> Vec<Range<usize>> {
    if !matches!(lang, Lang::Vue | Lang::Svelte) {
        return Vec::new();
    }
    let mut places = Vec::new();
    let mut at = 0;
    let ends = find_scripts(bytes)
        .into_iter()
        .map(|script| script.place)
        .chain(std::iter::once(bytes.len()..bytes.len()));
    for script in ends {
        let text = bytes.get(at..script.start).unwrap_or_default();
        let start = at + text.len() - text.trim_ascii_start().len();
        let end = start + text.trim_ascii().len();
        places.push(start..end);
        at = script.end;
    }
    places.retain(|place| !place.is_empty());
    places
}

/// The text of a `<script>` block.
struct Script {
    place: Range<usize>,
    lang: Lang,
}

fn find_scripts(bytes: &[u8]) -> Vec<Script> {
    let mut scripts = Vec::new();
    let mut at = 0;
    while let Some(mark) = find_from(bytes, at, |rest| rest.first() == Some(&b'<')) {
        let rest = bytes.get(mark..).unwrap_or_default();
        if rest.starts_with(b"<!--") {
            at = find_from(bytes, mark, |rest| rest.starts_with(b"-->")).unwrap_or(bytes.len());
        } else if is_tag(rest, b"<script") {
            let Some(start) = tag_end(bytes, mark) else { break };
            let end = find_from(bytes, start, |rest| is_tag(rest, b"</script")).unwrap_or(bytes.len());
            let attributes = bytes.get(mark..start).unwrap_or_default();
            if !attributes.ends_with(b"/>") {
                scripts.push(Script { place: start..end, lang: tag_language(attributes) });
                at = end;
                continue;
            }
            at = start;
        } else {
            at = mark + 1;
        }
    }
    scripts
}

fn find_from(bytes: &[u8], from: usize, wanted: impl Fn(&[u8]) -> bool) -> Option<usize> {
    (from..bytes.len()).find(|at| wanted(bytes.get(*at..).unwrap_or_default()))
}

/// Whether `text` begins with this tag, in whatever case.
fn is_tag(text: &[u8], tag: &[u8]) -> bool {
    text.get(..tag.len()).is_some_and(|start| start.eq_ignore_ascii_case(tag))
        && text
            .get(tag.len())
            .is_none_or(|next| !next.is_ascii_alphanumeric() && !matches!(next, b'-' | b':'))
}

/// One past the `>` of the tag at `from`; one in quotes does not end it.
fn tag_end(bytes: &[u8], from: usize) -> Option<usize> {
    let mut quote = None;
    for (at, byte) in bytes.iter().enumerate().skip(from) {
        match (quote, byte) {
            (None, b'"' | b'\'') => quote = Some(*byte),
            (None, b'>') => return Some(at + 1),
            (Some(open), byte) if open == *byte => quote = None,
            _ => {}
        }
    }
    None
}

/// The language that a script's tag states.
fn tag_language(tag: &[u8]) -> Lang {
    let text = String::from_utf8_lossy(tag);
    let value = text.split_once("lang").and_then(|(_, rest)| rest.trim_start().strip_prefix('='));
    let value = value.map_or("", |value| value.trim_start().trim_start_matches(['"', '\'']));
    match value.split(|c: char| !c.is_ascii_alphanumeric()).next() {
        Some("ts" | "typescript") => Lang::TypeScript,
        Some("tsx") => Lang::Tsx,
        _ => Lang::JavaScript,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Lang, String) {
        let (lang, bytes) = read_as(Lang::Vue, text.as_bytes());
        assert_eq!(bytes.len(), text.len());
        (lang, String::from_utf8(bytes.into_owned()).unwrap())
    }

    #[test]
    fn scripts_stay_where_they_are() {
        let text =
            "<template>\n <a href=\"x\">ü</a>\n</template>\n<script setup lang='ts'>\nlet a: A\n</script>\n";
        let (lang, read) = read(text);
        assert_eq!(lang, Lang::TypeScript);
        assert_eq!(read.trim(), "let a: A");
        assert_eq!(read.find("let a"), text.find("let a"));
        assert_eq!(read.lines().count(), text.lines().count());
    }

    #[test]
    fn both_scripts_are_one_module() {
        let (lang, read) = read("<script>a()</script><script setup>b()</script><style>c{}</style>");
        assert_eq!(lang, Lang::JavaScript);
        assert_eq!(read.split_whitespace().collect::<Vec<_>>(), ["a()", "b()"]);
    }

    #[test]
    fn what_looks_like_a_script_is_none() {
        assert_eq!(read("<!-- <script>a()</script> --><scripted>b</scripted>").1.trim(), "");
        assert_eq!(read("<script src='a.js'/><p>b</p>").1.trim(), "");
        assert_eq!(
            read("<script data-a='>' lang=\"tsx\">a</script>"),
            (Lang::Tsx, format!("{:30}a         ", ""))
        );
        assert_eq!(read("<script>a").1.trim(), "a");
        assert_eq!(read("<script").1.trim(), "");
    }

    #[test]
    fn what_is_outside_is_known() {
        let text = "<p/>\n<script>a</script>\n <b/> ";
        let texts: Vec<&str> =
            outside_ranges(Lang::Vue, text.as_bytes()).into_iter().map(|at| &text[at]).collect();
        assert_eq!(texts, ["<p/>\n<script>", "</script>\n <b/>"]);
    }
}
