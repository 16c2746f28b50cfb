//! The files of a patch in the form that Codex's `apply_patch` takes.

/// Marks before a file's path.
const MARKS: [&str; 4] = ["*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: "];
/// Files that are named.
const MOST_FILES: usize = 32;

/// The files that a patch changes.
pub(super) fn patched_files(patch: &str) -> Vec<String> {
    let named = patch.lines().filter_map(|line| MARKS.iter().find_map(|mark| line.strip_prefix(mark)));
    named.map(|path| path.trim().to_owned()).filter(|path| !path.is_empty()).take(MOST_FILES).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_a_patch_are_found() {
        let patch = "*** Begin Patch\n*** Update File: src/a b.py\n*** Move to: src/c.py\n@@\n-*** Add File: no\n+x\n*** Add File: d.py\n+y\n*** Delete File: e.py\n*** End Patch\n";
        assert_eq!(patched_files(patch), ["src/a b.py", "src/c.py", "d.py", "e.py"]);
        assert_eq!(patched_files("*** Update File: \nls"), <[String; 0]>::default());
    }
}
