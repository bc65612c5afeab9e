"""`python -m tests.bench.upstream PORT`: the cheapest OpenAI-compatible provider, to be no bottleneck.

A whole answer of about 600 bytes; a stream of as many chunks as `max_tokens` says, 20 ms apart when
`temperature` is 1, else as fast as they go.
"""

import asyncio
import json
import sys

import uvicorn
from starlette.types import Receive, Scope, Send

USAGE = {"prompt_tokens": 9, "completion_tokens": 40, "total_tokens": 49}
HEAD = {"id": "chatcmpl-1", "created": 1, "model": "gpt-5.4-mini"}
WHOLE = json.dumps(
    {
        **HEAD,
        "object": "chat.completion",
        "choices": [
            {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "word " * 90}}
        ],
        "usage": USAGE,
    }
).encode()
CHUNK = json.dumps(
    {**HEAD, "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": "word "}}]}
).encode()
LAST = json.dumps({**HEAD, "object": "chat.completion.chunk", "choices": [], "usage": USAGE}).encode()
GAP_S = 0.02


async def app(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer any POST."""
    if scope["type"] != "http":
        return
    body = bytearray()
    more = True
    while more:
        message = await receive()
        body += message.get("body", b"")
        more = message.get("more_body", False)
    asked = json.loads(body or b"{}")
    streamed = asked.get("stream") is True
    kind = b"text/event-stream" if streamed else b"application/json"
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", kind)]})
    if not streamed:
        await send({"type": "http.response.body", "body": WHOLE})
        return
    limit = asked.get("max_completion_tokens") or asked.get("max_tokens") or 50
    for _ in range(limit):
        await send({"type": "http.response.body", "body": b"data: " + CHUNK + b"\n\n", "more_body": True})
        if asked.get("temperature") == 1:
            await asyncio.sleep(GAP_S)
    await send({"type": "http.response.body", "body": b"data: " + LAST + b"\n\ndata: [DONE]\n\n"})


if __name__ == "__main__":
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="error", access_log=False)
