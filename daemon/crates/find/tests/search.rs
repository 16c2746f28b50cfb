//! What a search finds: the laws that hold for any set of tools, and each rule on a small one.

use proptest::prelude::*;
use sdl_find::{Doc, Finder};

fn doc(key: &str, name: &str, description: &str) -> Doc {
    Doc { key: key.into(), name: name.into(), description: description.into(), ..Doc::default() }
}

/// Tools of four servers.
fn shop() -> Vec<Doc> {
    let mut docs = vec![
        doc("disk", "read_file", "Reads a file as text."),
        doc("disk", "write_file", "Writes text into a file."),
        doc("disk", "list_folder", "Lists what a folder contains."),
        doc("mail", "send_message", "Sends an e-mail to somebody."),
        doc("mail", "list_messages", "Lists the newest messages."),
        doc("town", "find_parking", "Finds a place for a vehicle."),
        doc("town", "bus_times", "Tells when the next bus leaves."),
        doc("sky", "forecast", "查询指定城市的天气预报。"),
    ];
    docs[1].add_schema(&serde_json::json!({"properties": {
        "encoding": {"description": "Character set", "enum": ["latin"]},
    }}));
    docs
}

fn names(docs: &[Doc], query: &str) -> Vec<String> {
    let found = Finder::new(docs).search(query, 10);
    found.hits.iter().map(|(at, _)| docs[*at].name.clone()).collect()
}

fn first(query: &str) -> String {
    names(&shop(), query).first().cloned().unwrap_or_default()
}

#[test]
fn words_in_any_form_lead_to_the_tool() {
    for (query, wanted) in [
        ("reading files", "read_file"),
        ("I want to send an email", "send_message"),
        ("newest messages", "list_messages"),
        ("character sets", "write_file"),
        ("latin", "write_file"),
    ] {
        assert_eq!(first(query), wanted, "{query}");
    }
}

#[test]
fn errors_of_typing_and_words_written_together_are_understood() {
    for (query, wanted) in
        [("messsage list", "list_messages"), ("readfile", "read_file"), ("forcast", "forecast")]
    {
        assert_eq!(first(query), wanted, "{query}");
    }
}

#[test]
fn a_related_word_leads_there_but_the_word_itself_comes_first() {
    let docs = [doc("a", "remove_thing", "Removes it."), doc("b", "delete_thing", "Deletes it.")];
    assert_eq!(names(&docs, "delete"), ["delete_thing", "remove_thing"]);
    assert_eq!(names(&docs, "remove"), ["remove_thing", "delete_thing"]);
}

#[test]
fn verbs_that_only_frame_a_wish_count_little() {
    let docs = [doc("git", "git_show", "Shows a commit."), doc("disk", "list_directory", "Lists a folder.")];
    assert_eq!(names(&docs, "show me what is in a folder")[0], "list_directory");
    assert_eq!(names(&docs, "show what is in a folder")[0], "list_directory");
    assert_eq!(names(&docs, "show a commit")[0], "git_show");
    assert_eq!(names(&docs, "show me")[0], "git_show", "all there is to go by");
}

#[test]
fn a_chinese_description_is_found_in_chinese_and_english() {
    assert_eq!(first("城市天气"), "forecast");
    assert_eq!(first("weather"), "forecast");
}

#[test]
fn what_the_server_is_about_decides_between_equal_tools() {
    let mut docs = [doc("one", "search", "Searches."), doc("two", "search", "Searches.")];
    docs[0].about = "Recipes and cooking".into();
    docs[1].about = "Chemical compounds".into();
    let found = Finder::new(&docs);
    assert_eq!(found.search("search compounds", 2).hits[0].0, 1);
    assert_eq!(found.search("search recipes", 2).hits[0].0, 0);
}

#[test]
fn a_wish_with_several_needs_finds_a_tool_for_each() {
    let found = names(
        &shop(),
        "read the file with the bus plan, then send an email with the newest times to my friend",
    );
    for wanted in ["read_file", "send_message", "bus_times"] {
        assert!(found.iter().take(4).any(|name| name == wanted), "{wanted}: {found:?}");
    }
}

#[test]
fn exact_names_come_first_in_every_spelling() {
    let docs = shop();
    for (at, doc) in docs.iter().enumerate() {
        let (key, name) = (&doc.key, &doc.name);
        for query in [
            name.clone(),
            name.to_uppercase(),
            format!("{key}/{name}"),
            format!("{key}_{name}"),
            format!("{key}.{name}"),
            format!("mcp__{key}__{name}"),
            format!("send a message, read files, list folders with {key}/{name}"),
        ] {
            let found = Finder::new(&docs).search(&query, 3);
            assert_eq!((found.hits[0].0, found.named >= 1), (at, true), "{query}");
        }
    }
}

#[test]
fn words_that_lead_nowhere_are_named() {
    let found = Finder::new(&shop()).search("read the zyxomma of a qwertzu", 10);
    assert_eq!(found.unmatched, ["zyxomma", "qwertzu"]);
    assert!(!found.hits.is_empty());
    assert_eq!(Finder::new(&shop()).search(" the of ", 10), sdl_find::Found::default());
    assert_eq!(Finder::new(&[]).search("anything", 10).hits, []);
}

#[test]
fn the_limit_cuts_the_list_and_nothing_else() {
    let finder = Finder::new(&shop());
    let all = finder.search("list messages in a folder", usize::MAX);
    let two = finder.search("list messages in a folder", 2);
    assert_eq!((two.hits.as_slice(), two.total), (&all.hits[..2], all.hits.len()));
}

