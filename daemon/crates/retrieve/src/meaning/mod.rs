//! Search by meaning: a lane that ranks symbols by the nearness of vectors. Off unless a model is provided.
//!
//! Vectors depend only on a file's bytes, so they are kept under the hash of those bytes: an edit costs the vectors
//! of one file, and no version gets a stale vector.

mod cache;
mod lane;
mod load;
mod table;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock};

use serde::Deserialize;

use cache::Cache;
pub(crate) use lane::{nearest_symbols, report_off};

/// The value of a symbol relative to the best one found by words, by its rank in meaning. It uses ranks, because
/// scores of two kinds can't be compared.
pub(crate) fn rank_worth(rank: usize) -> f32 {
    0.5 * 10.0 / (10.0 + rank as f32)
}

/// Turns texts into vectors. Texts with a similar meaning have near vectors.
pub trait Embedder: Send + Sync {
    /// The length of its vectors.
    fn dimensions(&self) -> usize;

    /// Adds up the text's vector in `vector`, which has this length and is all zero. False if it knows none of the
    /// words.
    fn embed(&self, text: &str, vector: &mut [f32]) -> bool;
}

/// The file of the settings, in the daemon's state folder.
const FILE: &str = "search.json";
/// A larger file is not read as settings.
const MOST_BYTES: u64 = 64 << 10;

/// `search.json`: `{"embeddingModel": "/path/to/a/model"}`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Settings {
    #[serde(default)]
    embedding_model: Option<PathBuf>,
}

/// A model and its vectors. The model is read when it is first needed.
pub struct Meaning {
    source: Box<dyn Fn() -> Result<Box<dyn Embedder>, String> + Send + Sync>,
    model: OnceLock<Result<Box<dyn Embedder>, String>>,
    cache: Mutex<Cache>,
}

impl Meaning {
    /// The model that the settings in the daemon's state folder name, if any.
    pub fn of_settings(state: &Path) -> Option<Self> {
        let path = state.join(FILE);
        let text = match std::fs::metadata(&path) {
            Err(_) => return None,
            Ok(meta) if meta.len() > MOST_BYTES => Err("it is too large".to_owned()),
            Ok(_) => std::fs::read_to_string(&path).map_err(|error| error.to_string()),
        };
        let settings =
            text.and_then(|text| serde_json::from_str::<Settings>(&text).map_err(|e| e.to_string()));
        match settings {
            Ok(Settings { embedding_model: None }) => None,
            Ok(Settings { embedding_model: Some(model) }) => Some(Self::at(&model)),
            Err(why) => {
                let why = format!("{FILE} in the state folder can't be used: {why}");
                Some(Self::new(move || Err(why.clone())))
            }
        }
    }

    /// The model at a path: a text of words and numbers, or a folder of a token table.
    pub fn at(path: &Path) -> Self {
        let path = path.to_owned();
        Self::new(move || {
            let table =
                load::load_model(&path).map_err(|why| format!("the embedding model can't be used: {why}"))?;
            Ok(Box::new(table) as Box<dyn Embedder>)
        })
    }

    /// A model from any source.
    pub fn new(source: impl Fn() -> Result<Box<dyn Embedder>, String> + Send + Sync + 'static) -> Self {
        Self { source: Box::new(source), model: OnceLock::new(), cache: Mutex::default() }
    }

    fn model(&self) -> Result<&dyn Embedder, &str> {
        match self.model.get_or_init(|| (self.source)()) {
            Ok(model) => Ok(&**model),
            Err(why) => Err(why),
        }
    }
}

impl std::fmt::Debug for Meaning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Meaning").finish_non_exhaustive()
    }
}
