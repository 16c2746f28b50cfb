//! Ordering of build strings.

use std::cmp::Ordering;

/// Compares two build strings by their leading `major.minor.patch`; a release is newer than its own pre-release.
///
/// Anything after `+` names a commit and has no order, so two builds of one version compare as equal: neither may
/// replace the other. For example, `0.1.0+3f2a` and `0.1.0+9c41` are equal.
pub fn compare_builds(left: &str, right: &str) -> Ordering {
    Parsed::of(left).cmp(&Parsed::of(right))
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Parsed<'a> {
    numbers: [u64; 3],
    released: bool,
    pre_release: Vec<PreRelease<'a>>,
}

/// One dot-separated identifier, such as `rc` and `1` in `1.0.0-rc.1`. Numbers sort before words, as in semantic
/// versioning.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum PreRelease<'a> {
    Number(u64),
    Word(&'a str),
}

impl<'a> Parsed<'a> {
    fn of(build: &'a str) -> Self {
        let version = build.split_once('+').map_or(build, |(version, _)| version);
        let (core, pre) = match version.split_once('-') {
            Some((core, pre)) => (core, Some(pre)),
            None => (version, None),
        };
        let mut numbers = [0; 3];
        for (slot, part) in numbers.iter_mut().zip(core.split('.')) {
            *slot = part.trim().parse().unwrap_or(0);
        }
        let pre_release = pre.map_or_else(Vec::new, |pre| {
            pre.split('.')
                .map(|part| part.parse().map_or(PreRelease::Word(part), PreRelease::Number))
                .collect()
        });
        Self { numbers, released: pre.is_none(), pre_release }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_order_as_semantic_versions_and_ignore_the_commit() {
        for (left, right, expected) in [
            ("0.1.0", "0.1.0", Ordering::Equal),
            ("0.1.0+abc", "0.1.0+def", Ordering::Equal),
            ("0.1.0", "0.2.0", Ordering::Less),
            ("0.10.0", "0.9.9", Ordering::Greater),
            ("1.0.0-rc.1", "1.0.0", Ordering::Less),
            ("1.0.0-rc.2", "1.0.0-rc.10", Ordering::Less),
            ("1.0.0-2", "1.0.0-beta", Ordering::Less),
            ("", "0.0.1", Ordering::Less),
            ("garbage", "0.0.0", Ordering::Equal),
        ] {
            assert_eq!(compare_builds(left, right), expected, "{left} against {right}");
            assert_eq!(compare_builds(right, left), expected.reverse(), "{right} against {left}");
        }
    }
}
