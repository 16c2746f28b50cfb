//! `cargo xtask check-units`: the service files, held to the platform's own checkers. If a checker is missing, for
//! example `systemd-analyze` on a Mac, it is named and the check passes.

use std::fs;
use std::path::Path;

use crate::command::{self, Fault, Outcome, has_program};

/// `systemd-analyze security` calls a service exposed from 0 to 100; most of the exposure below this can't be avoided
/// in a user's manager.
const EXPOSURE_LIMIT: &str = "70";

pub(crate) fn check_units() -> Outcome {
    let folder = tempfile::tempdir()?;
    let mut faults = Vec::new();
    for (name, check) in [
        ("systemd", check_systemd as fn(&Path) -> Outcome<Option<String>>),
        ("launchd", check_launchd),
        ("windows", check_windows),
    ] {
        match check(folder.path()) {
            Ok(None) => println!("{name}: ok"),
            Ok(Some(missing)) => println!("{name}: NOT CHECKED: {missing}"),
            Err(fault) => faults.push(format!("{name}: {fault}")),
        }
    }
    if faults.is_empty() { Ok(()) } else { Err(Fault::new(faults.join("\n"))) }
}

/// A file of `packaging/`, with its placeholders filled in.
fn fill_template(name: &str, values: &[(&str, &str)]) -> Outcome<String> {
    let path = command::workspace_root().join("packaging").join(name);
    let mut text =
        fs::read_to_string(&path).map_err(|error| Fault::new(format!("{}: {error}", path.display())))?;
    for (placeholder, value) in values {
        if !text.contains(placeholder) {
            return Err(Fault::new(format!("{name} has no {placeholder}")));
        }
        text = text.replace(placeholder, value);
    }
    Ok(text)
}

fn check_systemd(folder: &Path) -> Outcome<Option<String>> {
    // The program becomes this one, because the checker wants a program that exists.
    let program = std::env::current_exe()?;
    let program = program.to_string_lossy();
    let daemon = [("@SDLD@", &*program), ("@ENVIRONMENT@", "\"SDL_STATE_DIR=/tmp/a b\" \"SDL_LOG=info\"")];
    let written = [
        ("sdld.service", &daemon[..]),
        ("sdld.socket", &[("@SOCKET@", "%t/sdl/check.sock")]),
        ("sdl-http.service", &[("%h/.local/bin/sdl-http", &program)]),
        ("sdl-http.socket", &[]),
    ];
    let mut units = Vec::new();
    for (name, values) in written {
        let path = folder.join(name);
        fs::write(&path, fill_template(&format!("systemd/{name}"), values)?)?;
        units.push(path);
    }
    if !has_program("systemd-analyze", &["--version"]) {
        return Ok(Some("no systemd-analyze here".to_owned()));
    }
    let analyze = || {
        // The variable is set because the checker wants a runtime folder even to read files.
        command::in_root("systemd-analyze")
            .env("XDG_RUNTIME_DIR", folder)
            .env("SYSTEMD_COLORS", "0")
            .env("SYSTEMD_EMOJI", "0")
    };
    let verify = analyze().args(["verify", "--user", "--man=no"]).args(&units).output()?;
    let complaints = String::from_utf8_lossy(&verify.stderr).into_owned();
    // Unknown settings are only warnings to it, with success as its outcome.
    let about_ours = complaints.lines().any(|line| line.contains("sdld") || line.contains("sdl-http"));
    if about_ours || !verify.status.success() {
        return Err(Fault::new(format!("systemd-analyze verify: {}\n{complaints}", verify.status)));
    }
    for service in units.iter().filter(|unit| unit.extension().is_some_and(|end| end == "service")) {
        let security = analyze()
            .args(["security", "--offline=true", "--user", "--no-pager"])
            .args([&format!("--threshold={EXPOSURE_LIMIT}")])
            .arg(service)
            .output()?;
        let said = String::from_utf8_lossy(&security.stderr).into_owned();
        if said.contains("unrecognized option") || said.contains("Unknown option") {
            return Ok(Some("verified, but this systemd-analyze judges no files' security".to_owned()));
        }
        let table = String::from_utf8_lossy(&security.stdout).into_owned();
        if !security.status.success() {
            return Err(Fault::new(format!(
                "systemd-analyze security, limit {EXPOSURE_LIMIT}:\n{table}{said}"
            )));
        }
        if let Some(line) = table.lines().find(|line| line.contains("Overall exposure")) {
            println!("systemd: {}", line.trim_start_matches(['→', ' ']));
        }
    }
    Ok(None)
}

fn check_launchd(folder: &Path) -> Outcome<Option<String>> {
    let file = folder.join("org.sdl.sdld.plist");
    let environment = "<key>SDL_STATE_DIR</key><string>/tmp/a b</string>";
    let values =
        [("@SDLD@", "/usr/local/bin/sdld"), ("@LOG@", "/tmp/sdld.log"), ("@ENVIRONMENT@", environment)];
    fs::write(&file, fill_template("launchd/org.sdl.sdld.plist", &values)?)?;
    if has_program("plutil", &["-help"]) {
        command::in_root("plutil").arg("-lint").arg(&file).run()?;
        return Ok(None);
    }
    let parse = "import plistlib, sys; p = plistlib.load(open(sys.argv[1], 'rb')); assert p['ProgramArguments'] and p['EnvironmentVariables']";
    if has_program("python3", &["-c", "import plistlib"]) {
        command::in_root("python3").args(["-c", parse]).arg(&file).run()?;
        return Ok(Some("a well-formed property list, but this is no Mac".to_owned()));
    }
    Ok(Some("neither plutil nor python3 here".to_owned()))
}

fn check_windows(folder: &Path) -> Outcome<Option<String>> {
    let file = folder.join("sdld-task.ps1");
    fs::write(&file, fill_template("windows/sdld-task.ps1", &[])?)?;
    let Some(shell) =
        ["pwsh", "powershell"].into_iter().find(|name| has_program(name, &["-NoProfile", "-Command", "1"]))
    else {
        return Ok(Some("no PowerShell here".to_owned()));
    };
    let parse = format!(
        "$e = $null; [void][System.Management.Automation.Language.Parser]::ParseFile('{}', [ref]$null, [ref]$e); \
         $e | Out-String | Write-Output; exit $e.Count",
        file.display().to_string().replace('\'', "''")
    );
    command::in_root(shell).args(["-NoProfile", "-Command", &parse]).run()?;
    Ok(if cfg!(windows) { None } else { Some("it parses, but this is no Windows".to_owned()) })
}
