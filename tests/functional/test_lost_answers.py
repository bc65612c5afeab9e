"""The law of a lost answer: an act leaves the same, whichever answer of AWS gets lost.

Each act is done once in peace. Then it is done again and again from the same start: the first time the
first write that it sends to AWS gets no answer, the second time the second one, and so on. The write was
carried out all the same (`UNANSWERED`), or is carried out when all else is over (`LATE`; each fifth write
in `make test`, all in `.ci/run`). Each time the caller's answer, the rows, the messages and the files must
be those of the act in peace, in which the books agree. Equal rows agree as well, so the books are read again
only after late writes. A read leaves nothing behind, so one more run loses the first answer to each of them.
"""

from contextlib import ExitStack

import pytest

from tests.conftest import Aws
from tests.functional.acts import api, pages, work
from tests.functional.acts.worlds import Act, Prepared, World
from tests.support.clock import ManualClock
from tests.support.laws import is_tried
from tests.support.losses import Loss, Losses, OneLoss

ACTS = {
    f"{module.__name__.rpartition('.')[2]}-{name}": act
    for module in (api, pages, work)
    for name, act in module.ACTS.items()
}
MOST_CALLS = 120
"""More than any act makes."""
READS = ("Get", "BatchGet", "Query", "Scan", "Head", "List", "TransactGet")


def is_read(call: str) -> bool:
    """Return whether a request leaves nothing behind."""
    return call.rpartition(".")[2].startswith(READS)


class EachRead(Losses):
    """Loses the answer to each read, but not to the one that repeats it."""

    _lost = False

    def _draw(self, call: str) -> Loss | None:
        self._lost = is_read(call) and not self._lost
        return Loss.UNANSWERED if self._lost else None


@pytest.mark.usefixtures("dashboard", "webhooks_to_loopback")
@pytest.mark.parametrize("act", ACTS.values(), ids=ACTS)
def test_it_changes_nothing(aws: Aws, clock: ManualClock, act: Act) -> None:
    with ExitStack() as ends:
        world = World(aws, clock, ends)
        prepared = Prepared(world, act(world))
        in_peace = prepared.done(asked := OneLoss(MOST_CALLS))
        assert 0 < len(asked.calls) < MOST_CALLS
        assert prepared.done(EachRead()) == in_peace
        writes = [(number, call) for number, call in enumerate(asked.calls) if not is_read(call)]
        for index, (number, call) in enumerate(writes):
            for kind in (Loss.UNANSWERED, Loss.LATE) if is_tried(index) else (Loss.UNANSWERED,):
                lossy = prepared.done(OneLoss(number, kind), audited=kind is Loss.LATE)
                assert (number, call, kind, *lossy) == (number, call, kind, *in_peace)
