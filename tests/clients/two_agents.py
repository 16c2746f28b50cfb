"""Agents of the official Python MCP client who work on one repository: two_agents.py MODE SHIM REPO [CLAIMS]

MODE is a connect mode of `mcp.Client`: auto, legacy (the era of `initialize`), or a revision of the protocol. Each agent
has a shim of its own. REPO has a file `auth.py` with a function `validate` that compares with `MINUTES`. The daemon has
its modules memory, kg and work on. CLAIMS (50) is how often two agents claim one dispatch at once. Exits with 0 if
everything held. Not for Windows, because an agent is killed by a signal.
"""

import asyncio
import contextlib
import json
import os
import pathlib
import signal
import sys
import tempfile
import time
import traceback

from mcp import Client, StdioServerParameters

# Longest wait for what takes a second, because a machine of CI may be slow.
PATIENCE = 20


class Agent:
    """A client with a shim of its own, and its name."""

    def __init__(self, client: Client, name: str, note: pathlib.Path):
        self.client, self.name, self.note = client, name, note

    def kill(self) -> None:
        """Ends its shim as a crash would."""
        os.kill(int(self.note.read_text()), signal.SIGKILL)

    async def ask(self, tool: str, args: dict) -> tuple[dict, str, bool]:
        """The structured answer, its text, and whether it is a refusal."""
        result = await self.client.call_tool(f"sdl_{tool}", args)
        text = "\n".join(block.text for block in result.content if block.type == "text")
        assert result.structured_content is not None and text, f"{self.name} {tool}: only half of an answer: {result}"
        return result.structured_content, text, result.is_error

    async def call(self, tool: str, **args) -> dict:
        """The answer of a call that has to succeed."""
        answer, text, refused = await self.ask(tool, args)
        assert not refused, f"{self.name} {tool} {args} was refused: {text}"
        return answer

    async def refusal(self, tool: str, code: str, **args) -> dict:
        """The error of a call that has to be refused with this code."""
        answer, text, refused = await self.ask(tool, args)
        assert refused, f"{self.name} {tool} {args} was not refused: {text}"
        assert answer["code"] == code, f"{self.name} {tool}: {code} was expected: {text}"
        return answer


@contextlib.asynccontextmanager
async def agent(mode: str, shim: str, repo: pathlib.Path, name: str):
    """An agent. The shell notes its process id, which `exec` makes the shim's. The client checks answers by schemas."""
    with tempfile.TemporaryDirectory() as folder:
        note = pathlib.Path(folder, "pid")
        server = StdioServerParameters(
            command="/bin/sh",
            args=["-c", 'echo $$ > "$0"; exec "$1" --surface flat --output-schemas', str(note), shim],
            env=dict(os.environ),
            cwd=str(repo),
        )
        async with Client(server, mode=mode, read_timeout_seconds=60) as client:
            yield Agent(client, name, note)


def bodies(answer: dict) -> list[str]:
    """The messages beside an answer."""
    return [message["body"] for message in answer.get("inbox", {}).get("messages", [])]


async def directive_in_the_middle(ann: Agent, bob: Agent) -> None:
    """A directive is in the very next answer, whatever was asked, and in no other one."""
    quiet = await bob.call("symbol_search", query="validate")
    assert not bodies(quiet), f"bob was sent nothing yet: {quiet}"
    sent = await ann.call("session_send", to="bob", body="leave the clock alone", kind="directive")
    answer, text, _ = await bob.ask("symbol_search", {"query": "validate"})
    assert bodies(answer) == ["leave the clock alone"], f"the directive is not in the next answer: {answer}"
    assert "leave the clock alone" in text and "ann" in text, f"the text does not show the directive and its sender: {text}"
    message = answer["inbox"]["messages"][0]
    assert message["id"] == sent["messageId"] and message["requiresAck"] is True, message
    again = await bob.call("symbol_search", query="validate")
    assert "inbox" not in again, f"the directive was shown twice: {again}"
    box = await bob.call("session_inbox")
    assert box["messages"] == [] and box["waiting"] == 0, f"the directive is in the inbox too: {box}"
    assert await state_of(ann, message["id"]) == "delivered"
    await bob.call("session_inbox", ack=[{"id": message["id"], "reply": "it stays"}])
    reply = await ann.call("symbol_search", query="validate")
    assert bodies(reply) == ["it stays"], f"the reply is not in ann's next answer: {reply}"
    assert await state_of(ann, message["id"]) == "acked"

    waiting = asyncio.create_task(bob.call("session_inbox", waitMs=60_000))
    await asyncio.sleep(0.1)
    assert not waiting.done(), "bob does not wait for a message"
    await ann.call("session_send", to="bob", body="go on")
    woken = await asyncio.wait_for(waiting, PATIENCE)
    assert [message["body"] for message in woken["messages"]] == ["go on"], f"whoever waits is not woken: {woken}"


