"""`functions/draw_thumbnail` by its handler, and as `make_thumbnails` calls it: through Lambda's own API."""

import io
import json
from base64 import b64decode
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import boto3
import pytest
from PIL import Image

from draw_thumbnail import app
from local.machine.events import Context
from local.template import ROOT, Template
from tests.support.lambda_api import running_lambda_api
from tests.unit.probing.media_files import picture
from tests.unit.probing.media_server import MediaServer, fixed, ranged, sparse
from tollgate.probing.facts import ProbeCode

EVENT: dict[str, Any] = json.loads(Path(ROOT / "events/draw_thumbnail.json").read_text())

draw = partial(app.handler, context=Context("DrawThumbnailFunction"))


@pytest.fixture(autouse=True)
def fresh(on_one_machine: None) -> Iterator[None]:
    """Make the function's part anew for each test."""
    app.generator.cache_clear()
    yield
    app.generator.cache_clear()


def test_the_event_file_names_a_url_and_nothing_else() -> None:
    assert set(EVENT) == {"url"}


class TestHandler:
    @pytest.mark.usefixtures("loopback_open")
    def test_an_image(self, server: MediaServer) -> None:
        answer = draw({"url": server.add("/a.png", ranged(sparse(picture("PNG"))))})
        with Image.open(io.BytesIO(b64decode(answer.pop("image")))) as image:
            assert (image.format, image.size) == ("WEBP", (320, 180))
        assert answer == {}

    @pytest.mark.usefixtures("loopback_open")
    def test_what_has_none_is_an_answer(self, server: MediaServer) -> None:
        assert draw({"url": server.add("/a", ranged(sparse(b"words, words, words")))}) == {"none": "type"}

    def test_the_guard_is_closed(self, server: MediaServer) -> None:
        url = server.add("/a.png", ranged(sparse(picture("PNG"))))
        assert draw({"url": url, "allowLoopback": True}) == {"again": ProbeCode.FORBIDDEN_URL}
        assert server.requests == []

    @pytest.mark.usefixtures("loopback_open")
    def test_it_answers_through_lambda(
        self, template: Template, server: MediaServer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        urls = [server.add("/a.png", ranged(sparse(picture("PNG")))), server.add("/gone", fixed(404))]
        with running_lambda_api(template) as url:
            monkeypatch.setenv("AWS_ENDPOINT_URL_LAMBDA", url)
            client = boto3.Session("local", "local", region_name="us-east-1").client("lambda")
            answers = [
                client.invoke(FunctionName="DrawThumbnailFunction", Payload=json.dumps({"url": one}).encode())
                for one in urls
            ]
            bodies = [json.loads(answer["Payload"].read()) for answer in answers]
        assert set(bodies[0]) == {"image"}
        assert bodies[1] == {"again": ProbeCode.REFUSED}
        assert ["FunctionError" in answer for answer in answers] == [False, False]
