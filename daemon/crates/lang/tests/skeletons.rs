//! Skeletons: every branch of a source is in its skeleton, in its place, and brackets stay in pairs.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests")]

#[path = "support/reading.rs"]
mod reading;
#[path = "support/shapes.rs"]
mod shapes;
mod support;

use proptest::prelude::*;
use reading::{MARK, control_flow, filled, is_balanced, skeleton_of};
use sdl_lang::skeleton::{self, Piece, View, is_control};
use sdl_lang::{extract_facts, parse_only, source_structure};
use sdl_model::Lang;

/// Fails unless the skeleton of a source has all of its control flow.
fn assert_kept(lang: Lang, source: &str) -> String {
    let skeleton = skeleton_of(lang, source).unwrap();
    let again = filled(lang, &skeleton);
    assert_eq!(
        control_flow(lang, source),
        control_flow(lang, &again),
        "{lang:?}\n---- source\n{source}\n---- skeleton\n{skeleton}\n---- as parsed\n{again}"
    );
    assert!(!is_balanced(lang, source) || is_balanced(lang, &again), "{lang:?}\n{source}\n----\n{skeleton}");
    assert!(skeleton.len() <= source.len(), "{lang:?}\n{source}\n----\n{skeleton}");
    skeleton
}

fn is_whole(lang: Lang, source: &str) -> bool {
    parse_only(lang, source.as_bytes())
        .is_some_and(|tree| tree.is_ok_and(|tree| !tree.root_node().has_error()))
}

#[test]
fn skeletons_of_the_fixtures_have_all_control_flow() {
    let mut looked_at = 0;
    for file in support::all() {
        if is_whole(file.lang, &file.source) {
            assert_kept(file.lang, &file.source);
            looked_at += 1;
        }
    }
    assert!(looked_at >= 30, "{looked_at}");
}

#[test]
fn each_shape_of_control_flow_is_kept() {
    for shapes in shapes::ALL.iter() {
        let statement = &shapes.statement;
        for ix in 0..shapes.control.len() {
            // One statement, then this control flow with plain statements in it.
            let choice = (1..=255).find(|choice| choice % 4 != 0 && choice / 4 % shapes.control.len() == ix);
            let source = shapes.source(&[0, choice.unwrap() as u8]);
            assert!(is_whole(shapes.lang, &source), "{:?}\n{source}", shapes.lang);
            let skeleton = assert_kept(shapes.lang, &source);
            assert!(
                !skeleton.contains(statement.as_str()) && skeleton.contains(MARK),
                "{source}\n----\n{skeleton}"
            );
        }
    }
}

