//! Credentials in files, from a helper and from the environment.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use sdl_settings::{
    Credentials, Lookup, Origin, Secret, Settings, exposed_variables, list_credentials, remove_credential,
    store_credential, unset_variables, written_secrets,
};

struct Bed {
    dir: tempfile::TempDir,
}

impl Bed {
    fn new() -> Self {
        let bed = Self { dir: tempfile::tempdir().unwrap() };
        fs::create_dir(bed.state()).unwrap();
        bed
    }

    fn state(&self) -> std::path::PathBuf {
        self.dir.path().join("state")
    }

    fn lookup(&self, helper: Option<&str>, environment: &[(&str, &str)]) -> Credentials {
        let helper = helper.map(|script| ["/bin/sh", "-c", script].map(str::to_owned).to_vec());
        let environment: HashMap<String, OsString> =
            environment.iter().map(|(name, value)| ((*name).to_owned(), OsString::from(value))).collect();
        Credentials::new(&self.state(), helper).with_environment(move |name| environment.get(name).cloned())
    }
}

fn write(path: &Path, text: &str, mode: u32) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

fn find(lookup: &Credentials, name: &str) -> Result<Option<(String, Origin)>, String> {
    Ok(lookup.find_value(name)?.map(|found| (found.value.expose().to_owned(), found.origin)))
}

#[test]
fn the_first_place_that_knows_a_value_counts() {
    let bed = Bed::new();
    let service = bed.dir.path().join("service");
    let service_text = service.to_str().unwrap().to_owned();
    let environment = [("CREDENTIALS_DIRECTORY", service_text.as_str()), ("TOKEN", "environment")];
    let lookup = bed.lookup(Some("read name; test $name = TOKEN && echo helper-$name"), &environment);
    let state_file = bed.state().join("credentials/TOKEN");
    write(&service.join("TOKEN"), "of the service\n", 0o440);
    write(&state_file, "of the state\r\n", 0o600);
    fs::set_permissions(state_file.parent().unwrap(), fs::Permissions::from_mode(0o700)).unwrap();
    assert_eq!(find(&lookup, "TOKEN"), Ok(Some(("of the service".to_owned(), Origin::File))));
    fs::remove_file(service.join("TOKEN")).unwrap();
    assert_eq!(find(&lookup, "TOKEN"), Ok(Some(("of the state".to_owned(), Origin::File))));
    // Nothing is kept.
    write(&state_file, "rotated", 0o600);
    assert_eq!(find(&lookup, "TOKEN"), Ok(Some(("rotated".to_owned(), Origin::File))));
    fs::remove_file(&state_file).unwrap();
    assert_eq!(find(&lookup, "TOKEN"), Ok(Some(("helper-TOKEN".to_owned(), Origin::Helper))));
    let without = bed.lookup(None, &environment);
    assert_eq!(find(&without, "TOKEN"), Ok(Some(("environment".to_owned(), Origin::Environment))));
    assert_eq!(find(&lookup, "OTHER"), Ok(None));
}

#[test]
fn files_that_others_can_read_and_short_values_are_refused() {
    let bed = Bed::new();
    let lookup = bed.lookup(None, &[]);
    let path = bed.state().join("credentials/TOKEN");
    write(&path, "long enough", 0o644);
    assert!(find(&lookup, "TOKEN").unwrap_err().contains("chmod 600"));
    write(&path, "12345\n", 0o600);
    fs::set_permissions(path.parent().unwrap(), fs::Permissions::from_mode(0o700)).unwrap();
    assert!(find(&lookup, "TOKEN").unwrap_err().contains("under 6 characters"));
    fs::write(&path, [0xff; 8]).unwrap();
    assert!(find(&lookup, "TOKEN").unwrap_err().contains("not UTF-8"));
    fs::write(&path, "x".repeat((64 << 10) + 1)).unwrap();
    assert!(find(&lookup, "TOKEN").unwrap_err().contains("more than 65536 bytes"));
    fs::set_permissions(path.parent().unwrap(), fs::Permissions::from_mode(0o777)).unwrap();
    fs::write(&path, "long enough").unwrap();
    assert!(find(&lookup, "TOKEN").unwrap_err().contains("chmod 700"));
}

#[test]
fn a_name_cannot_lead_out_of_the_folder() {
    let bed = Bed::new();
    write(&bed.state().join("mcp.json"), "{\"long\": 1}", 0o600);
    fs::create_dir(bed.state().join("credentials")).unwrap();
    let lookup = bed.lookup(None, &[]);
    for name in ["../mcp.json", "/etc/passwd", ".", "a/b", ""] {
        assert!(find(&lookup, name).is_err(), "{name}");
    }
}

