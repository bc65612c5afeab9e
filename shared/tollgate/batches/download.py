"""A file of results on its way from S3 to the client, in pieces, because it may be larger than the memory."""

import asyncio
from dataclasses import dataclass

from tollgate.kit.http.response import Response
from tollgate.text.serving.asgi import SEND_TIMEOUT_S, Receive, Send, encoded_headers

JSONL = "application/x-jsonl"
# For clients that cannot read lines of JSON, such as openapi-python-client
BYTES = "application/octet-stream"
OK = 200


@dataclass(frozen=True, slots=True)
class Download:
    """An answer with the bytes of an object: JSON lines, or plain bytes if the client accepts only these."""

    found: Response
    accept: str = ""

    async def send(self, receive: Receive, send: Send) -> None:
        """Send it. Raises `TimeoutError` if the client does not read it."""
        del receive
        try:
            content_type = BYTES if self.accept == BYTES else JSONL
            headers = encoded_headers({"content-type": content_type})
            await send({"type": "http.response.start", "status": OK, "headers": headers})
            while piece := await self.found.readany():
                async with asyncio.timeout(SEND_TIMEOUT_S):
                    await send({"type": "http.response.body", "body": piece, "more_body": True})
            await send({"type": "http.response.body", "body": b""})
        finally:
            self.found.close()
