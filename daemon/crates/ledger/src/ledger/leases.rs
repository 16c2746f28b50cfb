//! Leases that agents hold, by handle. They belong to no version, and keep versions from ageing out.

use std::ops::ControlFlow;

use sdl_model::Version;
use serde::{Deserialize, Serialize};

use super::Ledger;
use crate::codec::{self, text_key};
use crate::env::Reads;
use crate::{Error, Result};

/// A held slice. Its content is its owner's business.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lease {
    /// Its handle.
    pub handle: String,
    /// The version from which it can be refreshed: neither that one nor a later one ages out while it lives.
    pub holds_from: Version,
    /// When it ends, in Unix milliseconds.
    pub expires_ms: u64,
    /// The bytes of the slice.
    #[serde(with = "serde_bytes")]
    pub data: Vec<u8>,
}

impl Ledger {
    /// Stores a lease under its handle.
    pub fn put_lease(&self, lease: &Lease) -> Result<()> {
        if lease.handle.is_empty() {
            return Err(Error::Misuse("a lease needs a handle"));
        }
        let row = codec::encode_record("leases", lease)?;
        self.write_aside(|txn| txn.put(self.shared().leases, &text_key(&lease.handle), &row))
    }

    /// The lease of that handle, live or not.
    pub fn lease(&self, handle: &str) -> Result<Option<Lease>> {
        let txn = self.env.read(None)?;
        let row = txn.get(self.shared().leases, &text_key(handle))?;
        row.map(|bytes| codec::decode_record("leases", bytes)).transpose()
    }

    /// Puts off a lease's end; whether there is such a lease.
    pub fn renew_lease(&self, handle: &str, expires_ms: u64) -> Result<bool> {
        let key = text_key(handle);
        self.write_aside(|txn| {
            let Some(row) = txn.get(self.shared().leases, &key)? else { return Ok(false) };
            let lease = Lease { expires_ms, ..codec::decode_record("leases", row)? };
            txn.put(self.shared().leases, &key, &codec::encode_record("leases", &lease)?)?;
            Ok(true)
        })
    }

    /// Ends a lease; whether there was one.
    pub fn delete_lease(&self, handle: &str) -> Result<bool> {
        self.write_aside(|txn| txn.delete(self.shared().leases, &text_key(handle)))
    }

    /// Removes the leases that ended before `now_ms`; how many.
    pub fn expire_leases(&self, now_ms: u64) -> Result<u64> {
        let mut ended = Vec::new();
        self.each_lease(&mut |lease| {
            if lease.expires_ms < now_ms {
                ended.push(lease.handle);
            }
        })?;
        if ended.is_empty() {
            return Ok(0);
        }
        self.write_aside(|txn| {
            let mut removed = 0;
            for handle in &ended {
                let key = text_key(handle);
                // It may have been renewed since.
                let Some(row) = txn.get(self.shared().leases, &key)? else { continue };
                if codec::decode_record::<Lease>("leases", row)?.expires_ms < now_ms {
                    removed += u64::from(txn.delete(self.shared().leases, &key)?);
                }
            }
            Ok(removed)
        })
    }

    /// Every lease, live or not.
    pub fn each_lease(&self, each: &mut dyn FnMut(Lease)) -> Result<()> {
        let txn = self.env.read(None)?;
        txn.scan(self.shared().leases, &[], &mut |_, value| {
            each(codec::decode_record("leases", value)?);
            Ok(ControlFlow::Continue(()))
        })
    }
}
