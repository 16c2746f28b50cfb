"""Drives the real Claude Code with a scripted model, to see what hooks bring into the context and whether that leads to sdl's tools.

    claude_code_hooks.py --sdlctl PATH --sdl-mcp PATH --sdld PATH [--claude PATH] [--fixed-hook] [--json FILE] [--keep]

The model is `scripted_model.py`; nothing leaves this machine. Each run has folders of its own. `--fixed-hook` uses a fixed text in place of
`sdlctl hook`, to test this script itself. Exits with 0 if all runs did what they should, 1 if one did not, 77 if Node.js or Claude Code
(npm: @anthropic-ai/claude-code) is missing.
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import scripted_model  # noqa: E402

SKIPPED = 77
IDENTIFIER = "net_price"
# Functions that call IDENTIFIER, and one that only mentions it.
CALLERS = ("cart_total", "invoice_row", "monthly_report")
BYSTANDER = "describe_columns"
FILES = {
    "prices.py": '''def net_price(amount, rate):
    """An amount without its tax."""
    return amount / (1 + rate)
''',
    "orders.py": '''from prices import net_price


def cart_total(items):
    return sum(net_price(item.amount, item.rate) for item in items)


def invoice_row(item):
    # net_price rounds nowhere
    return f"{item.name}: {net_price(item.amount, item.rate):.2f}"
''',
    "reports.py": '''import prices


def monthly_report(orders):
    return [prices.net_price(order.amount, order.rate) for order in orders]


def describe_columns():
    return {"net_price": "amount without tax"}
''',
}
EVENTS = {"SessionStart": None, "SubagentStart": None, "PostToolUse": "Grep|Glob|Bash"}
FIXED_HOOK = '''import json, sys
event = json.load(sys.stdin)["hook_event_name"]
text = {
    "SessionStart": "This tree is indexed by sdl.",
    "SubagentStart": "This tree is indexed by sdl; subagents can ask it too.",
    "PostToolUse": 'Its callers, each with its line: sdl_query {"action":"symbol.related","symbol":"net_price"}',
}[event]
print(json.dumps({"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}))
'''
# What keeps the client from reaching for the network.
QUIET = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_TELEMETRY": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "CLAUDE_CODE_DISABLE_TERMINAL_TITLE": "1",
    "CLAUDE_CODE_ENABLE_TELEMETRY": "0",
}


class Box:
    """A machine of its own: home, state, sockets, a source tree that is indexed, and the client's settings."""

    def __init__(self, root, options):
        self.root, self.options = root, options
        self.home, self.repo = root / "home", root / "repo"
        for folder in (self.home, self.repo, root / "state", root / "run"):
            folder.mkdir(mode=0o700)
        for name, text in FILES.items():
            (self.repo / name).write_text(text)
        folders = [str(pathlib.Path(options.claude).parent), str(pathlib.Path(options.sdlctl).parent)]
        self.env = {
            "PATH": os.pathsep.join([*folders, os.environ.get("PATH", "/usr/bin:/bin")]),
            "HOME": str(self.home),
            "LC_ALL": "C.UTF-8",
            "SDL_STATE_DIR": str(root / "state"),
            "SDL_RUNTIME_DIR": str(root / "run"),
            "SDL_DAEMON": options.sdld,
            "ANTHROPIC_API_KEY": "none-is-needed-here",
            **QUIET,
        }
        self.settings = self.home / ".claude" / "settings.json"

    def run(self, command, env=None):
        """Runs a command in the source tree: (exit code, standard output, standard error)."""
        try:
            done = subprocess.run(
                command,
                cwd=self.repo,
                env=env or self.env,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=self.options.timeout,
            )
        except subprocess.TimeoutExpired:
            raise SystemExit(f"no end after {self.options.timeout} s: {' '.join(command)}")
        return done.returncode, done.stdout, done.stderr

    def must(self, *command):
        code, out, err = self.run([*command])
        if code:
            raise SystemExit(f"{' '.join(command)} ended with {code}:\n{out}{err}")
        return out

    def configure(self):
        """Has `sdlctl setup` configure the client, and adds the hooks if it did not. Tells who wrote them."""
        ctl = self.options.sdlctl
        self.must(ctl, "index", str(self.repo))
        self.must(ctl, "setup", "--yes", "--client", "claude-code")
        servers = json.loads((self.home / ".claude.json").read_text())["mcpServers"]
        if pathlib.Path(servers["sdl"]["command"]).resolve() != pathlib.Path(self.options.sdl_mcp).resolve():
            raise SystemExit(f"setup chose another server than --sdl-mcp: {servers['sdl']}")
        settings = json.loads(self.settings.read_text()) if self.settings.exists() else {}
        if settings.get("hooks") and not self.options.fixed_hook:
            return "sdlctl setup"
        command = f"'{ctl}' hook --client claude-code"
        if self.options.fixed_hook:
            script = self.root / "fixed_hook.py"
            script.write_text(FIXED_HOOK)
            command = f"'{sys.executable}' '{script}'"
        hook = {"type": "command", "command": command, "timeout": 10}
        rows = {event: {"hooks": [hook], **({"matcher": match} if match else {})} for event, match in EVENTS.items()}
        settings["hooks"] = {event: [row] for event, row in rows.items()}
        self.settings.parent.mkdir(exist_ok=True)
        self.settings.write_text(json.dumps(settings, indent=2))
        return "this script, with a fixed text" if self.options.fixed_hook else "this script"

    def rules(self):
        """The files of rules that setup wrote for the model, as (name, text)."""
        folder = self.home / ".claude"
        return [(str(file.relative_to(folder)), file.read_text().strip()) for file in sorted(folder.glob("*.md")) if file.is_file()]

    def ask(self, flags, delegate, hooks):
        """One session of the client. Gives the endpoint's turns and the events that the client printed."""
        kept = self.settings.read_text()
        if not hooks:
            self.settings.write_text(json.dumps({**json.loads(kept), "hooks": {}}))
        server = scripted_model.serve(scripted_model.Script(IDENTIFIER, delegate))
        try:
            env = {**self.env, "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{server.server_address[1]}"}
            command = [self.options.claude, "-p", f"Who calls {IDENTIFIER}?", "--output-format", "stream-json", "--verbose"]
            command += ["--include-hook-events", *flags]
            code, out, err = self.run(command, env)
        finally:
            server.shutdown()
            server.server_close()
            self.settings.write_text(kept)
        events = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
        if code:
            raise SystemExit(f"the client ended with {code}:\n{out[-3000:]}{err[-3000:]}")
        return server.turns, events


