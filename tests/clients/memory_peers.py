"""Compares the memory with others that run on one machine: memory_peers.py SHIM FOLDER --data DIR

SHIM is `sdl-mcp`; `sdld` and `sdlctl` are beside it. The peers are installed into FOLDER, in pinned versions: npm's
@modelcontextprotocol/server-memory and PyPI's basic-memory, which needs a Python of 3.12 or newer (`--python`) and
takes its settings from variables BASIC_MEMORY_…. DIR has `memories.jsonl` (id, dialogue, session, time, speaker, text,
caption, tokens) and `questions.jsonl` (id, dialogue, question, evidence). Each turn is stored as one memory, each
dialogue in a scope of its own, and each question is asked as it is, by the same client of the official Python SDK.
Prints tables in Markdown. The ids that were found for each question are written to FOLDER. Texts of dialogues stay in
temporary folders, which are removed.
"""

import argparse
import asyncio
import collections
import contextlib
import json
import os
import pathlib
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

PACKAGES = {"@modelcontextprotocol/server-memory": "2026.8.31", "gpt-tokenizer": "4.0.0", "basic-memory": "0.24.1"}
# Results that are asked for to see what fits 1,000 tokens, because a turn has about 39.
DEEP = 60
# Words that nobody would search for, because they name nothing.
STOP = set(
    "a about after all also am an and any are as at be been before but by can could did do does doing during for from get "
    "go had has have he her him his how i in into is it its like may me might more most much my not of on or our out "
    "over she should so some than that the their them then there they this to up was we were what when where which who "
    "whom whose why will with would you your s t".split()
)
CODE = "def validate(age):\n    return age <= 60\n"
FACT = "validate lets a session live for 60 minutes, because the gateway caches it for that long."


def words_of(question: str) -> list[str]:
    words = dict.fromkeys(re.findall(r"\w+", question.lower()))
    return [word for word in words if word not in STOP and len(word) > 1]


class Peer:
    """A memory behind a client."""

    def __init__(self, client: Client, scope: str):
        self.client, self.scope = client, scope

    async def call(self, tool: str, args: dict):
        """The structured answer of a call that has to succeed, and its time, its text and its data."""
        begun = time.perf_counter()
        result = await self.client.call_tool(tool, args)
        took = 1_000 * (time.perf_counter() - begun)
        text = "\n".join(block.text for block in result.content if block.type == "text")
        answer = result.structured_content
        answer = answer.get("result", answer) if isinstance(answer, dict) else answer
        if result.is_error or not isinstance(answer, dict) or answer.get("error"):
            raise RuntimeError(f"{tool} {args}: {text}")
        data = json.dumps(result.structured_content, ensure_ascii=False, separators=(",", ":"))
        return answer, {"ms": took, "text": text, "data": data}


class Ours(Peer):
    # By the gateway, because the client lists the tools again after each call of one that is not in the list.
    async def store(self, title: str, content: str, **links) -> tuple[str, float]:
        args = {"type": "note", "title": title, "content": content, **links}
        answer, note = await self.call("sdl_memory", {"action": "memory.store", "args": args})
        return answer["memoryId"], note["ms"]

    async def search(self, question: str, limit: int, offset: int):
        args = {"query": question, "limit": limit, "offset": offset}
        answer, note = await self.call("sdl_memory", {"action": "memory.query", "args": args})
        return [one["memoryId"] for one in answer["memories"]], answer["total"], note

    async def ask(self, question: str) -> dict:
        ids, total, note = await self.search(question, 10, 0)
        found = {**note, "shown": ids, "ranked": list(ids)}
        # Pages, because an answer has a budget.
        while ids and len(found["ranked"]) < min(DEEP, total):
            ids, _, _ = await self.search(question, DEEP - len(found["ranked"]), len(found["ranked"]))
            found["ranked"] += ids
        return found

    async def find_code(self) -> dict:
        args = {"query": "validate", "sync": "require"}
        answer, _ = await self.call("sdl_query", {"action": "symbol.search", "args": args})
        return {"symbolIds": [answer["results"][0]["symbolId"]]}


class ServerMemory(Peer):
    async def store(self, title: str, content: str) -> tuple[str, float]:
        entity = {"name": title, "entityType": "memory", "observations": [content]}
        _, note = await self.call("create_entities", {"entities": [entity]})
        return title, note["ms"]

    async def ask(self, question: str) -> dict:
        answer, note = await self.call("search_nodes", {"query": question})
        ids = [one["name"] for one in answer["entities"]]
        return {**note, "shown": ids, "ranked": ids}


