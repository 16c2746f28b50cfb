//! `share`: starts `sdl-share`, a program of its own, because this one has no network client in it.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::cli::{ShareCommand, ShareStoreArgs};
use crate::output::{Failure, Outcome};
use crate::programs::program_beside;

pub(crate) fn run_share(command: &ShareCommand, as_json: bool) -> Result<Outcome, Failure> {
    let program = program_beside("sdl-share", "SDL_SHARE");
    let mut run = Command::new(&program);
    run.args(arguments_of(command)).stdin(Stdio::null());
    if as_json {
        run.arg("--json");
    }
    let ended =
        run.status().map_err(|error| Failure::io(&format!("can't run {}", program.display()), &error))?;
    match ended.code() {
        Some(0) => Ok(Outcome::Good),
        Some(code) => Ok(Outcome::Reported(u8::try_from(code).unwrap_or(1))),
        None => Err(Failure::Local(format!("{} was ended ({ended})", program.display()))),
    }
}

fn arguments_of(command: &ShareCommand) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = Vec::new();
    let (name, path, store) = match command {
        ShareCommand::Push { path, store } => ("push", path, Some(store)),
        ShareCommand::Pull { path, store } => ("pull", path, Some(store)),
        ShareCommand::Gc { store, .. } => ("gc", &None, Some(store)),
        ShareCommand::Key { file } => ("key", file, None),
    };
    arguments.push(name.into());
    // Absolute, because a path that begins with a dash would be taken for an option.
    let absolute = |path: &PathBuf| std::path::absolute(path).unwrap_or_else(|_| path.clone());
    arguments.extend(path.as_ref().map(|path| absolute(path).into_os_string()));
    if let ShareCommand::Gc { keep_days: Some(days), .. } = command {
        arguments.extend(["--keep-days".into(), days.to_string().into()]);
    }
    if let Some(ShareStoreArgs { store, key_file }) = store {
        if let Some(url) = store {
            arguments.extend(["--store".into(), url.into()]);
        }
        if let Some(file) = key_file {
            arguments.extend(["--key-file".into(), absolute(file).into_os_string()]);
        }
    }
    arguments
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_passed_on() {
        let store = ShareStoreArgs { store: Some("fs:///s".into()), key_file: Some("/k".into()) };
        let given = arguments_of(&ShareCommand::Gc { keep_days: Some(7), store });
        assert_eq!(given, ["gc", "--keep-days", "7", "--store", "fs:///s", "--key-file", "/k"]);
        let none = ShareStoreArgs { store: None, key_file: None };
        let given = arguments_of(&ShareCommand::Pull { path: Some("-x".into()), store: none });
        assert!(
            given.len() == 2
                && PathBuf::from(&given[1]).is_absolute()
                && given[1].to_string_lossy().ends_with("-x")
        );
    }
}
