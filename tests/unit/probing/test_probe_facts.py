"""Facts and refusals cross from `probe_media` to `api` as JSON and come back the same."""

import json
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tollgate.probing.facts import ProbeCode, ProbedMedia, ProbeError, read_result

sizes = st.none() | st.integers(1, 65_535)
durations = st.none() | st.integers(1, 10**9).map(lambda ms: Decimal(ms) / 1000)


class TestWire:
    @given(st.builds(ProbedMedia, st.text(), st.text(), durations, sizes, sizes, st.integers(1)))
    def test_facts_come_back_as_they_went(self, facts: ProbedMedia) -> None:
        assert read_result(json.loads(json.dumps(facts.body()))) == facts

    def test_durations_are_exact(self) -> None:
        body = {"kind": "audio", "container": "mp3", "durationMs": 15_001, "width": None, "height": None}
        found = read_result({**body, "bytes": 5})
        assert isinstance(found, ProbedMedia)
        assert found.duration_s == Decimal("15.001")

    @pytest.mark.parametrize("code", ProbeCode)
    def test_refusals_come_back_as_they_went(self, code: ProbeCode) -> None:
        found = read_result(json.loads(json.dumps(ProbeError(code, "The file is odd.").body())))
        assert isinstance(found, ProbeError)
        assert (found.code, found.message) == (code, "The file is odd.")

    @pytest.mark.parametrize("body", [{}, {"kind": "video"}, {"error": {}}, {"error": {"code": "new"}}])
    def test_what_is_neither_is_a_fault(self, body: dict[str, object]) -> None:
        with pytest.raises((KeyError, ValueError)):
            read_result(body)
