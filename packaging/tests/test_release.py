"""fill.py, archive.py and check_links.py. Run: python3 packaging/tests/test_release.py"""

import json
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path[:0] = [str(HERE), str(HERE.parent / "release"), str(HERE.parent / "docs")]

import archive  # noqa: E402
import check_links  # noqa: E402
import fake_release  # noqa: E402
import fill  # noqa: E402

ARCHIVES = ["aarch64-macos.tar.gz", "x86_64-macos.tar.gz", "aarch64-linux-musl.tar.gz", "x86_64-linux-musl.tar.gz", "x86_64-windows.zip"]
SUMS = {f"sdl-1.2.3-rc.1-{name}": f"{at:064x}" for at, name in enumerate(ARCHIVES, 1)}


class Release(unittest.TestCase):
    def setUp(self):
        box = tempfile.TemporaryDirectory()
        self.addCleanup(box.cleanup)
        self.box = pathlib.Path(box.name)

    def test_every_placeholder_is_filled(self):
        written = fill.fill_release("1.2.3-rc.1", "some-one/some.where", SUMS, self.box)
        self.assertEqual(len(written), 7)
        for path in written:
            self.assertNotRegex(path.read_text(), fill.PLACEHOLDER)
        server = json.loads((self.box / "registry/server.json").read_text())
        self.assertEqual(server["name"], "io.github.some-one/sdl-ledger")
        self.assertEqual([one["version"] for one in server["packages"]], ["1.2.3-rc.1", "1.2.3rc1"])
        scoop = json.loads((self.box / "scoop/sdl-ledger.json").read_text())["architecture"]["64bit"]
        self.assertEqual(scoop["hash"], f"{5:064x}")
        self.assertTrue(scoop["url"].endswith("/some-one/some.where/releases/download/v1.2.3-rc.1/sdl-1.2.3-rc.1-x86_64-windows.zip"))
        formula = (self.box / "homebrew/sdl-ledger.rb").read_text()
        self.assertEqual([formula.count(f"{at:064x}") for at in (1, 2, 3, 4)], [1, 1, 1, 1])

    def test_the_filled_installer_knows_its_repository(self):
        fill.fill_release("1.2.3-rc.1", "some-one/some.where", SUMS, self.box)
        for name in ("install.sh", "devcontainer/sdl-ledger/sdl-install.sh"):
            text = (self.box / name).read_text()
            self.assertIn("REPOSITORY='some-one/some.where'", text)
            self.assertTrue(os.access(self.box / name, os.X_OK))

    def test_what_is_missing_or_wrong_is_named(self):
        fewer = {name: value for name, value in SUMS.items() if "windows" not in name}
        for version, repository, sums in [("1.2.3-rc.1", "a/b", fewer), ("v1", "a/b", SUMS), ("1.2.3-rc.1", "a", SUMS)]:
            with self.assertRaises(SystemExit):
                fill.fill_release(version, repository, sums, self.box)
        with self.assertRaises(SystemExit):
            fill.fill_text("@WRONG@", {}, {}, "a file")
        with self.assertRaises(SystemExit):
            fill.read_sums("abc  file\n")

    def test_archives_have_modes_and_the_same_bytes(self):
        folder = fake_release.make_folder(self.box, "1.2.3", "x86_64-linux")
        first = archive.pack_folder(folder, self.box / "a").read_bytes()
        for path in folder.rglob("*"):
            os.utime(path, (1, 1))
        packed = archive.pack_folder(folder, self.box / "b")
        self.assertEqual(first, packed.read_bytes())
        with tarfile.open(packed) as tar:
            modes = {entry.name: (entry.mode, entry.uid) for entry in tar}
        self.assertEqual(modes["sdl-1.2.3-x86_64-linux/bin/sdld"], (0o755, 0))
        self.assertEqual(modes["sdl-1.2.3-x86_64-linux/README.md"], (0o644, 0))
        windows = fake_release.make_folder(self.box, "1.2.3", "x86_64-windows")
        with zipfile.ZipFile(archive.pack_folder(windows, self.box)) as packed_zip:
            self.assertIn("sdl-1.2.3-x86_64-windows/bin/sdl-mcp.exe", packed_zip.namelist())

    def test_faults_of_links_are_found(self):
        docs = self.box / "docs"
        (docs / "actions").mkdir(parents=True)
        (docs / "actions" / "README.md").write_text("# Actions\n")
        (docs / "SUMMARY.md").write_text("- [A](a.md)\n- [Actions](actions/README.md)\n")
        (docs / "a.md").write_text("# Title `code`\n[ok](#title-code) [gone](b.md) [no](#none) `[code](x.md)`\n```\n[code](y.md)\n```\n")
        (docs / "c.md").write_text("# C\n[web](https://example.com/x) [up](../d.md)\n")
        faults, pages = check_links.check_tree(self.box)
        self.assertEqual(pages, 4)
        wanted = ["does not list c.md", "b.md: no such file", "#none: no such heading", "../d.md: no such file"]
        self.assertEqual(len(faults), len(wanted), faults)
        for end in wanted:
            self.assertTrue(any(fault.endswith(end) for fault in faults), (end, faults))

    def test_the_feature_needs_its_installer(self):
        feature = HERE.parent / "devcontainer" / "src" / "sdl-ledger" / "install.sh"
        ended = subprocess.run(["sh", feature], capture_output=True, text=True, check=False)
        self.assertEqual(ended.returncode, 1)
        self.assertIn("fill.py", ended.stderr)


if __name__ == "__main__":
    unittest.main()
