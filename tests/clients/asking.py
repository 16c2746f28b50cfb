"""Two clients at once whose upstreams ask them: asking.py MODE SHIM KEY...

MODE is a connect mode of `mcp.Client` of the official Python SDK: auto, legacy (the era of `initialize`), or a revision of the protocol. Each KEY is an upstream of
the daemon that runs asking_server.py; the key `everything` is one that runs @modelcontextprotocol/server-everything. Each client may get its own
questions only, and each call the answers of its own client. Exits with 0 if everything held.
"""

import asyncio
import os
import sys

from mcp import Client, StdioServerParameters
from mcp.types import CreateMessageResult, ElicitResult, ListRootsResult, Root, TextContent

ROUNDS = 5


class Person:
    """A client with answers of its own. Its calls carry its name, and so do the questions that they lead to."""

    def __init__(self, name: str):
        self.name, self.asked = name, {"elicitation": 0, "sampling": 0, "roots": 0}

    def note(self, kind: str, text: str) -> None:
        self.asked[kind] += 1
        others = {"anna", "ben"} - {self.name}
        assert not any(other in text for other in others), f"{self.name} got {text!r}"

    async def elicit(self, _context, params) -> ElicitResult:
        self.note("elicitation", params.message)
        assert params.message.startswith(tuple(f"[{key}] " for key in sys.argv[3:])), params.message
        return ElicitResult(action="accept", content={"name": f"name-{self.name}"})

    async def sample(self, _context, params) -> CreateMessageResult:
        self.note("sampling", str(params.messages))
        text = TextContent(type="text", text=f"word-{self.name}")
        return CreateMessageResult(role="assistant", content=text, model="test", stop_reason="endTurn")

    async def roots(self, _context) -> ListRootsResult:
        self.note("roots", "")
        return ListRootsResult(roots=[Root(uri=f"file:///home/{self.name}", name=self.name)])


async def session(mode: str, shim: str, keys: list[str], name: str) -> dict:
    person = Person(name)
    server = StdioServerParameters(command=shim, args=[], env=dict(os.environ))
    client = Client(
        server,
        mode=mode,
        read_timeout_seconds=60,
        elicitation_callback=person.elicit,
        sampling_callback=person.sample,
        list_roots_callback=person.roots,
    )
    async with client:

        async def call(tool: str, args: dict, *wanted: str) -> None:
            result = await client.call_tool(tool, args)
            text = " ".join(block.text for block in result.content if block.type == "text")
            assert not result.is_error, f"{name} {tool}: {text}"
            assert all(want in text for want in wanted), f"{name} {tool}: {text}"

        for at in range(ROUNDS):
            tag = f"{name}{at}"
            for key in keys:
                if key == "everything":
                    await call("everything/trigger-elicitation-request", {}, f"Name: name-{name}")
                    await call("everything/trigger-sampling-request", {"prompt": tag}, f"word-{name}")
                    await call("everything/get-roots-list", {}, f"file:///home/{name}")
                    continue
                await call(f"{key}/ask_name", {"tag": tag}, f"{tag}: name-{name}")
                await call(f"{key}/ask_model", {"tag": tag}, f"{tag}: word-{name}")
                await call(f"{key}/ask_roots", {"tag": tag}, f"{tag}: file:///home/{name}")
                await call(f"{key}/ask_all", {"tag": tag}, f"{tag}: after name-{name} at file:///home/{name}", f"word-{name}")
    return person.asked


async def both(mode: str, shim: str, keys: list[str]) -> None:
    asked = await asyncio.gather(*(session(mode, shim, keys, name) for name in ("anna", "ben")))
    for one in asked:
        wanted = sum(1 if key == "everything" else 2 for key in keys) * ROUNDS
        assert one["elicitation"] == one["sampling"] == wanted, one
        # A server may remember the roots.
        assert one["roots"] >= wanted - ROUNDS * keys.count("everything"), one
    print("ok", mode, asked)


if __name__ == "__main__":
    asyncio.run(both(sys.argv[1], sys.argv[2], sys.argv[3:]))