def hook_texts(events):
    """What hooks added to the context, as (event, text)."""
    found = []
    for event in events:
        if event.get("subtype") != "hook_response":
            continue
        try:
            output = json.loads(event.get("stdout") or event.get("output") or "{}")["hookSpecificOutput"]
        except (json.JSONDecodeError, KeyError, TypeError):
            continue
        if output.get("additionalContext"):
            found.append((output["hookEventName"], output["additionalContext"]))
    return found


def failed_hooks(events):
    """What hooks said that did not succeed."""
    responses = [event for event in events if event.get("subtype") == "hook_response" and event.get("exit_code")]
    return [f"{one['hook_event']} ended with {one['exit_code']}: {one.get('stderr', '').strip()[:200]}" for one in responses]


def context_of(request):
    """All that a request says, but for what the tools answered."""
    messages = [{"content": request.get("system")}, *request["messages"]]
    return "\n".join(text for one in messages for text in scripted_model.texts(one, results=False))


def arrivals(text, contexts):
    """In which threads a text arrived, and with which of their requests first."""
    found = {}
    for thread, requests in contexts.items():
        first = next((at for at, context in enumerate(requests, 1) if text in context), None)
        if first:
            found[thread] = first
    return found


def summarize(name, turns, events, hooks, rules=()):
    """The row of one run: the calls, what hooks added and where it arrived, and whether the run did what it should."""
    threads = {"main": [], "subagent": []}
    for turn in turns:
        if turn["request"].get("tools"):
            threads["subagent" if scripted_model.is_subagent(turn["request"]) else "main"].append(turn)
    calls = {thread: [block for turn in rows for block in turn["blocks"] if block["type"] == "tool_use"] for thread, rows in threads.items()}
    contexts = {thread: [context_of(turn["request"]) for turn in rows] for thread, rows in threads.items()}
    added = [(event, text) for event, text in hook_texts(events)]
    added += rules
    for context in contexts["main"][-1:]:
        added += [("the server's instructions", f"\n## sdl\n{part.splitlines()[0]}") for part in context.split("\n## sdl\n")[1:2]]
    added = [{"from": origin, "text": text, "arrived": arrivals(text, contexts)} for origin, text in added]
    thread = "subagent" if threads["subagent"] else "main"
    final = threads[thread][-1]["blocks"][0].get("text", "") if threads[thread] else ""
    asked = [call for call in calls[thread] if call["name"].startswith("mcp__sdl__")]
    right = bool(asked) and all(caller in final for caller in CALLERS) and BYSTANDER not in final
    names = [call["name"] for call in calls[thread]]
    searches = [at for at, one in enumerate(names) if one in ("Grep", "Bash")]
    if hooks:
        passed = right and searches == [0] and [one for one in names[1:] if one != "ToolSearch"] == [asked[0]["name"]]
    else:
        passed = not asked and len(searches) == 3
    row = {"run": name, "passed": passed, "thread": thread, "calls": calls[thread], "right": right, "added": added}
    return {**row, "final": final}


