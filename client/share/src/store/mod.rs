//! A store of whole objects: reads and writes them sealed, and says in words for people why it can't.

mod faults;
mod operator;
mod redis_keys;
pub(crate) mod seal;

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use futures::TryStreamExt as _;
use opendal::{ErrorKind, Operator};

use crate::place::Place;
use crate::settings::Settings;
use crate::trouble::Trouble;
use faults::explain_error;
use redis_keys::RedisKeys;
use seal::{OVERHEAD_BYTES, TeamKey, open_object, seal_object};

/// An open store.
pub(crate) struct Store {
    operator: Operator,
    place: Place,
    key: Option<TeamKey>,
    /// Requests at a time.
    pub(crate) requests: usize,
    moved: AtomicU64,
    asked: AtomicU64,
}

/// One object in a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Listed {
    pub(crate) path: String,
    /// Seconds since it was last written or, in Redis, used.
    pub(crate) age: u64,
    pub(crate) bytes: u64,
}

impl Store {
    /// Opens it. Asks nothing of it yet.
    pub(crate) fn open(settings: Settings) -> Result<Self, Trouble> {
        let operator = operator::open_operator(&settings.place, settings.requests)
            .map_err(|error| explain_error(&settings.place, "open", &error))?;
        Ok(Self {
            operator,
            place: settings.place,
            key: settings.key,
            requests: settings.requests,
            moved: AtomicU64::new(0),
            asked: AtomicU64::new(0),
        })
    }

    /// The name under which the object with this hash is stored.
    pub(crate) fn name_of(&self, hash: &str) -> String {
        self.key.as_ref().map_or_else(|| hash.to_owned(), |key| key.name_of(hash))
    }

    /// Bytes of objects that were read or written so far, and requests.
    pub(crate) fn traffic(&self) -> (u64, u64) {
        (self.moved.load(Ordering::Relaxed), self.asked.load(Ordering::Relaxed))
    }

    fn count_request(&self) {
        self.asked.fetch_add(1, Ordering::Relaxed);
    }

    fn failed(&self, what: &'static str) -> impl Fn(opendal::Error) -> Trouble {
        let place = &self.place;
        move |error| explain_error(place, what, &error)
    }

    /// The content of an object of at most `most` bytes; none if it is not there.
    pub(crate) async fn read(&self, path: &str, most: u64) -> Result<Option<Vec<u8>>, Trouble> {
        self.count_request();
        let most = most + OVERHEAD_BYTES;
        let mut object = Vec::new();
        let reading = async {
            let mut stream = self.operator.reader(path).await?.into_stream(..).await?;
            while let Some(part) = stream.try_next().await? {
                for bytes in part {
                    object.extend_from_slice(&bytes);
                }
                if object.len() as u64 > most {
                    break;
                }
            }
            Ok(())
        };
        match reading.await {
            Ok(()) => {}
            Err(error) if is_missing(&error) => return Ok(None),
            Err(error) => return Err(self.failed("read")(error)),
        }
        if object.len() as u64 > most {
            let message = format!(
                "the object {path} of the store is larger than {most} bytes; it is damaged: push again"
            );
            return Err(Trouble::Unsound(message));
        }
        self.moved.fetch_add(object.len() as u64, Ordering::Relaxed);
        open_object(self.key.as_ref(), path, &object).map(Some)
    }

    /// Writes an object. Returns its size in the store.
    pub(crate) async fn write(&self, path: &str, content: &[u8]) -> Result<u64, Trouble> {
        self.count_request();
        let object = seal_object(self.key.as_ref(), path, content)?;
        let bytes = object.len() as u64;
        self.operator.write(path, object).await.map_err(self.failed("write"))?;
        self.moved.fetch_add(bytes, Ordering::Relaxed);
        Ok(bytes)
    }

    /// Whether an object is there.
    pub(crate) async fn has(&self, path: &str) -> Result<bool, Trouble> {
        self.count_request();
        match self.operator.stat(path).await {
            Ok(_) => Ok(true),
            Err(error) if is_missing(&error) => Ok(false),
            Err(error) => Err(self.failed("look at")(error)),
        }
    }

    /// Removes an object, if it is there.
    pub(crate) async fn remove(&self, path: &str) -> Result<(), Trouble> {
        self.count_request();
        self.operator.delete(path).await.map_err(self.failed("delete from"))
    }

    /// All objects below a folder, which ends with a slash.
    pub(crate) async fn list(&self, folder: &str) -> Result<Vec<Listed>, Trouble> {
        self.count_request();
        if let Some(keys) = RedisKeys::of_place(&self.place) {
            return keys.list_keys(folder).await;
        }
        let now = SystemTime::now();
        let listed = async {
            let mut lister = self.operator.lister_with(folder).recursive(true).await?;
            let mut listed = Vec::new();
            while let Some(entry) = lister.try_next().await? {
                if !entry.metadata().is_file() {
                    continue;
                }
                let mut about = entry.metadata().clone();
                if about.last_modified().is_none() {
                    match self.operator.stat(entry.path()).await {
                        Ok(found) => about = found,
                        // Somebody else removed it.
                        Err(error) if is_missing(&error) => continue,
                        Err(error) => return Err(error),
                    }
                }
                let written = about.last_modified().map(SystemTime::from);
                // An object without a time counts as new, because new ones are kept.
                let age = written.and_then(|at| now.duration_since(at).ok()).map_or(0, |age| age.as_secs());
                listed.push(Listed { path: entry.path().to_owned(), age, bytes: about.content_length() });
            }
            Ok(listed)
        };
        match listed.await {
            Err(error) if is_missing(&error) => Ok(Vec::new()),
            listed => listed.map_err(self.failed("list")),
        }
    }
}

fn is_missing(error: &opendal::Error) -> bool {
    error.kind() == ErrorKind::NotFound && !faults::is_bucket_missing(error)
}
