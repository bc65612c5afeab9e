"""In which order the workers of `make test` take the tests: the groups that last, then file by file."""

from typing import Any

import pytest
from xdist.scheduler import LoadGroupScheduling  # type: ignore[import-untyped]

# They wait for other processes most of the time. Who takes one of few tests takes the next as well.
GROUPS_FIRST = ("ministack", "local-service", "text", "local-service-logs")


def order(items: list[pytest.Item]) -> None:
    """Put the groups that last first; all else stays in its order."""
    items.sort(key=_rank)


def _rank(item: pytest.Item) -> int:
    marker = item.get_closest_marker("xdist_group")
    named = marker is not None and marker.args[0] in GROUPS_FIRST
    return GROUPS_FIRST.index(marker.args[0]) if marker and named else len(GROUPS_FIRST)


class ByFile(LoadGroupScheduling):  # type: ignore[misc]
    """Hands out groups and files, in the order of collection.

    Test by test, as it would be, the scheduler counts all that was handed out again at each report.
    """

    def __init__(self, config: pytest.Config, log: Any) -> None:
        config.option.loadscopereorder = False
        super().__init__(config, log)

    def _split_scope(self, nodeid: str) -> str:
        scope: str = super()._split_scope(nodeid)
        return scope.partition("::")[0]
