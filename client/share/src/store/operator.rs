//! Opens the service of each kind of store. Credentials come from the environment.

use std::time::Duration;

use opendal::layers::{ConcurrentLimitLayer, RetryLayer, TimeoutLayer};
use opendal::services::{Azblob, Fs, Gcs, Redis, S3};
use opendal::{Operator, Result};

use crate::layout::UNFINISHED;
use crate::place::Place;

/// A request that transfers no object ends after this.
const REQUEST_LIMIT: Duration = Duration::from_secs(30);
/// A part of an object is there after this.
const PART_LIMIT: Duration = Duration::from_secs(60);
/// Times that a request is repeated after a fault that may pass.
const REPEATS: usize = 4;
/// The same for Redis, whose client connects again by itself.
const REDIS_REPEATS: usize = 1;
/// The pause before the first repeat. Each one after it is twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(250);
/// S3 needs a region in its signatures, also where the server has none.
const DEFAULT_REGION: &str = "us-east-1";
/// The variables with the user and the password of a Redis server.
pub(super) const REDIS_VARIABLES: [&str; 2] = ["SDL_SHARE_REDIS_USER", "SDL_SHARE_REDIS_PASSWORD"];

/// Opens a store that takes at most `requests` at a time.
pub(super) fn open_operator(place: &Place, requests: usize) -> Result<Operator> {
    let operator = open_service(place, requests)?;
    let retry = RetryLayer::new()
        .with_max_times(if matches!(place, Place::Redis { .. }) { REDIS_REPEATS } else { REPEATS })
        .with_min_delay(FIRST_PAUSE)
        .with_jitter()
        // By default each repeat is logged with the whole error.
        .with_notify(|_: opendal::layers::RetryEvent<'_>| {});
    let timeout = TimeoutLayer::new().with_timeout(REQUEST_LIMIT).with_io_timeout(PART_LIMIT);
    Ok(operator.layer(timeout).layer(retry).layer(ConcurrentLimitLayer::new(requests)))
}

fn open_service(place: &Place, requests: usize) -> Result<Operator> {
    match place {
        Place::Folder { root } => {
            // Written aside and renamed, because a reader must not see half of an object.
            let aside = format!("{root}/{}", UNFINISHED.trim_end_matches('/'));
            Operator::new(Fs::default().root(root).atomic_write_dir(&aside))
        }
        Place::S3 { bucket, root, region, endpoint } => {
            let named = region.clone().or_else(|| variable("AWS_REGION"));
            let region = named.unwrap_or_else(|| DEFAULT_REGION.to_owned());
            let mut service = S3::default().bucket(bucket).root(root).region(&region);
            if let Some(endpoint) = endpoint.clone().or_else(|| variable("AWS_ENDPOINT_URL")) {
                service = service.endpoint(&endpoint);
            }
            Operator::new(service)
        }
        Place::Gcs { bucket, root, endpoint } => {
            let mut service = Gcs::default().bucket(bucket).root(root);
            if let Some(endpoint) = endpoint {
                service = service.endpoint(endpoint);
            }
            Operator::new(service)
        }
        Place::Azure { container, root, account, endpoint } => {
            let account = account.clone().or_else(|| variable("AZURE_STORAGE_ACCOUNT_NAME"));
            let own = account.as_ref().map(|account| format!("https://{account}.blob.core.windows.net"));
            let mut service = Azblob::default().container(container).root(root);
            if let Some(endpoint) = endpoint.clone().or(own) {
                service = service.endpoint(&endpoint);
            }
            if let Some(account) = &account {
                service = service.account_name(account);
            }
            if let Some(key) = variable("AZURE_STORAGE_ACCOUNT_KEY") {
                service = service.account_key(&key);
            }
            if let Some(token) = variable("AZURE_STORAGE_SAS_TOKEN") {
                service = service.sas_token(&token);
            }
            Operator::new(service)
        }
        Place::Redis { endpoint, db, root } => {
            let [user, password] = REDIS_VARIABLES.map(|name| variable(name).unwrap_or_default());
            let service = Redis::default()
                .endpoint(endpoint)
                .db(*db)
                .root(root)
                .username(&user)
                .password(&password)
                .connection_pool_max_size(requests);
            Operator::new(service)
        }
    }
}

/// A variable of the environment that is set and not empty.
pub(super) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}
