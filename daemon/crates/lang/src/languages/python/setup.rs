//! `setup.py`: the literals in its call of `setup`. Nothing is run, so a version that a variable or a function states is
//! not known.

use sdl_model::facts::ManifestKind;

use super::kinds::{Context, F, K, Node};
use super::types;
use crate::builder::Found;
use crate::languages::manifest::requirement::add_requirement;

/// The modules that have the function `setup`.
const MODULES: [&str; 2] = ["setuptools", "distutils"];

/// A call of `setup`. A file that calls it twice states nothing, because which call counts depends on running it.
pub(super) fn read_setup<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    cx.state.setups += 1;
    if cx.state.setups > 1 || !MODULES.iter().any(|module| node.src().contains(module)) {
        cx.b.manifest = None;
        return;
    }
    let mut found = Found::new(ManifestKind::SetupScript);
    let arguments = node.child(F::Arguments).into_iter().flat_map(Node::children);
    for argument in arguments.filter(|argument| argument.is(K::KeywordArgument)) {
        let (Some(key), Some(value)) = (argument.child(F::Name), argument.child(F::Value)) else { continue };
        match key.text() {
            "name" => found.name = literal_of(value).map(str::to_owned),
            "version" => {
                if let Some(version) = literal_of(value).filter(|text| text.starts_with(is_digit)) {
                    found.add("version", version);
                }
            }
            "install_requires" | "tests_require" => add_requirements(&mut found, value),
            "extras_require" if value.is(K::Dictionary) => {
                let pairs = value.children().filter(|pair| pair.is(K::Pair));
                for list in pairs.filter_map(|pair| pair.child(F::Value)) {
                    add_requirements(&mut found, list);
                }
            }
            _ => {}
        }
    }
    if found.name.is_some() || !found.entries.is_empty() {
        cx.b.manifest = Some(found);
    }
}

/// A list of requirements, or one text with a requirement in each line.
fn add_requirements(found: &mut Found, value: Node<'_>) {
    match value.kind() {
        K::List | K::Tuple | K::Set => {
            value.children().filter_map(literal_of).for_each(|item| add_requirement(found, item));
        }
        _ => {
            let lines = literal_of(value).into_iter().flat_map(str::lines);
            lines.for_each(|item| add_requirement(found, item));
        }
    }
}

/// The text of a string without a part that is computed.
fn literal_of(value: Node<'_>) -> Option<&str> {
    let is_plain = value.is(K::String) && value.child_of(K::Interpolation).is_none();
    is_plain.then(|| types::string_content(value)).filter(|text| !text.contains('\\'))
}

fn is_digit(c: char) -> bool {
    c.is_ascii_digit()
}