# Which built-in tools there are by default differs between builds: some have Grep, others search through Bash.
GREP = ["--tools", "Bash,Grep,Glob,Read,Task,ToolSearch", "--allowedTools", "Grep,Task,Agent,mcp__sdl"]
DEFAULT = ["--allowedTools", "Bash,Task,Agent,mcp__sdl"]
RUNS = (
    # name, flags, subagent, hooks
    ("Grep", GREP, False, True),
    ("default tools", DEFAULT, False, True),
    ("Grep in a subagent", GREP, True, True),
    ("default tools in a subagent", DEFAULT, True, True),
    ("Grep, hooks off", GREP, False, False),
    ("default tools, hooks off", DEFAULT, False, False),
    ("Grep in a subagent, hooks off", GREP, True, False),
)


def short(call):
    return f"{call['name']} {json.dumps(call['input'], separators=(',', ':'))}"[:150]


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("sdlctl", "sdl-mcp", "sdld"):
        parser.add_argument(f"--{name}", required=True, type=lambda text: str(pathlib.Path(text).absolute()))
    parser.add_argument("--claude", default=shutil.which("claude"), help="default: the one in PATH")
    parser.add_argument("--fixed-hook", action="store_true", help="a fixed text in place of `sdlctl hook`")
    parser.add_argument("--only", help="only runs whose name has this text")
    parser.add_argument("--json", help="also write all that was seen to this file")
    parser.add_argument("--timeout", type=int, default=120, help="seconds for each command")
    parser.add_argument("--keep", action="store_true", help="keep the temporary folder")
    return parser.parse_args()


def main():
    options = parse_options()
    for found, what in ((shutil.which("node"), "node"), (options.claude and shutil.which(options.claude), "claude")):
        if not found:
            print(f"SKIPPED: {what} is not installed (npm install -g @anthropic-ai/claude-code, or --claude PATH)")
            return SKIPPED
    options.claude = str(pathlib.Path(options.claude).absolute())
    # The name is short: a socket's path has room for about a hundred bytes.
    root = pathlib.Path(tempfile.mkdtemp(prefix="sdlcc"))
    box = Box(root, options)
    rows = []
    try:
        print(f"client: {box.must(options.claude, '--version').strip()}")
        print(f"hooks written by: {box.configure()}")
        for name, flags, delegate, hooks in RUNS:
            if options.only and options.only not in name:
                continue
            turns, events = box.ask(flags, delegate, hooks)
            row = summarize(name, turns, events, hooks, box.rules())
            rows.append({**row, "turns": turns, "events": events})
            print(f"\n{'ok  ' if row['passed'] else 'FAIL'} {name} ({row['thread']} thread)")
            for call in row["calls"]:
                print(f"     calls {short(call)}")
            for one in row["added"]:
                size = f"{len(one['text'])} characters, about {-(-len(one['text']) // 4)} tokens"
                where = [f"{thread} thread from its request {first}" for thread, first in one["arrived"].items()]
                print(f"     {one['from']}: {size}; in the {' and the '.join(where) or 'context of nobody'}")
            for what in failed_hooks(events):
                print(f"     a hook failed: {what}")
            if hooks:
                print(f"     the answer is {'right' if row['right'] else 'not right'}")
    finally:
        box.run([options.sdlctl, "stop"])
        if options.json:
            pathlib.Path(options.json).write_text(json.dumps(rows, indent=1))
        if options.keep:
            print(f"kept: {root}")
        else:
            shutil.rmtree(root, ignore_errors=True)
    failed = sum(not row["passed"] for row in rows)
    print(f"\n{len(rows) - failed} passed, {failed} failed")
    return 1 if failed or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