class ByWords(ServerMemory):
    """Its best case: a search for each word that names something. What most of them found is first, then the oldest."""

    async def ask(self, question: str) -> dict:
        found = [await super(ByWords, self).ask(word) for word in words_of(question)]
        counts = collections.Counter(name for one in found for name in one["shown"])
        numbers = {name: [int(number) for number in re.findall(r"\d+", name)] for name in counts}
        joined = {name: "\n".join(one[name] for one in found) for name in ("text", "data")}
        ranked = sorted(counts, key=lambda name: (-counts[name], numbers[name]))
        shown = [name for one in found for name in one["shown"]]
        return {**joined, "ms": sum(one["ms"] for one in found), "shown": shown, "ranked": ranked}


class BasicMemory(Peer):
    async def call(self, tool: str, args: dict):
        return await super().call(tool, {**args, "project": self.scope, "output_format": "json"})

    async def store(self, title: str, content: str) -> tuple[str, float]:
        _, note = await self.call("write_note", {"title": title, "content": content, "directory": "turns"})
        return title, note["ms"]

    async def search(self, question: str, limit: int):
        answer, note = await self.call("search_notes", {"query": question, "page_size": limit})
        return [one["title"] for one in answer["results"]], note

    async def ask(self, question: str) -> dict:
        (shown, note), (ranked, _) = await self.search(question, 10), await self.search(question, DEEP)
        return {**note, "shown": shown, "ranked": ranked}


class AnyWord(BasicMemory):
    """Its best case without vectors: any of the words that name something. By itself it asks for all words first."""

    async def ask(self, question: str) -> dict:
        return await super().ask(" OR ".join(words_of(question)))


# By name, the peer, whether each session of a dialogue is stored by a client of its own, which is a session of ours, and
# the way whose memories are asked, if not its own.
WAYS = {
    "sdl, a client for each session": (Ours, True, None),
    "sdl, one client": (Ours, False, None),
    "server-memory, the question": (ServerMemory, False, None),
    "server-memory, each word": (ByWords, False, "server-memory, the question"),
    "basic-memory, the question": (BasicMemory, False, None),
    "basic-memory, any word": (AnyWord, False, "basic-memory, the question"),
}


