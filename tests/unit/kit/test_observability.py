"""The line that is written in one step is the one that Powertools would write."""

import io
import json
import re
from collections.abc import Iterator
from typing import Any, cast

import pytest

from tollgate.kit.observability import add_to_log, begin_log, logger, note

TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}[+-]\d{4}")


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch) -> Iterator[io.StringIO]:
    written, level = io.StringIO(), logger.log_level
    monkeypatch.setattr(cast("Any", logger.registered_handler), "stream", written)
    logger.setLevel("INFO")
    begin_log(correlation_id="req_1")
    yield written
    logger.setLevel(level)


def test_it_says_what_powertools_would(lines: io.StringIO) -> None:
    add_to_log(task_id="task_1")
    logger.info("text.answered", charge_micro_usd=7, model='a "b" ü')
    note("text.answered", charge_micro_usd=7, model='a "b" ü')
    theirs, ours = (json.loads(line) for line in lines.getvalue().splitlines())
    assert TIMESTAMP.fullmatch(ours["timestamp"])
    assert TIMESTAMP.fullmatch(theirs["timestamp"])
    assert ours.pop("timestamp")[:16] == theirs.pop("timestamp")[:16]
    # Where it was written costs most of a line; its message tells.
    del theirs["location"]
    assert ours == theirs


def test_what_is_below_the_level_is_not_written(lines: io.StringIO) -> None:
    logger.setLevel("WARNING")
    note("text.answered", charge_micro_usd=7)
    assert lines.getvalue() == ""
