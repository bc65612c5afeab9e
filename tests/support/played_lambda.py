"""Lambda's API as `get_status` calls it: `api` runs at once, in a thread of its own, as its own function."""

import asyncio
import io
import json
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from local.machine.events import Context


@dataclass
class PlayedLambda:
    """Calls `api` by its handler. `answers` are given in its place, `lost` of its answers are not heard."""

    answers: list[Mapping[str, Any]] = field(default_factory=list)
    lost: int = 0
    events: list[dict[str, Any]] = field(default_factory=list)

    def invoke(self, *, FunctionName: str, Payload: bytes) -> Mapping[str, Any]:  # noqa: N803
        """Call the function; one whose answer is lost is called again, as the SDK does."""
        from tests.support.iam import recorder  # noqa: PLC0415 - a plugin, which pytest imports first

        assert FunctionName == "ApiFunction:live"
        recorder.judge("lambda", "Invoke", FunctionName=FunctionName)
        event = json.loads(Payload)
        self.events.append(event)
        if self.answers:
            return self.answers.pop(0)
        with ThreadPoolExecutor(1) as pool:
            for _ in range(self.lost):
                pool.submit(_handled, event).result()
            self.lost = 0
            found = pool.submit(_handled, event).result()
        return {"Payload": io.BytesIO(json.dumps(found).encode())}


def _handled(event: dict[str, Any]) -> Any:
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    try:
        from api.app import handler  # noqa: PLC0415 - Mangum takes the loop of the thread that imports it first

        return handler(event, Context("ApiFunction"))  # type: ignore[arg-type]
    finally:
        loop.close()
