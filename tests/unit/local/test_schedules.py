"""The schedules that run on one machine."""

from types import SimpleNamespace
from typing import Any

import pytest

from local.machine.pump import Function, Pump, Source
from local.template import Template, named


def test_what_is_off_unless_asked_for_is_off_here_too(
    template: Template, monkeypatch: pytest.MonkeyPatch
) -> None:
    scheduled: list[str] = []

    def spawn(_: Pump, run: Any, source: Source, function: Function) -> None:
        if "ScheduleExpression" in source:
            scheduled.append(str(function))

    monkeypatch.setattr(Pump, "_function", lambda _, reference: named(reference))
    monkeypatch.setattr(Pump, "_spawn", spawn)
    stack: Any = SimpleNamespace(template=template)
    Pump(stack, SimpleNamespace()).start()  # type: ignore[arg-type]
    assert "SweepFunction" in scheduled
    assert "VisitServiceFunction" not in scheduled
