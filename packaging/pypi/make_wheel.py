"""Turns release folders into wheels that bring the programs. Standard library only.

    make_wheel.py --out DIR FOLDER...       a folder is named sdl-VERSION-ARCH-OS[-musl]

The programs become scripts of the wheel, so they are in the `bin` of an environment. `sdl-ledger` runs sdl-mcp. The same folder gives
the same bytes.
"""

import argparse
import base64
import hashlib
import os
import pathlib
import re
import time
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = ("sdld", "sdl-gate", "sdl-mcp", "sdl-http", "sdl-ui", "sdl-share", "sdlctl")
NAME = re.compile(r"sdl-(\d[0-9A-Za-z.+-]*?)-(x86_64|aarch64)-(linux|macos|windows)(-musl)?")
# Built with MACOSX_DEPLOYMENT_TARGET=11.0.
MACOS = {"x86_64": "macosx_11_0_x86_64", "aarch64": "macosx_11_0_arm64"}
FIRST_ZIP_TIME = 315532800


def python_version(version):
    """A version of SemVer as PEP 440 writes it, such as 0.2.0rc1 for 0.2.0-rc.1."""
    found = re.fullmatch(r"(\d+\.\d+\.\d+)(?:-(alpha|beta|rc)\.?(\d+))?", version)
    if not found:
        raise SystemExit(f"{version} can't be a version on PyPI; use X.Y.Z, or X.Y.Z-rc.N, -alpha.N, -beta.N")
    plain, stage, number = found.groups()
    return plain + (f"{ {'alpha': 'a', 'beta': 'b', 'rc': 'rc'}[stage]}{number}" if stage else "")


def oldest_glibc(programs):
    """The newest version of a symbol that the programs ask for, as (2, 35), or None if they ask for none."""
    found = [int(minor) for data in programs.values() for minor in re.findall(rb"GLIBC_2\.(\d+)", data)]
    return (2, max(found)) if found else None


def platform_tag(arch, system, musl, programs):
    if system == "windows":
        if arch != "x86_64":
            raise SystemExit("there is no build for Windows on ARM")
        return "win_amd64"
    if system == "macos":
        return MACOS[arch]
    glibc = oldest_glibc(programs)
    if musl:
        if glibc:
            raise SystemExit(f"the musl build asks for glibc 2.{glibc[1]}: it is not linked statically")
        # A static program runs with either C library, so an older glibc gets this wheel.
        return f"manylinux_2_17_{arch}.musllinux_1_1_{arch}"
    if not glibc:
        raise SystemExit("the glibc build names no version of glibc: are these the programs of the musl build?")
    return f"manylinux_{glibc[0]}_{max(glibc[1], 17)}_{arch}"


def read_programs(folder, system):
    suffix = ".exe" if system == "windows" else ""
    missing = [name for name in PROGRAMS if not (folder / "bin" / (name + suffix)).is_file()]
    if missing:
        raise SystemExit(f"{folder} has no bin/{missing[0]}: make it with `cargo xtask package`")
    return {name + suffix: (folder / "bin" / (name + suffix)).read_bytes() for name in PROGRAMS}


def metadata(version, repository):
    readme = (HERE / "README.pypi.md").read_text()
    lines = [
        "Metadata-Version: 2.4",
        "Name: sdl-ledger",
        f"Version: {version}",
        "Summary: Exact code for coding agents: a live ledger of symbols, over MCP",
        "License-Expression: MIT OR Apache-2.0",
        "License-File: LICENSE-MIT",
        "License-File: LICENSE-APACHE",
        "Requires-Python: >=3.8",
        "Keywords: mcp,code,symbols,agents",
        "Description-Content-Type: text/markdown",
    ]
    if repository:
        lines.insert(4, f"Project-URL: Source, https://github.com/{repository}")
        # The MCP registry looks for this line.
        readme += f"\n<!-- mcp-name: io.github.{repository.split('/')[0]}/sdl-ledger -->\n"
    return "\n".join(lines) + "\n\n" + readme


def collect_files(folder, system, version, tag, programs, repository):
    """All files of the wheel but RECORD, by their names in it."""
    info, data = f"sdl_ledger-{version}.dist-info", f"sdl_ledger-{version}.data"
    files = {"sdl_ledger/__init__.py": (HERE / "launch.py").read_bytes()}
    files.update({f"{data}/scripts/{name}": content for name, content in programs.items()})
    if system != "windows":
        pages = sorted((folder / "man" / "man1").glob("*.1"))
        files.update({f"{data}/data/share/man/man1/{page.name}": page.read_bytes() for page in pages})
        bash = (folder / "completions" / "sdlctl.bash").read_bytes()
        files[f"{data}/data/share/bash-completion/completions/sdlctl"] = bash
    for name in ("LICENSE-MIT", "LICENSE-APACHE"):
        files[f"{info}/licenses/{name}"] = (folder / name).read_bytes()
    tags = "".join(f"Tag: py3-none-{one}\n" for one in tag.split("."))
    files[f"{info}/METADATA"] = metadata(version, repository).encode()
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: make_wheel\nRoot-Is-Purelib: false\n{tags}".encode()
    files[f"{info}/entry_points.txt"] = b"[console_scripts]\nsdl-ledger = sdl_ledger:main\n"
    return files


def write_wheel(path, files, record):
    def line(name, content):
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        return f"{name},sha256={digest},{len(content)}\n"

    lines = "".join(line(name, content) for name, content in files.items())
    files = {**files, record: (lines + f"{record},,\n").encode()}
    when = time.gmtime(max(int(os.environ.get("SOURCE_DATE_EPOCH", FIRST_ZIP_TIME)), FIRST_ZIP_TIME))[:6]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, when)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if ".data/scripts/" in name else 0o100644) << 16
            wheel.writestr(entry, content)


def make_wheel(folder, out, repository=None):
    folder, out = pathlib.Path(folder), pathlib.Path(out)
    found = NAME.fullmatch(folder.name)
    if not found:
        raise SystemExit(f"{folder.name} is not named sdl-VERSION-ARCH-OS")
    release, arch, system, musl = found.groups()
    version = python_version(release)
    programs = read_programs(folder, system)
    tag = platform_tag(arch, system, musl, programs)
    files = collect_files(folder, system, version, tag, programs, repository)
    out.mkdir(parents=True, exist_ok=True)
    path = out / f"sdl_ledger-{version}-py3-none-{tag}.whl"
    write_wheel(path, files, f"sdl_ledger-{version}.dist-info/RECORD")
    return path


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="+")
    parser.add_argument("--out", required=True)
    parser.add_argument("--repository", help="OWNER/NAME on GitHub")
    args = parser.parse_args()
    for one in args.folder:
        print(make_wheel(one, args.out, args.repository))
