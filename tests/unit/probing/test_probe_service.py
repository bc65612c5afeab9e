"""The API's side: what an answer of Lambda means."""

import io
import json
import threading
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import pytest
from botocore.exceptions import ConnectionClosedError

from tollgate.probing.facts import ProbeCode, ProbedMedia, ProbeError, ProbeFaultError
from tollgate.probing.service import Prober

FILM = {
    "kind": "video",
    "container": "mp4",
    "durationMs": 3000,
    "width": 320,
    "height": 180,
    "bytes": 74_119,
}
FACTS = ProbedMedia("video", "mp4", Decimal(3), 320, 180, 74_119)
GONE = {"error": {"code": "refused", "message": "The URL returned HTTP 404."}}


class FakeLambda:
    """Answers by the URL in the payload, but loses the first `lost` answers; notes the calls."""

    def __init__(
        self, answers: Mapping[str, Any], error: str | None = None, together: int = 1, lost: int = 0
    ) -> None:
        self._lost = lost
        self.called: list[tuple[str, str]] = []
        self._answers = answers
        self._error = {} if error is None else {"FunctionError": error}
        self._all_here = threading.Barrier(together, timeout=60)

    def invoke(self, *, FunctionName: str, Payload: bytes) -> Mapping[str, Any]:  # noqa: N803 - boto3's
        url = json.loads(Payload)["url"]
        self.called.append((FunctionName, url))
        self._all_here.wait()
        if len(self.called) <= self._lost:
            raise ConnectionClosedError(endpoint_url="https://lambda.test")
        body = json.dumps(self._answers[url]).encode()
        return {"StatusCode": 200, "Payload": io.BytesIO(body), **self._error}


class TestProbe:
    def test_each_url_has_its_answer(self) -> None:
        client = FakeLambda({"https://a.test/1": FILM, "https://a.test/2": GONE})
        found = Prober(lambda: client, "probe").probe(["https://a.test/1", "https://a.test/2"])
        assert found["https://a.test/1"] == FACTS
        gone = found["https://a.test/2"]
        assert isinstance(gone, ProbeError)
        assert (gone.code, gone.message) == (ProbeCode.REFUSED, "The URL returned HTTP 404.")
        assert {name for name, _ in client.called} == {"probe"}

    def test_a_url_that_is_named_twice_is_read_once(self) -> None:
        client = FakeLambda({"https://a.test/1": FILM})
        assert Prober(lambda: client, "probe").probe(["https://a.test/1"] * 3) == {"https://a.test/1": FACTS}
        assert len(client.called) == 1

    def test_one_whose_answer_was_lost_is_made_once_more(self) -> None:
        client = FakeLambda({"https://a.test/1": FILM}, lost=1)
        assert Prober(lambda: client, "probe").probe(["https://a.test/1"]) == {"https://a.test/1": FACTS}
        client = FakeLambda({"https://a.test/1": FILM}, lost=2)
        with pytest.raises(ConnectionClosedError):
            Prober(lambda: client, "probe").probe(["https://a.test/1"])
        assert len(client.called) == 2

    def test_nothing_to_probe_calls_nothing(self) -> None:
        client = FakeLambda({})
        assert Prober(lambda: client, "probe").probe([]) == {}
        assert client.called == []

    def test_all_are_read_at_once(self) -> None:
        urls = [f"https://a.test/{number}" for number in range(20)]
        client = FakeLambda(dict.fromkeys(urls, FILM), together=len(urls))
        assert Prober(lambda: client, "probe").probe(urls) == dict.fromkeys(urls, FACTS)

    @pytest.mark.parametrize("kind", ["Sandbox.Timedout", "Runtime.ExitError"])
    def test_a_file_that_the_function_dies_on_is_the_customers(self, kind: str) -> None:
        died = {"errorType": kind, "errorMessage": "RequestId: 1 Error: it is over"}
        client = FakeLambda({"https://a.test/1": died}, error="Unhandled")
        found = Prober(lambda: client, "probe").probe(["https://a.test/1"])["https://a.test/1"]
        assert isinstance(found, ProbeError)
        assert found.code is ProbeCode.TOO_SLOW
        assert found.message == "The file's header could not be read in time."

    @pytest.mark.parametrize(
        "body", [{"errorType": "KeyError"}, {"errorType": "Runtime.ImportModuleError"}, {}]
    )
    def test_any_other_failure_is_ours(self, body: dict[str, str]) -> None:
        client = FakeLambda({"https://a.test/1": body}, error="Unhandled")
        with pytest.raises(ProbeFaultError):
            Prober(lambda: client, "probe").probe(["https://a.test/1"])

    def test_a_function_that_cannot_be_called_is_ours(self) -> None:
        with pytest.raises(KeyError):
            Prober(lambda: FakeLambda({}), "probe").probe(["https://a.test/1"])