async def state_of(sender: Agent, message: str) -> str:
    out = await sender.call("session_inbox", box="out")
    states = [one["state"] for one in out["messages"] if one["id"] == message]
    assert len(states) == 1, f"{message} is not once among the sent ones: {out}"
    return states[0]


async def handoff_and_loss(start, ann: Agent, bob: Agent) -> None:
    """A handoff waits for an agent that is not there yet. It is lost in the middle, and another one goes on."""
    started = await ann.call(
        "dispatch_start", title="Fix the clock", brief="It is read twice.", to="carl", milestones=["reproduce", "fix"]
    )
    dispatch = started["dispatchId"]
    quiet = await bob.call("symbol_search", query="validate")
    assert not bodies(quiet), f"the handoff is for carl: {quiet}"
    async with start("carl") as carl:
        joined = await carl.call("session_join", agent="Carl")
        found = joined.get("inbox", {}).get("messages", [])
        assert [one["dispatchId"] for one in found] == [dispatch], f"no handoff beside the join: {joined}"
        assert found[0]["kind"] == "handoff", found
        once = await carl.call("symbol_search", query="validate")
        assert "inbox" not in once, f"the handoff was shown twice: {once}"
        claimed = await carl.call("dispatch_claim", dispatchId=dispatch)
        assert claimed["brief"] == "It is read twice.", claimed
        held = await bob.refusal("dispatch_claim", "notClaimed", dispatchId=dispatch)
        assert "Carl" in held["message"], f"the refusal does not name the holder: {held}"
        await carl.call("dispatch_progress", dispatchId=dispatch, note="it is the cache", milestonesDone=["reproduce"])
        # Who holds a dispatch may claim it again, here for the shortest time.
        short = await carl.call("dispatch_claim", dispatchId=dispatch, leaseSeconds=1)
        carl.kill()
    taken = await claim_when_free(bob, dispatch, short["leaseUntil"])
    row = taken["dispatch"]
    assert row["holder"] == "bob" and row["note"] == "it is the cache", f"what was reported is lost: {row}"
    assert [one["done"] for one in row["milestones"]] == [True, False], f"the milestones are lost: {row}"
    names = [one.get("agent") for one in (await ann.call("session_list"))["sessions"]]
    assert "Carl" not in names, f"the session of a killed agent has not ended: {names}"
    await bob.call("dispatch_complete", dispatchId=dispatch, outcome="success", summary="The cache keeps no clock.")
    news = await ann.call("symbol_search", query="validate")
    assert len(bodies(news)) == 1 and "The cache keeps no clock." in bodies(news)[0], f"ann does not hear of the end: {news}"


async def claim_when_free(agent: Agent, dispatch: str, lease_until: int) -> dict:
    """Claims a dispatch as soon as the lease of its holder is over."""
    give_up = time.monotonic() + PATIENCE
    while True:
        answer, text, refused = await agent.ask("dispatch_claim", {"dispatchId": dispatch})
        if not refused:
            early = lease_until - time.time() * 1_000
            assert early <= 0, f"the dispatch was claimed {early:.0f} ms before its lease was over: {answer}"
            return answer
        assert answer["code"] == "notClaimed", f"not a refusal of a held dispatch: {text}"
        assert time.monotonic() < give_up, f"{dispatch} is not free {PATIENCE} s after its holder was killed: {text}"
        await asyncio.sleep(0.1)


async def claims_at_once(ann: Agent, bob: Agent, times: int) -> dict:
    """Two claim one dispatch at the same time, again and again. How often each got it."""
    won = {ann.name: 0, bob.name: 0}
    for nth in range(times):
        dispatch = (await ann.call("dispatch_start", title=f"Piece {nth}", brief="Any of it."))["dispatchId"]
        # In turns, because the first to be sent may have the better chance.
        both = [ann, bob] if nth % 2 == 0 else [bob, ann]
        answers = await asyncio.gather(*(one.ask("dispatch_claim", {"dispatchId": dispatch}) for one in both))
        winners = [one.name for one, (_, _, refused) in zip(both, answers) if not refused]
        assert len(winners) == 1, f"claim {nth} of {dispatch}: {len(winners)} won: {[text for _, text, _ in answers]}"
        lost = next(answer for answer, _, refused in answers if refused)
        assert lost["code"] == "notClaimed" and winners[0] in lost["message"], f"claim {nth}: no winner is named: {lost}"
        won[winners[0]] += 1
        # By its starter, who may end it whoever holds it.
        await ann.call("dispatch_complete", dispatchId=dispatch, outcome="cancelled", summary="Only a race.")
    return won


