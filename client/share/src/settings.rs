//! `share.json` in the state folder: which store, and the team key. Only a person writes it.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::args::Args;
use crate::place::Place;
use crate::store::seal::TeamKey;
use crate::trouble::Trouble;

/// The file in the state folder.
const FILE: &str = "share.json";
/// The largest such file, and the largest file of a key, in bytes.
const MAX_FILE_BYTES: u64 = 64 << 10;
/// Days that a snapshot is kept by default.
const KEEP_DAYS: u64 = 30;
/// Requests at a time by default.
const REQUESTS: usize = 16;

/// The settings of a run.
pub(crate) struct Settings {
    pub(crate) place: Place,
    pub(crate) key: Option<TeamKey>,
    pub(crate) keep_days: u64,
    /// Requests at a time.
    pub(crate) requests: usize,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Written {
    store: Option<String>,
    key_file: Option<PathBuf>,
    keep_days: Option<u64>,
    requests: Option<usize>,
}

impl Settings {
    /// Reads the file, and applies the command line.
    pub(crate) fn load(args: &Args) -> Result<Self, Trouble> {
        let paths = sdl_client::Paths::from_env().map_err(|error| Trouble::Usage(error.to_string()))?;
        let path = paths.state().join(FILE);
        let file = read_file(&path)?;
        let url = args.store.as_ref().or(file.store.as_ref()).ok_or_else(|| {
            Trouble::Usage(format!(
                "no store is set: write {{\"store\": \"s3://bucket/prefix?region=eu-west-1\"}} into {}, or give --store",
                path.display()
            ))
        })?;
        let key_file = args.key_file.as_ref().or(file.key_file.as_ref());
        Ok(Self {
            place: Place::parse(url).map_err(Trouble::Usage)?,
            key: key_file.map(|file| read_key(file)).transpose()?,
            keep_days: file.keep_days.unwrap_or(KEEP_DAYS),
            requests: file.requests.unwrap_or(REQUESTS).clamp(1, 256),
        })
    }
}

fn read_file(path: &Path) -> Result<Written, Trouble> {
    let wrong = |why: String| Trouble::Usage(format!("{}: {why}", path.display()));
    match sdl_settings::trust::read_private(path, MAX_FILE_BYTES).map_err(wrong)? {
        None => Ok(Written::default()),
        Some(bytes) => serde_json::from_slice(&bytes).map_err(|error| wrong(error.to_string())),
    }
}

fn read_key(path: &Path) -> Result<TeamKey, Trouble> {
    let wrong = |why: String| Trouble::Usage(format!("the key file {}: {why}", path.display()));
    let read = sdl_settings::trust::read_secret(path, MAX_FILE_BYTES).map_err(wrong)?;
    let bytes = zeroize::Zeroizing::new(
        read.ok_or_else(|| wrong("is not there; make one with: sdlctl share key FILE".into()))?,
    );
    TeamKey::parse(&bytes).ok_or_else(|| wrong("has to hold 64 hexadecimal digits, and nothing else".into()))
}
