"""What providers state about their responses: the model that answered, and their charge."""

from typing import Any

import pytest

from tollgate.text.wire.stated import is_same_model, stated_micro_usd
from tollgate.text.wire.stream import Meter

SAME = [
    ("gpt-6.1", "gpt-6.1-2026-09-08"),
    ("gpt-6.1-2026-09-08", "gpt-6.1"),
    ("claude-haiku-4-5", "claude-haiku-4-5-20251001"),
    ("anthropic/claude-sonnet-4.5", "anthropic/claude-4.5-sonnet-20250929"),
    ("Qwen/Qwen3.7-Max", "qwen3.7-max"),
    ("accounts/fireworks/models/glm-5p2", "glm-5p2"),
    ("gemini-3.8-flash", "models/gemini-3.8-flash"),
    ("deepseek-flash", "deepseek-v4.1-flash"),
    ("deepseek-v4-pro", "deepseek-v4-pro-0813"),
]
OTHER = [
    ("claude-opus-4-8", "claude-opus-5-5"),
    ("claude-opus-5", "claude-opus-5-5"),
    ("gpt-6.1", "gpt-6.1-mini"),
    ("deepseek-v4-flash", "deepseek-v4.1-flash"),
    ("deepseek-flash", "deepseek-v4.1-pro"),
]
CHARGES: list[tuple[Any, int | None]] = [
    ({"cost": 0.0123, "prompt_tokens": 1}, 12_300),
    ({"cost": {"total_cost": 0.006, "request_cost": 0.005}}, 6_000),
    ({"estimated_cost": 1e-06}, 1),
    ({"cost_in_usd_ticks": 37_756_000}, 3_775),
    ({"cost": None}, None),
    ({"cost": "free"}, None),
    ({"cost": -1}, None),
    ({"cost": float("inf")}, None),
    ({"prompt_tokens": 1}, None),
    (None, None),
]


@pytest.mark.parametrize(("asked", "named"), SAME)
def test_a_snapshot_or_a_path_is_the_same_model(asked: str, named: str) -> None:
    assert is_same_model(asked, named)


@pytest.mark.parametrize(("asked", "named"), OTHER)
def test_another_version_or_size_is_another_model(asked: str, named: str) -> None:
    assert not is_same_model(asked, named)


@pytest.mark.parametrize(("usage", "charge"), CHARGES)
def test_a_stated_charge(usage: Any, charge: int | None) -> None:
    assert stated_micro_usd(usage) == charge


def test_a_response_that_names_no_model_is_no_other_model() -> None:
    meter = Meter(1, 1, asked="gpt-6.1")
    meter.note(None)
    meter.note("")
    assert not meter.is_of_another_model
