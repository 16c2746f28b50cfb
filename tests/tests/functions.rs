//! Holds functions to their size and their names: long ones and those with one-word names may only become fewer.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "the helpers of a test fail it")]

use std::fs;

use proc_macro2::LineColumn;
use sdl_tests::workspace;
use syn::visit::Visit;
use syn::{Attribute, Block, ImplItemFn, Item, ItemFn, ItemImpl, Signature};

/// A function with more lines than this is long.
const LONG: usize = 80;
/// Long functions of product code. Lower the number when you split one; never raise it.
const MOST_LONG: usize = 4;
/// Of a hundred functions of product code that name themselves, those that have names of one word.
const MOST_ONE_WORD: usize = 31;

/// A function of product code.
struct Function {
    name: String,
    lines: usize,
    /// Whether a trait prescribes its name.
    is_prescribed: bool,
}

/// Collects functions, but for those in `#[cfg(test)]` modules.
#[derive(Default)]
struct Functions {
    found: Vec<Function>,
    of_trait: bool,
}

impl Functions {
    fn add_function(&mut self, signature: &Signature, body: &Block) {
        let first: LineColumn = signature.fn_token.span.start();
        let last = body.brace_token.span.close().end();
        let lines = last.line + 1 - first.line;
        let name = signature.ident.to_string();
        self.found.push(Function { name, lines, is_prescribed: self.of_trait });
    }
}

fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute.meta.require_list().is_ok_and(|list| list.tokens.to_string().contains("test"))
    })
}

impl<'ast> Visit<'ast> for Functions {
    fn visit_item(&mut self, item: &'ast Item) {
        match item {
            Item::Mod(module) if is_for_tests(&module.attrs) => {}
            other => syn::visit::visit_item(self, other),
        }
    }

    fn visit_item_impl(&mut self, item: &'ast ItemImpl) {
        let before = std::mem::replace(&mut self.of_trait, item.trait_.is_some());
        syn::visit::visit_item_impl(self, item);
        self.of_trait = before;
    }

    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        self.add_function(&item.sig, &item.block);
        syn::visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast ImplItemFn) {
        self.add_function(&item.sig, &item.block);
        syn::visit::visit_impl_item_fn(self, item);
    }
}

/// Whether a file is part of the built and installed product.
fn is_product_code(path: &str) -> bool {
    let is_aside = ["tests", "examples", "testing", "packaging", "fuzz"];
    path.rsplit_once('.').is_some_and(|(_, extension)| extension == "rs")
        && path.contains("src/")
        && !path.split('/').any(|part| is_aside.contains(&part))
}

fn product_functions() -> Vec<(String, Function)> {
    let mut all = Vec::new();
    for (path, file) in
        workspace::workspace_files().into_iter().filter(|(path, _)| is_product_code(path.as_str()))
    {
        let mut functions = Functions::default();
        functions.visit_file(&syn::parse_file(&fs::read_to_string(file).unwrap()).expect(&path));
        all.extend(functions.found.into_iter().map(|function| (path.clone(), function)));
    }
    all
}

#[test]
fn long_functions_only_become_fewer() {
    let all = product_functions();
    let mut long: Vec<String> = all
        .iter()
        .filter(|(_, function)| function.lines > LONG)
        .map(|(path, function)| format!("{path}: {} has {} lines", function.name, function.lines))
        .collect();
    long.sort();
    assert!(long.len() <= MOST_LONG, "split them along their ideas:\n  {}", long.join("\n  "));
}

#[test]
fn names_of_one_word_only_become_fewer() {
    let all = product_functions();
    let own: Vec<_> = all.iter().filter(|(_, function)| !function.is_prescribed).collect();
    let one_word = own.iter().filter(|(_, function)| !function.name.trim_matches('_').contains('_')).count();
    let share = one_word * 100 / own.len();
    assert!(
        share <= MOST_ONE_WORD,
        "{one_word} of {} functions have names of one word: {share} %",
        own.len()
    );
}
