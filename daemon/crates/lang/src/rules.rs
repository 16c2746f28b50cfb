//! Which files facts are taken from: the one set of rules for a file on the disk, a blob of a commit and an editor's
//! unsaved text.

use std::panic::{AssertUnwindSafe, catch_unwind};

use sdl_model::{ContentHash, Facts, FactsKey, Lang, RelPath, SkipReason};

use crate::{ExtractError, Limits, detect_lang, extract_facts, is_secret_file, skip_reason};

/// Which files of a repository are read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// The size limits.
    pub limits: Limits,
    /// The languages to read; empty: all.
    pub languages: Vec<Lang>,
}

/// The decision about a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judged {
    /// It is ignored, because no facts are taken from it.
    Ignored,
    /// It is listed with the reason why it is not read.
    Skipped(SkipReason),
    /// It is read, and these are its facts.
    Read(FactsKey),
}

impl Rules {
    /// Whether files of that language are read. Manifests are always read because they state where the imports of
    /// other files lead.
    pub fn reads(&self, lang: Lang) -> bool {
        self.languages.is_empty() || lang == Lang::Manifest || self.languages.contains(&lang)
    }

    /// Whether a file of that name may be read, whatever its content: a file without an extension may have a `#!`
    /// line.
    pub fn may_read(&self, path: &RelPath) -> bool {
        match detect_lang(path, &[]) {
            _ if is_secret_file(path.as_str()) => true,
            Some(lang) => self.reads(lang),
            None => path.extension().is_none(),
        }
    }

    /// How a file that is skipped for `reason` is recorded. It is listed if a language claims its name. A file of
    /// secrets is listed as such.
    pub fn skipped(&self, path: &RelPath, reason: SkipReason) -> Judged {
        if is_secret_file(path.as_str()) {
            return Judged::Skipped(SkipReason::Secret);
        }
        match detect_lang(path, &[]).filter(|lang| self.reads(*lang)) {
            Some(_) => Judged::Skipped(reason),
            None => Judged::Ignored,
        }
    }

    /// Decides about the file at `path`. `hint` is its language where neither name nor content shows it.
    pub fn judge(&self, path: &RelPath, bytes: &[u8], hint: Option<Lang>) -> Judged {
        if is_secret_file(path.as_str()) {
            return Judged::Skipped(SkipReason::Secret);
        }
        let Some(lang) = detect_lang(path, bytes).or(hint).filter(|lang| self.reads(*lang)) else {
            return Judged::Ignored;
        };
        match skip_reason(path, bytes, &self.limits) {
            Some(reason) => self.skipped(path, reason),
            None => Judged::Read(FactsKey { lang, content: ContentHash::of(bytes) }),
        }
    }
}

/// [`extract_facts`] where foreign bytes meet a parser: a panic is an error like any other, and fails this file alone.
pub fn extract_guarded(lang: Lang, bytes: &[u8]) -> Result<Facts, ExtractError> {
    catch_unwind(AssertUnwindSafe(|| extract_facts(lang, bytes))).unwrap_or(Err(ExtractError::Panicked(lang)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(rules: &Rules, path: &str, text: &str, hint: Option<Lang>) -> Judged {
        rules.judge(&RelPath::new(path).unwrap(), text.as_bytes(), hint)
    }

    fn read(lang: Lang, text: &str) -> Judged {
        Judged::Read(FactsKey { lang, content: ContentHash::of(text.as_bytes()) })
    }

    #[test]
    fn names_content_and_hints_decide() {
        let all = Rules::default();
        assert_eq!(judged(&all, "a.py", "x = 1", None), read(Lang::Python, "x = 1"));
        assert_eq!(judged(&all, "run", "#!/bin/sh\n", None), read(Lang::Bash, "#!/bin/sh\n"));
        assert_eq!(judged(&all, "notes", "plain", None), Judged::Ignored);
        assert_eq!(judged(&all, "notes", "x = 1", Some(Lang::Python)), read(Lang::Python, "x = 1"));
        assert_eq!(judged(&all, "a.py", "\0", None), Judged::Skipped(SkipReason::Binary));
        assert_eq!(
            judged(&all, "run", &format!("#!/bin/sh\n# @generated\n{}", "# one\n".repeat(100_000)), None),
            Judged::Ignored,
            "no name claims it"
        );
    }

    #[test]
    fn files_of_secrets_are_listed_whatever_they_are_called() {
        let go = Rules { languages: vec![Lang::Go], ..Rules::default() };
        for path in [".env", "deploy/id_rsa", "certs/server.pem", "config/secrets.yml"] {
            assert_eq!(judged(&go, path, "x", None), Judged::Skipped(SkipReason::Secret), "{path}");
            let path = RelPath::new(path).unwrap();
            assert!(go.may_read(&path), "{path}");
            assert_eq!(go.skipped(&path, SkipReason::TooLarge), Judged::Skipped(SkipReason::Secret));
        }
    }

    #[test]
    fn only_the_languages_that_are_wanted_are_read() {
        let go = Rules { languages: vec![Lang::Go], ..Rules::default() };
        assert_eq!(judged(&go, "a.py", "x = 1", None), Judged::Ignored);
        assert_eq!(judged(&go, "a.py", "\0", None), Judged::Ignored);
        assert_eq!(judged(&go, "go.mod", "module m\n", None), read(Lang::Manifest, "module m\n"));
        let path = |path| RelPath::new(path).unwrap();
        assert!(go.may_read(&path("a.go")) && go.may_read(&path("run")) && !go.may_read(&path("a.py")));
    }
}
