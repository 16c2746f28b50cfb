"""Checks the pages: each page of docs/ is in SUMMARY.md, and each relative link and anchor leads somewhere. Standard library only.

    check_links.py [ROOT]      exit code 1, and a line for each fault

Anchors are those of GitHub. Pages are docs/, packaging/ and the pages at the root. docs/actions/ needs only its README in SUMMARY.md,
because that page lists the others.
"""

import pathlib
import re
import sys

LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(([^()\s]*(?:\([^()\s]*\)[^()\s]*)*)(?:\s+\"[^\"]*\")?\)")
CODE = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)")


def prose_lines(text):
    """Lines with their numbers, without blocks of code."""
    fence = None
    for number, line in enumerate(text.splitlines(), 1):
        mark = re.match(r"\s*(```+|~~~+)", line)
        if mark:
            fence = None if fence and mark[1].startswith(fence) else fence or mark[1]
        elif not fence:
            yield number, line


def anchor_of(heading):
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    text = re.sub(r"[^\w\- ]", "", text.replace("`", "").strip().lower())
    return text.replace(" ", "-")


def anchors_in(path):
    found = {}
    for _, line in prose_lines(path.read_text(encoding="utf-8")):
        heading = re.match(r"#{1,6}\s+(.*?)\s*#*$", line)
        if heading:
            name = anchor_of(heading[1])
            found[name] = found.get(name, -1) + 1
    return {f"{name}-{at}" if at else name for name, count in found.items() for at in range(count + 1)}


def links_in(path):
    for number, line in prose_lines(path.read_text(encoding="utf-8")):
        for link in LINK.finditer(CODE.sub("", line)):
            if not re.match(r"[a-z][a-z0-9+.-]*:", link[1]):
                yield number, link[1]


def link_faults(root, pages):
    anchors = {}
    for page in pages:
        for number, link in links_in(page):
            where, _, anchor = link.partition("#")
            target = (page.parent / where).resolve() if where else page
            name = f"{page.relative_to(root)}:{number}: {link}"
            if not target.exists():
                yield f"{name}: no such file"
            elif anchor and target.suffix == ".md":
                known = anchors.setdefault(target, anchors_in(target))
                if anchor not in known:
                    yield f"{name}: no such heading"


def summary_faults(root):
    docs = root / "docs"
    listed = {(docs / link.partition("#")[0]).resolve() for _, link in links_in(docs / "SUMMARY.md")}
    for page in sorted(docs.rglob("*.md")):
        is_listed_there = page.parent.name == "actions" and page.name != "README.md"
        if page.name != "SUMMARY.md" and not is_listed_there and page not in listed:
            yield f"docs/SUMMARY.md does not list {page.relative_to(docs)}"
    for page in sorted((docs / "actions").glob("*.md")):
        overview = {link.partition("#")[0] for _, link in links_in(docs / "actions" / "README.md")}
        if page.name != "README.md" and page.name not in overview:
            yield f"docs/actions/README.md does not list {page.name}"


def check_tree(root):
    root = pathlib.Path(root).resolve()
    pages = sorted([*root.glob("*.md"), *(root / "docs").rglob("*.md"), *(root / "packaging").rglob("*.md")])
    pages = [page for page in pages if "node_modules" not in page.parts]
    return [*summary_faults(root), *link_faults(root, pages)], len(pages)


if __name__ == "__main__":
    here = pathlib.Path(__file__).resolve().parents[2]
    faults, count = check_tree(sys.argv[1] if len(sys.argv) > 1 else here)
    print("\n".join([*faults, f"{count} pages, {len(faults)} faults"]))
    sys.exit(1 if faults else 0)
