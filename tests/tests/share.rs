//! A team's store on the real programs: what one machine pushes, another starts from; whatever is wrong with the store, the
//! tree is indexed as ever.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that can't go on fails")]

mod share_server;

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, SystemTime};

use sdl_tests::TestEnv;
use serde_json::{Value, json};
use share_server::{Fault, ObjectServer};

const FILES: &str = r"
//- /shop/cart.py
from shop.tax import rate

def total(items):
    return sum(items) * rate()
//- /shop/tax.py
def rate():
    return 1.2
//- /web/cart.ts
import { rate } from './tax';
export function total(n: number) { return n * rate(); }
//- /web/tax.ts
export function rate() { return 1.2; }
//- /src/lib.rs
pub fn total(n: f64) -> f64 { n * rate() }
fn rate() -> f64 { 1.2 }
";

fn git(at: &Path, args: &[&str]) {
    let settings = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"];
    let ran = Command::new("git").arg("-C").arg(at).args(settings).args(args).output().unwrap();
    assert!(ran.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&ran.stderr));
}

/// A machine with a repository of git, and its root.
fn pushing_machine() -> (TestEnv, PathBuf) {
    let env = TestEnv::new();
    let root = env.repo("app", FILES);
    git(&root, &["init", "-q", "-b", "main"]);
    git(&root, &["add", "."]);
    git(&root, &["commit", "-q", "-m", "one"]);
    (env, root)
}

/// Another machine with a clone.
fn pulling_machine(from: &Path) -> (TestEnv, PathBuf) {
    let env = TestEnv::new();
    let root = env.path("repos").join("clone");
    git(from, &["clone", "-q", ".", &root.to_string_lossy()]);
    (env, root)
}

fn use_store(env: &TestEnv, settings: &Value) {
    fs::write(env.state_dir().join("share.json"), settings.to_string()).unwrap();
}

fn share(env: &TestEnv, words: &[&str]) -> (Output, Value) {
    let output = env.ctl(&[&["--json", "share"], words].concat());
    let data = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
        panic!("{words:?}: {error}: {output:?}\n{}", env.daemon_log());
    });
    (output, data)
}

#[track_caller]
fn share_ok(env: &TestEnv, words: &[&str]) -> Value {
    let (output, data) = share(env, words);
    assert!(output.status.success(), "{words:?}: {data:#} {}", String::from_utf8_lossy(&output.stderr));
    data
}

/// The message of a command that fails with this exit code.
#[track_caller]
fn share_fails(env: &TestEnv, words: &[&str], code: i32) -> String {
    let (output, data) = share(env, words);
    assert_eq!(output.status.code(), Some(code), "{words:?}: {data:#}");
    data["error"]["message"].as_str().unwrap_or_default().to_owned()
}

/// A pull that can't use the store: the reason. The tree is indexed from its files.
#[track_caller]
fn pull_falls_back(env: &TestEnv, root: &Path) -> String {
    let (output, data) = share(env, &["pull", &root.to_string_lossy()]);
    assert_eq!((output.status.code(), &data["pulled"]), (Some(1), &json!(false)), "{data:#}");
    let repo = data["repoId"].as_str().unwrap();
    env.ctl_ok(&["verify", "--repo", repo]);
    // Forgotten, so that the next pull of the test begins again.
    env.ctl_ok(&["repo", "rm", repo]);
    data["error"].as_str().unwrap().to_owned()
}

/// All objects of a store in a folder.
fn objects_in(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.path() {
            path if path.is_dir() => found.extend(objects_in(&path)),
            path => found.push(path),
        }
    }
    found.sort();
    found
}

fn url_of(folder: &Path) -> Value {
    json!({ "store": format!("fs://{}", folder.display()) })
}

#[test]
fn what_one_machine_pushes_another_starts_from() {
    let (one, root) = pushing_machine();
    let store = one.path("store");
    use_store(&one, &url_of(&store));
    let pushed = share_ok(&one, &["push", &root.to_string_lossy()]);
    assert!(pushed["packsWritten"].as_u64() >= Some(2), "{pushed:#}");
    let again = share_ok(&one, &["push", &root.to_string_lossy()]);
    assert_eq!(again["packsWritten"], 0, "{again:#}");

    let (other, clone) = pulling_machine(&root);
    use_store(&other, &url_of(&store));
    fs::write(clone.join("shop/tax.py"), "def rate():\n    return base()\n\ndef base():\n    return 1\n")
        .unwrap();
    git(&clone, &["commit", "-q", "-a", "-m", "two"]);
    fs::write(clone.join("shop/more.py"), "from shop.tax import base\n").unwrap();
    let pulled = share_ok(&other, &["pull", &clone.to_string_lossy()]);
    assert_eq!((&pulled["pulled"], &pulled["distance"]), (&json!(true), &json!(1)), "{pulled:#}");
    assert_eq!((&pulled["commit"], &pulled["parsed"]), (&pushed["commit"], &json!(2)), "{pulled:#}");
    other.ctl_ok(&["verify", "--repo", "clone"]);
    let kept = share_ok(&other, &["pull", &clone.to_string_lossy()]);
    assert_eq!(kept["reason"], "registered");
    let refused = share_fails(&other, &["push", &clone.to_string_lossy()], 4);
    assert!(refused.contains("needs a clean tree") && refused.contains("shop/more.py"), "{refused}");
    let text = other.ctl(&["share", "pull", &clone.to_string_lossy()]);
    assert!(String::from_utf8_lossy(&text.stdout).contains("nothing was pulled"), "{text:?}");
    assert!(fs::read_dir(other.state_dir().join("scratch")).unwrap().next().is_none(), "no files are left");
}

