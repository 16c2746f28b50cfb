"""One session of the official Python MCP client with the shim: session.py MODE SHIM REPO

MODE is a connect mode of `mcp.Client`: auto, legacy (the era of `initialize`), or a revision of the protocol. The environment
of this script is the shim's. Exits with 0 if everything held.
"""

import asyncio
import json
import os
import pathlib
import sys

from mcp import Client, StdioServerParameters


def data(result):
    """The structured answer of a call that has to succeed; its text must say the same."""
    assert not result.is_error, result
    assert result.structured_content is not None, result
    assert any(block.type == "text" and block.text for block in result.content), result
    return result.structured_content


async def session(mode: str, shim: str, repo: pathlib.Path) -> None:
    server = StdioServerParameters(command=shim, args=[], env=dict(os.environ), cwd=str(repo))
    async with Client(server, mode=mode, read_timeout_seconds=60) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert "sdl_query" in names and "sdl_info" in names, names
        assert names == [tool.name for tool in (await client.list_tools()).tools], "the order changes"

        info = data(await client.call_tool("sdl_info", {}))
        assert info["schemaVersion"], info

        # A gateway, with the action's fields as an object and as the string that some clients make of it.
        registered = data(await client.call_tool("sdl_repo", {"action": "repo.register", "args": {"rootPath": str(repo)}}))
        repo_id = registered["repoId"]
        data(await client.call_tool("sdl_repo", {"action": "index.refresh", "args": json.dumps({"mode": "incremental"})}))

        found = data(
            await client.call_tool(
                "sdl_query",
                {"action": "symbol.search", "repoId": repo_id, "args": {"query": "gross", "sync": "require"}},
            )
        )
        assert found["freshness"]["synced"] is True, found
        hits = [hit for hit in found["results"] if hit["name"] == "gross"]
        assert len(hits) == 1 and hits[0]["file"] == "prices.py", found

        # Any action by its own name, on any surface.
        built = data(
            await client.call_tool("sdl_slice_build", {"repoId": repo_id, "entrySymbols": [hits[0]["symbolId"]]})
        )
        held = {"sliceHandle": built["sliceHandle"], "knownVersion": built["ledgerVersion"]}
        same = data(await client.call_tool("sdl_slice_refresh", held))
        assert same["notModified"] is True, same

        prices = repo / "prices.py"
        before = prices.read_text()
        prices.write_text(before.replace("0.19", "0.07"))
        changed = data(await client.call_tool("sdl_slice_refresh", held))
        assert changed["notModified"] is False, changed
        assert "tax" in json.dumps(changed["delta"]), changed
        prices.write_text(before)

        # A raw twin takes the arguments as one string, and refuses what the tool refuses.
        payload = json.dumps({"action": "index.refresh", "repoId": repo_id, "args": {"mode": "incremental"}})
        data(await client.call_tool("sdl_repo_raw", {"payload": payload}))
        wrong = await client.call_tool("sdl_symbol_search", {"repoId": repo_id, "query": "gross", "limt": 3})
        assert wrong.is_error and "limt" in json.dumps(wrong.structured_content), wrong


if __name__ == "__main__":
    asyncio.run(session(sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])))
    print("ok", sys.argv[1])
