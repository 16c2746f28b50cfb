//! What a person pastes: the file of a client that has no other entry.

use crate::ENTRY_NAME;
use crate::catalog::Client;
use crate::edit::{self, Fault};
use crate::entry::Wanted;

/// The text for a client.
pub fn make_snippet(client: &Client, wanted: &Wanted) -> Result<String, Fault> {
    let fields = wanted.fields(&client.shape, ENTRY_NAME);
    let added = edit::add_entry("", client.target(), &fields)?;
    Ok(added.text.trim_end().to_owned())
}
