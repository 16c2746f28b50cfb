"""The measurement of clean_root.sh: from a clean root to the first right answer, for each product. Prints one table.

A step is what a person types, as the product's own documentation says, in its shortest form. Its time is read from a monotonic clock. All
packages are served from this machine, in place of a release and of a registry, so that no time depends on the network. Each product starts
from the same root, on an overlay of its own, in namespaces of its own: nothing that it starts outlives the run.
"""

import argparse
import datetime
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import time

import clean_root_serve

HERE = pathlib.Path(__file__).resolve().parent
USER = "ana"
TREE = "tree"
# The form of a release's address, for the keys that a person types. The file itself comes from this machine.
ADDRESS = "https://github.com/OWNER/REPOSITORY/releases/latest/download/"
STEP_SECONDS = 900
# A line to the network, for the time that downloads would take.
MEGABITS = 50


class Product:
    """How to install, configure and ask one product."""

    def __init__(self, name, steps, server, tool, arguments, versions):
        # `steps` are (what is typed, what runs in its place if that differs); `sudo` runs as root.
        self.name, self.steps, self.server, self.tool, self.arguments, self.versions = name, steps, server, tool, arguments, versions


def products(options, served):
    """All products, with the steps from their documentation."""
    package = options.package.name
    sdl = Product(
        "sdl (.deb)",
        [
            (f"curl -fLO {ADDRESS}{package}", f"curl -fsSLO {served}/{package}"),
            (f"sudo apt install -y ./{package}", None),
            (f"cd {TREE}", None),
            ("sdlctl setup --yes --index", None),
        ],
        "sdl",
        "sdl_query",
        {"action": "symbol.related", "args": {"symbol": options.symbol}},
        "sdlctl --version",
    )
    npm = Product(
        "sdl (npm)",
        [("sudo npm i -g sdl-ledger", f"npm i -g sdl-ledger --registry {served}"), *sdl.steps[2:]],
        sdl.server,
        sdl.tool,
        sdl.arguments,
        sdl.versions,
    )
    codegraph = Product(
        "codegraph",
        [
            ("sudo npm i -g @colbymchenry/codegraph", f"npm i -g @colbymchenry/codegraph --registry {served}"),
            (f"cd {TREE}", None),
            ("codegraph install --yes --init", None),
        ],
        "codegraph",
        "codegraph_explore",
        {"query": f"Who calls {options.symbol}?"},
        "codegraph --version",
    )
    every = [sdl, npm, codegraph]
    if options.tokensave:
        every.append(
            Product(
                "tokensave",
                [
                    (f"cd {TREE}", None),
                    ("tokensave install --agent claude --git-hook no", None),
                    ("tokensave init", None),
                ],
                "tokensave",
                "tokensave_callers",
                {"symbol": options.symbol},
                "tokensave --version",
            )
        )
    return [one for one in every if not options.only or any(only in one.name for only in options.only)]


class Root:
    """A copy of the clean root that one product may change."""

    def __init__(self, options, name):
        self.folder = options.box / "runs" / re.sub(r"\W+", "-", name)
        shutil.rmtree(self.folder, ignore_errors=True)
        self.upper, self.merged = self.folder / "upper", self.folder / "merged"
        for part in ("upper", "work", "merged"):
            (self.folder / part).mkdir(parents=True)
        layers = f"lowerdir={options.base},upperdir={self.upper},workdir={self.folder / 'work'}"
        script = (
            f"mount --make-rprivate / && mount -t overlay overlay -o {shlex.quote(layers)} {self.merged}"
            f" && mount -t proc proc {self.merged}/proc && mount --rbind /dev {self.merged}/dev && echo ready && exec sleep infinity"
        )
        command = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", script]
        self.holder = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        if self.holder.stdout.readline() != "ready\n":
            raise SystemExit("the overlay could not be mounted")
        children = pathlib.Path(f"/proc/{self.holder.pid}/task/{self.holder.pid}/children").read_text().split()
        self.inside = children[0]

    def run(self, command, user=USER):
        """Runs a shell command as a login of `user`: (exit code, output, seconds)."""
        command = ["nsenter", "-t", self.inside, "-m", "-p", "chroot", self.merged, "su", "-", user, "-c", command]
        began = time.monotonic()
        try:
            done = subprocess.run(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=STEP_SECONDS
            )
        except subprocess.TimeoutExpired as late:
            return 124, f"no end after {STEP_SECONDS} s\n{(late.stdout or b'').decode(errors='replace')}", time.monotonic() - began
        return done.returncode, done.stdout, time.monotonic() - began

    def close(self):
        self.holder.kill()
        self.holder.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def bytes_below(folder, *parts):
    """Bytes of all files below the parts of a folder, hard links once."""
    seen, total = set(), 0
    for part in parts:
        for where, _folders, files in os.walk(folder / part):
            for name in files:
                stat = os.lstat(os.path.join(where, name))
                if (stat.st_dev, stat.st_ino) not in seen:
                    seen.add((stat.st_dev, stat.st_ino))
                    total += stat.st_size
    return total


