//! `key`: makes a team key.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::json;
use zeroize::Zeroizing;

use crate::report::Report;
use crate::trouble::Trouble;

/// Draws a key. Writes it into `file`, which must not be there yet, or prints it.
pub(crate) fn make_key(file: Option<&Path>) -> Result<Report, Trouble> {
    let mut key = Zeroizing::new([0_u8; 32]);
    getrandom::fill(&mut key[..]).map_err(|error| Trouble::Local(format!("no key can be drawn: {error}")))?;
    let mut text = Zeroizing::new(String::with_capacity(65));
    for byte in key.iter() {
        let _ = write!(text, "{byte:02x}");
    }
    let Some(file) = file else {
        return Ok(Report {
            data: json!({ "key": text.as_str() }),
            lines: vec![text.to_string()],
            concern: None,
        });
    };
    if file.symlink_metadata().is_ok() {
        return Err(Trouble::Usage(format!(
            "{} is there already; a key is never overwritten",
            file.display()
        )));
    }
    text.push('\n');
    sdl_settings::trust::write_private(file, text.as_bytes())
        .map_err(|error| Trouble::Local(format!("can't write {}: {error}", file.display())))?;
    Ok(Report {
        data: json!({ "keyFile": file }),
        lines: vec![format!(
            "{} has a new team key. Give it to the team on a safe way, and name it as keyFile in share.json",
            file.display()
        )],
        concern: None,
    })
}
