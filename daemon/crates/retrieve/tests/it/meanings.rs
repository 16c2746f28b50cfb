//! Search by meaning, with a model of a few words.

use std::io::Write as _;
use std::path::Path;

use sdl_retrieve::card::Plain;
use sdl_retrieve::meaning::{Embedder, Meaning};
use sdl_retrieve::search::{SearchRequest, search_symbols};
use sdl_retrieve::slice::{self, SliceRequest};
use sdl_retrieve::{LaneReport, LaneStatus};

use crate::ledger::MemoryLedger;

const FIXTURE: &str = "\
//- /shop/till.py
def remove_item(cart, sku):
    return cart

def open_drawer():
    return 1
//- /shop/account.py
class Customer:
    pass
";

/// Words that mean alike point alike.
const WORDS: &str = "\
remove 1 0 0
delete 0.9 0.1 0
item 0 1 0
article 0.1 0.9 0
customer 0 0 1
buyer 0 0.1 0.9
";

struct Folder(std::path::PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("sdl-meanings-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn write(&self, name: &str, text: &str) -> std::path::PathBuf {
        let path = self.0.join(name);
        std::fs::File::create(&path).unwrap().write_all(text.as_bytes()).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn found(ledger: &MemoryLedger, meaning: Option<&Meaning>, query: &str) -> (Vec<String>, LaneReport) {
    let head = ledger.head();
    let request = SearchRequest { semantic: true, evidence: true, ..SearchRequest::new(query) };
    let answer = search_symbols(&head.source().with_meaning(meaning), &request).unwrap();
    let lanes = answer.retrieval_evidence.unwrap().lanes;
    let lane = lanes.into_iter().find(|lane| lane.lane == "semantic").unwrap();
    (answer.results.into_iter().map(|hit| hit.qualified_name).collect(), lane)
}

#[test]
fn other_words_for_the_same_find_it() {
    let folder = Folder::new("words");
    let meaning = Meaning::at(&folder.write("words.txt", WORDS));
    let ledger = MemoryLedger::new(FIXTURE);
    let (names, lane) = found(&ledger, None, "delete an article");
    assert!(names.is_empty() && lane.status == LaneStatus::Unavailable, "{names:?} {lane:?}");
    for _ in 0..2 {
        let (names, lane) = found(&ledger, Some(&meaning), "delete an article");
        assert_eq!((names.first().map(String::as_str), lane.status), (Some("remove_item"), LaneStatus::Ok));
    }
    assert_eq!(found(&ledger, Some(&meaning), "buyer").0.first().unwrap(), "Customer");
    let (names, lane) = found(&ledger, Some(&meaning), "xylophone");
    assert!(names.is_empty() && lane.status == LaneStatus::Empty, "{names:?} {lane:?}");

    let request = SliceRequest {
        task_text: Some("delete the article".to_owned()),
        evidence: true,
        ..SliceRequest::default()
    };
    let head = ledger.head();
    let built = slice::build_slice(&head.source().with_meaning(Some(&meaning)), &request, &Plain).unwrap();
    assert_eq!(built.doc.cards.first().unwrap().name, "remove_item");
}

#[test]
fn an_edit_is_seen_at_once() {
    let folder = Folder::new("edits");
    let meaning = Meaning::at(&folder.write("words.txt", WORDS));
    let mut ledger = MemoryLedger::new(FIXTURE);
    assert_eq!(found(&ledger, Some(&meaning), "buyer").0.first().unwrap(), "Customer");
    ledger.write(&[("shop/account.py", Some(b"class Person:\n    pass\n"))]);
    assert_eq!(found(&ledger, Some(&meaning), "buyer").0, Vec::<String>::new());
}

#[test]
fn a_model_that_cannot_be_used_says_why() {
    let folder = Folder::new("bad");
    let ledger = MemoryLedger::new(FIXTURE);
    let missing = Meaning::at(&folder.0.join("none.txt"));
    let damaged = Meaning::at(&folder.write("bad.txt", "a 1 2\nb 1\n"));
    for (meaning, why) in [(&missing, "none.txt"), (&damaged, "line 2 has 1 numbers, not 2")] {
        let (names, lane) = found(&ledger, Some(meaning), "remove item");
        assert_eq!(names.first().unwrap(), "remove_item");
        assert_eq!(lane.status, LaneStatus::Unavailable);
        assert!(lane.note.unwrap().contains(why));
    }
}

#[test]
fn settings_name_the_model() {
    let folder = Folder::new("settings");
    assert!(Meaning::of_settings(&folder.0).is_none());
    folder.write("search.json", "{}");
    assert!(Meaning::of_settings(&folder.0).is_none());
    let ledger = MemoryLedger::new(FIXTURE);
    folder.write("search.json", "{\"embedding\": 1}");
    let wrong = Meaning::of_settings(&folder.0).unwrap();
    assert!(found(&ledger, Some(&wrong), "buyer").1.note.unwrap().contains("search.json"));
    let model = folder.write("words.txt", WORDS);
    folder.write("search.json", &serde_json::json!({ "embeddingModel": model }).to_string());
    let right = Meaning::of_settings(&folder.0).unwrap();
    assert_eq!(found(&ledger, Some(&right), "buyer").1.status, LaneStatus::Ok);
}

#[test]
fn a_folder_of_token_vectors_is_a_model() {
    let folder = Folder::new("tokens");
    folder.write("tokenizer.json", r#"{"model": {"vocab": {"▁remove": 0, "▁delete": 1, "▁customer": 2}}}"#);
    let header = r#"{"e":{"dtype":"F32","shape":[3,2],"data_offsets":[0,24]}}"#;
    let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
    bytes.extend(header.as_bytes());
    for number in [1.0_f32, 0.0, 0.9, 0.1, 0.0, 1.0] {
        bytes.extend(number.to_le_bytes());
    }
    std::fs::write(folder.0.join("model.safetensors"), bytes).unwrap();
    let meaning = Meaning::at(&folder.0);
    let ledger = MemoryLedger::new(FIXTURE);
    assert_eq!(found(&ledger, Some(&meaning), "delete").0.first().unwrap(), "remove_item");
    std::fs::remove_file(folder.0.join("tokenizer.json")).unwrap();
    let (_, lane) = found(&ledger, Some(&Meaning::at(Path::new(&folder.0))), "delete");
    assert!(lane.note.unwrap().contains("tokenizer.json"));
}

#[test]
fn anything_may_give_the_vectors() {
    /// One number for each letter.
    struct Letters;
    impl Embedder for Letters {
        fn dimensions(&self) -> usize {
            26
        }
        fn embed(&self, text: &str, vector: &mut [f32]) -> bool {
            for byte in text.bytes().filter(u8::is_ascii_lowercase) {
                vector[usize::from(byte - b'a')] += 1.0;
            }
            true
        }
    }
    let meaning = Meaning::new(|| Ok(Box::new(Letters)));
    let ledger = MemoryLedger::new(FIXTURE);
    assert_eq!(found(&ledger, Some(&meaning), "rewards_no_pe").0.first().unwrap(), "open_drawer");
}
