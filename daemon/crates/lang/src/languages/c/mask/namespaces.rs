//! Macros that open or close namespaces: `#define LIB_BEGIN namespace lib { namespace detail {`. If a file defines
//! such macros itself, their uses are replaced by one block; the macro's namespaces are read from its definition
//! later.

use super::lex::{Tok, TokKind};

/// The replacement for a use of an opening macro.
const OPENS: &[u8] = b"namespace{";
/// Maximum number of such macros of a file.
const MOST: usize = 16;
/// Maximum number of namespaces that a macro opens.
const DEPTH: usize = 8;

/// The text with such macros' uses replaced, if there are any.
pub(super) fn expand_macros(bytes: &[u8], toks: &[Tok]) -> Option<Vec<u8>> {
    let mut openers: Vec<&[u8]> = Vec::new();
    let mut closers: Vec<&[u8]> = Vec::new();
    let mut out: Option<Vec<u8>> = None;
    for tok in toks {
        let range = tok.start as usize..tok.end as usize;
        let text = bytes.get(range.clone()).unwrap_or_default();
        match tok.kind {
            TokKind::Directive if openers.len() + closers.len() < MOST => {
                if let Some((name, body)) = macro_definition(text) {
                    if name.len() >= OPENS.len() && opened_namespaces(body).is_some_and(|all| !all.is_empty())
                    {
                        openers.push(name);
                    } else if !body.is_empty()
                        && body.contains(&b'}')
                        && body.iter().all(|byte| *byte == b'}' || byte.is_ascii_whitespace())
                    {
                        closers.push(name);
                    }
                }
            }
            TokKind::Word => {
                let stands: &[u8] = if openers.contains(&text) {
                    OPENS
                } else if closers.contains(&text) && !openers.is_empty() {
                    b"}"
                } else {
                    continue;
                };
                let out = out.get_or_insert_with(|| bytes.to_vec());
                for (at, byte) in out.get_mut(range).unwrap_or_default().iter_mut().enumerate() {
                    *byte = stands.get(at).copied().unwrap_or(b' ');
                }
            }
            _ => {}
        }
    }
    out
}

/// The name and the body of the macro without parameters that a directive defines.
fn macro_definition(directive: &[u8]) -> Option<(&[u8], &[u8])> {
    let rest = directive.strip_prefix(b"#")?.trim_ascii_start().strip_prefix(b"define")?;
    let rest = rest.strip_prefix(b" ").or_else(|| rest.strip_prefix(b"\t"))?.trim_ascii_start();
    let len = rest.iter().take_while(|byte| **byte == b'_' || byte.is_ascii_alphanumeric()).count();
    let (name, body) = rest.split_at_checked(len)?;
    (!body.starts_with(b"(")).then_some((name, body.trim_ascii()))
}

/// The namespaces that the body of a macro opens, if it does nothing else. Namespaces without a name and inline ones
/// are skipped because they add nothing to the names in them.
pub(in crate::languages::c) fn opened_namespaces(body: &[u8]) -> Option<Vec<&[u8]>> {
    let mut found = Vec::new();
    let mut any = false;
    let mut rest = body.trim_ascii();
    while !rest.is_empty() && found.len() < DEPTH {
        rest = rest.strip_prefix(b"\\").unwrap_or(rest).trim_ascii_start();
        let plain = rest.strip_prefix(b"inline ").map(<[u8]>::trim_ascii_start);
        let inner = plain.unwrap_or(rest).strip_prefix(b"namespace")?;
        let (path, behind) = inner.split_at_checked(inner.iter().position(|byte| *byte == b'{')?)?;
        let path = path.trim_ascii();
        if !path.iter().all(|byte| *byte == b'_' || *byte == b':' || byte.is_ascii_alphanumeric()) {
            return None;
        }
        if plain.is_none() {
            found.extend(path.split(|byte| *byte == b':').filter(|part| !part.is_empty()).take(DEPTH));
        }
        any = true;
        rest = behind.get(1..).unwrap_or_default().trim_ascii();
    }
    any.then_some(found)
}

#[cfg(test)]
mod tests {
    use super::super::lex::lex_tokens;
    use super::*;

    fn expanded(text: &str) -> String {
        expand_macros(text.as_bytes(), &lex_tokens(text.as_bytes()))
            .map_or_else(|| text.to_owned(), |out| String::from_utf8_lossy(&out).into_owned())
    }

    #[test]
    fn uses_of_macros() {
        let head = "#define LIB_NS_BEGIN namespace lib { namespace detail {\n#define LIB_NS_END } }\n";
        let text = format!("{head}LIB_NS_BEGIN\nint f();\nLIB_NS_END\n");
        assert_eq!(expanded(&text), format!("{head}namespace{{  \nint f();\n}}         \n"));
        // Too short, or more than a namespace.
        for text in
            ["#define NS namespace a {\nNS\n", "#define LIB_NS_BEGIN namespace a { int x;\nLIB_NS_BEGIN\n"]
        {
            assert_eq!(expanded(text), text);
        }
    }

    #[test]
    fn namespaces_of_a_body() {
        let names = |body: &'static str| opened_namespaces(body.as_bytes());
        assert_eq!(names("namespace a::b { inline namespace v1 {"), Some(vec![&b"a"[..], b"b"]));
        assert_eq!(names("namespace {"), Some(Vec::new()));
        assert_eq!(names("extern \"C\" {"), None);
    }
}
