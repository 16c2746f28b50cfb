//! Which actions words lead to.

use crate::actions;
use crate::call::names;
use crate::call::registry::Finder;

fn make_finder() -> impl Fn(&str) -> Vec<&'static str> {
    let entries = actions::all();
    let finder = Finder::new(&entries);
    move |query| finder.search(query).hits.into_iter().map(|(at, _)| entries[at].def.name).collect()
}

#[test]
fn an_exact_name_ranks_first_in_every_spelling() {
    let found = make_finder();
    for entry in actions::all() {
        let name = entry.def.name;
        for spelled in
            [name.to_owned(), names::underscored_name(name), format!("sdl.{name}"), name.to_uppercase()]
        {
            assert_eq!(found(&spelled)[0], name, "{spelled}");
        }
        if name.contains('.') {
            assert_eq!(found(&format!("how is {name} used, with a repository?"))[0], name);
            assert_eq!(found(&format!("{}_raw", names::underscored_name(name)))[0], name);
        }
    }
}

#[test]
fn words_inflections_and_synonyms_lead_to_the_action() {
    let found = make_finder();
    for (query, wanted) in [
        ("find a function by its name", "symbol.search"),
        ("refreshing slices", "slice.refresh"),
        ("onboard a project", "repo.register"),
        ("rebuild the index", "index.refresh"),
        ("architecture of the codebase", "repo.overview"),
        ("knownVersion", "slice.refresh"),
        ("adaptiveDetail", "slice.build"),
    ] {
        assert_eq!(found(query).first(), Some(&wanted), "{query}: {:?}", found(query));
    }
}

#[test]
fn what_matched_nothing_is_named() {
    let entries = actions::all();
    let found = Finder::new(&entries).search("search the zyxomma for a qwertz");
    assert_eq!(found.unmatched, ["zyxomma", "qwertz"]);
    assert!(!found.hits.is_empty());
    assert_eq!(Finder::new(&entries).search(" the of "), sdl_find::Found::default());
}
