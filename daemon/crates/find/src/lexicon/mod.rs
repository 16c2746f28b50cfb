//! Which words have to do with which: a thesaurus for those who look for a tool.
//!
//! The files beside this one have one group a line, of words and phrases. `a, b, c` mean about the same. `x > a, b, c`: x is the
//! topic or purpose, and the others are things, acts or wishes that belong to it. `x = a, b`: the others are x in another language.
//! `#` begins a comment. They are read at the first
//! use into one table that all finders share.

mod table;
mod walk;

use std::sync::OnceLock;

pub use table::Lexicon;
pub(crate) use walk::Found as Entry;

/// The files, in the order in which they are read.
const TEXTS: &[&str] = &[
    include_str!("chinese.txt"),
    include_str!("chinese_more.txt"),
    include_str!("chores.txt"),
    include_str!("cloud.txt"),
    include_str!("code.txt"),
    include_str!("data.txt"),
    include_str!("development.txt"),
    include_str!("devices.txt"),
    include_str!("documents.txt"),
    include_str!("errands.txt"),
    include_str!("files.txt"),
    include_str!("food.txt"),
    include_str!("forms.txt"),
    include_str!("health.txt"),
    include_str!("hypernyms.txt"),
    include_str!("language.txt"),
    include_str!("leisure.txt"),
    include_str!("maths.txt"),
    include_str!("media.txt"),
    include_str!("money.txt"),
    include_str!("people.txt"),
    include_str!("places.txt"),
    include_str!("science.txt"),
    include_str!("security.txt"),
    include_str!("services.txt"),
    include_str!("subjects.txt"),
    include_str!("technical.txt"),
    include_str!("time.txt"),
    include_str!("travel.txt"),
    include_str!("verbs.txt"),
    include_str!("weather.txt"),
    include_str!("web.txt"),
    include_str!("wishes.txt"),
    include_str!("work.txt"),
];

impl Lexicon {
    /// Returns the table of the files beside this one.
    pub fn shared() -> &'static Self {
        static SHARED: OnceLock<Lexicon> = OnceLock::new();
        SHARED.get_or_init(|| Self::new(TEXTS))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_files_is_a_group() {
        let mut lines = 0;
        for line in TEXTS.iter().flat_map(|text| text.lines()).map(table::without_comment) {
            if line.is_empty() {
                continue;
            }
            lines += 1;
            let parts: Vec<&str> = line.split(['>', '=']).collect();
            assert!(parts.len() <= 2, "{line}: two marks");
            assert!(parts.iter().all(|part| !part.trim().is_empty()), "{line}: nothing on one side");
            assert!(parts.len() == 2 || line.contains(','), "{line}: a group of one");
        }
        assert!(lines > 100);
    }

    #[test]
    fn the_table_is_small() {
        let bytes = Lexicon::shared().bytes();
        assert!(bytes < 1 << 20, "{bytes} bytes");
    }
}
