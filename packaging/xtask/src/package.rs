//! `cargo xtask package`: one folder with everything that an installation needs.

use std::fs;
use std::path::Path;

use crate::command::{self, Fault, Outcome, cargo_command, in_root};
use crate::quickstart::PROGRAMS;

/// Completion scripts: the shell, and the name that it looks for.
const COMPLETIONS: [(&str, &str); 5] = [
    ("bash", "sdlctl.bash"),
    ("zsh", "_sdlctl"),
    ("fish", "sdlctl.fish"),
    ("powershell", "sdlctl.ps1"),
    ("elvish", "sdlctl.elv"),
];

/// Files of the tree that go along as they are.
const FILES: [(&str, &str); 9] = [
    ("LICENSE-MIT", "LICENSE-MIT"),
    ("LICENSE-APACHE", "LICENSE-APACHE"),
    ("README.md", "README.md"),
    ("packaging/systemd/sdld.service", "service/systemd/sdld.service"),
    ("packaging/systemd/sdld.socket", "service/systemd/sdld.socket"),
    ("packaging/systemd/sdl-http.service", "service/systemd/sdl-http.service"),
    ("packaging/systemd/sdl-http.socket", "service/systemd/sdl-http.socket"),
    ("packaging/launchd/org.sdl.sdld.plist", "service/launchd/org.sdl.sdld.plist"),
    ("packaging/windows/sdld-task.ps1", "service/windows/sdld-task.ps1"),
];

pub(crate) fn run_package() -> Outcome {
    build_programs()?;
    let name =
        format!("sdl-{}-{}-{}", env!("CARGO_PKG_VERSION"), std::env::consts::ARCH, std::env::consts::OS);
    let folder = command::target_dir()?.join("package").join(name);
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    for program in PROGRAMS {
        let built = command::program_path("release", program)?;
        let file = built.file_name().ok_or_else(|| Fault::new("a program without a name"))?;
        copy_file(&built, &folder.join("bin").join(file))?;
    }
    for program in PROGRAMS.iter().filter(|program| **program != "sdlctl") {
        let page = format!("{program}.1");
        let from = command::workspace_root().join("packaging/linux/man").join(&page);
        copy_file(&from, &folder.join("man").join("man1").join(&page))?;
    }
    for (from, to) in FILES {
        copy_file(&command::workspace_root().join(from), &folder.join(to))?;
    }
    let ctl = command::program_path("release", "sdlctl")?;
    for (shell, file) in COMPLETIONS {
        let script = in_root(&ctl).args(["completions", shell]).read()?;
        write_file(&folder.join("completions").join(file), &script)?;
    }
    let man = folder.join("man").join("man1");
    fs::create_dir_all(&man)?;
    in_root(&ctl).arg("man").arg(&man).run()?;
    println!("{}", folder.display());
    Ok(())
}

/// Builds the programs for release.
pub(crate) fn build_programs() -> Outcome {
    let packages = PROGRAMS.iter().flat_map(|name| ["--package", name]);
    cargo_command().args(["build", "--release", "--locked"]).args(packages).run()
}

fn copy_file(from: &Path, to: &Path) -> Outcome {
    let content = fs::metadata(from).and_then(|_| make_parent(to)).and_then(|()| fs::copy(from, to));
    content.map(|_| ()).map_err(|error| Fault::new(format!("{}: {error}", from.display())))
}

fn write_file(to: &Path, text: &str) -> Outcome {
    make_parent(to).and_then(|()| fs::write(to, text))?;
    Ok(())
}

fn make_parent(path: &Path) -> std::io::Result<()> {
    path.parent().map_or(Ok(()), fs::create_dir_all)
}
