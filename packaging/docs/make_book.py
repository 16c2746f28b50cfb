"""Copies the pages for mdBook, with those at the root of the repository, and points links between the two at the copies.

    make_book.py OUT          then: mdbook build OUT
"""

import pathlib
import re
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = {
    "README.md": "Build, guarantees, uninstall",
    "ARCHITECTURE.md": "Architecture",
    "CONTRIBUTING.md": "Contributing",
    "SECURITY.md": "Security",
    "CHANGELOG.md": "Changelog",
}


def without_packaging(text):
    """Links to packaging/ as plain text, because the site has no such pages."""
    return re.sub(r"\[([^\]]*)\]\((?:\.\./)?packaging/[^)]*\)", r"\1", text)


def make_book(out):
    if out.exists():
        shutil.rmtree(out)
    src = out / "src"
    shutil.copytree(ROOT / "docs", src, ignore=shutil.ignore_patterns("book.toml"))
    names = "|".join(re.escape(name) for name in PAGES)
    for page in src.rglob("*.md"):
        text = page.read_text(encoding="utf-8")
        text = re.sub(rf"\]\(\.\./({names})(#[^)]*)?\)", r"](root/\1\2)", text)
        page.write_text(without_packaging(text), encoding="utf-8")
    (src / "root").mkdir()
    for name in PAGES:
        text = (ROOT / name).read_text(encoding="utf-8")
        (src / "root" / name).write_text(without_packaging(re.sub(r"\]\(docs/", "](../", text)), encoding="utf-8")
    lines = "".join(f"- [{title}](root/{name})\n" for name, title in PAGES.items())
    with (src / "SUMMARY.md").open("a", encoding="utf-8") as summary:
        # Each action has a page of its own below the overview.
        summary.write(lines)
    actions = sorted((src / "actions").glob("*.md"))
    nested = "".join(f"  - [{page.stem}](actions/{page.name})\n" for page in actions if page.name != "README.md")
    summary = src / "SUMMARY.md"
    overview = "- [Every action](actions/README.md)\n"
    summary.write_text(summary.read_text().replace(overview, overview + nested))
    book = (ROOT / "docs" / "book.toml").read_text()
    (out / "book.toml").write_text(book.replace('src = "."', 'src = "src"').replace("../target/book", "book"))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: make_book.py OUT")
    make_book(pathlib.Path(sys.argv[1]))