#[test]
fn every_kind_of_control_flow_has_a_shape_or_a_fixture() {
    for shapes in shapes::ALL.iter() {
        let mut seen: Vec<String> = Vec::new();
        let mut note = |source: &str| {
            let kinds = control_flow(shapes.lang, source).into_iter();
            seen.extend(kinds.filter_map(|path| path.rsplit(' ').next().map(str::to_owned)));
        };
        (0..=255).for_each(|choice| note(&shapes.source(&[0, choice, 0, 0, 0, 0, 0, 0])));
        support::all().iter().filter(|file| file.lang == shapes.lang).for_each(|file| note(&file.source));
        let tree = parse_only(shapes.lang, b"").unwrap().unwrap();
        let grammar = tree.language();
        let ids = (0..grammar.node_kind_count() as u16).filter(|id| is_control(shapes.lang, *id));
        let names =
            ids.filter(|id| grammar.node_kind_is_visible(*id)).filter_map(|id| grammar.node_kind_for_id(id));
        // The extractor reads its filter as an annotation, so the parser sees none.
        let names = names.filter(|name| *name != "seh_except_clause");
        let unseen: Vec<&str> = names.filter(|name| !seen.iter().any(|seen| seen == name)).collect();
        assert!(unseen.is_empty(), "{:?}: {unseen:?}", shapes.lang);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn generated_sources_keep_their_control_flow(choices in proptest::collection::vec(any::<u8>(), 1..40)) {
        for shapes in shapes::ALL.iter() {
            let source = shapes.source(&choices);
            if is_whole(shapes.lang, &source) {
                assert_kept(shapes.lang, &source);
            }
        }
    }

    #[test]
    fn shown_lines_leave_brackets_in_pairs(
        choices in proptest::collection::vec(any::<u8>(), 1..30),
        lines in proptest::collection::vec(any::<prop::sample::Index>(), 1..4),
    ) {
        for shapes in shapes::ALL.iter().filter(|shapes| shapes.lang != Lang::Bash) {
            let source = shapes.source(&choices);
            let facts = extract_facts(shapes.lang, source.as_bytes()).unwrap();
            let structure = source_structure(shapes.lang, source.as_bytes(), &facts.outline).unwrap();
            let places: Vec<_> = places(&source);
            let mut shown: Vec<_> = lines.iter().map(|line| line.get(&places).clone()).collect();
            shown.sort_by_key(|place| place.start);
            shown.dedup();
            let view = View { text: &source, structure: &structure, within: 0..source.len(), hidden: &[], shown: &shown };
            let text = rendered(&source, &view);
            prop_assert!(is_paired(&text), "{:?}\n{}\n----\n{}", shapes.lang, source, text);
            for place in &shown {
                prop_assert!(text.contains(source[place.clone()].trim()), "{}\n----\n{}", source, text);
            }
        }
    }
}

#[test]
fn parts_that_were_not_requested_or_are_hidden_are_not_shown() {
    for shapes in shapes::ALL.iter() {
        let source = shapes.source(&[2, 5, 1, 0, 9, 0, 13]);
        let facts = extract_facts(shapes.lang, source.as_bytes()).unwrap();
        let structure = source_structure(shapes.lang, source.as_bytes(), &facts.outline).unwrap();
        let lines = places(&source);
        for (ix, within) in lines.iter().enumerate() {
            let hidden: Vec<_> = lines.iter().skip(ix % 3).step_by(3).cloned().collect();
            let view = View {
                text: &source,
                structure: &structure,
                within: within.clone(),
                hidden: &hidden,
                shown: &[],
            };
            for piece in skeleton::skeleton_lines(&view).iter().flat_map(|line| &line.pieces) {
                let (Piece::Text(range) | Piece::Gap(range)) = piece;
                assert!(
                    within.start <= range.start && range.end <= within.end,
                    "{within:?} {piece:?}\n{source}"
                );
                let text = matches!(piece, Piece::Text(_));
                let seen = hidden.iter().any(|one| one.start < range.end && range.start < one.end);
                let bracket = "()[]{}".contains(&source[range.clone()]);
                assert!(!(text && seen) || bracket, "{hidden:?} {piece:?}\n{source}");
            }
        }
    }
}

/// The bytes of each line.
fn places(text: &str) -> Vec<std::ops::Range<usize>> {
    let mut at = 0;
    let lines = text.split('\n').map(|line| {
        let place = at..at + line.len();
        at += line.len() + 1;
        place
    });
    lines.filter(|place| !place.is_empty()).collect()
}

fn rendered(text: &str, view: &View<'_>) -> String {
    let lines = skeleton::skeleton_lines(view).into_iter().map(|line| {
        let pieces = line.pieces.iter().map(|piece| match piece {
            Piece::Text(range) => &text[range.clone()],
            Piece::Gap(_) => MARK,
        });
        pieces.collect::<String>()
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Whether brackets are in pairs; only for sources without brackets in text.
fn is_paired(text: &str) -> bool {
    let mut open = Vec::new();
    text.chars().all(|c| match c {
        '(' | '[' | '{' => {
            open.push(c);
            true
        }
        ')' => open.pop() == Some('('),
        ']' => open.pop() == Some('['),
        '}' => open.pop() == Some('{'),
        _ => true,
    }) && open.is_empty()
}

#[test]
fn a_script_shows_what_it_is_made_of_and_not_what_it_does() {
    let source = "import os\nLIMIT = 5\napp = Flask(\n    __name__,\n    static_folder=\"here\",\n)\nTABLE = {\n    \"a\": 1,\n    \"b\": 2,\n}\n\
                  total = compute(everything, with_all=\"its arguments\")\nprint(total, \"and more\")\nos.remove(\"/some/file\")\n\
                  if __name__ == \"__main__\":\n    main(LIMIT, total)\n";
    assert_eq!(
        skeleton_of(Lang::Python, source).unwrap(),
        "import os\nLIMIT = 5\napp = Flask(\n    /* ... */,\n)\nTABLE = /* ... */\ntotal = compute(/* ... */)\n/* ... */\n\
         if __name__ == \"__main__\":\n    /* ... */"
    );
}

#[test]
fn the_skeleton_sees_the_code_behind_macros() {
    for (lang, text, wanted) in [
        (Lang::Rust, "cfg_unix! {\n    fn f() { if a { b() } }\n}\n", "if a"),
        (Lang::Cpp, "API_BEGIN class EXPORT A final { void f() { if (a) { b(); } } };\n", "if (a)"),
    ] {
        let facts = extract_facts(lang, text.as_bytes()).unwrap();
        let found = source_structure(lang, text.as_bytes(), &facts.outline).unwrap();
        let [control] = found.controls.as_slice() else { panic!("{lang:?}: {found:?}") };
        assert!(text[control.clone()].starts_with(wanted), "{lang:?}");
    }
}

#[test]
fn comments_are_found_and_nothing_is_shown_of_what_has_no_grammar() {
    let text = "# one\nx = 1  # two\n";
    let facts = extract_facts(Lang::Python, text.as_bytes()).unwrap();
    let found = source_structure(Lang::Python, text.as_bytes(), &facts.outline).unwrap();
    let comments: Vec<&str> = found.comments.iter().map(|range| &text[range.clone()]).collect();
    assert_eq!(comments, ["# one", "# two"]);
    assert_eq!(skeleton_of(Lang::Manifest, "{ \"name\": \"secret\" }").unwrap(), MARK);
}

/// Who may use a member is part of its signature.
#[test]
fn labels_of_visibility_stay_above_their_members() {
    let cpp = "class A : B {\npublic:\n  A();\n  void shown() { call(); }\nprotected:\n  int kept(int a) { return a + call(); }\n\
               private:\n  void hidden(int a);\n  int field;\n};\n";
    let ruby = "class A < B\n  def shown\n    call_something(with, arguments)\n  end\n\n  protected\n\n  def kept(a)\n    call_something(with, arguments)\n  end\n\n  private\n\n  \
                def hidden(a)\n    call_something(with, arguments)\n  end\n\n  public\n\n  def last\n    call_something(with, arguments)\n  end\nend\n";
    for (lang, source, wanted) in [
        (
            Lang::Cpp,
            cpp,
            &["public:", "A();", "void shown()", "protected:", "kept(", "private:", "hidden("][..],
        ),
        (
            Lang::Ruby,
            ruby,
            &["def shown", "protected", "def kept", "private", "def hidden", "public", "def last"],
        ),
    ] {
        let skeleton = assert_kept(lang, source);
        let mut rest = skeleton.as_str();
        for part in wanted {
            let Some((_, after)) = rest.split_once(part) else {
                panic!("{part} is not in its place:\n{skeleton}")
            };
            rest = after;
        }
        assert!(skeleton.contains(MARK), "{skeleton}");
    }
}

/// Without this, a language could be left out of every test of shapes.
#[test]
fn each_deep_language_has_shapes() {
    // Manifests have no control flow, and the scripts of these files are read as TypeScript or JavaScript.
    let other = |lang: Lang| matches!(lang, Lang::Manifest | Lang::Vue | Lang::Svelte);
    let wanted: Vec<Lang> =
        Lang::ALL.into_iter().filter(|lang| !lang.is_shallow() && !other(*lang)).collect();
    let missing: Vec<&Lang> =
        wanted.iter().filter(|lang| shapes::ALL.iter().all(|one| one.lang != **lang)).collect();
    assert!(missing.is_empty(), "no shapes of {missing:?}");
    assert_eq!(shapes::ALL.len(), wanted.len(), "each once");
}
