//! The trees: whether they are served, watched, not empty, and whether the working directory is in the right one.

use std::path::Path;

use serde_json::Value;

use super::daemon::Daemon;
use super::finding::{EMPTY_TREE, Finding, GIT_DATA, POLLED_TREE, REPOSITORY, WIDE_ROOT, WORKING_FOLDER};
use super::machine::Machine;
use crate::output::{format_count, quote_word, text_at};

pub(super) fn check_trees(machine: &Machine, daemon: &Daemon) -> Vec<Finding> {
    if daemon.status.is_none() {
        return Vec::new();
    }
    let mut found = check_states(daemon);
    found.push(check_working_folder(machine, daemon));
    found.extend(check_wide_roots(machine, daemon));
    found.extend(check_empty(daemon));
    found.extend(check_polled(daemon));
    found.extend(check_git(machine, daemon));
    found
}

/// One finding for each repository that is not served, else one for all.
fn check_states(daemon: &Daemon) -> Vec<Finding> {
    let describe = |repo: &Value| {
        let reason = repo["reason"].as_str().map_or_else(String::new, |reason| format!(": {reason}"));
        format!("{} is {}{reason}", text_at(repo, "/repoId"), text_at(repo, "/state"))
    };
    let failed = daemon.repos().iter().filter(|repo| repo["health"] == "failed");
    let found: Vec<Finding> = failed
        .map(|repo| {
            let root = text_at(repo, "/rootPath");
            let fix = format!("have it indexed again with: sdlctl index {}", quote_word(root));
            Finding::bad(REPOSITORY, describe(repo), fix)
        })
        .collect();
    if !found.is_empty() {
        return found;
    }
    let ids: Vec<&str> = daemon.repos().iter().map(|repo| text_at(repo, "/repoId")).collect();
    vec![match ids.len() as u64 {
        0 => Finding::warn(REPOSITORY, "no tree is registered", "add one with: sdlctl index PATH"),
        1 => Finding::ok(REPOSITORY, format!("{} is served", ids.concat())),
        count => Finding::ok(REPOSITORY, format!("{count} trees are served: {}", ids.join(", "))),
    }]
}

/// An agent that starts in a folder of no tree gets no answers. One that starts above or below the root of its tree gets answers
/// about more or less than its project.
fn check_working_folder(machine: &Machine, daemon: &Daemon) -> Finding {
    let cwd = machine.resolve(&machine.cwd);
    let git = cwd.ancestors().find(|folder| machine.has(folder.join(".git")));
    let tree = daemon
        .roots()
        .filter(|(_, root)| cwd.starts_with(root))
        .max_by_key(|(_, root)| root.as_os_str().len());
    match (tree, git) {
        (None, None) => Finding::ok(WORKING_FOLDER, format!("{} is in no project", cwd.display())),
        (None, Some(git)) => Finding::warn(
            WORKING_FOLDER,
            format!("{} is in no tree that is indexed", cwd.display()),
            format!("index its project with: sdlctl index {}", quote_word(git.display())),
        ),
        (Some((id, root)), Some(git)) if root != git => {
            let place = if git.starts_with(root) { "above" } else { "below" };
            Finding::warn(
                WORKING_FOLDER,
                format!(
                    "the tree {id} is {}, which is {place} the project's root {}",
                    root.display(),
                    git.display()
                ),
                format!(
                    "if that is not meant: sdlctl repo rm {} && sdlctl index {}",
                    quote_word(id),
                    quote_word(git.display())
                ),
            )
        }
        (Some((id, root)), _) => Finding::ok(WORKING_FOLDER, format!("in the tree {id}, {}", root.display())),
    }
}

/// A home folder or more as a tree: all its projects are one, and every change of a program's cache is read.
fn check_wide_roots(machine: &Machine, daemon: &Daemon) -> Vec<Finding> {
    let home = machine.resolve(&machine.home);
    let is_wide =
        |root: &Path| root.parent().is_none() || (home.parent().is_some() && home.starts_with(root));
    let wide = daemon.roots().filter(|(_, root)| root.is_absolute() && is_wide(root));
    wide.map(|(id, root)| {
        Finding::bad(
            WIDE_ROOT,
            format!("the tree {id} is {}, which holds all projects of this user", root.display()),
            format!(
                "index its projects one by one in its place: sdlctl repo rm {} && sdlctl index PROJECT",
                quote_word(id)
            ),
        )
    })
    .collect()
}