class Bench:
    """The programs and the folders of one comparison."""

    def __init__(self, options, work: pathlib.Path):
        self.options, self.work = options, work
        self.folder, self.shim = options.folder.resolve(), options.shim.resolve()
        kept = re.compile("PATH|LD_LIBRARY_PATH|TMPDIR|BASIC_MEMORY_.*")
        self.env = {name: value for name, value in os.environ.items() if kept.fullmatch(name)}
        self.env |= {"LC_ALL": "C.UTF-8", "TZ": "UTC", "SDL_DAEMON": str(self.shim.parent / "sdld")}
        for name, variable in (("home", "HOME"), ("state", "SDL_STATE_DIR"), ("run", "SDL_RUNTIME_DIR")):
            (work / name).mkdir(mode=0o700)
            self.env[variable] = str(work / name)
        self.env |= {"BASIC_MEMORY_CONFIG_DIR": str(work / "basic"), "BASIC_MEMORY_HOME": str(work / "notes")}
        # By scope and memory, the turns that it holds: texts that were stored before are not stored again.
        self.known = collections.defaultdict(lambda: collections.defaultdict(list))
        settings = work / "state" / "mcp.json"
        settings.touch(mode=0o600)
        settings.write_text(json.dumps({"sdl": {"modules": ["memory"]}}))

    def install(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        names = [f"{name}@{version}" for name, version in PACKAGES.items() if name != "basic-memory"]
        subprocess.run(["npm", "install", "--silent", "--no-audit", "--prefix", str(self.folder), *names], check=True)
        python = self.folder / "py/bin/python"
        if not python.exists():
            subprocess.run([self.options.python, "-m", "venv", str(self.folder / "py")], check=True)
        pinned = f"basic-memory=={PACKAGES['basic-memory']}"
        subprocess.run([str(python), "-m", "pip", "install", "--quiet", pinned], check=True)

    @contextlib.asynccontextmanager
    async def connect(self, kind: type, scope: str):
        """A peer with a scope of its own, in a process of its own."""
        root, env = self.work / "trees" / scope, dict(self.env)
        root.mkdir(parents=True, exist_ok=True)
        command, args = str(self.shim), []
        if issubclass(kind, ServerMemory):
            program = self.folder / "node_modules/@modelcontextprotocol/server-memory/dist/index.js"
            command, args, env["MEMORY_FILE_PATH"] = "node", [str(program)], str(self.work / f"{scope}.jsonl")
        elif issubclass(kind, BasicMemory):
            command, args = str(self.folder / "py/bin/basic-memory"), ["mcp"]
        server = StdioServerParameters(command=command, args=args, env=env, cwd=str(root))
        with open(self.work / "stderr", "a") as errors:
            async with Client(stdio_client(server, errlog=errors), mode="auto", read_timeout_seconds=300) as client:
                if kind is Ours:
                    args = {"action": "repo.register", "args": {"rootPath": str(root)}}
                    await client.call_tool("sdl_repo", args)
                elif issubclass(kind, BasicMemory):
                    await client.call_tool("create_memory_project", {"project_name": scope, "project_path": str(root)})
                yield kind(client, scope)

    def count_tokens(self, texts: list[str]) -> list[int]:
        """Tokens of each text, under o200k_base."""
        program = (
            "const {encode} = require('gpt-tokenizer/encoding/o200k_base');"
            "const texts = JSON.parse(require('fs').readFileSync(0, 'utf8'));"
            "console.log(JSON.stringify(texts.map(text => encode(text, {disallowedSpecial: new Set()}).length)))"
        )
        given, node = json.dumps(texts), ["node", "-e", program]
        run = subprocess.run(node, input=given, cwd=self.folder, stdout=subprocess.PIPE, text=True, check=True)
        return json.loads(run.stdout)


def scope_of(*names: str) -> str:
    return re.sub(r"\W+", "-", " ".join(names)).lower()


async def run_way(bench: Bench, name: str, turns: dict, questions: list[dict]) -> tuple[list[float], dict]:
    """Stores the dialogues and asks their questions. The times of storing, and what was found for each question."""
    kind, by_session, other = WAYS[name]
    stored, found = [], {}
    for dialogue, said in turns.items():
        scope, runs = scope_of(other or name, dialogue), collections.defaultdict(list)
        known = bench.known[scope]
        for turn in said if other is None else []:
            runs[turn["session"] if by_session else ""].append(turn)
        for run in runs.values():
            async with bench.connect(kind, scope) as peer:
                for turn in run:
                    image = f" [image: {turn['caption']}]" if turn.get("caption") else ""
                    content = f"{turn['time'][:10]} {turn['speaker']}: {turn['text']}{image}"
                    memory, took = await peer.store(turn["id"].split("/")[1], content)
                    known[memory].append(turn["id"])
                    stored.append(took)
        async with bench.connect(kind, scope) as peer:
            for question in (one for one in questions if one["dialogue"] == dialogue):
                answer = await peer.ask(question["question"])
                for key in ("shown", "ranked"):
                    answer[key] = [turn for memory in answer[key] for turn in known[memory]]
                found[question["id"]] = answer
        print(f"{name}: {dialogue}, {len(said)} turns", file=sys.stderr)
    return stored, found


def score_ranked(questions: list[dict], found: dict, tokens: dict) -> tuple[float, float]:
    """The share of the evidence among the first ten turns, and within 1,000 tokens of turns, in per cent."""
    ten, budget = [], []
    for question in questions:
        ranked, evidence = found[question["id"]]["ranked"], question["evidence"]
        left, fitting = 1_000, set()
        for turn in ranked:
            left -= tokens[turn]
            if left < 0:
                break
            fitting.add(turn)
        ten.append(sum(turn in ranked[:10] for turn in evidence) / len(evidence))
        budget.append(sum(turn in fitting for turn in evidence) / len(evidence))
    return 100 * statistics.mean(ten), 100 * statistics.mean(budget)


def show_times(times: list[float]) -> str:
    """The median and the 95th percentile."""
    places = [int((len(times) - 1) * share) for share in (0.5, 0.95)] if times else []
    return " / ".join(f"{sorted(times)[place]:.1f}" for place in places) or "as above"


async def ask_after_change(bench: Bench, name: str) -> str:
    """How a memory about a function is shown once its code says something else."""
    kind, scope = WAYS[name][0], scope_of("code", name)
    code = bench.work / "trees" / scope / "auth.py"
    code.parent.mkdir(parents=True)
    code.write_text(CODE)
    async with bench.connect(kind, scope) as peer:
        links = await peer.find_code() if kind is Ours else {}
        await peer.store("validate", FACT, **links)
        before = (await peer.ask("validate"))["text"]
        code.write_text(CODE.replace("60", "5"))
        after = (await peer.ask("validate"))["text"]
    assert "60 minutes" in before and "60 minutes" in after, f"{name} does not find the memory: {before}\n{after}"
    if kind is Ours:
        assert "stale" not in before and "stale since" in after, f"the change is not seen: {before}\n{after}"
    # Times and scores may move by themselves.
    before = re.sub(r"[-\d.]+", "", before)
    new = [line for line in after.splitlines() if re.sub(r"[-\d.]+", "", line) not in before]
    return f"| {name.split(',')[0]} | {f'`{new[0]}`' if new else 'as before, nothing but numbers differs'} |"


async def compare(bench: Bench) -> str:
    options = bench.options
    memories, questions = (
        [json.loads(line) for line in (options.data / f"{name}.jsonl").read_text().splitlines()]
        for name in ("memories", "questions")
    )
    chance = random.Random(options.seed)
    dialogues = sorted(chance.sample(sorted({turn["dialogue"] for turn in memories}), options.dialogues))
    asked = [one for one in questions if one["dialogue"] in dialogues and one["evidence"]]
    asked = chance.sample(asked, min(options.questions, len(asked)))
    turns = {name: [turn for turn in memories if turn["dialogue"] == name] for name in dialogues}
    tokens, count = {turn["id"]: turn["tokens"] for turn in memories}, sum(len(said) for said in turns.values())
    out = [
        f"{count} turns of {', '.join(dialogues)} and {len(asked)} questions, chosen by the seed {options.seed}; "
        + ", ".join(f"{name} {version}" for name, version in PACKAGES.items()) + ".",
        "",
        "| way | evidence at 10, % | in 1,000 tokens, % | nothing found, % | store, p50 / p95 ms | question, p50 / p95 ms "
        "| turns in an answer | tokens of their text | of the answer, text | structured |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    ways = [name for name in WAYS if re.search(options.only, name)]
    for name in ways:
        stored, found = await run_way(bench, name, turns, asked)
        ten, budget = score_ranked(asked, found, tokens)
        rows = list(found.values())
        nothing = 100 * sum(not row["shown"] for row in rows) / len(rows)
        text, data = (statistics.median(bench.count_tokens([row[form] for row in rows])) for form in ("text", "data"))
        own = statistics.median(sum(tokens[turn] for turn in row["shown"]) for row in rows)
        shown = statistics.median(len(row["shown"]) for row in rows)
        times = f"{show_times(stored)} | {show_times([row['ms'] for row in rows])}"
        sizes = f"{shown:.0f} | {own:.0f} | {text:.0f} | {data:.0f}"
        out.append(f"| {name} | {ten:.1f} | {budget:.1f} | {nothing:.0f} | {times} | {sizes} |")
        results = "".join(json.dumps({"id": one, "ranked": row["ranked"]}) + "\n" for one, row in found.items())
        (bench.folder / f"results-{scope_of(name)}.jsonl").write_text(results)
    out += ["", "| | a memory about a function, after its code has changed |", "|---|---|"]
    for kind in (Ours, ServerMemory, BasicMemory):
        name = next((name for name in ways if WAYS[name][0] is kind), None)
        out += [await ask_after_change(bench, name)] if name else []
    return "\n".join(out) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shim", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--python", default=shutil.which("python3.13") or sys.executable, help="for basic-memory")
    parser.add_argument("--dialogues", type=int, default=2)
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--only", default="", help="a pattern of the ways to run")
    options = parser.parse_args()
    # A short name, because a socket's path has room for about a hundred bytes.
    with tempfile.TemporaryDirectory(prefix="sdl") as work:
        bench = Bench(options, pathlib.Path(work))
        bench.install()
        try:
            print(asyncio.run(compare(bench)), end="")
        finally:
            stop = [str(bench.shim.parent / "sdlctl"), "stop"]
            subprocess.run(stop, env=bench.env, stdout=subprocess.DEVNULL, check=False)


if __name__ == "__main__":
    main()
