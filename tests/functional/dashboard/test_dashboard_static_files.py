"""The styles, scripts and icons of the pages, behind a server that compresses like the gateway."""

import pytest
from starlette.middleware.gzip import GZipMiddleware
from starlette.testclient import TestClient

from dashboard.app import app
from dashboard.render import STATIC, version


@pytest.mark.usefixtures("dashboard")
def test_a_file_is_whole_each_time() -> None:
    client = TestClient(GZipMiddleware(app))
    for _ in range(2):
        answer = client.get(f"/dashboard/static/{version()}/app.css")
        assert answer.headers["content-encoding"] == "gzip"
        assert answer.text == (STATIC / "app.css").read_text()
