//! Where a store is, by its url. A url has no credentials in it.

use std::collections::BTreeMap;

/// A store's place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// A folder: `fs:///srv/sdl`.
    Folder { root: String },
    /// `s3://bucket/prefix?region=eu-west-1&endpoint=https://host`.
    S3 { bucket: String, root: String, region: Option<String>, endpoint: Option<String> },
    /// `gcs://bucket/prefix?endpoint=https://host`.
    Gcs { bucket: String, root: String, endpoint: Option<String> },
    /// `azblob://container/prefix?account=name&endpoint=https://host`.
    Azure { container: String, root: String, account: Option<String>, endpoint: Option<String> },
    /// `redis://host:port/db`, or `rediss://` for TLS.
    Redis { endpoint: String, db: i64, root: String },
}

/// The parts of a url.
struct Parts<'u> {
    scheme: &'u str,
    host: &'u str,
    path: &'u str,
    query: BTreeMap<String, String>,
}

impl Place {
    /// Reads a url.
    ///
    /// # Errors
    /// A message for people, which never quotes a password.
    pub(crate) fn parse(url: &str) -> Result<Self, String> {
        let parts = split_url(url)?;
        let known: &[&str] = match parts.scheme {
            "s3" => &["region", "endpoint"],
            "gcs" => &["endpoint"],
            "azblob" => &["account", "endpoint"],
            "redis" | "rediss" => &["prefix"],
            _ => &[],
        };
        if let Some(other) = parts.query.keys().find(|name| !known.contains(&name.as_str())) {
            return Err(format!(
                "a {}:// url has no {other:?}; it may have: {}",
                parts.scheme,
                known.join(", ")
            ));
        }
        let value = |name: &str| parts.query.get(name).cloned();
        let bucket = || match parts.host {
            "" => Err(format!("name the bucket: {}://BUCKET/PREFIX", parts.scheme)),
            host => Ok(host.to_owned()),
        };
        let root = root_of(parts.path);
        match parts.scheme {
            "fs" if parts.host.is_empty() && parts.path.len() > 1 => {
                Ok(Self::Folder { root: parts.path.to_owned() })
            }
            "fs" => Err("the folder of a store is an absolute path: fs:///srv/sdl".into()),
            "s3" => {
                Ok(Self::S3 { bucket: bucket()?, root, region: value("region"), endpoint: value("endpoint") })
            }
            "gcs" => Ok(Self::Gcs { bucket: bucket()?, root, endpoint: value("endpoint") }),
            "azblob" => Ok(Self::Azure {
                container: bucket()?,
                root,
                account: value("account"),
                endpoint: value("endpoint"),
            }),
            "redis" | "rediss" => redis_place(&parts),
            other => {
                Err(format!("there is no store {other}://; there are fs, s3, gcs, azblob, redis and rediss"))
            }
        }
    }

    /// How messages name it.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Folder { root } => format!("the folder {root}"),
            Self::S3 { bucket, .. } => format!("the bucket s3://{bucket}"),
            Self::Gcs { bucket, .. } => format!("the bucket gcs://{bucket}"),
            Self::Azure { container, .. } => format!("the container azblob://{container}"),
            Self::Redis { endpoint, .. } => format!("the server {endpoint}"),
        }
    }

    /// Which variables its credentials come from.
    pub(crate) fn credentials(&self) -> &'static str {
        match self {
            Self::Folder { .. } => "the rights of your user on that folder",
            Self::S3 { .. } => "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
            Self::Gcs { .. } => "GOOGLE_APPLICATION_CREDENTIALS",
            Self::Azure { .. } => "AZURE_STORAGE_ACCOUNT_KEY or AZURE_STORAGE_SAS_TOKEN",
            Self::Redis { .. } => "SDL_SHARE_REDIS_USER and SDL_SHARE_REDIS_PASSWORD",
        }
    }
}

fn redis_place(parts: &Parts<'_>) -> Result<Place, String> {
    if parts.host.is_empty() {
        return Err("name the server: redis://HOST:PORT/DB".into());
    }
    let db = match parts.path.trim_matches('/') {
        "" => 0,
        number => {
            number.parse().map_err(|_| format!("the database {number:?} of a redis:// url is a number"))?
        }
    };
    let root = parts.query.get("prefix").map_or_else(|| root_of("/sdl"), |prefix| root_of(prefix));
    Ok(Place::Redis { endpoint: format!("{}://{}", parts.scheme, parts.host), db, root })
}

/// A prefix as `opendal` wants it: with a slash at both ends.
fn root_of(path: &str) -> String {
    match path.trim_matches('/') {
        "" => "/".to_owned(),
        inner => format!("/{inner}/"),
    }
}

fn split_url(url: &str) -> Result<Parts<'_>, String> {
    let no_url =
        || "the store is a url, such as s3://bucket/prefix?region=eu-west-1 or fs:///srv/sdl".to_owned();
    let (scheme, rest) = url.split_once("://").ok_or_else(no_url)?;
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (host, path) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
    if host.contains('@') {
        return Err("a store's url has no user and no password in it: give them by the environment".into());
    }
    let mut values = BTreeMap::new();
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').ok_or_else(|| format!("{pair:?} has no value"))?;
        values.insert(name.to_owned(), unescape_query(value)?);
    }
    Ok(Parts { scheme, host, path, query: values })
}

fn unescape_query(text: &str) -> Result<String, String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digit = |byte: Option<u8>| byte.and_then(|byte| char::from(byte).to_digit(16));
        match (digit(rest.next()), digit(rest.next())) {
            (Some(high), Some(low)) => bytes.push((high * 16 + low) as u8),
            _ => return Err(format!("{text:?} has a % without two hexadecimal digits")),
        }
    }
    String::from_utf8(bytes).map_err(|_| format!("{text:?} is not UTF-8"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_name_places() {
        let place = |url| Place::parse(url).unwrap();
        assert_eq!(place("fs:///srv/sdl"), Place::Folder { root: "/srv/sdl".into() });
        let s3 = Place::S3 {
            bucket: "b".into(),
            root: "/a/b/".into(),
            region: Some("eu".into()),
            endpoint: Some("http://h:1/".into()),
        };
        assert_eq!(place("s3://b/a/b?region=eu&endpoint=http%3A%2F%2Fh:1/"), s3);
        let redis = Place::Redis { endpoint: "rediss://h:7".into(), db: 3, root: "/sdl/".into() };
        assert_eq!(place("rediss://h:7/3"), redis);
        assert!(matches!(place("gcs://b"), Place::Gcs { root, .. } if root == "/"));
        assert!(matches!(place("azblob://c/p?account=a"), Place::Azure { account: Some(_), .. }));
    }

    #[test]
    fn other_urls_are_refused_and_no_password_is_quoted() {
        for (url, why) in [
            ("bucket", "is a url"),
            ("ftp://x/y", "there are fs, s3"),
            ("fs://host/x", "absolute path"),
            ("fs:///", "absolute path"),
            ("s3:///x", "name the bucket"),
            ("s3://b?key=hunter2", "it may have: region, endpoint"),
            ("redis://:hunter2@h/0", "by the environment"),
            ("redis://h/x", "is a number"),
            ("s3://b?endpoint=%g1", "hexadecimal"),
        ] {
            let error = Place::parse(url).unwrap_err();
            assert!(error.contains(why) && !error.contains("hunter2"), "{url}: {error}");
        }
    }
}
