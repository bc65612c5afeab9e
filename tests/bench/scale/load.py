"""The load that ceilings are held against, and what a second of it asks for. Pure.

What a part of a request takes is counted by `make cost` and read from docs/cost.md.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from tests.bench.cost.bill import IMAGE_S, OUTSIDE_S, VIDEO_S, polls_of
from tests.bench.cost.prices import MILLION

MONTH_S = 730 * 3_600
CHATS, IMAGES, VIDEOS = 1_000_000, 100_000, 100_000
"""In a month: what is called today's load here. It is assumed; nothing of it was measured on AWS."""
PEAK = 3
"""The busiest minute has so many times the requests of an average one."""
CHAT_S = OUTSIDE_S["chat"]
STATUS_POLLS = {IMAGE_S: 6, VIDEO_S: 28}
"""Of a task, by `pollAfterS`; half of the customers wait for a webhook instead."""
POLLERS = 0.5
POLLS_IN_BATCH = 10
"""That a busy worker takes at once, for the time of one (`make bench-drain`)."""


@dataclass(frozen=True, slots=True)
class Part:
    """What one invocation takes: DynamoDB's units, and seconds."""

    write_units: float
    read_units: float
    billed_s: float


def parts_of(document: str) -> dict[str, Part]:
    """Return the parts that docs/cost.md counts, by name."""
    table = document.partition("<!-- counts -->")[2].partition("<!-- end -->")[0]
    lines = [line.strip("| ").split(" | ") for line in table.strip().splitlines()[2:]]
    return {cells[0]: Part(float(cells[3]), float(cells[4]), float(cells[6]) / 1_000) for cells in lines}


def usd_of(document: str) -> dict[str, float]:
    """Return what docs/cost.md says that a million of each kind of request cost, in USD."""
    table = document.partition("<!-- costs -->")[2].partition("<!-- end -->")[0]
    lines = [line.strip("| ").split(" | ") for line in table.strip().splitlines()[2:]]
    return {cells[0]: float(cells[-1].strip("* ")) for cells in lines}


def usd_a_month(document: str, times: int) -> float:
    """Return what a month costs at so many times today's load, without providers and traffic."""
    usd = usd_of(document)
    tasks = IMAGES + VIDEOS
    polls = POLLERS * (IMAGES * STATUS_POLLS[IMAGE_S] + VIDEOS * STATUS_POLLS[VIDEO_S])
    counts = {
        "chat, streamed for 10 s": CHATS,
        f"image of {IMAGE_S} s, from create to file": IMAGES,
        f"video of {VIDEO_S} s, from create to file": VIDEOS,
        "status poll": polls,
        "webhook, delivered at once": (1 - POLLERS) * tasks,
    }
    return times * sum(count * usd[name] for name, count in counts.items()) / MILLION


def a_second(times: int = 1) -> dict[str, float]:
    """Return how many of each part there are in a second of the peak, at so many times today's load."""
    scale = PEAK * times / MONTH_S
    images, videos, chats = (scale * count for count in (IMAGES, VIDEOS, CHATS))
    tasks = images + videos
    once = ("create", "dispatch", "submit", "finish", "dispatch end", "thumbnail", "draw")
    found = dict.fromkeys(once, tasks)
    shares = {IMAGE_S: images, VIDEO_S: videos}
    return found | {
        "poll": sum(rate * polls_of(job_s) for job_s, rate in shares.items()),
        "status": POLLERS * sum(rate * STATUS_POLLS[job_s] for job_s, rate in shares.items()),
        "deliver": (1 - POLLERS) * tasks,
        "count usage": tasks,
        "count chat": chats,
        "chat": chats,
    }


def running_tasks(rates: Mapping[str, float]) -> float:
    """Return how many tasks providers work on at once."""
    return rates["create"] * (IMAGES * IMAGE_S + VIDEOS * VIDEO_S) / (IMAGES + VIDEOS)


def requests(rates: Mapping[str, float]) -> float:
    """Return how many requests the gateway has in a second."""
    return rates["create"] + rates["status"] + rates["chat"]


def write_units(rates: Mapping[str, float], parts: Mapping[str, Part]) -> float:
    """Return DynamoDB's write units of a second, of all tables together."""
    return sum(rate * parts[name].write_units for name, rate in rates.items())


def at_once(rates: Mapping[str, float], parts: Mapping[str, Part]) -> float:
    """Return how many functions run at once; a worker takes ten polls in the time of one."""
    others = (name for name in rates if name not in ("submit", "poll", "finish"))
    found = sum(rates[name] * parts[name].billed_s for name in others)
    return found + step_workers(rates, parts) + poll_workers(rates, parts)


def poll_workers(rates: Mapping[str, float], parts: Mapping[str, Part]) -> float:
    """Return how many workers poll at once, and copy images: each as if no other were copied beside it."""
    polls = rates["poll"] * parts["poll"].billed_s / POLLS_IN_BATCH
    return polls + rates["finish"] * parts["finish"].billed_s * IMAGES / (IMAGES + VIDEOS)


def step_workers(rates: Mapping[str, float], parts: Mapping[str, Part]) -> float:
    """Return how many workers submit, and copy videos, at once."""
    copies = rates["finish"] * parts["finish"].billed_s * VIDEOS / (IMAGES + VIDEOS)
    return rates["submit"] * parts["submit"].billed_s + copies
