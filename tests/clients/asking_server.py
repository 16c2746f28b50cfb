"""An MCP server that asks its client, on the official Python SDK: asking_server.py

In its answers if the connection is of 2026-07-28, else by requests during the call.
"""

from mcp.server.mcpserver import Context, MCPServer
from mcp.types import (
    CreateMessageRequest,
    CreateMessageRequestParams,
    ElicitRequest,
    ElicitRequestFormParams,
    InputRequiredResult,
    ListRootsRequest,
    SamplingMessage,
    TextContent,
)

server = MCPServer("asks")
NAME = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}


def form(tag: str) -> ElicitRequest:
    return ElicitRequest(params=ElicitRequestFormParams(message=f"Who is {tag}?", requested_schema=NAME))


def sample(tag: str) -> CreateMessageRequest:
    text = TextContent(type="text", text=f"A word for {tag}")
    messages = [SamplingMessage(role="user", content=text)]
    return CreateMessageRequest(params=CreateMessageRequestParams(messages=messages, max_tokens=10))


async def ask_now(ctx: Context, request):
    """Asks by a request of its own."""
    session, params, call = ctx.session, request.params, ctx.request_id
    if isinstance(request, ElicitRequest):
        return await session.elicit(params.message, params.requested_schema, call)
    if isinstance(request, ListRootsRequest):
        return await session.list_roots()
    return await session.create_message(params.messages, max_tokens=params.max_tokens, related_request_id=call)


async def ask(ctx: Context, state: str, **requests) -> dict | InputRequiredResult:
    """The answers, or the result that asks for them."""
    if ctx.protocol_version < "2026-07-28":
        return {name: await ask_now(ctx, request) for name, request in requests.items()}
    answers = ctx.input_responses
    if not answers or set(answers) != set(requests):
        return InputRequiredResult(input_requests=requests, request_state=state)
    return answers


@server.tool()
async def ask_name(ctx: Context, tag: str) -> str | InputRequiredResult:
    """Asks the person for a name."""
    answers = await ask(ctx, f"state of {tag}", name=form(tag))
    return answers if isinstance(answers, InputRequiredResult) else f"{tag}: {answers['name'].content['name']}"


@server.tool()
async def ask_model(ctx: Context, tag: str) -> str | InputRequiredResult:
    """Asks the client's model."""
    answers = await ask(ctx, f"state of {tag}", word=sample(tag))
    return answers if isinstance(answers, InputRequiredResult) else f"{tag}: {answers['word'].content.text}"


@server.tool()
async def ask_roots(ctx: Context, tag: str) -> str | InputRequiredResult:
    """Asks for the client's roots."""
    answers = await ask(ctx, f"state of {tag}", roots=ListRootsRequest())
    return answers if isinstance(answers, InputRequiredResult) else f"{tag}: {answers['roots'].roots[0].uri}"


@server.tool()
async def ask_all(ctx: Context, tag: str) -> str | InputRequiredResult:
    """Asks for a name and the roots at once, then the model. The state carries the first answers."""
    state = ctx.request_state or ""
    if not state.startswith("after "):
        answers = await ask(ctx, "at first", name=form(tag), roots=ListRootsRequest())
        if isinstance(answers, InputRequiredResult):
            return answers
        state = f"after {answers['name'].content['name']} at {answers['roots'].roots[0].uri}"
    answers = await ask(ctx, state, word=sample(tag))
    if isinstance(answers, InputRequiredResult):
        return answers
    return f"{tag}: {state}, {answers['word'].content.text}"


if __name__ == "__main__":
    server.run("stdio")
