//! The units of a systemd user manager.

use std::path::Path;

use super::{Place, Plan, Unit, make_step};

const SERVICE: &str = include_str!("../../../../../packaging/systemd/sdld.service");
const SOCKET: &str = include_str!("../../../../../packaging/systemd/sdld.socket");

pub(super) fn systemd_plan(place: &Place, folder: &Path) -> Plan {
    let variables: Vec<String> =
        place.variables.iter().map(|(name, value)| format!("\"{name}={}\"", escape_quoted(value))).collect();
    let service = SERVICE
        .replace("@SDLD@", &escape_quoted(&place.daemon))
        .replace("@ENVIRONMENT@", &variables.join(" "));
    let socket = SOCKET.replace("@SOCKET@", &place.paths.socket().to_string_lossy().replace('%', "%%"));
    Plan {
        units: vec![
            Unit { path: folder.join("sdld.service"), text: service },
            Unit { path: folder.join("sdld.socket"), text: socket },
        ],
        check: Some(systemctl_step(&["show-environment"])),
        stop: vec![systemctl_step(&["stop", "sdld.socket", "sdld.service"])],
        install: vec![
            systemctl_step(&["daemon-reload"]),
            systemctl_step(&["enable", "--now", "sdld.socket", "sdld.service"]),
        ],
        uninstall: vec![systemctl_step(&["disable", "--now", "sdld.socket", "sdld.service"])],
        forget: vec![
            systemctl_step(&["daemon-reload"]),
            systemctl_step(&["reset-failed", "sdld.service", "sdld.socket"]),
        ],
        folders: ["default.target.wants", "sockets.target.wants"].map(|name| folder.join(name)).into(),
    }
}

fn systemctl_step(words: &[&str]) -> Vec<String> {
    let mut all = make_step(&["systemctl", "--user"]);
    all.extend(make_step(words));
    all
}

/// For use between double quotes.
fn escape_quoted(text: &str) -> String {
    text.replace('%', "%%").replace('\\', "\\\\").replace('"', "\\\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_filled_in_stays_one_word() {
        let place = Place {
            daemon: "/opt/a \"b\"/100%/sdld".into(),
            paths: sdl_client::Paths::new("/s t".into(), Some("/r%".into())),
            variables: vec![("SDL_STATE_DIR", "/s t".into()), ("SDL_LOG", "a\\b".into())],
        };
        let plan = systemd_plan(&place, Path::new("/config"));
        let service = &plan.units[0].text;
        assert!(service.contains("\nExecStart=\"/opt/a \\\"b\\\"/100%%/sdld\"\n"), "{service}");
        assert!(service.contains("\nEnvironment=\"SDL_STATE_DIR=/s t\" \"SDL_LOG=a\\\\b\"\n"), "{service}");
        assert!(plan.units[1].text.contains("\nListenStream=/r%%/"), "{}", plan.units[1].text);
        let left =
            |unit: &Unit| ["@SDLD@", "@ENVIRONMENT@", "@SOCKET@"].iter().any(|it| unit.text.contains(it));
        assert!(!plan.units.iter().any(left), "a placeholder is left");
    }
}
