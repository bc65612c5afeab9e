"""The law of a lost answer: an act leaves the same, whichever answer of AWS gets lost.

Each act is done once in peace. Then it is done again and again from the same start: the first time the first
request that it sends to AWS gets no answer, the second time the second one, and so on. The request was
carried out all the same (`UNANSWERED`), or is carried out when all else is over (`LATE`). Each time the
caller's answer, the rows, the messages and the files must be those of the act in peace, and the books agree.
"""

from contextlib import ExitStack

import pytest

from tests.conftest import Aws
from tests.functional.acts import api, pages, work
from tests.functional.acts.worlds import Act, Prepared, World
from tests.support.clock import ManualClock
from tests.support.losses import Loss, OneLoss

ACTS = (*api.ACTS, *pages.ACTS, *work.ACTS)
MOST_CALLS = 120
"""More than any act makes."""
READS = ("Get", "BatchGet", "Query", "Scan", "Head", "List", "TransactGet")
"""A read that is carried out late tells nobody anything."""


@pytest.fixture
def loopback_webhooks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Open the guard of webhooks to this machine, as a developer does."""
    monkeypatch.setenv("TOLLGATE_ALLOW_LOOPBACK_WEBHOOKS", "1")


def losses_of(call: str) -> tuple[Loss, ...]:
    """Return how the answer to a request can be lost, so that it may have been carried out twice."""
    is_read = call.rpartition(".")[2].startswith(READS)
    return (Loss.UNANSWERED,) if is_read else (Loss.UNANSWERED, Loss.LATE)


@pytest.mark.usefixtures("dashboard", "loopback_webhooks")
@pytest.mark.parametrize("act", ACTS, ids=lambda act: f"{act.__module__.rpartition('.')[2]}-{act.__name__}")
def test_it_changes_nothing(aws: Aws, clock: ManualClock, act: Act) -> None:
    with ExitStack() as ends:
        world = World(aws, clock, ends)
        prepared = Prepared(world, act(world))
        in_peace = prepared.done(asked := OneLoss(MOST_CALLS))
        assert 0 < len(asked.calls) < MOST_CALLS
        for number, call in enumerate(asked.calls):
            for kind in losses_of(call):
                lossy = prepared.done(OneLoss(number, kind))
                assert (number, call, kind, *lossy) == (number, call, kind, *in_peace)
