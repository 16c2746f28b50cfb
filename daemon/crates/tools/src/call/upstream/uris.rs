//! URIs of upstreams' resources: how one is written together with its upstream's key, and which ones a template means.

use super::hidden::is_hidden;

/// The scheme of our own resources.
const OURS: &str = "sdl";
/// The scheme of a URI that names its upstream: `sdl-up://key/<the URI, percent-encoded>`.
const KEYED: &str = "sdl-up";

/// Whether a URI is one of ours, whoever lists it.
pub(crate) fn is_our_uri(uri: &str) -> bool {
    has_scheme(uri, OURS)
}

/// Whether a URI has to be listed with its key, because it means something here or has characters that nobody sees.
pub(super) fn needs_key(uri: &str) -> bool {
    has_scheme(uri, OURS) || has_scheme(uri, KEYED) || uri.contains(is_hidden)
}

/// A URI together with its upstream's key.
pub(crate) fn keyed_uri(key: &str, uri: &str) -> String {
    format!("{KEYED}://{key}/{}", encode_uri(uri))
}

/// A template together with its upstream's key. It stays as it is, because clients could not expand an encoded one.
pub(super) fn keyed_template(key: &str, template: &str) -> String {
    let mut out = format!("{KEYED}://{key}/");
    for c in template.chars() {
        if is_hidden(c) {
            out.push_str(&encode_uri(c.encode_utf8(&mut [0; 4])));
        } else {
            out.push(c);
        }
    }
    out
}

/// Whether a URI names its upstream.
pub(super) fn is_keyed(uri: &str) -> bool {
    has_scheme(uri, KEYED)
}

/// The key and the upstream's own URI. None if nothing can be read out of it.
///
/// A rest with a `:` is an expanded template, and is the URI as it is, because an encoded URI has no `:`.
pub(super) fn split_keyed(uri: &str) -> Option<(&str, String)> {
    let (_, rest) = uri.split_once("://").filter(|_| is_keyed(uri))?;
    let (key, own) = rest.split_once('/').filter(|(key, own)| !key.is_empty() && !own.is_empty())?;
    let own = if own.contains(':') { own.to_owned() } else { decode_uri(own)? };
    Some((key, own))
}

/// A URI as its server may understand it: escapes decoded, and `.` and `..` of its path resolved.
pub(super) fn resolved_uri(uri: &str) -> String {
    let decoded = decode_where_possible(uri);
    let Some((scheme, rest)) = decoded.split_once(':') else { return decoded };
    let scheme = scheme.to_ascii_lowercase();
    let (authority, path) = match rest.strip_prefix("//") {
        Some(rest) => rest.split_at(rest.find('/').unwrap_or(rest.len())),
        None => ("", rest),
    };
    let is_local = scheme == "file" && (authority.is_empty() || authority.eq_ignore_ascii_case("localhost"));
    let start = match (is_local, rest.starts_with("//")) {
        (true, _) => "//".to_owned(),
        (false, true) => format!("//{authority}"),
        (false, false) => String::new(),
    };
    format!("{scheme}:{start}{}", resolve_dots(path))
}

/// The path without empty parts, `.` and `..`.
fn resolve_dots(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    let start = if path.starts_with('/') { "/" } else { "" };
    let end = if path.len() > 1 && path.ends_with('/') && !parts.is_empty() { "/" } else { "" };
    format!("{start}{}{end}", parts.join("/"))
}

fn has_scheme(uri: &str, scheme: &str) -> bool {
    uri.split_once(':').is_some_and(|(found, _)| found.eq_ignore_ascii_case(scheme))
}

/// Encodes a part of a URI's path.
pub(crate) fn encode_uri(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

/// Decodes a part of a URI's path. None if an escape is none, or the text is not UTF-8.
pub(crate) fn decode_uri(text: &str) -> Option<String> {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        if byte != b'%' {
            out.push(byte);
            continue;
        }
        let digits = [bytes.next()?, bytes.next()?];
        out.push(u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?);
    }
    String::from_utf8(out).ok()
}

