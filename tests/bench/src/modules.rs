//! Modules turned on, and symbols for rows to be about.

use std::fs;

use sdl_tests::TestEnv;
use serde_json::{Value, json};

use crate::Outcome;
use crate::random::Random;
use crate::world::World;

/// Turns modules on for daemons that start from here on.
pub(crate) fn turn_on(env: &TestEnv, modules: &[&str]) -> Outcome {
    let path = env.state_dir().join("mcp.json");
    fs::write(&path, json!({"sdl": {"modules": modules}}).to_string())?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        // The daemon reads no settings that others may write.
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600))?;
    }
    Ok(())
}

/// A symbol of the tree.
#[derive(Clone, Debug)]
pub(crate) struct Symbol {
    pub(crate) id: String,
    pub(crate) file: String,
    pub(crate) qualified: String,
    pub(crate) kind: String,
    /// Its first and last lines.
    pub(crate) lines: (u64, u64),
}

impl Symbol {
    /// Its name without those around it.
    pub(crate) fn name(&self) -> &str {
        self.qualified.rsplit(['.', ':']).next().unwrap_or(&self.qualified)
    }
}

/// Random functions, methods and classes of the tree.
pub(crate) fn random_symbols(world: &World, random: &mut Random, count: usize) -> Outcome<Vec<Symbol>> {
    let mut all = Vec::new();
    for line in world.env.ctl_ok(&["export", "symbols", "--repo", &world.repo]).lines() {
        let line: Value = serde_json::from_str(line)?;
        let text = |field: &str| line[field].as_str().unwrap_or_default().to_owned();
        let number = |field: &str| line[field].as_u64().unwrap_or(0);
        if ["function", "method", "class", "struct", "trait", "interface", "enum"].contains(&&*text("kind")) {
            all.push(Symbol {
                id: text("symbol_id"),
                file: text("file"),
                qualified: text("qualified_name"),
                kind: text("kind"),
                lines: (number("start_line"), number("end_line")),
            });
        }
    }
    let mut found = Vec::new();
    while found.len() < count && !all.is_empty() {
        let at = random.below(all.len() as u64) as usize;
        found.push(all.swap_remove(at));
    }
    Ok(found)
}
