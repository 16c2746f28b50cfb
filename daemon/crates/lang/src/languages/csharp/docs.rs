//! Documentation comments: XML whose tags mean little to a reader.

use sdl_model::facts::DefIx;

use super::kinds::Context;

/// Replaces the documentation of `def` by its text without tags.
pub(super) fn clean_doc(cx: &mut Context<'_>, def: DefIx) {
    let Some(doc) = cx.b.def(def).doc else { return };
    let text = cx.b.out.text(doc);
    if !text.contains('<') {
        return;
    }
    let text = without_tags(text);
    if text.is_empty() {
        cx.b.def_mut(def).doc = None;
    } else {
        cx.b.doc(def, &text);
    }
}

fn without_tags(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        out.push_str(rest.get(..at).unwrap_or(""));
        rest = rest.get(at..).unwrap_or("");
        let is_tag = rest
            .get(1..)
            .is_some_and(|after| after.starts_with(|c: char| c == '/' || c.is_ascii_alphabetic()));
        let Some(end) = rest.find('>').filter(|_| is_tag) else {
            out.push('<');
            rest = rest.get(1..).unwrap_or("");
            continue;
        };
        push_tag_text(&mut out, rest.get(1..end).unwrap_or(""));
        rest = rest.get(end + 1..).unwrap_or("");
    }
    out.push_str(rest);
    let out = out.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    let mut lines: Vec<&str> = Vec::new();
    for line in out.lines().map(str::trim) {
        if !line.is_empty() || lines.last().is_some_and(|last| !last.is_empty()) {
            lines.push(line);
        }
    }
    while lines.last().is_some_and(|line| line.is_empty()) {
        lines.pop();
    }
    lines.join("\n")
}

/// Appends the meaning of a tag: the name that it refers to, or the subject of its text.
fn push_tag_text(out: &mut String, tag: &str) {
    let attribute = |name: &str| {
        let at = tag.find(&format!("{name}=\""))? + name.len() + 2;
        tag.get(at..)?.split('"').next()
    };
    let word = tag.split([' ', '/']).next().unwrap_or("");
    match word {
        "see" | "seealso" | "paramref" | "typeparamref" | "inheritdoc" => {
            let what = ["cref", "name", "langword", "href"].iter().find_map(|name| attribute(name));
            let what = what.unwrap_or("");
            // `T:System.String` as compilers write it.
            out.push_str(
                what.split_once(':').filter(|(kind, _)| kind.len() == 1).map_or(what, |(_, name)| name),
            );
        }
        "param" | "typeparam" | "exception" => {
            if let Some(what) = attribute("name").or_else(|| attribute("cref")) {
                out.push_str(what);
                out.push_str(": ");
            }
        }
        "returns" | "remarks" | "para" if !tag.starts_with('/') => {
            if word == "returns" {
                out.push_str("Returns: ");
            } else {
                out.push('\n');
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::without_tags;

    #[test]
    fn tags() {
        assert_eq!(
            without_tags(
                "<summary>\nAdds <see cref=\"T:A.B\"/> to <c>x</c>.\n</summary>\n<param name=\"x\">The x.</param>"
            ),
            "Adds A.B to x.\n\nx: The x."
        );
        assert_eq!(without_tags("a < b &lt; c"), "a < b < c");
        assert_eq!(without_tags("broken <see cref=\"x"), "broken <see cref=\"x");
    }
}