#[test]
fn a_helper_is_asked_by_argument_or_by_input() {
    let bed = Bed::new();
    let ask = |script: &str| find(&bed.lookup(Some(script), &[]), "TOKEN");
    assert_eq!(ask("cat; echo -value").unwrap().unwrap().0, "TOKEN\n-value");
    assert_eq!(ask("echo '{name}-value'").unwrap().unwrap().0, "TOKEN-value");
    // It does not know the name.
    assert_eq!(ask("echo some-value; exit 1"), Ok(None));
    assert_eq!(ask("true"), Ok(None));
    // What it started is ended with it.
    assert_eq!(ask("sleep 1000 >/dev/null & echo some-value").unwrap().unwrap().0, "some-value");
    assert!(ask("echo abc").unwrap_err().contains("under 6 characters"));
    let missing = vec!["sdl-no-such-helper".to_owned()];
    let lookup = Credentials::new(&bed.state(), Some(missing)).with_environment(|_| None);
    assert!(find(&lookup, "TOKEN").unwrap_err().contains("can't be started"));
}

#[test]
fn a_helper_is_bounded_in_time_and_output() {
    let bed = Bed::new();
    let slow = bed.lookup(Some("sleep 1000"), &[]).with_helper_timeout(Duration::from_millis(10));
    assert!(find(&slow, "TOKEN").unwrap_err().contains("did not end"));
    let flood = bed.lookup(Some("yes"), &[]);
    assert!(find(&flood, "TOKEN").unwrap_err().contains("more than 65536 bytes"));
}

#[test]
fn credentials_are_stored_listed_and_removed() {
    let bed = Bed::new();
    let secret = |text: &str| Secret::new(text.to_owned());
    assert_eq!(list_credentials(&bed.state()).unwrap(), [""; 0]);
    store_credential(&bed.state(), "B_TOKEN", &secret("first-value")).unwrap();
    store_credential(&bed.state(), "B_TOKEN", &secret("second-value")).unwrap();
    store_credential(&bed.state(), "a-key", &secret("other-value")).unwrap();
    assert_eq!(list_credentials(&bed.state()).unwrap(), ["B_TOKEN", "a-key"]);
    let mode = fs::metadata(bed.state().join("credentials/B_TOKEN")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert_eq!(find(&bed.lookup(None, &[]), "B_TOKEN").unwrap().unwrap().0, "second-value");
    for (name, value) in [("a b", "long enough"), ("A", "short"), ("A.new", "long enough")] {
        assert!(store_credential(&bed.state(), name, &secret(value)).is_err(), "{name}");
    }
    assert!(remove_credential(&bed.state(), "a-key").unwrap());
    assert!(!remove_credential(&bed.state(), "a-key").unwrap());
    assert!(!remove_credential(&bed.state(), "../state").unwrap());
}

#[test]
fn what_is_unset_exposed_or_written_out_is_found() {
    let bed = Bed::new();
    store_credential(&bed.state(), "TOKEN", &Secret::new("some-value".to_owned())).unwrap();
    let text = r#"{"mcpServers": {
        "a": {"command": "x", "args": ["--token", "${TOKEN}", "${HOME}"],
              "env": {"API_KEY": "abcdefgh", "B": "${B}", "C": "${B}"}},
        "b": {"url": "https://a", "headers": {"Authorization": "Bearer abcdefgh", "X-Api-Key": "${TOKEN}"}}}}"#;
    let upstreams = Settings::parse(text).unwrap().settings.upstreams;
    let lookup = bed.lookup(None, &[("HOME", "/home/me")]);
    assert_eq!(exposed_variables(&upstreams[0], &lookup), ["TOKEN"]);
    let unset: Vec<String> =
        unset_variables(&upstreams[0], &lookup).into_iter().map(|unset| unset.name).collect();
    assert_eq!(unset, ["B"]);
    assert!(unset_variables(&upstreams[1], &lookup).is_empty());
    let written = |at: usize| {
        let found = written_secrets(&upstreams[at].transport).into_iter();
        found.map(|(name, secret)| format!("{name}={}", secret.expose())).collect::<Vec<_>>()
    };
    assert_eq!(written(0), ["API_KEY=abcdefgh"]);
    assert_eq!(written(1), ["Authorization=abcdefgh"]);
}
