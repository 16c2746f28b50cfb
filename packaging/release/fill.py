"""Fills the version, the repository and the hashes of a release into the files that name them. Standard library only.

    fill.py --version 0.1.0 --repository OWNER/NAME --sums DIST/SHA256SUMS --out DIR

Reads packaging/ and writes the filled copies into DIR; the tree stays as it is. Fails if a hash is missing or a placeholder is left.
"""

import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "packaging" / "pypi"))

from make_wheel import python_version  # noqa: E402

# Where a file is in packaging/, and its name in the output.
FILES = {
    "install.sh": "install.sh",
    "homebrew/sdl-ledger.rb": "homebrew/sdl-ledger.rb",
    "scoop/sdl-ledger.json": "scoop/sdl-ledger.json",
    "registry/server.json": "registry/server.json",
    "devcontainer/src/sdl-ledger/devcontainer-feature.json": "devcontainer/sdl-ledger/devcontainer-feature.json",
    "devcontainer/src/sdl-ledger/install.sh": "devcontainer/sdl-ledger/install.sh",
}
# A feature has only its own folder.
COPIES = {"install.sh": "devcontainer/sdl-ledger/sdl-install.sh"}
PLACEHOLDER = re.compile(r"@([A-Z][A-Z0-9_]*)(?::([a-z0-9_.-]+))?@")


def read_sums(text):
    """Hashes by the names of files."""
    sums = {}
    for line in text.splitlines():
        found = re.fullmatch(r"([0-9a-f]{64})  ([^/\s]+)", line)
        if not found:
            raise SystemExit(f"SHA256SUMS has a line that is no hash and name: {line!r}")
        sums[found[2]] = found[1]
    return sums


def fill_text(text, values, sums, where):
    def value(found):
        name, argument = found.groups()
        if name == "SHA256":
            file = f"sdl-{values['VERSION']}-{argument}"
            if file not in sums:
                raise SystemExit(f"{where} needs the hash of {file}, which SHA256SUMS does not list")
            return sums[file]
        if name not in values or argument:
            raise SystemExit(f"{where} has an unknown placeholder {found[0]}")
        return values[name]

    return PLACEHOLDER.sub(value, text)


def fill_release(version, repository, sums, out):
    if not re.fullmatch(r"\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?", version):
        raise SystemExit(f"{version!r} is no version; write one such as 0.1.0")
    if not re.fullmatch(r"[A-Za-z0-9-]+/[A-Za-z0-9._-]+", repository):
        raise SystemExit(f"{repository!r} is no repository; write OWNER/NAME")
    values = {
        "VERSION": version,
        "PYTHON_VERSION": python_version(version),
        "REPOSITORY": repository,
        "OWNER": repository.split("/")[0],
        "BASE_URL": f"https://github.com/{repository}/releases/download/v{version}",
    }
    written = []
    for source, target in [*FILES.items(), *COPIES.items()]:
        path = ROOT / "packaging" / source
        filled = fill_text(path.read_text(encoding="utf-8"), values, sums, source)
        to = pathlib.Path(out) / target
        to.parent.mkdir(parents=True, exist_ok=True)
        to.write_text(filled, encoding="utf-8", newline="\n")
        to.chmod(path.stat().st_mode & 0o777)
        written.append(to)
    return written


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for option in ("--version", "--repository", "--sums", "--out"):
        parser.add_argument(option, required=True)
    args = parser.parse_args()
    sums_text = pathlib.Path(args.sums).read_text(encoding="utf-8")
    for one in fill_release(args.version, args.repository, read_sums(sums_text), args.out):
        print(one)