#[test]
fn without_a_store_or_a_snapshot_nothing_is_lost() {
    let (one, root) = pushing_machine();
    let path = root.to_string_lossy();
    assert!(share_fails(&one, &["pull", &path], 2).contains("no store is set"));
    use_store(&one, &json!({ "store": "s3://b", "password": "x" }));
    assert!(share_fails(&one, &["pull", &path], 2).contains("unknown field `password`"));
    use_store(&one, &url_of(&one.path("store")));
    let pulled = share_ok(&one, &["pull", &path]);
    assert_eq!((&pulled["reason"], &pulled["repoId"]), (&json!("noSnapshot"), &json!("app")), "{pulled:#}");
    one.ctl_ok(&["verify", "--repo", "app"]);
}

#[test]
fn a_team_key_keeps_others_out_in_both_directions() {
    let (one, root) = pushing_machine();
    let (store, key) = (one.path("store"), one.path("key"));
    let made = share_ok(&one, &["key", &key.to_string_lossy()]);
    assert_eq!(made["keyFile"], key.to_string_lossy().as_ref());
    assert!(share_fails(&one, &["key", &key.to_string_lossy()], 2).contains("never overwritten"));
    let mut sealed = url_of(&store);
    sealed["keyFile"] = json!(key);
    use_store(&one, &sealed);
    share_ok(&one, &["push", &root.to_string_lossy()]);
    for object in objects_in(&store) {
        let bytes = fs::read(&object).unwrap();
        assert!(
            bytes.starts_with(b"SDLS\x01\x01") && !bytes.windows(6).any(|part| part == b"ledger"),
            "{object:?}"
        );
    }

    let (other, clone) = pulling_machine(&root);
    use_store(&other, &url_of(&store));
    assert!(pull_falls_back(&other, &clone).contains("set keyFile"));
    let theirs = other.path("key");
    share_ok(&other, &["key", &theirs.to_string_lossy()]);
    let mut wrong = url_of(&store);
    wrong["keyFile"] = json!(theirs);
    use_store(&other, &wrong);
    assert!(pull_falls_back(&other, &clone).contains("the team key is another one"));
    assert!(share_fails(&other, &["gc", "--keep-days", "0"], 1).contains("the team key is another one"));
    fs::copy(&key, &theirs).unwrap();
    assert_eq!(share_ok(&other, &["pull", &clone.to_string_lossy()])["pulled"], true);

    // A plain store is not believed by those who have a key.
    let plain = one.path("plain");
    let url = format!("fs://{}", plain.display());
    fs::remove_file(one.state_dir().join("share.json")).unwrap();
    share_ok(&one, &["push", &root.to_string_lossy(), "--store", &url]);
    let key = key.to_string_lossy();
    let refused =
        share_fails(&one, &["push", &root.to_string_lossy(), "--store", &url, "--key-file", &key], 1);
    assert!(refused.contains("is not encrypted"), "{refused}");
}

#[test]
fn whatever_object_is_damaged_the_tree_is_indexed_from_its_files() {
    let (one, root) = pushing_machine();
    let store = one.path("store");
    use_store(&one, &url_of(&store));
    share_ok(&one, &["push", &root.to_string_lossy()]);
    let (other, clone) = pulling_machine(&root);
    use_store(&other, &url_of(&store));
    let objects = objects_in(&store);
    assert!(objects.len() >= 4, "{objects:?}");
    for object in &objects {
        let good = fs::read(object).unwrap();
        let mut flipped = good.clone();
        // In the name of the manifest, if the object is a pointer.
        flipped[30] ^= 1;
        for bad in [&good[..good.len() / 2], &flipped, b"", b"something else"] {
            fs::write(object, bad).unwrap();
            let why = pull_falls_back(&other, &clone);
            let is_told = ["damaged", "is not its name", "larger than", "not in the store"]
                .iter()
                .any(|sign| why.contains(sign));
            assert!(is_told && why.contains("push again"), "{object:?}: {why}");
        }
        fs::remove_file(object).unwrap();
        if object.starts_with(store.join("commits")) {
            assert_eq!(share_ok(&other, &["pull", &clone.to_string_lossy()])["reason"], "noSnapshot");
            other.ctl_ok(&["repo", "rm", "clone"]);
        } else {
            assert!(pull_falls_back(&other, &clone).contains("push again"));
        }
        fs::write(object, good).unwrap();
    }
    assert_eq!(share_ok(&other, &["pull", &clone.to_string_lossy()])["pulled"], true);
    other.ctl_ok(&["verify", "--repo", "clone"]);
}