def prepare(root, options):
    """Puts the source tree and the client's script where the user finds them. Not measured: it is the same for all."""
    home = root.merged / "home" / USER
    inside = f"/proc/{root.inside}/root{home}"
    shutil.copytree(options.repo, f"{inside}/{TREE}", symlinks=True)
    shutil.copy(HERE / "clean_root_ask.mjs", f"{inside}/ask.mjs")
    if options.tokensave:
        shutil.copy(options.tokensave, f"/proc/{root.inside}/root{root.merged}/usr/local/bin/tokensave")
    root.run(f"chown -R {USER}: /home/{USER}", "root")


def measure(product, options):
    """One product, from the clean root to the answer."""
    root = Root(options, product.name)
    row = {"product": product.name, "steps": [], "commands": 0, "keys": 0, "downloaded": 0, "seconds": 0.0, "right": False}
    try:
        prepare(root, options)
        before = bytes_below(root.upper, f"home/{USER}")
        if options.drop_caches:
            subprocess.run(["sync"], check=True)
            pathlib.Path("/proc/sys/vm/drop_caches").write_text("3")
        where = "~"
        print(f"\n== {product.name}")
        for typed, instead in product.steps:
            row["commands"] += 1
            row["keys"] += len(typed) + 1
            if typed.startswith("cd "):
                where = f"~/{typed[3:]}"
                continue
            command = (instead or typed).removeprefix("sudo ")
            home = where.replace("~", f"/home/{USER}")
            code, output, seconds = root.run(f"{options.umask or ''}cd {home} && {command}", "root" if typed.startswith("sudo ") else USER)
            row["steps"].append({"typed": typed, "before": row["seconds"], "seconds": seconds, "code": code, "output": output})
            row["seconds"] += seconds
            row["downloaded"] += downloaded(root, typed, output)
            print(f"{seconds:8.2f} s  {typed}")
            if code:
                row["failed"] = f"`{typed}` ended with {code}: {output.strip()[-600:]}"
                return row
        row["version"] = root.run(product.versions)[1].strip().splitlines()[-1]
        row["installed"] = bytes_below(root.upper, "usr", "opt", "etc", "root/.cargo", f"home/{USER}/.cargo")
        if options.tokensave and product.name != "tokensave":
            row["installed"] -= options.tokensave.stat().st_size
        ask(product, root, row, options)
        fetched = sum(file.stat().st_size for file in (root.upper / "home" / USER).glob("*.deb"))
        row["kept"] = bytes_below(root.upper, f"home/{USER}") - before - fetched
    finally:
        root.close()
    return row


def downloaded(root, typed, output):
    """Bytes that a step fetched: the file of curl, what apt says, or all that npm put into its empty cache."""
    if typed.startswith("curl "):
        return os.path.getsize(root.upper / "home" / USER / typed.rsplit("/", 1)[1])
    if " apt " in typed:
        need = re.search(r"Need to get (?:[\d.,]+ \w?B/)?([\d.,]+) (\w?)B", output)
        return int(float(need.group(1).replace(",", "")) * {"": 1, "k": 1e3, "M": 1e6, "G": 1e9}[need.group(2)]) if need else 0
    if " npm " in typed:
        return bytes_below(root.upper, "root/.npm/_cacache/content-v2")
    return 0


def ask(product, root, row, options):
    """Has Claude Code check the server, and a client of the official SDK ask the question."""
    code, output, seconds = root.run(f"cd {TREE} && claude mcp list")
    row["listed"] = bool(re.search(rf"^{product.server}\b.*Connected", output, re.MULTILINE))
    print(f"{seconds:8.2f} s  claude mcp list: {'connected' if row['listed'] else 'NOT connected'}   (a check, not counted)")
    if not row["listed"]:
        row["failed"] = f"`claude mcp list` ended with {code}: {output.strip()[-600:]}"
    words = [product.server, product.tool, json.dumps(product.arguments), json.dumps(options.callers.split(","))]
    code, output, seconds = root.run(f"cd {TREE} && node ../ask.mjs {' '.join(shlex.quote(word) for word in words)}")
    lines = [line for line in output.splitlines() if line.startswith("{")]
    if not lines:
        row["failed"] = f"the client ended with {code}: {output.strip()[-600:]}"
        return
    row["answer"] = answer = json.loads(lines[-1])
    row["right"] = not answer["missing"]
    row["seconds"] += answer["answered"]
    ready = f"server ready after {answer['connected']:.2f} s, {answer['attempts']} attempts"
    print(f"{answer['answered']:8.2f} s  {'first right answer' if row['right'] else 'NO right answer'} to a client ({ready})")
    if not row["right"]:
        row["failed"] = f"the answer lacks {', '.join(answer['missing'])}: {answer['text'][:400]}"


