//! The property list of a LaunchAgent. Not yet loaded on a Mac.

use std::fmt::Write;
use std::path::Path;

use super::{Place, Plan, Unit, step};

const AGENT: &str = include_str!("../../../../../packaging/launchd/org.sdl.sdld.plist");

pub(super) fn plan(place: &Place, folder: &Path) -> Plan {
    let path = folder.join("org.sdl.sdld.plist");
    let mut variables = String::new();
    for (name, value) in &place.variables {
        let _ = write!(variables, "\n        <key>{name}</key>\n        <string>{}</string>", escaped(value));
    }
    let text = AGENT
        .replace("@SDLD@", &escaped(&place.daemon))
        .replace("@LOG@", &escaped(&place.paths.start_log().to_string_lossy()))
        .replace("@ENVIRONMENT@", &variables);
    let shown = path.display().to_string();
    Plan {
        units: vec![Unit { path, text }],
        stop: vec![step(&["launchctl", "unload", &shown])],
        install: vec![step(&["launchctl", "load", "-w", &shown])],
        uninstall: vec![step(&["launchctl", "unload", "-w", &shown])],
        ..Plan::default()
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_goes_along() {
        let place = Place {
            daemon: "/a&b/sdld".into(),
            paths: sdl_client::Paths::new("/s".into(), None),
            variables: vec![("SDL_STATE_DIR", "/<s>".into())],
        };
        let text = &plan(&place, Path::new("/agents")).units[0].text;
        assert!(text.contains("<string>/a&amp;b/sdld</string>"), "{text}");
        assert!(
            text.contains(
                "<dict>\n        <key>SDL_STATE_DIR</key>\n        <string>/&lt;s&gt;</string>\n    </dict>"
            ),
            "{text}"
        );
        assert!(!text.contains('@'), "a placeholder is left: {text}");
    }
}
