"""`functions/probe_media` by its handler, and as `api` calls it: through boto3 and Lambda's own API."""

import json
from collections.abc import Iterator
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import boto3
import pytest

from local.machine.events import Context
from local.template import ROOT, Template
from probe_media import app
from tests.support.lambda_api import running_lambda_api
from tests.unit.probing.media_files import mp4, song
from tests.unit.probing.media_server import MediaServer, fixed, ranged, sparse
from tollgate.probing.facts import ProbeCode, ProbedMedia, ProbeError, ProbeFaultError
from tollgate.probing.service import Prober

EVENT: dict[str, Any] = json.loads(Path(ROOT / "events/probe_media.json").read_text())

probe = partial(app.handler, context=Context("ProbeMediaFunction"))


@pytest.fixture(autouse=True)
def fresh(on_one_machine: None) -> Iterator[None]:
    """Make the function's part anew for each test."""
    app.reader.cache_clear()
    yield
    app.reader.cache_clear()


class TestTheEventFile:
    def test_it_names_a_url_and_nothing_else(self) -> None:
        assert set(EVENT) == {"url"}

    def test_a_host_that_does_not_exist_is_an_answer(self) -> None:
        assert probe({"url": "https://media.invalid/clips/harbour.mp4"}) == {
            "error": {
                "code": "unreachable",
                "message": "The server cannot be reached, or closed the connection.",
            }
        }


class TestHandler:
    @pytest.mark.usefixtures("loopback_open")
    def test_a_film(self, server: MediaServer) -> None:
        assert probe({"url": server.add("/a.mp4", ranged(sparse(mp4())))}) == {
            "kind": "video",
            "container": "mp4",
            "durationMs": 3000,
            "width": 320,
            "height": 180,
            "bytes": len(mp4()),
        }

    def test_the_event_cannot_open_the_guard(self, server: MediaServer) -> None:
        url = server.add("/a.mp4", ranged(sparse(mp4())))
        expected = {"code": "forbidden_url", "message": "The URL must point to a public address."}
        assert probe({"url": url, "allowLoopback": True}) == {"error": expected}
        assert server.requests == []

    @pytest.mark.parametrize("stage", ["dev", "prod"])
    @pytest.mark.usefixtures("loopback_open")
    def test_on_aws_the_settings_cannot_either(self, monkeypatch: pytest.MonkeyPatch, stage: str) -> None:
        monkeypatch.setenv("STAGE", stage)
        with pytest.raises(ValueError, match="for local mode only"):
            probe(EVENT)

    @pytest.mark.usefixtures("loopback_open")
    def test_the_url_is_not_logged(self, server: MediaServer, caplog: pytest.LogCaptureFixture) -> None:
        probe({"url": server.add("/a.mp4?signature=abc", fixed(403))})
        (record,) = caplog.records
        assert record.getMessage() == "probe_media.done"
        assert "signature" not in str(vars(record))

    def test_an_event_without_a_url_is_a_fault_of_ours(self) -> None:
        with pytest.raises(KeyError):
            probe({})


@pytest.mark.usefixtures("loopback_open")
class TestThroughLambda:
    @pytest.fixture
    def prober(self, template: Template, monkeypatch: pytest.MonkeyPatch) -> Iterator[Prober]:
        with running_lambda_api(template) as url:
            monkeypatch.setenv("AWS_ENDPOINT_URL_LAMBDA", url)
            client = boto3.Session("local", "local", region_name="us-east-1").client("lambda")
            yield Prober(lambda: client, "ProbeMediaFunction")

    def test_media_of_one_request_are_read_together(self, server: MediaServer, prober: Prober) -> None:
        film = server.add("/a.mp4", ranged(sparse(mp4())))
        music = server.add("/a.mp3", ranged(sparse(song("mp3"))))
        gone = server.add("/gone", fixed(404))
        found = prober.probe([film, music, gone])
        assert found[film] == ProbedMedia("video", "mp4", Decimal(3), 320, 180, len(mp4()))
        assert found[music] == ProbedMedia("audio", "mp3", Decimal(2), None, None, len(song("mp3")))
        refused = found[gone]
        assert isinstance(refused, ProbeError)
        assert (refused.code, refused.message) == (ProbeCode.REFUSED, "The URL returned HTTP 404.")

    def test_a_function_that_cannot_start_is_a_fault_of_ours(
        self, prober: Prober, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("STAGE", "nowhere")
        with pytest.raises(ProbeFaultError, match="SettingsError"):
            prober.probe([EVENT["url"]])
