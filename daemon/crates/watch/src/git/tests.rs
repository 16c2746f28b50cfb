use super::*;

fn make_repository(at: &Path) {
    fs::create_dir_all(at.join(".git/refs/heads")).unwrap();
    fs::write(at.join(".git/HEAD"), "ref: refs/heads/fix/one\n").unwrap();
}

#[test]
fn a_branch_with_a_slash_has_its_folder_watched() {
    let temp = tempfile::tempdir().unwrap();
    make_repository(temp.path());
    let git = discover_git(temp.path(), None).unwrap();
    assert_eq!(git.own, git.common);
    let heads = git.own.join("refs/heads");
    assert_eq!(
        git.folders(&git.top),
        [(git.own.clone(), GitFolder::Data), (heads.clone(), GitFolder::Refs)],
        "the branch's folder does not exist yet; its creation is seen in its parent"
    );
    fs::create_dir(heads.join("fix")).unwrap();
    assert!(git.folders(&git.top).contains(&(heads.join("fix"), GitFolder::Refs)));
}

#[test]
fn worktrees_have_their_own_head_and_share_the_rest() {
    let temp = tempfile::tempdir().unwrap();
    let top = temp.path().canonicalize().unwrap();
    let (main, tree) = (top.join("main"), top.join("tree"));
    make_repository(&main);
    let own = main.join(".git/worktrees/tree");
    fs::create_dir_all(&own).unwrap();
    fs::create_dir(&tree).unwrap();
    fs::write(own.join("HEAD"), "ref: refs/heads/two\n").unwrap();
    fs::write(own.join("commondir"), "../..\n").unwrap();
    fs::write(own.join("gitdir"), format!("{}\n", tree.join(".git").display())).unwrap();
    fs::write(tree.join(".git"), format!("gitdir: {}\n", own.display())).unwrap();
    let git = discover_git(&tree, None).unwrap();
    assert_eq!((git.own.as_path(), git.common.as_path()), (own.as_path(), main.join(".git").as_path()));
    let below = tree.join("src");
    fs::create_dir(&below).unwrap();
    assert_eq!(discover_git(&below, None).unwrap().top, tree);
    assert_eq!(discover_git(&below, Some(&tree)), None, "the home folder's repository is not asked");
}

#[test]
fn only_head_the_index_its_lock_and_excludes_count() {
    assert_eq!(GitFolder::Data.change("HEAD"), Some(GitChange::Head));
    for noise in ["HEAD.lock", "ORIG_HEAD", "COMMIT_EDITMSG", "FETCH_HEAD"] {
        assert_eq!(GitFolder::Data.change(noise), None, "{noise}");
    }
    assert_eq!(GitFolder::Data.change("index"), Some(GitChange::Index));
    assert_eq!(GitFolder::Data.change("index.lock"), Some(GitChange::Lock));
    assert_eq!(GitFolder::Refs.change("main.lock"), None);
    assert_eq!(GitFolder::Refs.change("main"), Some(GitChange::Head));
    assert_eq!(GitFolder::Info.change("exclude"), Some(GitChange::Excludes));
}

/// A repository with a commit in it, as git makes it.
fn made_by_git(at: &Path) {
    fs::create_dir_all(at).unwrap();
    run_git(at, &["init", "-q"]);
    fs::write(at.join("a.py"), "a = 1\n").unwrap();
    run_git(at, &["add", "."]);
    run_git(at, &["commit", "-q", "-m", "one"]);
}

fn run_git(at: &Path, args: &[&str]) {
    let name = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always"];
    let ran = std::process::Command::new("git").arg("-C").arg(at).args(name).args(args).output().unwrap();
    assert!(ran.status.success(), "{args:?}: {}", String::from_utf8_lossy(&ran.stderr));
}

fn check_git(root: &Path) -> Result<(), String> {
    let found = GitData::find(root, None).and_then(|found| match found {
        Some(data) => data.check().and_then(|()| data.check_index()).and_then(|()| data.check_logs()),
        None => panic!("{} has no git data", root.display()),
    });
    found.map_err(|refused| refused.to_string())
}

#[test]
fn what_git_makes_is_taken() {
    let temp = tempfile::tempdir().unwrap();
    let top = temp.path().canonicalize().unwrap();
    let (main, part) = (top.join("main"), top.join("part"));
    made_by_git(&main);
    made_by_git(&part);
    run_git(&main, &["worktree", "add", "-q", "../beside", "-b", "feature/one"]);
    run_git(&main, &["submodule", "--quiet", "add", &part.to_string_lossy(), "lib/part"]);
    run_git(&main, &["commit", "-q", "-m", "two"]);
    run_git(&main, &["pack-refs", "--all"]);
    run_git(&main, &["gc", "-q"]);
    run_git(&top.join("beside"), &["merge", "-q", "master"]);
    run_git(&top.join("beside"), &["submodule", "--quiet", "update", "--init"]);
    for tree in ["main", "main/lib", "beside", "main/lib/part", "beside/lib/part"] {
        assert_eq!(check_git(&top.join(tree)), Ok(()), "{tree}");
    }
    let inside = GitData::find(&top.join("main/lib/part"), None).unwrap().unwrap();
    assert_eq!(inside.own, main.join(".git/modules/lib/part"));
}