def table(rows):
    """The figures of all products, each with its ratio to the first."""
    wanted = (
        ("seconds to the first right answer, no network", lambda row: row["seconds"], "{:.1f}"),
        (f"the same at {MEGABITS} Mbit/s", lambda row: row["seconds"] + row["downloaded"] * 8 / (MEGABITS * 1e6), "{:.1f}"),
        ("of these, to install", lambda row: row["steps"][-1]["before"], "{:.1f}"),
        ("to configure and index", lambda row: row["steps"][-1]["seconds"], "{:.1f}"),
        ("to start the server and answer", lambda row: row["answer"]["answered"], "{:.1f}"),
        ("commands typed", lambda row: row["commands"], "{}"),
        ("keys pressed, with Enter", lambda row: row["keys"], "{}"),
        ("MB downloaded", lambda row: row["downloaded"] / 1e6, "{:.1f}"),
        ("MB installed", lambda row: row["installed"] / 1e6, "{:.1f}"),
        ("MB kept for the tree", lambda row: row["kept"] / 1e6, "{:.1f}"),
        ("characters of the tool list", lambda row: row["answer"]["listed"], "{}"),
        ("characters of the answer", lambda row: row["answer"]["characters"], "{}"),
    )
    print("\n| |" + "".join(f" {row['product']} |" for row in rows))
    print("|---|" + "---:|" * len(rows))
    for label, figure, form in wanted:
        cells, first = [], None
        for row in rows:
            try:
                value = figure(row) if row["right"] or "typed" in label or "pressed" in label else None
            except KeyError:
                value = None
            if row is rows[0]:
                first = value
            ratio = f" ({value / first:.2f}×)" if row is not rows[0] and first and value is not None else ""
            cells.append(f" {'–' if value is None else form.format(value)}{ratio} |")
        print(f"| {label} |" + "".join(cells))
    print("| `claude mcp list` says connected |" + "".join(f" {'yes' if row.get('listed') else 'no'} |" for row in rows))
    print("| the answer is right |" + "".join(f" {'yes' if row['right'] else 'no'} |" for row in rows))


def default_tree(box):
    """A small tree to ask about, if none is given."""
    tree = box / "tree"
    if not tree.exists():
        tree.mkdir()
        (tree / "files.py").write_text("def open_stream(name):\n    return open(name)\n")
        text = "from files import open_stream\n\n\ndef {0}(name):\n    return open_stream(name)\n"
        for caller in ("read_lines", "copy_file", "count_words"):
            (tree / f"{caller}.py").write_text(text.format(caller))
    return tree


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--base", type=pathlib.Path, required=True, help="the clean root")
    parser.add_argument("--box", type=pathlib.Path, required=True, help="where runs have their folders")
    parser.add_argument("--package", type=pathlib.Path, required=True, help="our .deb")
    parser.add_argument("--repo", type=pathlib.Path, help="the source tree; default: four small files")
    parser.add_argument("--symbol", default="open_stream", help="the function whose callers are asked for")
    parser.add_argument("--callers", help="words of a right answer, with commas")
    parser.add_argument("--tokensave", type=pathlib.Path, help="a tokensave program; its installation is then not measured")
    parser.add_argument("--umask", type=lambda mask: f"umask {int(mask, 8):03o} && ", help="instead of the root's own, such as 022")
    parser.add_argument("--only", action="append", help="only this product; may be repeated")
    parser.add_argument("--drop-caches", action="store_true", help="empty the page cache of this machine before each product")
    parser.add_argument("--json", type=pathlib.Path, help="also write all that was seen to this file")
    options = parser.parse_args()
    if not options.repo:
        options.repo, options.callers = default_tree(options.box), options.callers or "read_lines,copy_file,count_words"
    if not options.callers:
        parser.error("--repo needs --callers")
    server, served = clean_root_serve.serve(options.package.parent)
    rows = []
    try:
        for product in products(options, served):
            rows.append(measure(product, options))
    finally:
        server.shutdown()
    about = ". /etc/os-release; echo $PRETTY_NAME; echo Node.js $(node --version); claude --version"
    base = subprocess.run(["chroot", options.base, "sh", "-c", about], capture_output=True, text=True).stdout.splitlines()
    where = f"{', '.join(base[:3])}; {os.cpu_count()} cores; {datetime.date.today()}"
    print(f"\n{where}; tree {options.repo.name}, callers of {options.symbol}")
    print("; ".join(f"{row['product']}: {row.get('version', 'not installed')}" for row in rows))
    table(rows)
    if not options.tokensave and not options.only:
        offers = "Homebrew, Scoop, archives of a release and `cargo install`"
        print(f"\ntokensave: not measured. Its documentation offers {offers}; see packaging/README.md.")
    for row in rows:
        if row.get("failed"):
            print(f"\n{row['product']} failed: {row['failed']}")
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1))
    return 0 if rows and rows[0]["right"] and rows[0].get("listed") else 1


if __name__ == "__main__":
    sys.exit(main())