/// Trees without a parsed file, though files were found or left out.
fn check_empty(daemon: &Daemon) -> Vec<Finding> {
    let is_empty = |one: &&Value| one["files"] == 0 && one["state"] != "indexing";
    let describe = |one: &Value| {
        let (id, root) = (text_at(one, "/repoId"), text_at(one, "/rootPath"));
        let rules: Vec<&str> =
            one["ignoredBy"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let skipped: Vec<String> = one["skipped"]
            .as_object()
            .into_iter()
            .flatten()
            .map(|(why, count)| format!("{count} {why}"))
            .collect();
        match (rules.as_slice(), skipped.as_slice()) {
            ([], []) => Finding::ok(EMPTY_TREE, format!("{id} has no files")),
            ([], skipped) => Finding::warn(
                EMPTY_TREE,
                format!("no file of {id} is parsed: {}", skipped.join(", ")),
                format!(
                    "if it has sources, check that this is their root: sdlctl outline --repo {} .",
                    quote_word(id)
                ),
            ),
            (rules, _) => Finding::warn(
                EMPTY_TREE,
                format!("no file of {id} is parsed, because rules leave them out: {}", rules.join("; ")),
                format!("change the rule, then run: sdlctl index {}", quote_word(root)),
            ),
        }
    };
    daemon.details.iter().filter(is_empty).map(describe).collect()
}

/// Trees that are compared with the disk on each request, because nothing reports their changes.
fn check_polled(daemon: &Daemon) -> Vec<Finding> {
    let polled = daemon.repos().iter().filter(|repo| repo["watcher"]["kind"] == "scan");
    let found: Vec<Finding> = polled
        .map(|repo| {
            let id = text_at(repo, "/repoId");
            let why = repo["watcher"]["degradedReason"].as_str().unwrap_or("it can't be watched");
            let fix = if why.contains("max_user_watches") {
                "raise the limit as watch-limit says, then run: sdlctl restart".to_owned()
            } else {
                format!(
                    "move it to a local disk, then run: sdlctl repo rm {} && sdlctl index NEW_PLACE",
                    quote_word(id)
                )
            };
            Finding::warn(POLLED_TREE, format!("{id} is compared with the disk on each request: {why}"), fix)
        })
        .collect();
    let watched = daemon.repos().iter().filter(|repo| repo["watcher"].is_object()).count() as u64;
    if found.is_empty() && watched > 0 {
        return vec![Finding::ok(
            POLLED_TREE,
            format!("{} watched, none polled", format_count(watched, "tree")),
        )];
    }
    found
}

/// Data of git that the daemon can't read, or that git itself refuses to agents because the tree belongs to somebody else.
fn check_git(machine: &Machine, daemon: &Daemon) -> Vec<Finding> {
    let problems = daemon.details.iter().filter_map(|one| Some((one, one["gitProblem"].as_str()?)));
    let mut found: Vec<Finding> = problems
        .map(|(one, why)| {
            let root = text_at(one, "/rootPath");
            let note = format!("git's data of {} is not read: {why}", text_at(one, "/repoId"));
            Finding::warn(
                GIT_DATA,
                note,
                format!("see what git says of it: git -C {} status", quote_word(root)),
            )
        })
        .collect();
    for (id, root) in daemon.roots() {
        let owner = machine.about(&root.join(".git")).map(|about| about.user);
        if let Some(owner) = owner.filter(|owner| *owner != machine.user && !is_safe(machine, root)) {
            found.push(Finding::warn(
                GIT_DATA,
                format!("the tree {id} belongs to user {owner}, so git refuses it to you and your agents"),
                format!(
                    "trust it with: git config --global --add safe.directory {}",
                    quote_word(root.display())
                ),
            ));
        }
    }
    found
}

/// Whether git's settings of the user or the machine trust a tree of somebody else.
fn is_safe(machine: &Machine, root: &Path) -> bool {
    let files = [
        machine.home.join(".gitconfig"),
        machine.config_folder().join("git/config"),
        Path::new("/etc/gitconfig").into(),
    ];
    let trusted = |line: &str| {
        let (name, value) = line.split_once('=')?;
        let value = value.trim().trim_matches('"');
        (name.trim().eq_ignore_ascii_case("directory")).then(|| value == "*" || Path::new(value) == root)
    };
    files
        .iter()
        .filter_map(|file| machine.read(file))
        .any(|text| text.lines().any(|line| trusted(line) == Some(true)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::finding::Severity;
    use super::*;

    fn with_repos(repos: Value) -> Daemon {
        Daemon { status: Some(json!({ "repos": repos })), ..Daemon::default() }
    }

    fn at(root: &str) -> Daemon {
        with_repos(json!([{ "repoId": "app", "rootPath": root, "state": "live", "health": "ok",
            "watcher": { "kind": "inotify", "watches": 3 } }]))
    }

    #[test]
    fn a_tree_that_is_well_has_no_problems() {
        let root = tempfile::tempdir().unwrap();
        let machine = Machine::fixture(root.path());
        let mut daemon = at("/home/me/app");
        daemon.details =
            vec![json!({ "repoId": "app", "rootPath": "/home/me/app", "state": "live", "files": 3 })];
        let found = check_trees(&machine, &daemon);
        assert!(found.len() == 3 && found.iter().all(|one| one.severity == Severity::Ok), "{found:#?}");
        assert_eq!(check_trees(&machine, &Daemon::default()), [], "nothing is known without a daemon");
    }

    #[test]
    fn repositories_that_are_not_served_are_bad() {
        let daemon = with_repos(json!([
            { "repoId": "a", "rootPath": "/a", "state": "setAside", "health": "failed", "reason": "it crashed" },
            { "repoId": "b", "rootPath": "/b", "state": "live", "health": "ok" }
        ]));
        let found = check_states(&daemon);
        assert_eq!((found.len(), found[0].severity), (1, Severity::Bad));
        assert!(
            found[0].note == "a is setAside: it crashed"
                && found[0].fix.as_ref().unwrap().ends_with("index /a")
        );
        assert_eq!(check_states(&with_repos(json!([])))[0].severity, Severity::Warn);
    }

    #[test]
    fn the_working_directory_is_in_the_tree_of_its_project() {
        let root = tempfile::tempdir().unwrap();
        let mut machine = Machine::fixture(root.path());
        let of = |machine: &Machine, root: &str| check_working_folder(machine, &at(root));
        assert_eq!(of(&machine, "/home/me/app").severity, Severity::Ok);
        assert!(of(&machine, "/home/me/other").fix.unwrap().ends_with("sdlctl index /home/me/app"));
        assert!(of(&machine, "/home/me").note.contains("above the project's root"));
        machine.write("/home/me/app/src/main.rs", "");
        machine.cwd = "/home/me/app/src".into();
        assert!(of(&machine, "/home/me/app/src").note.contains("below the project's root"));
        machine.write("/srv/notes.txt", "");
        machine.cwd = "/srv".into();
        assert_eq!(of(&machine, "/home/me/app").severity, Severity::Ok, "no project");
    }

    #[test]
    fn home_and_root_are_no_trees() {
        let root = tempfile::tempdir().unwrap();
        let machine = Machine::fixture(root.path());
        for (place, is_wide) in [("/", true), ("/home", true), ("/home/me", true), ("/home/me/app", false)] {
            assert_eq!(!check_wide_roots(&machine, &at(place)).is_empty(), is_wide, "{place}");
        }
    }

    #[test]
    fn an_empty_tree_names_the_rule() {
        let of = |details: Value| {
            let found = check_empty(&Daemon { details: vec![details], ..Daemon::default() });
            found.into_iter().next()
        };
        assert_eq!(of(json!({ "files": 2 })), None);
        assert_eq!(of(json!({ "files": 0, "state": "indexing" })), None);
        assert_eq!(of(json!({ "files": 0, "repoId": "a" })).unwrap().severity, Severity::Ok);
        let ignored =
            json!({ "files": 0, "repoId": "a", "rootPath": "/a", "ignoredBy": ["/a/.gitignore:1: * (src)"] });
        let found = of(ignored).unwrap();
        assert!(found.severity == Severity::Warn && found.note.contains("/a/.gitignore:1"), "{found:?}");
        assert_eq!(of(json!({ "files": 0, "skipped": { "binary": 3 } })).unwrap().severity, Severity::Warn);
    }

    #[test]
    fn polled_trees_say_why() {
        let scan = |why: &str| {
            let watcher = json!({ "kind": "scan", "degradedReason": why });
            check_polled(&with_repos(json!([{ "repoId": "a", "watcher": watcher }]))).remove(0)
        };
        let found = scan("NFS file systems report only changes that this machine makes itself");
        assert!(found.severity == Severity::Warn && found.note.contains("NFS"), "{found:?}");
        assert!(scan("raise fs.inotify.max_user_watches").fix.unwrap().contains("watch-limit"));
    }

    #[cfg(unix)]
    #[test]
    fn data_of_git_is_readable_and_ours() {
        let root = tempfile::tempdir().unwrap();
        let mut machine = Machine::fixture(root.path());
        let mut daemon = at("/home/me/app");
        assert_eq!(check_git(&machine, &daemon), []);
        daemon.details =
            vec![json!({ "repoId": "app", "rootPath": "/home/me/app", "gitProblem": "HEAD is a pipe" })];
        assert!(check_git(&machine, &daemon)[0].note.contains("HEAD is a pipe"));
        daemon.details.clear();
        machine.user += 1;
        assert!(
            check_git(&machine, &daemon)[0].fix.as_ref().unwrap().contains("safe.directory /home/me/app")
        );
        machine.write("/home/me/.gitconfig", "[safe]\n\tdirectory = /home/me/app\n");
        assert_eq!(check_git(&machine, &daemon), []);
    }
}
