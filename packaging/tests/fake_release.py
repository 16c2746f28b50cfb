"""Makes folders as `cargo xtask package` makes them, with shell scripts in place of the programs.

    fake_release.py OUT VERSION PLATFORM...     for example: fake_release.py /tmp/x 0.1.0 x86_64-linux

Other tests import it. The scripts print their name, the version and their arguments.
"""

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = ("sdld", "sdl-gate", "sdl-mcp", "sdl-http", "sdl-ui", "sdl-share", "sdlctl")
COMPLETIONS = ("sdlctl.bash", "_sdlctl", "sdlctl.fish", "sdlctl.ps1", "sdlctl.elv")
COPIES = {
    "LICENSE-MIT": "LICENSE-MIT",
    "LICENSE-APACHE": "LICENSE-APACHE",
    "README.md": "README.md",
    "packaging/systemd/sdld.service": "service/systemd/sdld.service",
    "packaging/systemd/sdld.socket": "service/systemd/sdld.socket",
    "packaging/systemd/sdl-http.service": "service/systemd/sdl-http.service",
    "packaging/systemd/sdl-http.socket": "service/systemd/sdl-http.socket",
    "packaging/launchd/org.sdl.sdld.plist": "service/launchd/org.sdl.sdld.plist",
    "packaging/windows/sdld-task.ps1": "service/windows/sdld-task.ps1",
    **{f"packaging/linux/man/{name}.1": f"man/man1/{name}.1" for name in ("sdld", "sdl-gate", "sdl-mcp", "sdl-http", "sdl-ui", "sdl-share")},
}
# `exit N` as the first argument makes a program end with that code.
SCRIPT = """#!/bin/sh
# {marks}
[ "$1" != exit ] || exit "$2"
[ "$1" != kill ] || kill -TERM $$
[ "$1" != read ] || cat
echo "{name} {version} $*"
"""


def make_folder(out, version, platform, marks=""):
    """Writes one folder and returns its path. `marks` is text inside of each program, such as `GLIBC_2.31`."""
    folder = pathlib.Path(out) / f"sdl-{version}-{platform}"
    suffix = ".exe" if "windows" in platform else ""
    for name in PROGRAMS:
        file = folder / "bin" / (name + suffix)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(SCRIPT.format(name=name, version=version, marks=marks))
        file.chmod(0o755)
    for name in COMPLETIONS:
        file = folder / "completions" / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"# {name}\n")
    for name in ("sdlctl.1", "sdlctl-setup.1"):
        file = folder / "man" / "man1" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f'.TH {name[:-2]} 1 "sdl"\n.SH NAME\n{name[:-2]} \\- a page for tests\n')
    for source, target in COPIES.items():
        file = folder / target
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes((ROOT / source).read_bytes())
    return folder


if __name__ == "__main__":
    for name in sys.argv[3:]:
        print(make_folder(sys.argv[1], sys.argv[2], name))
