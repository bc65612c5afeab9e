"""What drawing a thumbnail takes: `draw_thumbnail` by its handler, on an image as providers make them."""

import io
import json
import resource
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from PIL import Image

from local.machine.events import Context
from tests.support.http_server import Reply, http_server

SIDE_PX = 1024
NOISE = 40
"""So that the file is as large as a photograph's."""
RUNS = 10


@cache
def photograph() -> bytes:
    """Return a JPEG of a million pixels."""
    file = io.BytesIO()
    Image.effect_noise((SIDE_PX, SIDE_PX), NOISE).convert("RGB").save(file, "JPEG", quality=90)
    return file.getvalue()


@dataclass(frozen=True)
class Drawing:
    """What a drawing takes, with the process that decodes, and what it answers."""

    cpu_s: float
    answer: dict[str, Any]

    def invoke(self, **_: Any) -> Mapping[str, Any]:
        """Answer as Lambda's API does, at once: whoever waits for it waits by `bill.OUTSIDE_S`."""
        return {"Payload": io.BytesIO(json.dumps(self.answer).encode())}


def drawing() -> Drawing:
    """Draw, and return what that took."""
    from draw_thumbnail.app import handler  # noqa: PLC0415 - with the environment set

    with http_server(lambda _: Reply(200, photograph(), {"content-type": "image/jpeg"})) as url:
        found = handler({"url": f"{url}/warm.jpg"}, Context("bench"))
        assert "image" in found, found
        started = _cpu_s()
        for number in range(RUNS):
            handler({"url": f"{url}/{number}.jpg"}, Context("bench"))
        return Drawing((_cpu_s() - started) / RUNS, found)


def _cpu_s() -> float:
    """Return the CPU time of this process and of those that it started and that have ended."""
    spent = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in spent)
