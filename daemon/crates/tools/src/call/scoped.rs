//! The data of a handle on a workspace: the workspace's name, then what the action holds. It is stored in the ledger
//! of one of the workspace's repositories, because a workspace has none of its own.

use std::sync::Arc;

use crate::call::leases::LeaseWrite;

/// The first byte of such data. What actions hold in a repository begins with small numbers.
const MARK: u8 = b'@';

/// Puts the name of the workspace before the data of a write.
pub(crate) fn scope_write(scope: &str, write: LeaseWrite) -> LeaseWrite {
    match write {
        LeaseWrite::Put { handle, holds_from, known_to, replaces, data, at_once } => {
            let data = scope_data(scope, &data);
            LeaseWrite::Put { handle, holds_from, known_to, replaces, data, at_once }
        }
        renew @ LeaseWrite::Renew { .. } => renew,
    }
}

fn scope_data(scope: &str, data: &[u8]) -> Vec<u8> {
    let mut bytes = vec![MARK];
    bytes.extend_from_slice(&(scope.len() as u32).to_le_bytes());
    bytes.extend_from_slice(scope.as_bytes());
    bytes.extend_from_slice(data);
    bytes
}

/// The workspace that the data of a handle names, and the rest; none if it is of a single repository.
pub(crate) fn split_scope(bytes: &[u8]) -> Option<(&str, &[u8])> {
    let (length, rest) = bytes.strip_prefix(&[MARK])?.split_first_chunk::<4>()?;
    let (scope, data) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    Some((std::str::from_utf8(scope).ok()?, data))
}

/// The data of a handle without the name of a workspace.
pub(crate) fn without_scope(data: Arc<[u8]>) -> Arc<[u8]> {
    match split_scope(&data) {
        Some((_, rest)) => rest.into(),
        None => data,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_workspace_comes_back_with_the_data() {
        let bytes = scope_data("workspace:shop", b"\x02{}");
        assert_eq!(split_scope(&bytes), Some(("workspace:shop", &b"\x02{}"[..])));
        for other in [&b""[..], b"\x02{}", b"@", b"@\xff\xff\xff\xffab", b"@\x01\0\0\0"] {
            assert_eq!(split_scope(other), None, "{other:?}");
        }
    }
}
