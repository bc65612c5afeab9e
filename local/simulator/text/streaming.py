"""A stream of events, delayed and broken as its prompt directs."""

import asyncio
from collections.abc import Sequence

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from local.simulator.directions import ALWAYS, MS_PER_S, Directions
from local.simulator.text.directions import TextDirections
from local.simulator.transport import BrokenOff, close_connection

GARBAGE = b'data: {"choices": [{"delta": <html>upstream hiccup\n\n'


class EventStream(Response):
    """Sends each event when it is due."""

    def __init__(
        self,
        events: Sequence[bytes],
        directions: TextDirections,
        headers: dict[str, str],
        media_type: str = "text/event-stream",
    ) -> None:
        super().__init__(headers=headers, media_type=media_type)
        del self.headers["content-length"]
        self._events = events
        self._directions = directions

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the events. Close the connection if the directions require it."""
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        await send({"type": "http.response.body", "body": b"", "more_body": True})
        await asyncio.sleep(self._directions.silent_ms / MS_PER_S)
        for sent, event in enumerate(self._events):
            if sent == self._directions.stream_cut:
                await close_connection(scope, receive)
                return
            await asyncio.sleep(self._directions.delay_ms / MS_PER_S if sent else 0)
            await send({"type": "http.response.body", "body": event, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})


def disturbed(
    events: list[bytes], error: bytes, common: Directions, directions: TextDirections
) -> list[bytes]:
    """Return the events with an error or an unreadable event among them, if directed."""
    if common.garbage_answers:
        good = 0 if common.garbage_answers == ALWAYS else common.garbage_answers
        return [*events[:good], GARBAGE]
    return [*events[: len(events) // 2], error] if directions.error_in_stream else events


def whole(
    content: bytes, common: Directions, directions: TextDirections, headers: dict[str, str]
) -> Response:
    """Return a response that is not streamed, broken as directed."""
    if common.garbage_answers:
        content = content[: len(content) // 2]
    if directions.stream_cut is not None:
        return BrokenOff(content, media_type="application/json", headers=headers)
    return Response(content, media_type="application/json", headers=headers)
