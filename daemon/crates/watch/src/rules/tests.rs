use std::collections::BTreeSet;
use std::fs;

use proptest::prelude::*;

use super::*;
use crate::crawl::Crawl;
use crate::root::{RootContext, check_root};

/// The paths that a crawl keeps of a tree that is made of these files.
fn kept_files(files: &[(&str, &str)], options: &RootOptions) -> Vec<String> {
    let temp = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = temp.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    crawl_tree(temp.path(), options)
}

fn crawl_tree(root: &Path, options: &RootOptions) -> Vec<String> {
    let root = check_root(root, &[], &RootContext::default()).unwrap();
    let listing = Crawl::new(&root, options).unwrap().run();
    assert!(listing.problems.is_empty(), "{:?}", listing.problems);
    listing.found.into_iter().map(|found| found.path.to_string()).collect()
}

#[test]
fn rule_precedence() {
    let files = [
        (".gitignore", "*.log\n/gen/\n!important.log\n"),
        (".sdlignore", "*.min.js\n"),
        ("a.log", ""),
        ("important.log", ""),
        ("app.min.js", ""),
        ("gen/x.rs", ""),
        ("sub/.gitignore", "!b.log\n"),
        ("sub/b.log", ""),
        ("sub/c.log", ""),
        ("sub/gen/y.rs", ""),
    ];
    let plain = [".gitignore", ".sdlignore", "important.log", "sub/.gitignore", "sub/b.log", "sub/gen/y.rs"];
    assert_eq!(kept_files(&files, &RootOptions::default()), plain);
    let extra = ["!app.min.js", "sub/", "!gen/", "# a comment", "[", ""];
    let options = RootOptions { ignore: extra.map(String::from).into(), ..RootOptions::default() };
    assert_eq!(
        kept_files(&files, &options),
        [".gitignore", ".sdlignore", "app.min.js", "gen/x.rs", "important.log"],
        "the repository's own patterns go first"
    );
}

