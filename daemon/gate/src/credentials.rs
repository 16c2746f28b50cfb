//! The values of variables in an entry: credentials in files, the command that knows them, the environment.

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use sdl_settings::{Found, Lookup, Origin, SESSION_CWD, SESSION_ROOT, Secret};

/// The longest credential.
const MAX_CREDENTIAL_BYTES: u64 = 64 << 10;

/// How long the command may take.
const HELPER_TIME: Duration = Duration::from_secs(10);

/// Looks variables up, each time anew. Reads files and runs a command, so it must not run on the runtime.
#[derive(Clone, Debug)]
pub(crate) struct Credentials {
    /// Folders with a file for each credential, the first counts.
    pub(crate) folders: Vec<PathBuf>,
    /// The command that prints the credential that is its last argument.
    pub(crate) helper: Option<Vec<String>>,
    /// The root of the repository that the connection is for.
    pub(crate) root: Option<String>,
}

impl Lookup for Credentials {
    fn find_value(&self, name: &str) -> Result<Option<Found>, String> {
        if name == SESSION_ROOT || name == SESSION_CWD {
            let found = |root: &String| Found { value: Secret::new(root.clone()), origin: Origin::Session };
            return Ok(self.root.as_ref().map(found));
        }
        let found = |value: String, origin| Ok(Some(Found { value: Secret::new(value), origin }));
        for folder in &self.folders {
            if let Some(value) = read_credential(&folder.join(name))? {
                return found(value, Origin::File);
            }
        }
        if let Some(helper) = &self.helper
            && let Some(value) = ask_helper(helper, name)?
        {
            return found(value, Origin::Helper);
        }
        match std::env::var(name) {
            Ok(value) => found(value, Origin::Environment),
            Err(std::env::VarError::NotPresent) => Ok(None),
            Err(std::env::VarError::NotUnicode(_)) => Err("is not UTF-8".to_owned()),
        }
    }
}

fn read_credential(path: &Path) -> Result<Option<String>, String> {
    let file = match std::fs::File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(format!("cannot be read: {error}")),
    };
    let mut text = String::new();
    let read = file.take(MAX_CREDENTIAL_BYTES + 1).read_to_string(&mut text);
    read.map_err(|error| format!("cannot be read: {error}"))?;
    if text.len() as u64 > MAX_CREDENTIAL_BYTES {
        return Err(format!("is longer than {MAX_CREDENTIAL_BYTES} bytes"));
    }
    Ok(Some(without_line_end(text)))
}

/// Editors end a file with a line feed, which is no part of the credential.
fn without_line_end(mut text: String) -> String {
    let kept = text.trim_end_matches(['\r', '\n']).len();
    text.truncate(kept);
    text
}

/// Runs the command with the name as its last argument. None if it fails or prints nothing, which means that it does not know
/// the name.
fn ask_helper(helper: &[String], name: &str) -> Result<Option<String>, String> {
    let Some((program, args)) = helper.split_first() else { return Ok(None) };
    let started = Command::new(program)
        .args(args)
        .arg(name)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let mut child = started.map_err(|error| format!("can't be asked for: credentialHelper: {error}"))?;
    let Some(stdout) = child.stdout.take() else { return Ok(None) };
    let (sender, receiver) = mpsc::channel();
    let reader = move || {
        let mut text = String::new();
        let read = stdout.take(MAX_CREDENTIAL_BYTES).read_to_string(&mut text);
        let _ = sender.send(read.map(|_| text));
    };
    let spawned = std::thread::Builder::new().name("sdl-credential".to_owned()).spawn(reader);
    let read = spawned.ok().and_then(|_| receiver.recv_timeout(HELPER_TIME).ok());
    let Some(read) = read else {
        let _ = child.kill();
        let _ = child.wait();
        return Err(format!(
            "can't be asked for: credentialHelper took more than {} s",
            HELPER_TIME.as_secs()
        ));
    };
    let is_known = ended_well(&mut child);
    let text =
        without_line_end(read.map_err(|error| format!("can't be asked for: credentialHelper: {error}"))?);
    Ok((is_known && !text.is_empty()).then_some(text))
}

/// Whether the command ended with success. It has closed its output, so it has nothing left to do but to end.
fn ended_well(child: &mut std::process::Child) -> bool {
    for _ in 0..100 {
        match child.try_wait() {
            Ok(Some(status)) => return status.success(),
            Ok(None) => std::thread::sleep(Duration::from_millis(10)),
            Err(_) => return false,
        }
    }
    let _ = child.kill();
    let _ = child.wait();
    false
}

#[cfg(all(test, unix))]
#[allow(clippy::unwrap_used, reason = "a test may fail")]
mod tests {
    use super::*;

    fn lookup(folder: &Path, helper: Option<&[&str]>) -> Credentials {
        Credentials {
            folders: vec![folder.to_owned()],
            helper: helper.map(|words| words.iter().map(|word| (*word).to_owned()).collect()),
            root: Some("/r".to_owned()),
        }
    }

    fn value(found: Result<Option<Found>, String>) -> Option<(String, Origin)> {
        found.unwrap().map(|found| (found.value.expose().to_owned(), found.origin))
    }

    #[test]
    fn a_file_comes_before_the_command_and_the_command_before_the_environment() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("TOKEN"), "from a file\r\n").unwrap();
        let helper = ["/bin/sh", "-c", "test \"$0\" != PATH && echo \"value of $0\""];
        let all = lookup(folder.path(), Some(&helper));
        assert_eq!(value(all.find_value("TOKEN")), Some(("from a file".to_owned(), Origin::File)));
        assert_eq!(value(all.find_value("OTHER")), Some(("value of OTHER".to_owned(), Origin::Helper)));
        assert_eq!(value(all.find_value("PATH")).unwrap().1, Origin::Environment);
        assert_eq!(value(all.find_value("SESSION_ROOT")), Some(("/r".to_owned(), Origin::Session)));
        assert_eq!(value(lookup(folder.path(), None).find_value("SDL_NO_SUCH_VARIABLE")), None);
    }
}
