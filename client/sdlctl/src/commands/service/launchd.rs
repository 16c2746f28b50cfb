//! The property list of a LaunchAgent. Not yet loaded on a Mac.

use std::fmt::Write;
use std::path::Path;

use super::{Place, Plan, Unit, make_step};

const AGENT: &str = include_str!("../../../../../packaging/launchd/org.sdl.sdld.plist");

pub(super) fn launchd_plan(place: &Place, folder: &Path) -> Plan {
    let path = folder.join("org.sdl.sdld.plist");
    let mut variables = String::new();
    for (name, value) in &place.variables {
        let _ =
            write!(variables, "\n        <key>{name}</key>\n        <string>{}</string>", escape_xml(value));
    }
    let text = AGENT
        .replace("@SDLD@", &escape_xml(&place.daemon))
        .replace("@LOG@", &escape_xml(&place.paths.start_log().to_string_lossy()))
        .replace("@ENVIRONMENT@", &variables);
    let shown = path.display().to_string();
    Plan {
        units: vec![Unit { path, text }],
        stop: vec![make_step(&["launchctl", "unload", &shown])],
        install: vec![make_step(&["launchctl", "load", "-w", &shown])],
        uninstall: vec![make_step(&["launchctl", "unload", "-w", &shown])],
        ..Plan::default()
    }
}

fn escape_xml(text: &str) -> String {
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
        let text = &launchd_plan(&place, Path::new("/agents")).units[0].text;
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
