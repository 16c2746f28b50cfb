//! The identifiers of a definition are the same, whether its file is read or the definition alone.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests")]

mod support;

use sdl_lang::{extract_facts, identifier_ranges, identifiers_alone};

#[test]
fn a_definition_read_alone_has_the_names_of_its_lines() {
    let (mut parts, mut differ) = (0, Vec::new());
    for file in support::all() {
        let bytes = file.source.as_bytes();
        let Some(whole) = identifier_ranges(file.lang, bytes).unwrap() else { continue };
        for def in &extract_facts(file.lang, bytes).unwrap().outline.defs {
            let part = def.span.start as usize..def.span.end as usize;
            let within =
                |name: &std::ops::Range<u32>| name.start >= def.span.start && name.end <= def.span.end;
            let wanted: Vec<_> = whole.iter().filter(|name| within(name)).cloned().collect();
            let Some(found) = identifiers_alone(file.lang, bytes, part.clone()) else { continue };
            parts += 1;
            if found != wanted {
                differ.push(format!("{} {:?}: {}", file.path, file.lang, &file.source[part]));
            }
        }
    }
    assert!(parts > 200, "{parts}");
    assert!(differ.is_empty(), "{} of {parts}:\n{}", differ.len(), differ.join("\n---\n"));
}
