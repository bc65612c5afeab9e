"""A background response as a stream: the events that are stored, then each as it comes."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass

from tollgate.kit.clock import MS_PER_S, Clock
from tollgate.text.responses.events import CANCELLED, FAILED, encoded_events
from tollgate.text.responses.parts import INTERVAL_S, MAX_PARTS
from tollgate.text.responses.repository import Reader, ResponseRepository, StoredResponse
from tollgate.text.responses.states import is_running
from tollgate.text.routes.response import is_set_within
from tollgate.text.serving.asgi import SEND_TIMEOUT_S, Receive, Send, encoded_headers
from tollgate.text.serving.event_stream import KEEP_ALIVE_S, STREAM_HEADERS

# Of the stream that created the response: as long as the response may take.
MAX_CREATED_S = 15 * 60
# Of any other stream; its client continues with the number of its last event.
MAX_FOLLOW_S = 60
# Looks for the next part between two looks whether the response has ended.
_LOOKS = 5
_KEEP_ALIVE = b": keep-alive\n\n"


@dataclass(slots=True)
class FollowedResponse:
    """A streamed answer with the events of a response after `last_event` (-1: all)."""

    kept: ResponseRepository
    reader: Reader
    found: StoredResponse
    last_event: int
    clock: Clock
    most_s: int

    async def send(self, receive: Receive, send: Send) -> None:
        """Send the events until the response ends, or the client disconnects."""
        gone = asyncio.Event()

        async def watch() -> None:
            while (await receive())["type"] != "http.disconnect":
                continue
            gone.set()

        watching = asyncio.ensure_future(watch())
        headers = encoded_headers(STREAM_HEADERS)
        try:
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            async for events in self._events(gone):
                async with asyncio.timeout(SEND_TIMEOUT_S):
                    await send({"type": "http.response.body", "body": events, "more_body": True})
            await send({"type": "http.response.body", "body": b""})
        except (OSError, TimeoutError):
            # The client has disconnected, or does not read. The response continues.
            return
        finally:
            watching.cancel()

    async def _events(self, gone: asyncio.Event) -> AsyncIterator[bytes]:
        """Yield events as they are stored, and keep-alives between them."""
        number, looks, quiet_s = 0, 0, 0.0
        ends_at_ms = self.clock.now_ms() + self.most_s * MS_PER_S
        while number < MAX_PARTS and self.clock.now_ms() < ends_at_ms and not gone.is_set():
            response_id = self.found.response["id"]
            part = await self.kept.parts.after(
                self.reader.caller.account_id, response_id, number, self.last_event
            )
            if part is not None:
                number, looks, quiet_s = number + 1, 0, 0.0
                self.last_event = max(self.last_event, part.last_event)
                if part.events:
                    yield part.events
                if part.is_last:
                    return
                continue
            if not self._is_running():
                # Its last part is stored right after its end, or never.
                if looks == _LOOKS:
                    yield self._last()
                    return
            elif looks == _LOOKS:
                self.found, looks = await self.kept.find(self.reader, response_id), 0
                continue
            if quiet_s >= KEEP_ALIVE_S:
                yield _KEEP_ALIVE
                quiet_s = 0.0
            looks, quiet_s = looks + 1, quiet_s + INTERVAL_S
            await is_set_within(gone, INTERVAL_S)

    def _is_running(self) -> bool:
        return is_running(self.found.row, self.clock.now_ms() // MS_PER_S)

    def _last(self) -> bytes:
        """Return the end of a response whose process stopped before it stored one."""
        response = self.found.response
        # There is no event for a cancelled response.
        kind = f"response.{FAILED if response['status'] == CANCELLED else response['status']}"
        return encoded_events([{"type": kind, "response": response, "sequence_number": self.last_event + 1}])