#[test]
fn what_leaves_everything_out_is_told() {
    let temp = tempfile::tempdir().unwrap();
    let top = temp.path().canonicalize().unwrap();
    let write = |path: &str, text: &str| {
        let path = top.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write(".git/HEAD", "ref: refs/heads/main\n");
    write(".gitignore", "# nothing\nsub/*.rs\n");
    write("sub/a.rs", "");
    write("sub/b.rs", "");
    write("sub/c/d.txt", "");
    write("sub/c/.gitignore", "*.txt\n.gitignore\n");
    write("sub/node_modules/x.js", "");
    let root = check_root(&top.join("sub"), &[], &RootContext::default()).unwrap();
    let options = RootOptions { ignore: vec!["*.py".into()], ..RootOptions::default() };
    let told = |options: &RootOptions| {
        let mut told = Crawl::new(&root, options).unwrap().run().ignored_by;
        told.sort();
        told
    };
    let told_now = told(&options);
    assert_eq!(told_now.len(), 3, "a rule once, and no more than three: {told_now:?}");
    let all = told_now.join("\n");
    assert!(all.contains(&format!("pattern \"sub/*.rs\" of {}", top.join(".gitignore").display())), "{all}");
    fs::remove_dir_all(top.join("sub/c")).unwrap();
    fs::remove_dir_all(top.join("sub/node_modules")).unwrap();
    write("sub/x.py", "");
    fs::remove_file(top.join("sub/a.rs")).unwrap();
    fs::remove_file(top.join("sub/b.rs")).unwrap();
    assert_eq!(told(&options), ["x.py: pattern \"*.py\" of the patterns it was registered with"]);
}

#[test]
fn of_a_huge_ignore_file_the_beginning_counts() {
    let mut text = String::from("first.log\n");
    for number in 0..50_000 {
        text.push_str(&format!("g*{number}*.x\n"));
    }
    text.push_str("last.log\n");
    let mut nested = Vec::new();
    for depth in 0..4 {
        nested.push((format!("{}.gitignore", "a/".repeat(depth)), text.clone()));
    }
    let files: Vec<(&str, &str)> = nested.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let temp = tempfile::tempdir().unwrap();
    for (path, text) in files.iter().chain(&[("first.log", ""), ("last.log", ""), ("a/a/a/b.rs", "")]) {
        let path = temp.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let kept = crawl_tree(temp.path(), &RootOptions::default());
    assert!(kept.contains(&"last.log".to_owned()) && !kept.contains(&"first.log".to_owned()), "{kept:?}");

    let root = RootDir::open(&temp.path().canonicalize().unwrap()).unwrap();
    let mut rules = Rules::new(&[], &Outside::default(), Arc::default());
    let mut levels = rules.base();
    for folder in ["", "a", "a/a", "a/a/a"] {
        levels = rules.enter(&root, folder, &levels);
    }
    let patterns: Vec<usize> = levels.iter().map(|level| level.patterns()).collect();
    assert_eq!(patterns, [10_000, 10_000, 0, 0], "all together are bounded");
    let again: Vec<usize> = rules.levels(&root, "a/a/a").iter().map(|level| level.patterns()).collect();
    assert_eq!(again, patterns);
    assert!(rules.cache.values().map(|level| level.patterns()).sum::<usize>() <= KEPT_PATTERNS);
}

#[test]
#[cfg(unix)]
fn ignore_files_outside_of_the_tree_are_opened_with_care() {
    let temp = tempfile::tempdir().unwrap();
    let top = temp.path().canonicalize().unwrap();
    let root = top.join("sub");
    fs::create_dir_all(top.join(".git/refs")).unwrap();
    fs::write(top.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    fs::create_dir_all(top.join(".git/info")).unwrap();
    fs::create_dir(&root).unwrap();
    fs::write(root.join("a.rs"), "").unwrap();
    fs::write(root.join("b.log"), "").unwrap();
    for path in [".gitignore", ".git/info/exclude", "global"] {
        let kind = rustix::fs::FileType::Fifo;
        rustix::fs::mknodat(rustix::fs::CWD, top.join(path), kind, rustix::fs::Mode::RWXU, 0).unwrap();
    }
    let options = RootOptions { global_excludes: Some(top.join("global")), ..RootOptions::default() };
    assert_eq!(crawl_tree(&root, &options), ["a.rs", "b.log"]);
    // People link to their own settings.
    fs::remove_file(top.join("global")).unwrap();
    fs::write(top.join("excludes"), "*.log\n").unwrap();
    std::os::unix::fs::symlink("excludes", top.join("global")).unwrap();
    assert_eq!(crawl_tree(&root, &options), ["a.rs"]);
}

#[test]
fn only_our_own_rules_bring_waste_back() {
    let git = [("node_modules/a.js", ""), (".gitignore", "!node_modules/\n"), ("b.js", "")];
    assert_eq!(kept_files(&git, &RootOptions::default()), [".gitignore", "b.js"]);
    let ours = [("node_modules/a.js", ""), (".sdlignore", "!node_modules/\n!.git\n"), (".git/HEAD", "")];
    assert_eq!(kept_files(&ours, &RootOptions::default()), [".sdlignore", "node_modules/a.js"]);
}

#[test]
fn hidden_files_are_source_too() {
    let files =
        [(".github/workflows/ci.yml", ""), (".eslintrc.js", ""), (".DS_Store", ""), (".venv/x.py", "")];
    assert_eq!(kept_files(&files, &RootOptions::default()), [".eslintrc.js", ".github/workflows/ci.yml"]);
}

#[test]
fn submodules_are_part_of_the_tree_and_worktrees_are_not() {
    let files = [
        ("sub/.git", "gitdir: ../.git/modules/sub\n"),
        ("sub/a.rs", ""),
        ("work/.git", "gitdir: /elsewhere/.git/worktrees/work\n"),
        ("work/b.rs", ""),
        ("clone/.git/HEAD", ""),
        ("clone/c.rs", ""),
    ];
    assert_eq!(kept_files(&files, &RootOptions::default()), ["clone/c.rs", "sub/a.rs"]);
}

#[test]
fn a_worktree_that_is_left_out_is_told() {
    let temp = tempfile::tempdir().unwrap();
    let root = temp.path().canonicalize().unwrap().join("app");
    for tree in [".claude/worktrees/a", ".claude/worktrees/b"] {
        fs::create_dir_all(root.join(tree)).unwrap();
        fs::write(root.join(tree).join(".git"), "gitdir: /app/.git/worktrees/x\n").unwrap();
    }
    let root = check_root(&root, &[], &RootContext::default()).unwrap();
    let listing = Crawl::new(&root, &RootOptions::default()).unwrap().run();
    assert_eq!(listing.ignored, 2);
    assert_eq!(listing.ignored_by.len(), 1, "a reason is listed once: {:?}", listing.ignored_by);
    assert!(listing.ignored_by[0].contains("is a git worktree"), "{:?}", listing.ignored_by);
}

#[test]
fn global_excludes_come_last() {
    let temp = tempfile::tempdir().unwrap();
    let global = temp.path().join("global");
    fs::write(&global, "*.swp\n*.orig\n").unwrap();
    let options = RootOptions { global_excludes: Some(global), ..RootOptions::default() };
    let files = [(".gitignore", "!keep.orig\n"), ("a.swp", ""), ("keep.orig", ""), ("b.orig", "")];
    assert_eq!(kept_files(&files, &options), [".gitignore", "keep.orig"]);
}

#[test]
fn an_ignore_file_that_is_a_link_or_huge_or_broken_hurts_nobody() {
    let temp = tempfile::tempdir().unwrap();
    let outside = temp.path().join("outside");
    fs::write(&outside, "*\n").unwrap();
    let root = temp.path().join("root");
    fs::create_dir_all(root.join("b/.gitignore")).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(&outside, root.join(".gitignore")).unwrap();
    fs::write(root.join("a.rs"), "").unwrap();
    fs::write(root.join(".sdlignore"), b"\xff\xfe[\n\0\n{a,b\n").unwrap();
    assert_eq!(crawl_tree(&root, &RootOptions::default()), [".gitignore", ".sdlignore", "a.rs"]);
}

#[test]
fn more_ignore_files_than_are_kept_compiled() {
    let temp = tempfile::tempdir().unwrap();
    for i in 0..KEPT_LEVELS * 2 {
        let folder = temp.path().join(format!("d{i}"));
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join(".gitignore"), format!("{i}\n")).unwrap();
    }
    let root = RootDir::open(&temp.path().canonicalize().unwrap()).unwrap();
    let mut rules = Rules::new(&[], &Outside::default(), Arc::default());
    let base = rules.base();
    for i in 0..KEPT_LEVELS * 2 {
        rules.enter(&root, &format!("d{i}"), &base);
    }
    for i in 0..KEPT_LEVELS * 2 {
        let levels = rules.levels(&root, &format!("d{i}"));
        let ignores = |path: &str| rules.admit(Scope::All, &levels, path, false, |_| false).is_none();
        assert!(ignores(&format!("d{i}/{i}")), "{i}");
        assert!(!ignores(&format!("d{i}/x")), "{i}");
    }
    assert!(rules.cache.len() <= KEPT_LEVELS);
    rules.forget_below("d7");
    assert!(rules.levels(&root, "d7").is_empty() && !rules.levels(&root, "d70").is_empty());
}

/// The walker of the same crate as an oracle: it has its own way to combine ignore files.
fn oracle_files(root: &Path) -> BTreeSet<String> {
    ignore::WalkBuilder::new(root)
        .hidden(false)
        .require_git(false)
        .parents(false)
        .git_global(false)
        .add_custom_ignore_filename(SDLIGNORE)
        .ignore(false)
        .build()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()))
        .map(|entry| entry.path().strip_prefix(root).unwrap().to_str().unwrap().to_owned())
        .collect()
}