/// Makes an object look as if it had been written long ago.
fn make_old(object: &Path) {
    let long_ago = SystemTime::now() - Duration::from_hours(48);
    File::options().append(true).open(object).unwrap().set_modified(long_ago).unwrap();
}

#[test]
fn old_snapshots_go_and_others_keep_all_that_they_need() {
    let (one, root) = pushing_machine();
    let store = one.path("store");
    use_store(&one, &url_of(&store));
    let path = root.to_string_lossy().into_owned();
    share_ok(&one, &["push", &path]);
    let first = objects_in(&store);
    let pointer = first.iter().find(|object| object.starts_with(store.join("commits"))).unwrap();
    fs::write(root.join("shop/tax.py"), "def rate():\n    return 1.3\n\n\ndef other():\n    return 1\n")
        .unwrap();
    git(&root, &["commit", "-q", "-a", "-m", "two"]);
    share_ok(&one, &["push", &path]);
    // Nothing is old enough.
    let done = share_ok(&one, &["gc", "--keep-days", "0"]);
    assert_eq!((&done["snapshotsRemoved"], &done["objectsRemoved"]), (&json!(0), &json!(0)), "{done:#}");

    let text = String::from_utf8(fs::read(pointer).unwrap()).unwrap();
    let (head, rest) = text.split_once("\"pushed\":").unwrap();
    assert!(rest.ends_with('}'));
    fs::write(pointer, format!("{head}\"pushed\":1000}}")).unwrap();
    // The packs of the first snapshot are young: another push may be using them.
    let done = share_ok(&one, &["gc", "--keep-days", "7"]);
    assert_eq!((&done["snapshotsRemoved"], &done["objectsRemoved"]), (&json!(1), &json!(0)), "{done:#}");
    assert!(done["objectsTooYoung"].as_u64() > Some(0), "{done:#}");
    objects_in(&store).iter().for_each(|object| make_old(object));
    let done = share_ok(&one, &["gc", "--keep-days", "7"]);
    assert!(done["objectsRemoved"].as_u64() > Some(0) && done["snapshotsKept"] == 1, "{done:#}");
    assert_eq!(objects_in(&store).len() as u64, done["objectsKept"].as_u64().unwrap() + 1, "{done:#}");

    let (other, clone) = pulling_machine(&root);
    use_store(&other, &url_of(&store));
    let pulled = share_ok(&other, &["pull", &clone.to_string_lossy()]);
    assert_eq!(
        (&pulled["pulled"], &pulled["distance"], &pulled["parsed"]),
        (&json!(true), &json!(0), &json!(0))
    );
    other.ctl_ok(&["verify", "--repo", "clone"]);
}

#[test]
fn a_server_that_fails_in_the_middle_costs_the_snapshot_and_nothing_else() {
    let server = ObjectServer::start();
    let credentials = |mut env: TestEnv| {
        env.set_var("AWS_ACCESS_KEY_ID", "team");
        env.set_var("AWS_SECRET_ACCESS_KEY", "hunter2hunter2");
        env.set_var("AWS_EC2_METADATA_DISABLED", "true");
        use_store(&env, &json!({ "store": server.url("team"), "requests": 2 }));
        env
    };
    let (one, root) = pushing_machine();
    let one = credentials(one);
    let path = root.to_string_lossy().into_owned();
    server.set_fault(Fault::NoBucket);
    assert!(share_fails(&one, &["push", &path], 1).contains("does not exist; make it"));
    server.set_fault(Fault::Denied);
    let denied = share_fails(&one, &["push", &path], 1);
    assert!(
        denied.contains("permission denied; check AWS_ACCESS_KEY_ID") && !denied.contains("hunter2"),
        "{denied}"
    );
    server.set_fault(Fault::None);
    let pushed = share_ok(&one, &["push", &path]);
    assert!(pushed["packsWritten"].as_u64() >= Some(2), "{pushed:#}");
    assert_eq!(share_ok(&one, &["push", &path])["packsWritten"], 0);

    let (other, clone) = pulling_machine(&root);
    let other = credentials(other);
    server.set_fault(Fault::HalfOfPacks);
    let why = pull_falls_back(&other, &clone);
    assert!(why.contains("lost the connection") && why.contains("try again"), "{why}");
    server.set_fault(Fault::Silent);
    let why = pull_falls_back(&other, &clone);
    assert!(why.contains("lost the connection"), "{why}");
    server.set_fault(Fault::OneCut);
    let pulled = share_ok(&other, &["pull", &clone.to_string_lossy()]);
    assert_eq!(pulled["pulled"], true, "a fault that passes is repeated: {pulled:#}");
    other.ctl_ok(&["verify", "--repo", "clone"]);
    let done = share_ok(&one, &["gc"]);
    assert_eq!((&done["snapshotsKept"], &done["objectsRemoved"]), (&json!(1), &json!(0)), "{done:#}");
}
