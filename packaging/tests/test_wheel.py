"""Wheels of fake releases: their tags, their RECORD, and an installation with pip that runs. Run: python3 packaging/tests/test_wheel.py"""

import base64
import csv
import hashlib
import os
import pathlib
import platform
import subprocess
import sys
import tempfile
import unittest
import venv
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path[:0] = [str(HERE), str(HERE.parent / "pypi")]

import fake_release  # noqa: E402
import make_wheel  # noqa: E402

ARCH = {"arm64": "aarch64", "AMD64": "x86_64"}.get(platform.machine(), platform.machine())
OWN = f"{ARCH}-macos" if sys.platform == "darwin" else f"{ARCH}-linux"


class Wheels(unittest.TestCase):
    def setUp(self):
        box = tempfile.TemporaryDirectory()
        self.addCleanup(box.cleanup)
        self.box = pathlib.Path(box.name)

    def wheel(self, place, marks="", version="1.2.3"):
        folder = fake_release.make_folder(self.box, version, place, marks)
        return make_wheel.make_wheel(folder, self.box / "out", "someone/somewhere")

    def test_tags_say_where_the_programs_run(self):
        cases = [
            ("x86_64-linux", "GLIBC_2.2.5 GLIBC_2.34", "manylinux_2_34_x86_64"),
            ("aarch64-linux", "GLIBC_2.5", "manylinux_2_17_aarch64"),
            ("x86_64-linux-musl", "", "manylinux_2_17_x86_64.musllinux_1_1_x86_64"),
            ("aarch64-macos", "", "macosx_11_0_arm64"),
            ("x86_64-windows", "", "win_amd64"),
        ]
        for place, marks, tag in cases:
            self.assertEqual(self.wheel(place, marks).name, f"sdl_ledger-1.2.3-py3-none-{tag}.whl")

    def test_a_build_with_the_wrong_library_is_refused(self):
        for place, marks in [("x86_64-linux-musl", "GLIBC_2.34"), ("x86_64-linux", "")]:
            with self.assertRaises(SystemExit):
                self.wheel(place, marks)

    def test_versions_follow_pep_440(self):
        self.assertIn("-1.2.3rc1-", self.wheel("aarch64-macos", version="1.2.3-rc.1").name)
        with self.assertRaises(SystemExit):
            self.wheel("aarch64-macos", version="1.2.3-nightly")

    def test_record_lists_every_file_with_its_hash(self):
        with zipfile.ZipFile(self.wheel("aarch64-macos")) as wheel:
            record = next(name for name in wheel.namelist() if name.endswith("RECORD"))
            rows = {row[0]: row for row in csv.reader(wheel.read(record).decode().splitlines())}
            self.assertEqual(set(rows), set(wheel.namelist()))
            for name in set(rows) - {record}:
                digest = base64.urlsafe_b64encode(hashlib.sha256(wheel.read(name)).digest()).decode().rstrip("=")
                self.assertEqual(rows[name][1:], [f"sha256={digest}", str(len(wheel.read(name)))])

    def test_the_same_folder_gives_the_same_bytes(self):
        first = self.wheel("aarch64-macos").read_bytes()
        self.assertEqual(first, self.wheel("aarch64-macos").read_bytes())

    @unittest.skipIf(os.name == "nt", "the fake programs are shell scripts")
    def test_pip_installs_it_and_the_programs_run(self):
        wheel = self.wheel(OWN, "GLIBC_2.5")
        home = self.box / "venv"
        venv.create(home, with_pip=True)
        pip = [home / "bin" / "python", "-m", "pip", "--disable-pip-version-check", "-q"]
        subprocess.run([*pip, "install", "--no-index", "--no-deps", wheel], check=True)

        def said(name, *words, **more):
            return subprocess.run([home / "bin" / name, *words], stdout=subprocess.PIPE, text=True, check=False, **more)

        self.assertEqual(said("sdl-ledger", "--surface", "flat").stdout, "sdl-mcp 1.2.3 --surface flat\n")
        self.assertEqual(said("sdl-ledger", "read", input="a line\n").stdout, "a line\nsdl-mcp 1.2.3 read\n")
        self.assertEqual(said("sdl-ledger", "exit", "3").returncode, 3)
        for name in fake_release.PROGRAMS:
            self.assertEqual(said(name, "a").stdout, f"{name} 1.2.3 a\n")
        self.assertTrue((home / "share/man/man1/sdlctl.1").is_file())
        subprocess.run([*pip, "check"], check=True)
        subprocess.run([*pip, "uninstall", "-y", "sdl-ledger"], check=True)
        self.assertEqual([path.name for path in (home / "bin").glob("sdl*")], [])


if __name__ == "__main__":
    unittest.main()
