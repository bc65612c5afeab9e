"""`python -m tests.bench.bare_proxy PORT UPSTREAM`: the baseline, FastAPI and httpx and nothing else.

No key, no money, no reading of the answer: what anyone would write in ten minutes.
"""

import sys
from collections.abc import AsyncIterator

import httpx
import uvicorn
from fastapi import FastAPI, Request, Response
from fastapi.responses import StreamingResponse

app = FastAPI()
client = httpx.AsyncClient(timeout=60, limits=httpx.Limits(max_connections=None))


@app.post("/api/v1/chat/completions")
async def chat(request: Request) -> Response:
    """Pass one request on."""
    body = await request.body()
    upstream = client.build_request(
        "POST", sys.argv[2] + "/chat/completions", content=body, headers={"content-type": "application/json"}
    )
    answer = await client.send(upstream, stream=True)
    if not answer.headers["content-type"].startswith("text/event-stream"):
        return Response(await answer.aread(), answer.status_code, media_type="application/json")

    async def relay() -> AsyncIterator[bytes]:
        async for piece in answer.aiter_raw():
            yield piece
        await answer.aclose()

    return StreamingResponse(relay(), answer.status_code, media_type="text/event-stream")


if __name__ == "__main__":
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="error", access_log=False)