async def contexts_that_learn(ann: Agent, bob: Agent) -> None:
    """A source that helped one agent comes first for the other."""
    for title in ("Login by cookie", "Login by token"):
        await ann.call("memory_store", type="note", title=title, content=f"{title} ends after an hour at the gateway.")
    task = {"taskText": "when does a login end at the gateway", "budget": {"maxTokens": 2_000}, "lanes": ["memory"]}
    before = await ann.call("context_assemble", **task)
    (first, second), scores = shown_memories(before)
    judged = await ann.call("context_feedback", assemblyId=before["assemblyId"], usedSourceIds=[second], outcome="success")
    assert judged["counted"] == {"used": 1, "unused": 1}, judged
    after = await bob.call("context_assemble", **task)
    order, later = shown_memories(after)
    assert order == [second, first], f"the source that helped is not first: {scores} before, {later} after"
    assert later[second] > scores[second] and later[first] < scores[first], f"{scores} before, {later} after"


def shown_memories(context: dict) -> tuple[list[str], dict[str, float]]:
    items = [item for section in context["sections"] if section["lane"] == "memory" for item in section["items"]]
    assert len(items) == 2, f"two memories fit the task: {context}"
    return [item["sourceId"] for item in items], {item["sourceId"]: item["score"] for item in items}


async def memories_that_go_stale(ann: Agent, bob: Agent, auth: pathlib.Path) -> None:
    """One agent edits what the other remembers, and is shown what that makes stale. Both see it until it is confirmed."""
    hits = (await ann.call("symbol_search", query="validate", sync="require"))["results"]
    symbol = next(hit["symbolId"] for hit in hits if hit["name"] == "validate")
    stored = await ann.call(
        "memory_store", type="decision", title="An hour is enough", content="validate allows an hour.", symbolIds=[symbol]
    )
    memory = stored["memoryId"]
    for one in (ann, bob):
        assert await is_stale(one, memory) is False, f"{one.name} is shown a new memory as stale"
    held = await bob.call("slice_build", entrySymbols=[symbol])
    version = held["ledgerVersion"]
    auth.write_text(auth.read_text().replace("<= MINUTES", "<= 2 * MINUTES"))
    refreshed = await bob.call(
        "slice_refresh", sliceHandle=held["sliceHandle"], knownVersion=version, includeMemories=True
    )
    named = [(row["id"], row["symbolId"]) for row in refreshed.get("staled", [])]
    assert named == [(memory, symbol)], f"slice.refresh does not name what the edit made stale: {refreshed}"
    delta = await bob.call("delta_get", fromVersion=version, toVersion=refreshed["currentVersion"], includeMemories=True)
    assert [row["id"] for row in delta.get("staled", [])] == [memory], f"delta.get does not name it: {delta}"
    for one in (ann, bob):
        assert await is_stale(one, memory) is True, f"{one.name} is shown a memory of changed code as fresh"
    _, text, _ = await ann.ask("memory_query", {"staleOnly": True})
    assert memory in text and "stale since" in text, f"the text does not show that it is stale: {text}"
    confirmed = await ann.call("memory_update", memoryId=memory, confirm=True)
    assert confirmed["changed"], confirmed
    for one in (ann, bob):
        assert await is_stale(one, memory) is False, f"{one.name} is shown a confirmed memory as stale"
    same = await bob.call(
        "slice_refresh", sliceHandle=held["sliceHandle"], knownVersion=refreshed["currentVersion"], includeMemories=True
    )
    assert same["notModified"] is True and not same.get("staled"), f"stale without a change: {same}"


async def is_stale(agent: Agent, memory: str) -> bool:
    """How a memory is shown, which both ways have to agree on."""
    found = await agent.call("memory_query", query="hour", types=["decision"])
    surfaced = await agent.call("memory_surface", types=["decision"])
    shown = [one["stale"] for answer in (found, surfaced) for one in answer["memories"] if one["memoryId"] == memory]
    assert len(shown) == 2 and shown[0] == shown[1], f"memory.query and memory.surface differ: {found} {surfaced}"
    return shown[0]


