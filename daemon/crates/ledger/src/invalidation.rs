//! Finds the questions whose answers change when files change, for example `Name("close")` when a file begins to
//! define `close`. One rule for a ledger's batches and for layers over a version.

use std::collections::BTreeSet;
use std::sync::Arc;

use sdl_model::facts::Differing;
use sdl_model::{FileId, Outline, RelPath};

use crate::codec::{Public, is_free_hit};
use crate::{ChangedKeys, LookupKey, Named, Result};

/// Gathers the questions whose answers a set of changed files changes.
#[derive(Debug, Default)]
pub struct Invalidation {
    keys: BTreeSet<u32>,
    pairs: BTreeSet<(u32, u32)>,
    /// Names that are defined otherwise in some file. Whether the answer differs depends on all files.
    names: BTreeSet<String>,
}

/// The meanings of the names of an [`Invalidation`] in one state of the tree, in order of name.
#[derive(Debug)]
pub struct NameAnswers(Vec<Named>);

impl Invalidation {
    /// Notes that the file at `path` published `was` and publishes `is`; none where it is not indexed. `outlines` gives the
    /// outlines of both, or none where they are unknown. It is called if they may tell more: then the change of a function, for
    /// example, concerns only those that asked for its name.
    ///
    /// # Errors
    /// Those of `outlines`.
    pub fn note_file(
        &mut self,
        path: &RelPath,
        [was, is]: [Option<&Public>; 2],
        outlines: impl FnOnce() -> Result<Option<[Arc<Outline>; 2]>>,
    ) -> Result<()> {
        if was == is {
            return Ok(());
        }
        let file = FileId::of(path);
        if was.is_some() != is.is_some() {
            let (path, name, dir) = (path.as_str(), path.file_name(), path.dir());
            let asked = [LookupKey::Path(path), LookupKey::FileName(name), LookupKey::Dir(dir)];
            self.keys.extend(asked.map(LookupKey::hash));
        }
        let package = |public: Option<&Public>| public.and_then(|public| public.package.clone());
        let (old, new) = (package(was), package(is));
        if old != new {
            self.keys.extend([old, new].iter().flatten().map(|text| LookupKey::Package(text).hash()));
        }
        if was.map(|was| was.interface) != is.map(|is| is.interface) {
            let may_tell_more = [was, is].iter().all(|public| public.is_some_and(Public::is_includable));
            let outlines = if may_tell_more { outlines()? } else { None };
            match outlines.and_then(|[was, is]| was.differing_names(&is)) {
                Some(differing) => self.note_opened(file, &differing),
                None => _ = self.keys.insert(LookupKey::Interface(file).hash()),
            }
        }
        let inclusions =
            |public: Option<&Public>| public.map(|public| (public.lang, public.inclusions.clone()));
        if inclusions(was) != inclusions(is) {
            self.keys.insert(LookupKey::Inclusions(file).hash());
        }
        let listed = |public: Option<&Public>| -> BTreeSet<(String, _)> {
            let all = public.into_iter().flat_map(|public| public.listed(file));
            all.map(|(name, hit)| (name.to_owned(), hit)).collect()
        };
        let (old, new) = (listed(was), listed(is));
        let is_included = [was, is].iter().flatten().any(|public| public.is_includable());
        let of_file = LookupKey::Inclusions(file).hash();
        for (name, hit) in old.symmetric_difference(&new) {
            if is_included && is_free_hit(hit) {
                self.pairs.insert((of_file, LookupKey::Included(name).hash()));
            }
            self.names.insert(name.clone());
        }
        Ok(())
    }

    /// Notes that whoever opened the file and looked for one of the definitions that differ has another answer.
    fn note_opened(&mut self, file: FileId, differing: &Differing) {
        let opened = LookupKey::Interface(file).hash();
        self.pairs.extend(LookupKey::about_opened(differing).map(|key| (opened, key.hash())));
    }

    /// Asks `named` for every name whose definitions changed in some file: once for the state before the change, once
    /// for the state after it.
    pub fn name_answers(&self, named: impl FnMut(&String) -> Result<Named>) -> Result<NameAnswers> {
        Ok(NameAnswers(self.names.iter().map(named).collect::<Result<_>>()?))
    }

