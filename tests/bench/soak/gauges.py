"""What a running service holds on to, and whether that grows.

The first sixth of a run is warm-up: caches fill, pools open. The rest is cut in three, and of each third the
median counts. *Slope* is the least-squares line through the same samples, over a thousand requests.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import linear_regression, median

WARM_UP_SHARE = 6
THIRDS = 3
LEAST_SAMPLES = 12
"""With fewer there is nothing to tell of a slope."""
KB = 1024
PER_REQUESTS = 1_000


@dataclass(frozen=True, slots=True)
class Sample:
    """What there was at one moment: how many requests had been answered, and each gauge by its name."""

    requests: int
    values: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Bound:
    """How much more the last third may have than the first: a share of it, and so much besides."""

    share: float
    more: float

    def holds(self, start: float, end: float) -> bool:
        """Return whether growth from `start` to `end` is within the bound."""
        return end - start <= start * self.share + self.more


@dataclass(frozen=True, slots=True)
class Line:
    """A gauge over a run; `slope` is for a thousand requests. Without a `bound` it is only shown."""

    name: str
    start: float
    middle: float
    end: float
    slope: float
    bound: Bound | None

    @property
    def is_flat(self) -> bool:
        """Return whether it did not grow by more than it may."""
        return self.bound is None or self.bound.holds(self.start, self.end)


def lines(samples: Sequence[Sample], bounds: Mapping[str, Bound]) -> list[Line]:
    """Return a line for each gauge. Raises `ValueError` where there are too few samples."""
    kept = samples[len(samples) // WARM_UP_SHARE :]
    if len(kept) < LEAST_SAMPLES:
        raise ValueError(f"{len(kept)} samples after the warm-up are too few: run it for longer")
    size = len(kept) // THIRDS
    thirds = [kept[:size], kept[size:-size], kept[-size:]]
    return [_line(name, thirds, _slope(kept, name), bounds.get(name)) for name in kept[0].values]


def _line(name: str, thirds: Sequence[Sequence[Sample]], slope: float, bound: Bound | None) -> Line:
    start, middle, end = (median(one.values[name] for one in third) for third in thirds)
    return Line(name, start, middle, end, slope, bound)


def _slope(samples: Sequence[Sample], name: str) -> float:
    requests = [one.requests for one in samples]
    if min(requests) == max(requests):
        return 0.0
    return linear_regression(requests, [one.values[name] for one in samples]).slope * PER_REQUESTS


@dataclass(frozen=True, slots=True)
class Process:
    """What one process has open, and its memory."""

    rss_mb: float
    files: int
    sockets: int


def process(pid: int) -> Process:
    """Return what a process has now, by Linux's `/proc` (proc(5))."""
    status = Path(f"/proc/{pid}/status").read_text()
    rss_kb = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS:"))
    targets = [_target(link) for link in Path(f"/proc/{pid}/fd").iterdir()]
    sockets = sum(1 for target in targets if target.startswith("socket:"))
    return Process(rss_kb / KB, len(targets) - sockets, sockets)


def _target(link: Path) -> str:
    try:
        return str(link.readlink())
    except OSError:
        # It was closed since it was listed.
        return ""


def files_in(folder: Path) -> int:
    """Return how many files there are in a folder and below it."""
    return sum(1 for one in folder.rglob("*") if one.is_file())


@dataclass
class LogVolume:
    """Bytes of logs for each request since the last look; `sizes` tells the logs' sizes."""

    sizes: Callable[[], int]
    requests: int = 0
    bytes: int = 0

    def since_last(self, requests: int) -> float:
        """Return the bytes for each request since the last call, of `requests` so far."""
        size = self.sizes()
        found = (size - self.bytes) / max(1, requests - self.requests)
        self.requests, self.bytes = requests, size
        return found
