"""A model's endpoint on this machine that follows a script, for clients that speak the Anthropic Messages API.

The script knows nothing of sdl's answers. Its first turn searches for an identifier, as models do. From then on it follows one rule: if
what came back names a call of an `sdl` tool with its arguments, make exactly that call; else search on, in other words, up to three times.
Whatever the tools answer last is repeated as the final text.
"""

import http.server
import json
import re
import threading

# What starts a task of a subagent, which is how its requests are told from those of the main thread.
SUBTASK = "SUBTASK:"
# The name of a tool, with or without the prefix that clients put before it.
NAMED = re.compile(r"(?<![A-Za-z0-9_])(?:mcp__[A-Za-z0-9-]+__)?sdl[_.][A-Za-z][A-Za-z_.]*")
# Between a name and its arguments: words, backticks, a bracket. Never another line.
BETWEEN = 60


def texts(message, results=True):
    """The texts of a message, and with `results` those of the tool results in it."""
    content = message.get("content") or []
    if isinstance(content, str):
        yield content
        return
    for block in content:
        if block.get("type") == "text":
            yield block["text"]
        elif block.get("type") == "tool_result" and results:
            yield from texts({"content": block.get("content")})


def last_results(request):
    """What the tools answered last."""
    blocks = [block for message in new_messages(request) for block in message["content"] if isinstance(block, dict)]
    blocks = [block for block in blocks if block.get("type") == "tool_result"]
    return "\n".join(texts({"content": blocks}))


def first_text(request):
    """All that the first message says: the task is in it."""
    return "\n".join(texts(request["messages"][0]))


def is_subagent(request):
    """Whether the request comes from a subagent that the script started."""
    return SUBTASK in first_text(request)


def uses(request):
    """The calls so far, in order."""
    calls = []
    for message in request["messages"]:
        if message["role"] == "assistant" and not isinstance(message["content"], str):
            calls += [block for block in message["content"] if block.get("type") == "tool_use"]
    return calls


def new_messages(request):
    """The messages after the last turn of the model."""
    messages = request["messages"]
    last = max((at for at, one in enumerate(messages) if one["role"] == "assistant"), default=-1)
    return messages[last + 1 :]


def held_back(request):
    """Tools that the client only names, each on a line of its own, until they are searched for."""
    lines = (line.strip() for message in request["messages"] for text in texts(message, results=False) for line in text.splitlines())
    return [line for line in lines if re.fullmatch(r"mcp__[A-Za-z0-9_-]+", line)]


def named_call(found, tools):
    """The first call that a text names in full: (tool, arguments), or None. Only tools that `tools` has count."""
    for text in found:
        for match in NAMED.finditer(text):
            name = match.group().rstrip(".")
            tail = text[match.end() : match.end() + BETWEEN].split("\n", 1)[0]
            brace = tail.find("{")
            known = [tool for tool in tools if tool == name or tool.endswith("__" + name.replace(".", "_"))]
            if brace < 0 or not known:
                continue
            try:
                args, _ = json.JSONDecoder().raw_decode(text, match.end() + brace)
            except json.JSONDecodeError:
                continue
            if isinstance(args, dict):
                return known[0], args
    return None


