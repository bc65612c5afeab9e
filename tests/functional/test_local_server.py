"""The local server answers as the gateway and the distribution do."""

from starlette.testclient import TestClient

from tests.conftest import Aws


class TestCompression:
    def test_a_large_answer_is_compressed_for_who_takes_that(self, aws: Aws) -> None:
        from local.server import compressed  # noqa: PLC0415 - its handlers take this thread's loop

        client = TestClient(compressed)
        catalog = client.get("/api/v1/catalog", headers={"accept-encoding": "gzip"})
        assert catalog.headers["content-encoding"] == "gzip"
        plain = client.get("/api/v1/catalog", headers={"accept-encoding": "identity"})
        assert "content-encoding" not in plain.headers
        assert plain.json() == catalog.json()
