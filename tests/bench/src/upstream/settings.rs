//! `mcp.json` of a daemon of a run.

use std::fs;

use sdl_tests::TestEnv;
use serde_json::Value;

use crate::Outcome;

/// Replaces the file at once, as an editor does.
pub(crate) fn write_settings(env: &TestEnv, settings: &Value) -> Outcome {
    let path = env.state_dir().join("mcp.json");
    let fresh = env.state_dir().join("mcp.json.new");
    fs::write(&fresh, settings.to_string())?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(&fresh, fs::Permissions::from_mode(0o600))?;
    }
    fs::rename(&fresh, &path)?;
    Ok(())
}

/// What `sdlctl` prints as JSON for these words.
pub(crate) fn ask_ctl(env: &TestEnv, words: &[&str]) -> Outcome<Value> {
    let output = env.ctl(&[&["--json"], words].concat());
    serde_json::from_slice(&output.stdout).map_err(|error| {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        format!("sdlctl {}: {error}: {said}", words.join(" ")).into()
    })
}

/// The state of each upstream, as `sdlctl upstream ls` has it.
pub(crate) fn list_upstreams(env: &TestEnv) -> Outcome<Vec<Value>> {
    let mut listed = ask_ctl(env, &["upstream", "ls"])?;
    match listed["upstreams"].take() {
        Value::Array(all) => Ok(all),
        other => Err(format!("no list of upstreams: {other}").into()),
    }
}
