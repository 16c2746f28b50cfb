"""Packs a release folder: the same folder gives the same bytes.

    archive.py FOLDER --out DIR     writes DIR/FOLDER.tar.gz, or .zip for Windows

Times are SOURCE_DATE_EPOCH (default: 1980-01-01, the first that a zip can hold), owners are 0, names are in order.
"""

import argparse
import gzip
import io
import os
import pathlib
import tarfile
import time
import zipfile

FIRST_ZIP_TIME = 315532800


def files_of(folder):
    return sorted(path for path in folder.rglob("*") if path.is_file())


def is_program(path):
    return path.parent.name == "bin"


def write_tar(folder, target, when):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for path in files_of(folder):
            entry = tarfile.TarInfo(f"{folder.name}/{path.relative_to(folder).as_posix()}")
            entry.size, entry.mtime = path.stat().st_size, when
            entry.mode = 0o755 if is_program(path) else 0o644
            with path.open("rb") as file:
                tar.addfile(entry, file)
    with target.open("wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=when) as out:
        out.write(packed.getvalue())


def write_zip(folder, target, when):
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as out:
        for path in files_of(folder):
            name = f"{folder.name}/{path.relative_to(folder).as_posix()}"
            entry = zipfile.ZipInfo(name, time.gmtime(when)[:6])
            entry.external_attr = (0o755 if is_program(path) else 0o644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            out.writestr(entry, path.read_bytes())


def pack_folder(folder, out):
    folder, out = pathlib.Path(folder), pathlib.Path(out)
    if not any((folder / "bin").glob("sdl-mcp*")):
        raise SystemExit(f"{folder} has no bin/sdl-mcp: make it with `cargo xtask package`")
    out.mkdir(parents=True, exist_ok=True)
    when = max(int(os.environ.get("SOURCE_DATE_EPOCH", FIRST_ZIP_TIME)), FIRST_ZIP_TIME)
    is_windows = folder.name.endswith("-windows")
    target = out / f"{folder.name}{'.zip' if is_windows else '.tar.gz'}"
    (write_zip if is_windows else write_tar)(folder, target, when)
    return target


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="+")
    parser.add_argument("--out", required=True)
    args = parser.parse_args()
    for one in args.folder:
        print(pack_folder(one, args.out))