class Script:
    """What the model says to each request."""

    def __init__(self, identifier, delegate=False):
        self.identifier, self.delegate = identifier, delegate

    def reply(self, request):
        """The content blocks of the next turn, without ids."""
        tools = [tool.get("name", "") for tool in request.get("tools", [])]
        if not tools:
            return [{"type": "text", "text": "ok"}]
        calls = uses(request)
        if not calls:
            if self.delegate and not is_subagent(request):
                return [self.start_subagent(tools)]
            return [self.search(tools, 0)]
        last = calls[-1]
        if last["name"].startswith("mcp__") or last["name"] in ("Agent", "Task"):
            return [{"type": "text", "text": last_results(request)}]
        # The tools that a search for tools finds are called as they were named before it.
        messages = request["messages"] if last["name"] == "ToolSearch" else new_messages(request)
        found = [text for message in messages for text in texts(message)]
        call = named_call(found, [*tools, *held_back(request)])
        if call and call[0] in tools:
            return [{"type": "tool_use", "name": call[0], "input": call[1]}]
        if call and "ToolSearch" in tools and last["name"] != "ToolSearch":
            return [{"type": "tool_use", "name": "ToolSearch", "input": {"query": f"select:{call[0]}", "max_results": 1}}]
        if len(calls) < 3:
            return [self.search(tools, len(calls))]
        return [{"type": "text", "text": last_results(request)}]

    def start_subagent(self, tools):
        tool = "Agent" if "Agent" in tools else "Task"
        prompt = f"{SUBTASK} find all callers of {self.identifier}."
        args = {"description": "Find callers", "prompt": prompt, "subagent_type": "general-purpose", "run_in_background": False}
        return {"type": "tool_use", "name": tool, "input": args}

    def search(self, tools, turn):
        pattern = [self.identifier, rf"{self.identifier}\(", f"def {self.identifier}"][turn]
        if "Grep" in tools:
            return {"type": "tool_use", "name": "Grep", "input": {"pattern": pattern, "output_mode": "content", "-n": True}}
        args = {"command": f"grep -rnE '{pattern}' .", "description": "Search"}
        return {"type": "tool_use", "name": "Bash", "input": args}


def stream_events(model, blocks, turn):
    """The events of one streamed answer."""
    usage = {"input_tokens": 1, "output_tokens": 1}
    message = {"id": f"msg_{turn}", "type": "message", "role": "assistant", "model": model, "content": [], "stop_reason": None}
    yield "message_start", {"message": {**message, "stop_sequence": None, "usage": usage}}
    for index, block in enumerate(blocks):
        if block["type"] == "tool_use":
            start = {"type": "tool_use", "id": f"toolu_{turn}_{index}", "name": block["name"], "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        else:
            start, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": block["text"]}
        yield "content_block_start", {"index": index, "content_block": start}
        yield "content_block_delta", {"index": index, "delta": delta}
        yield "content_block_stop", {"index": index}
    reason = "tool_use" if any(block["type"] == "tool_use" for block in blocks) else "end_turn"
    yield "message_delta", {"delta": {"stop_reason": reason, "stop_sequence": None}, "usage": {"output_tokens": 1}}
    yield "message_stop", {}


class Endpoint(http.server.BaseHTTPRequestHandler):
    """Answers with the server's script, and keeps each request with its answer."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_args):
        pass

    def send_json(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def do_GET(self):
        self.send_json(404, {"type": "error", "error": {"type": "not_found_error", "message": "only /v1/messages is here"}})

    do_HEAD = do_GET

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        path = self.path.split("?", 1)[0]
        if path == "/v1/messages/count_tokens":
            return self.send_json(200, {"input_tokens": len(body) // 4})
        if path != "/v1/messages":
            return self.do_GET()
        request = json.loads(body)
        blocks = self.server.script.reply(request)
        with self.server.lock:
            turn = len(self.server.turns)
            self.server.turns.append({"request": request, "blocks": blocks})
        events = list(stream_events(request["model"], blocks, turn))
        if not request.get("stream"):
            content = [{**block, "id": f"toolu_{turn}"} if block["type"] == "tool_use" else block for block in blocks]
            reason = events[-2][1]["delta"]["stop_reason"]
            return self.send_json(200, {**events[0][1]["message"], "content": content, "stop_reason": reason})
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        for name, data in events:
            self.wfile.write(f"event: {name}\ndata: {json.dumps({'type': name, **data})}\n\n".encode())
        self.close_connection = True


def serve(script):
    """Starts the endpoint on a free port of this machine. `server.turns` fills up; end it with `server.shutdown()`."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Endpoint)
    server.script, server.turns, server.lock = script, [], threading.Lock()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server
