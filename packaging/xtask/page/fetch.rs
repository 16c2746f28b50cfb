//! Packages from the registry, kept by their hash. What does not have the hash of the lock file is not used.

use std::io::Read as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use sha2::{Digest as _, Sha512};
use ureq::Agent;
use ureq::tls::{RootCerts, TlsConfig, TlsProvider};

use crate::lock::Package;
use crate::{Outcome, write_file};

/// The largest package: esbuild has ten megabytes.
const MOST_BYTES: u64 = 64 << 20;

/// How long a package may take.
const PATIENCE: Duration = Duration::from_mins(5);

/// Fetches packages.
pub(crate) struct Fetcher {
    folder: PathBuf,
    /// None if nothing may be fetched.
    agent: Option<Agent>,
}

impl Fetcher {
    /// Keeps packages in `folder`.
    pub(crate) fn new(folder: PathBuf, offline: bool) -> Outcome<Self> {
        let agent = if offline { None } else { Some(make_agent()) };
        Ok(Self { folder, agent })
    }

    /// A package's archive: the kept one, else from the registry.
    pub(crate) fn fetch(&mut self, package: &Package) -> Outcome<Vec<u8>> {
        let kept = self.folder.join(format!("{}.tgz", package.file_name()));
        if let Some(archive) = std::fs::read(&kept).ok().filter(|archive| has_hash(archive, package)) {
            return Ok(archive);
        }
        let Package { name, version, .. } = package;
        let agent = self.agent.as_ref().ok_or_else(|| {
            format!("{name} {version} was not fetched before; run it once without --offline")
        })?;
        let address = package.address();
        println!("fetching {address}");
        let failed = |error: &dyn std::fmt::Display| format!("{address}: {error}");
        let response = agent.get(&address).call().map_err(|error| failed(&error))?;
        let mut archive = Vec::new();
        let mut body = response.into_body().into_reader().take(MOST_BYTES + 1);
        body.read_to_end(&mut archive).map_err(|error| failed(&error))?;
        if archive.len() as u64 > MOST_BYTES {
            return Err(failed(&format_args!("it has more than {MOST_BYTES} bytes")));
        }
        if !has_hash(&archive, package) {
            return Err(failed(&"its SHA-512 is not that of package-lock.json; nothing of it is used"));
        }
        write_file(&kept, &archive)?;
        Ok(archive)
    }
}

fn make_agent() -> Agent {
    // The certificates that this machine trusts: a company's own may be among them.
    let tls = TlsConfig::builder()
        .provider(TlsProvider::Rustls)
        .root_certs(RootCerts::PlatformVerifier)
        .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .build();
    Agent::config_builder()
        .https_only(true)
        .max_redirects(0)
        .timeout_global(Some(PATIENCE))
        .tls_config(tls)
        .build()
        .new_agent()
}

fn has_hash(archive: &[u8], package: &Package) -> bool {
    Sha512::digest(archive).as_slice() == package.hash
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kept_archive_with_another_hash_is_not_used() {
        let folder = tempfile::tempdir().unwrap();
        let package = |bytes: &[u8]| Package {
            name: "a".to_owned(),
            version: "1.0.0".to_owned(),
            hash: Sha512::digest(bytes).into(),
        };
        let mut fetcher = Fetcher::new(folder.path().to_owned(), true).unwrap();
        let good = package(b"good");
        assert!(fetcher.fetch(&good).unwrap_err().contains("--offline"));
        let kept = folder.path().join(format!("{}.tgz", good.file_name()));
        std::fs::write(&kept, b"good").unwrap();
        assert_eq!(fetcher.fetch(&good).unwrap(), b"good");
        std::fs::write(&kept, b"evil").unwrap();
        assert!(fetcher.fetch(&good).is_err());
    }
}