#[test]
fn what_git_would_not_make_is_refused() {
    type Harm = fn(&Path);
    let pipe = |path: &Path| {
        let _ = fs::remove_file(path);
        let kind = rustix::fs::FileType::Fifo;
        rustix::fs::mknodat(rustix::fs::CWD, path, kind, rustix::fs::Mode::RWXU, 0).unwrap();
    };
    let link = |path: &Path| {
        let _ = fs::remove_file(path);
        std::os::unix::fs::symlink("/dev/zero", path).unwrap();
    };
    let huge = |path: &Path| {
        fs::File::create(path).unwrap().set_len(2 << 30).unwrap();
    };
    let harms: [(&str, Harm); 3] = [("a pipe", pipe), ("a link", link), ("2 GB", huge)];
    let temp = tempfile::tempdir().unwrap();
    for name in [
        "HEAD",
        "config",
        "config.worktree",
        "packed-refs",
        "commondir",
        "shallow",
        "index",
        "sharedindex.0123",
        "FETCH_HEAD",
        "info/exclude",
        "objects/info/alternates",
        "refs/heads/master",
        "refs/heads/a/b",
        "logs/HEAD",
    ] {
        for (harm, make) in harms {
            let tree = temp.path().join(format!("{name} {harm}").replace('/', "-"));
            made_by_git(&tree);
            let path = tree.join(".git").join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            make(&path);
            let refused = check_git(&tree).expect_err(&format!("{name} as {harm}"));
            assert!(refused.contains(name), "{refused}");
        }
    }
    for (name, make) in [("objects/pack/pack-1.idx", pipe as Harm), ("objects/ab/cd", pipe), ("refs/x", link)]
    {
        let tree = temp.path().join(name.replace('/', "-"));
        made_by_git(&tree);
        let path = tree.join(".git").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        make(&path);
        assert!(check_git(&tree).unwrap_err().contains(name));
    }
    // A folder that is a link, and the git folder itself.
    for name in ["objects", "refs", ""] {
        let tree = temp.path().join(format!("link {name}"));
        made_by_git(&tree);
        let (path, away) = (tree.join(".git").join(name), tree.join("away"));
        let path = path.components().collect::<PathBuf>();
        fs::rename(&path, &away).unwrap();
        std::os::unix::fs::symlink(&away, &path).unwrap();
        assert!(check_git(&tree).unwrap_err().contains("is a symbolic link"), "{name}");
    }
}

#[test]
fn another_repositorys_data_is_not_this_trees() {
    let temp = tempfile::tempdir().unwrap();
    let top = temp.path().canonicalize().unwrap();
    let victim = top.join("victim");
    made_by_git(&victim);
    run_git(&victim, &["worktree", "add", "-q", "../beside"]);
    let refused = |tree: &str| GitData::find(&top.join(tree), None).unwrap_err().to_string();
    let written = |tree: &str, target: &Path| {
        fs::create_dir_all(top.join(tree)).unwrap();
        fs::write(top.join(tree).join(".git"), format!("gitdir: {}\n", target.display())).unwrap();
    };

    written("pointer", &victim.join(".git"));
    assert!(refused("pointer").contains("core.worktree"));
    written("worktree", &victim.join(".git/worktrees/beside"));
    assert!(refused("worktree").contains("does not lead back"));

    // A folder of its own that leads back, and from which the shared data is elsewhere.
    let own = top.join("made/x/worktrees/x");
    written("made", &own);
    fs::create_dir_all(&own).unwrap();
    fs::write(own.join("HEAD"), "ref: refs/heads/master\n").unwrap();
    fs::write(own.join("gitdir"), top.join("made/.git").to_string_lossy().as_bytes()).unwrap();
    fs::write(own.join("commondir"), victim.join(".git").to_string_lossy().as_bytes()).unwrap();
    assert!(refused("made").contains("is no worktree's folder in"));

    // A main repository with a file that leads to another's data.
    made_by_git(&top.join("main"));
    fs::write(top.join("main/.git/commondir"), victim.join(".git").to_string_lossy().as_bytes()).unwrap();
    assert!(refused("main").contains("is no worktree's folder in"));

    run_git(&top, &["clone", "-q", "--shared", "victim", "shared"]);
    assert!(check_git(&top.join("shared")).unwrap_err().contains("borrows"));
    // The same, made complete.
    run_git(&top.join("shared"), &["repack", "-q", "-a", "-d"]);
    fs::remove_file(top.join("shared/.git/objects/info/alternates")).unwrap();
    assert_eq!(check_git(&top.join("shared")), Ok(()));
}
