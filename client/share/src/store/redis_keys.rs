//! The keys of a Redis server, which `opendal` can't list.

use redis::aio::MultiplexedConnection;
use redis::{Client, IntoConnectionInfo as _, RedisConnectionInfo, RedisError};

use super::Listed;
use super::operator::{REDIS_VARIABLES, variable};
use crate::place::Place;
use crate::trouble::Trouble;

/// Keys that one step of a scan looks at.
const SCAN_STEP: usize = 1_000;

/// Where the keys are.
pub(super) struct RedisKeys<'p> {
    place: &'p Place,
    endpoint: &'p str,
    db: i64,
    /// What the keys of the store begin with.
    root: &'p str,
}

impl<'p> RedisKeys<'p> {
    /// The keys of a store in Redis; none for other stores.
    pub(super) fn of_place(place: &'p Place) -> Option<Self> {
        match place {
            // Keys have no slash before the prefix.
            Place::Redis { endpoint, db, root } => {
                Some(Self { place, endpoint, db: *db, root: root.trim_start_matches('/') })
            }
            _ => None,
        }
    }

    /// All keys below a folder. Their age is the time since they were last used.
    pub(super) async fn list_keys(&self, folder: &str) -> Result<Vec<Listed>, Trouble> {
        self.scan(folder).await.map_err(|error| {
            Trouble::Local(format!(
                "{} failed to list its keys ({}); try again",
                self.place.name(),
                error.category()
            ))
        })
    }

    async fn connect(&self) -> Result<MultiplexedConnection, RedisError> {
        let [user, password] = REDIS_VARIABLES.map(variable);
        let mut settings = RedisConnectionInfo::default().set_db(self.db);
        if let Some(user) = user {
            settings = settings.set_username(user);
        }
        if let Some(password) = password {
            settings = settings.set_password(password);
        }
        let info = self.endpoint.into_connection_info()?.set_redis_settings(settings);
        Client::open(info)?.get_multiplexed_async_connection().await
    }

    async fn scan(&self, folder: &str) -> Result<Vec<Listed>, RedisError> {
        let mut connection = self.connect().await?;
        let below = format!("{}{folder}", self.root);
        let mut cursor = 0_u64;
        let mut listed = Vec::new();
        loop {
            let (next, keys): (u64, Vec<String>) = redis::cmd("SCAN")
                .arg(cursor)
                .arg("MATCH")
                .arg(format!("{below}*"))
                .arg("COUNT")
                .arg(SCAN_STEP)
                .query_async(&mut connection)
                .await?;
            if !keys.is_empty() {
                let mut about = redis::pipe();
                for key in &keys {
                    about.cmd("OBJECT").arg("IDLETIME").arg(key).cmd("STRLEN").arg(key);
                }
                let about: Vec<Option<u64>> = about.query_async(&mut connection).await?;
                for (key, about) in keys.iter().zip(about.chunks(2)) {
                    // A key without an age is gone by now.
                    let &[Some(age), Some(bytes)] = about else { continue };
                    let path = key.strip_prefix(self.root).unwrap_or(key).to_owned();
                    listed.push(Listed { path, age, bytes });
                }
            }
            cursor = next;
            if cursor == 0 {
                break;
            }
        }
        // A scan may give a key twice.
        listed.sort_by(|one, other| one.path.cmp(&other.path));
        listed.dedup_by(|one, other| one.path == other.path);
        Ok(listed)
    }
}
