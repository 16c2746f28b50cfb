//! Files of real languages in the toy repository: their facts come from the extractor.

use sdl_model::{Facts, Lang, RelPath};

/// The language of a file that is not written in the toy language.
pub(crate) fn lang(path: &str) -> Option<Lang> {
    path.starts_with("real/").then(|| sdl_lang::detect_lang(&RelPath::new(path)?, b"")).flatten()
}

/// Returns the facts of the text at `path`.
pub(crate) fn facts(path: &str, text: &str) -> Facts {
    match lang(path) {
        Some(lang) => sdl_lang::extract_facts(lang, text.as_bytes()).unwrap(),
        None => super::facts::facts(text),
    }
}