#[test]
fn tools_that_are_not_given_change_nothing() {
    let visible = &shop()[..5];
    let alone = Finder::new(visible).search("find parking or read a file", 10);
    let all = Finder::new(&shop()).search("find parking or read a file", 10);
    let after = Finder::new(visible).search("find parking or read a file", 10);
    assert_eq!(alone, after);
    assert_ne!(alone.hits, all.hits, "what is there does count");
    assert!(alone.hits.iter().all(|(at, _)| *at < visible.len()));
    let hidden = Finder::new(visible).search("parking", 10);
    assert_eq!((hidden.hits.len(), hidden.unmatched), (0, vec!["parking".to_owned()]));
}

/// Words of which some are related, some mistyped, some of other scripts.
const WORDS: [&str; 24] = [
    "read",
    "open",
    "file",
    "fiel",
    "document",
    "weather",
    "forecast",
    "rain",
    "list",
    "messages",
    "webpage",
    "web",
    "page",
    "天气",
    "查询文件",
    "größe",
    "v2",
    "the",
    "or",
    "42",
    "a/b.txt",
    "getUserName",
    "delete",
    "remove",
];

fn any_text(most: usize) -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(&WORDS[..]), 0..most).prop_map(|words| words.join(" "))
}

fn any_doc() -> impl Strategy<Value = Doc> {
    (prop::sample::select(&["a", "b", "c"][..]), any_text(4), any_text(8), any_text(3)).prop_map(
        |(key, name, description, parameter)| Doc {
            key: key.into(),
            name: name.replace(' ', "_"),
            about: format!("about {key}"),
            description,
            parameters: vec![(parameter.clone(), parameter)],
            ..Doc::default()
        },
    )
}

/// The answer without places: which docs, with which scores.
fn answer(docs: &[Doc], query: &str) -> (Vec<(Doc, f64)>, Vec<String>) {
    let found = Finder::new(docs).search(query, usize::MAX);
    (found.hits.into_iter().map(|(at, score)| (docs[at].clone(), score)).collect(), found.unmatched)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_order_of_the_docs_changes_nothing(
        docs in prop::collection::vec(any_doc(), 0..12), query in any_text(9), by in 0_usize..12,
    ) {
        let mut turned = docs.clone();
        turned.reverse();
        turned.rotate_left(by.min(docs.len()));
        let (one, other) = (answer(&docs, &query), answer(&turned, &query));
        prop_assert_eq!(one.1, other.1);
        let scores = |hits: &[(Doc, f64)]| hits.iter().map(|hit| hit.1).collect::<Vec<_>>();
        prop_assert_eq!(scores(&one.0), scores(&other.0));
        let named = |hits: &[(Doc, f64)]| {
            hits.iter().map(|hit| (hit.0.key.clone(), hit.0.name.clone(), hit.0.description.clone())).collect::<Vec<_>>()
        };
        prop_assert_eq!(named(&one.0), named(&other.0));
    }

    #[test]
    fn the_answer_is_sorted_finite_and_the_same_again(
        docs in prop::collection::vec(any_doc(), 0..12), query in any_text(20),
    ) {
        let finder = Finder::new(&docs);
        let found = finder.search(&query, usize::MAX);
        prop_assert!(found.hits.windows(2).all(|pair| pair[0].1 >= pair[1].1), "{:?}", found.hits);
        prop_assert!(found.hits.iter().all(|hit| hit.1.is_finite() && hit.1 >= 0.0 && hit.0 < docs.len()));
        let mut places: Vec<usize> = found.hits.iter().map(|hit| hit.0).collect();
        places.sort_unstable();
        places.dedup();
        prop_assert_eq!(places.len(), found.hits.len());
        prop_assert_eq!(&found, &finder.search(&query, usize::MAX));
        prop_assert_eq!(&found, &Finder::new(&docs).search(&query, usize::MAX));
    }

    #[test]
    fn a_word_of_a_doc_is_never_unmatched(docs in prop::collection::vec(any_doc(), 1..8), at in 0_usize..8) {
        let doc = &docs[at % docs.len()];
        let found = Finder::new(&docs).search(&doc.description, usize::MAX);
        prop_assert_eq!(found.unmatched, Vec::<String>::new());
    }

    #[test]
    fn any_text_is_answered(docs in prop::collection::vec(any_doc(), 0..4), query in "\\PC{0,60}") {
        let _ = Finder::new(&docs).search(&query, 5);
    }

    #[test]
    fn a_name_that_is_an_identifier_comes_first(docs in prop::collection::vec(any_doc(), 1..10), at in 0_usize..10) {
        let doc = &docs[at % docs.len()];
        prop_assume!(doc.name.contains('_') && !doc.name.ends_with("_raw"));
        let found = Finder::new(&docs).search(&format!("{}/{}", doc.key, doc.name), usize::MAX);
        prop_assert!(found.named >= 1);
        let best = &docs[found.hits[0].0];
        prop_assert_eq!((&best.key, best.name.to_lowercase()), (&doc.key, doc.name.to_lowercase()));
    }
}

#[test]
fn a_deprecated_tool_comes_after_the_one_in_its_place() {
    let newer = doc("disk", "read_text_file", "Reads a file as text, unlike the deprecated read_file.");
    for (title, text) in [
        ("Read File (Deprecated)", "Reads a file."),
        ("", "Reads a file. DEPRECATED: use read_text_file instead."),
        ("", "[Deprecated] Reads a file."),
    ] {
        let older = Doc { title: title.into(), ..doc("disk", "read_file", text) };
        assert_eq!(
            names(&[older.clone(), newer.clone()], "read my file")[0],
            "read_text_file",
            "{title}{text}"
        );
        assert_eq!(names(&[older, newer.clone()], "read_file")[0], "read_file", "its name leads to it");
    }
    let before = names(&[doc("disk", "read_file", "Reads a file."), newer], "read my file");
    assert_eq!(before[0], "read_file");
}