async def raw_twins(ann: Agent) -> None:
    """Every mutation takes its arguments as one string too, and refuses the same."""
    spaces = ("context", "memory", "lesson", "scratch", "kg", "dispatch", "session", "activity")
    listed = {tool.name.removeprefix("sdl_") for tool in (await ann.client.list_tools()).tools}
    missed = {name for name in listed if name.endswith("_raw") and name.startswith(spaces)}

    async def raw(tool: str, **args) -> dict:
        missed.discard(f"{tool}_raw")
        return await ann.call(f"{tool}_raw", payload=json.dumps(args))

    stored = await raw("memory_store", type="note", title="Raw", content="By a string.")
    await raw("memory_update", memoryId=stored["memoryId"], tags=["raw"])
    shown = (await ann.call("memory_query", tags=["raw"]))["memories"]
    assert [one["memoryId"] for one in shown] == [stored["memoryId"]], f"not what the twins wrote: {shown}"
    context = await ann.call("context_assemble", taskText="by a string", budget={"maxTokens": 2_000}, lanes=["memory"])
    await raw("context_feedback", assemblyId=context["assemblyId"], usedSourceIds=[stored["memoryId"]])
    await raw("memory_remove", memoryId=stored["memoryId"])
    await raw("lesson_store", agent="ann", lessonType="preference", content="Strings are quoted twice.")
    await raw("scratch_write", contextType="plan", steps=["one", "two"])
    assert (await raw("scratch_clear", contextType="plan"))["cleared"] == 1

    fact = await raw("kg_add", subject="auth", predicate="owned_by", object="team north", validFrom="2026-01-31")
    await raw("kg_invalidate", tripleId=fact["tripleId"], at="2026-03-01")
    for day, owners in (("2026-02-15", ["team north"]), ("2026-03-15", [])):
        held = await ann.call("kg_query", entity="auth", asOf=day)
        assert [one["object"] for one in held["triples"]] == owners, f"on {day}: {held}"

    await raw("session_join", agent="ann", task="raw twins")
    dispatch = (await raw("dispatch_start", title="Raw", brief="By a string."))["dispatchId"]
    await raw("dispatch_claim", dispatchId=dispatch)
    await raw("dispatch_progress", dispatchId=dispatch, note="half of it")
    await raw("dispatch_complete", dispatchId=dispatch, outcome="success", summary="All of it.")
    await raw("session_send", to="nobody yet", body="By a string.")
    await raw("session_inbox", box="out")
    await raw("activity_log", type="test", message="All twins answer.")
    assert not missed, f"twins that were not called: {missed}"

    # A gateway has one too.
    logged = await raw("work", action="activity.log", args={"type": "note", "message": "By the gateway."})
    assert logged["activityId"].startswith("act_"), logged
    for tool, args in (("memory_store", {"type": "note", "title": "x", "content": "x"}), ("kg_add", {"subject": "x"})):
        wrong = await ann.refusal(f"{tool}_raw", "unknownField", payload=json.dumps({**args, "extra": 1}))
        assert "extra" in wrong["message"], f"the refusal does not name the field: {wrong}"
    for text in ("{", "[]"):
        answer, shown, refused = await ann.ask("activity_log_raw", {"payload": text})
        assert refused, f"a payload {text!r} was taken: {shown}"


async def work_together(mode: str, shim: str, repo: pathlib.Path, times: int) -> None:
    def start(name: str):
        return agent(mode, shim, repo, name)

    async with start("ann") as ann, start("bob") as bob:
        names = {tool.name for tool in (await ann.client.list_tools()).tools}
        assert {"sdl_memory_update", "sdl_kg_add", "sdl_session_join"} <= names, f"the modules are off: {sorted(names)}"
        await ann.call("repo_register", rootPath=str(repo))
        await ann.call("index_refresh", mode="incremental")
        for one in (ann, bob):
            await one.call("session_join", agent=one.name)
        await directive_in_the_middle(ann, bob)
        await handoff_and_loss(start, ann, bob)
        began = time.monotonic()
        won = await claims_at_once(ann, bob, times)
        seconds = time.monotonic() - began
        await contexts_that_learn(ann, bob)
        await memories_that_go_stale(ann, bob, repo / "auth.py")
        await raw_twins(ann)
    print(f"ok {mode}: {times} dispatches claimed by both at once in {seconds:.1f} s, each by one: {won}")


if __name__ == "__main__":
    count = int(sys.argv[4]) if len(sys.argv) > 4 else 50
    try:
        asyncio.run(work_together(sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]), count))
    except BaseException as fault:
        # The client wraps what fails inside of it into groups, which hide the message.
        while getattr(fault, "exceptions", None):
            fault = fault.exceptions[0]
        traceback.print_exception(fault)
        sys.exit(1)