/// The text with its escapes decoded. A `%` without two digits stays.
fn decode_where_possible(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((byte, after)) = rest.split_first() {
        let digits =
            after.get(..2).filter(|digits| *byte == b'%' && digits.iter().all(u8::is_ascii_hexdigit));
        let decoded = digits
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        out.push(decoded.unwrap_or(*byte));
        rest = if decoded.is_some() { after.get(2..).unwrap_or_default() } else { after };
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// A URI template: texts with any text between two of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Template(Vec<String>);

impl Template {
    /// Reads a template. Which characters an expression may become is not looked at, because servers disagree about it.
    pub(super) fn parse(text: &str) -> Self {
        let mut texts = vec![String::new()];
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            let Some((_, behind)) = after.split_once('}') else { break };
            if let Some(last) = texts.last_mut() {
                last.push_str(before);
            }
            texts.push(String::new());
            rest = behind;
        }
        if let Some(last) = texts.last_mut() {
            last.push_str(rest);
        }
        Self(texts)
    }

    /// How many bytes every URI of it begins with.
    pub(super) fn prefix_len(&self) -> usize {
        self.0.first().map_or(0, String::len)
    }

    /// Whether a URI can be one of it.
    pub(super) fn is_match(&self, uri: &str) -> bool {
        let Some((first, others)) = self.0.split_first() else { return false };
        let Some((last, middle)) = others.split_last() else { return uri == first };
        let Some(rest) = uri.strip_prefix(first.as_str()) else { return false };
        let Some(mut rest) = rest.strip_suffix(last.as_str()) else { return false };
        for text in middle {
            let Some((_, after)) = rest.split_once(text.as_str()) else { return false };
            rest = after;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_survive_their_uri() {
        for name in ["operator /", "größe", "a%b", "List<T>::new", ""] {
            assert_eq!(decode_uri(&encode_uri(name)).as_deref(), Some(name));
        }
        for bad in ["%", "%2", "%zz", "%ff"] {
            assert_eq!(decode_uri(bad), None, "{bad}");
        }
    }

    #[test]
    fn an_expanded_template_is_the_uri_as_it_is() {
        let keyed = keyed_template("fs", "demo://a%20b/{id}").replace("{id}", "x%2Fy");
        assert_eq!(split_keyed(&keyed), Some(("fs", "demo://a%20b/x%2Fy".to_owned())));
        assert_eq!(keyed_template("fs", "demo://a\u{200b}b/{id}"), "sdl-up://fs/demo://a%E2%80%8Bb/{id}");
        for bad in [
            "sdl-up://fs",
            "sdl-up://fs/",
            "sdl-up:///x",
            "sdl-up:fs/x",
            "sdl://fs/x",
            "x",
            "sdl-up://fs/%zz",
        ] {
            assert_eq!(split_keyed(bad), None, "{bad}");
        }
    }

    #[test]
    fn detours_are_resolved() {
        for (uri, resolved) in [
            ("file:///a/../etc/./passwd", "file:///etc/passwd"),
            ("FILE:/etc//passwd", "file:///etc/passwd"),
            ("file://localhost/%65tc/passwd", "file:///etc/passwd"),
            ("file:///a/%2e%2e/%2E%2e/etc/", "file:///etc/"),
            ("demo://host/x/../y?q=1", "demo://host/y?q=1"),
            ("note:a/../b", "note:b"),
            ("plain%20text%zz", "plain text%zz"),
            ("demo://", "demo://"),
        ] {
            assert_eq!(resolved_uri(uri), resolved, "{uri}");
        }
    }

    #[test]
    fn a_template_stands_for_what_it_can_become() {
        let template = Template::parse("demo://{kind}/item/{+path}.txt");
        assert_eq!(template.prefix_len(), "demo://".len());
        assert!(template.is_match("demo://a/item/b/c.txt") && template.is_match("demo:///item/.txt"));
        for other in ["demo://a/b.txt", "demo://a/item/b", "emo://a/item/b.txt", "demo://.txt"] {
            assert!(!template.is_match(other), "{other}");
        }
        assert!(!Template::parse("a{x}a").is_match("a"), "no character is counted twice");
        assert!(Template::parse("a{x").is_match("a{x") && !Template::parse("a{x").is_match("ab"));
        assert!(Template::parse("{+all}").is_match("anything://x"));
    }

    proptest! {
        #[test]
        fn a_uri_comes_back_out_of_its_keyed_form(key in "[A-Za-z0-9][A-Za-z0-9_-]{0,8}", uri in ".{1,40}") {
            let keyed = keyed_uri(&key, &uri);
            prop_assert!(!keyed.contains(is_hidden));
            prop_assert_eq!(split_keyed(&keyed), Some((key.as_str(), uri)));
        }

        #[test]
        fn any_text_is_taken(text in ".*", uri in ".*") {
            resolved_uri(&text);
            split_keyed(&text);
            Template::parse(&text).is_match(&uri);
        }

        #[test]
        fn a_template_matches_its_expansions(texts in proptest::collection::vec("[a-c/]{0,3}", 1..5), value in "[a-c/]{0,4}") {
            let template = Template::parse(&texts.join("{x}"));
            prop_assert!(template.is_match(&texts.join(&value)));
        }
    }
}
