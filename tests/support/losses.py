"""Which answers get lost, and what the other side had done by then.

A sender that hears nothing cannot know whether its request was carried out. Each stand-in of a service asks a
`Losses` for every request, and acts on the `Loss` that it gets: the simulated database, the proxy before an
emulator (`lossy_proxy.py`), and botocore inside this process (`lossy_botocore.py`).
"""

import threading
from collections import Counter
from collections.abc import Sequence
from enum import Enum
from random import Random


class Loss(Enum):
    """What happened to a request whose sender heard nothing."""

    UNHEARD = "unheard"  # The request got lost: nothing was done.
    UNANSWERED = "unanswered"  # The answer got lost: all was done.
    LATE = "late"  # The request was held up: it is carried out after the sender has given it up.


ALL = tuple(Loss)


class Losses:
    """Loses a share of all answers, drawn from a seed. Any thread may ask."""

    def __init__(self, share: float = 0.0, seed: int = 0, kinds: Sequence[Loss] = ALL) -> None:
        self._share = share
        self._kinds = kinds
        self._random = Random(seed)  # noqa: S311 - not a secret
        self._lock = threading.Lock()
        self.lost: Counter[str] = Counter()
        """How many requests were lost, by kind of loss and by what was asked."""

    def end(self) -> None:
        """Lose nothing more."""
        self._share = 0.0

    def next(self, call: str) -> Loss | None:
        """Return what happens to this request, `None` for nothing unusual; `call` says what it asks for."""
        with self._lock:
            found = self._draw(call)
            if found is not None:
                self.lost[f"{found.value} {call}"] += 1
            return found

    def _draw(self, call: str) -> Loss | None:
        if not self._random.random() < self._share:
            return None
        return self._random.choice(self._kinds)


class OneLoss(Losses):
    """Loses one answer, the one of the request `number` (from 0 on), and keeps what each request asks for."""

    def __init__(self, number: int, kind: Loss = Loss.UNANSWERED) -> None:
        super().__init__()
        self._number = number
        self._kind = kind
        self.calls: list[str] = []

    def _draw(self, call: str) -> Loss | None:
        self.calls.append(call)
        return self._kind if len(self.calls) == self._number + 1 else None


class EachNth(Losses):
    """Loses the answer of each `n`-th request."""

    def __init__(self, n: int) -> None:
        super().__init__()
        self._n = n
        self._asked = 0

    def _draw(self, _: str) -> Loss | None:
        self._asked += 1
        return Loss.UNANSWERED if self._asked % self._n == 0 else None