    /// The questions with another answer, given the meanings of the names before and after.
    pub fn changed_keys(self, before: &NameAnswers, after: &NameAnswers) -> ChangedKeys {
        let answers = before.0.iter().zip(&after.0);
        let differing = self.names.iter().zip(answers).filter(|(_, (before, after))| before != after);
        let mut keys = self.keys;
        keys.extend(differing.map(|(name, _)| LookupKey::Name(name).hash()));
        ChangedKeys { keys, pairs: self.pairs }
    }
}

#[cfg(test)]
mod tests {
    use sdl_model::{Lang, SymbolId, SymbolKind};

    use super::*;
    use crate::codec::public::PublicDef;
    use crate::{HitFlags, NAME_LIMIT};

    fn public(names: &[&str], package: Option<&str>) -> Public {
        let def = |(at, name): (usize, &&str)| PublicDef {
            symbol: SymbolId(at as u64),
            kind: SymbolKind::Function,
            flags: HitFlags::default(),
            name: (*name).to_owned(),
        };
        Public {
            interface: names.len() as u64,
            package: package.map(str::to_owned),
            defs: names.iter().enumerate().map(def).collect(),
            ..Public::default()
        }
    }

    fn keys(was: Option<&Public>, is: Option<&Public>, answers: [Named; 2]) -> BTreeSet<u32> {
        let mut changes = Invalidation::default();
        changes.note_file(&RelPath::new("a/b.py").unwrap(), [was, is], || Ok(None)).unwrap();
        let [before, after] = answers.map(|answer| changes.name_answers(|_| Ok(answer.clone())).unwrap());
        changes.changed_keys(&before, &after).keys
    }

    #[test]
    fn a_new_file_answers_for_its_path_and_its_folder() {
        let is = public(&["f"], Some("p"));
        let file = FileId::of(&RelPath::new("a/b.py").unwrap());
        let expected = [
            LookupKey::Path("a/b.py"),
            LookupKey::FileName("b.py"),
            LookupKey::Dir("a"),
            LookupKey::Package("p"),
            LookupKey::Interface(file),
            LookupKey::Inclusions(file),
            LookupKey::Name("f"),
        ];
        let expected: BTreeSet<u32> = expected.map(LookupKey::hash).into();
        assert_eq!(keys(None, Some(&is), [Named::All(Vec::new()), Named::TooMany]), expected);
        assert_eq!(keys(Some(&is), None, [Named::TooMany, Named::All(Vec::new())]), expected);
    }

    #[test]
    fn a_name_of_a_header_concerns_those_that_include_it_and_asked_for_the_name() {
        let of_lang = |lang: Lang, names: &[&str]| Public { lang: lang as u8, ..public(names, None) };
        let pairs = |lang: Lang, was: &[&str], is: &[&str]| {
            let mut changes = Invalidation::default();
            let path = RelPath::new("a/b.h").unwrap();
            let publics = [was, is].map(|names| of_lang(lang, names));
            changes.note_file(&path, publics.each_ref().map(Some), || Ok(None)).unwrap();
            let none = changes.name_answers(|_| Ok(Named::TooMany)).unwrap();
            changes.changed_keys(&none, &none).pairs
        };
        let including = LookupKey::Inclusions(FileId::of(&RelPath::new("a/b.h").unwrap())).hash();
        let expected = ["g", "h"].map(|name| (including, LookupKey::Included(name).hash()));
        assert_eq!(pairs(Lang::C, &["f", "g"], &["f", "h"]), expected.into());
        assert!(pairs(Lang::Python, &["f", "g"], &["f", "h"]).is_empty(), "nothing includes it as text");
    }

    #[test]
    fn a_name_that_too_many_have_keeps_its_answer() {
        let (was, is) = (public(&["f"], None), public(&["g"], None));
        assert!(
            keys(Some(&was), Some(&is), [Named::TooMany, Named::TooMany]).is_empty(),
            "above {NAME_LIMIT}"
        );
        assert!(keys(Some(&was), Some(&was), [Named::All(Vec::new()), Named::TooMany]).is_empty());
    }
}