fn pattern_strategy() -> impl Strategy<Value = String> {
    let part = prop::sample::select(vec!["a", "b", "c", "*", "a*", "?", "**", "[ab]", "*.x"]);
    let parts = prop::collection::vec(part, 1..4).prop_map(|parts| parts.join("/"));
    (any::<bool>(), any::<bool>(), parts, any::<bool>()).prop_map(|(not, anchored, parts, folder)| {
        let mark = |on, text| if on { text } else { "" };
        format!("{}{}{parts}{}", mark(not, "!"), mark(anchored, "/"), mark(folder, "/"))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn ignore_files_combine_as_in_other_tools(
        files in prop::collection::vec("([abc]/){0,3}[abc](\\.x)?", 1..24),
        rules in prop::collection::vec(("([abc]/){0,2}", any::<bool>(), prop::collection::vec(pattern_strategy(), 1..4)), 0..5),
    ) {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().canonicalize().unwrap().join("root");
        fs::create_dir(&root).unwrap();
        for file in files {
            let path = root.join(file);
            // Some are folders already.
            let _ = fs::create_dir_all(path.parent().unwrap()).and_then(|()| fs::write(path, ""));
        }
        for (folder, ours, patterns) in rules {
            let path = root.join(folder).join(if ours { SDLIGNORE } else { GITIGNORE });
            let _ = fs::write(path, patterns.join("\n"));
        }
        let found: BTreeSet<String> = crawl_tree(&root, &RootOptions::default()).into_iter().collect();
        prop_assert_eq!(found, oracle_files(&root));
    }
}
