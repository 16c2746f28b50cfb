//! Facts that a path shows: whether it is a test's, whether its name is a source file's.

use super::Lang;

/// Folders that hold tests, whatever the language.
const TEST_FOLDERS: [&str; 8] = ["test", "tests", "__tests__", "spec", "specs", "testing", "testdata", "e2e"];

/// Extensions of texts that people name beside code.
const OTHER_TEXTS: [&str; 8] = ["cfg", "json", "md", "toml", "txt", "xml", "yaml", "yml"];

/// Whether a path looks like a test's, by the conventions of its language and those that all share:
/// `tests/test_cart.py`, `cart_test.go`.
pub fn is_test_path(path: &str) -> bool {
    let (folders, file) = path.rsplit_once('/').unwrap_or(("", path));
    if folders.split('/').any(|folder| TEST_FOLDERS.contains(&folder)) {
        return true;
    }
    let stem = file.split('.').next().unwrap_or(file);
    stem.starts_with("test_")
        || ["_test", "_tests", "_spec"].iter().any(|end| stem.ends_with(end))
        || matches!(stem, "test" | "tests" | "conftest")
        || file.contains(".test.")
        || file.contains(".spec.")
        || has_test_suffix(file)
}

/// Whether a file is named as the test classes of its language are: `ParserTest.java`.
fn has_test_suffix(file: &str) -> bool {
    let Some((name, extension)) = file.rsplit_once('.') else { return false };
    let Some(lang) = Lang::from_extension(extension) else { return false };
    lang.traits().files.test_suffixes.iter().any(|suffix| name.ends_with(suffix))
}

/// Whether a word is named as a source file or a text beside one is: `app.py`, `notes.md`; `Session.close` is not.
pub fn is_source_name(word: &str) -> bool {
    let Some((stem, extension)) = word.rsplit_once('.') else { return false };
    !stem.is_empty() && (OTHER_TEXTS.contains(&extension) || Lang::from_extension(extension).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_tests() {
        for path in [
            "tests/a.rs",
            "src/__tests__/a.ts",
            "pkg/a_test.go",
            "a/test_b.py",
            "conftest.py",
            "src/a.spec.ts",
            "e2e/login.js",
            "src/ParserTest.java",
            "src/ParserTestCase.php",
            "spec/models/user_spec.rb",
        ] {
            assert!(is_test_path(path), "{path}");
        }
        for path in ["src/a.rs", "src/contest.py", "lib/testify.go", "src/LoadTest.rs", "latest/a.py"] {
            assert!(!is_test_path(path), "{path}");
        }
    }

    #[test]
    fn names_of_files() {
        assert!(is_source_name("a.py") && is_source_name("x.d.ts") && is_source_name("README.md"));
        assert!(!is_source_name("Session.close") && !is_source_name(".py") && !is_source_name("py"));
    }
}
