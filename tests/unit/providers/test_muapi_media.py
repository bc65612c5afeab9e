"""MuAPI: its answers in ours (muapi/facts.py). What holds for all adapters: test_adapter_laws.py."""

from typing import Any

import pytest

from tests.unit.providers.mapping_support import job_of
from tests.unit.providers.support import Api, connected
from tollgate.providers.runtime.base import MediaProvider
from tollgate.providers.runtime.outcomes import (
    Failed,
    FailureKind,
    Pending,
    ResultFile,
    Submitted,
    Succeeded,
    Unknown,
)


def muapi(base_url: str) -> MediaProvider:
    return connected("muapi", base_url)


def test_a_job_goes_to_its_models_path(fake: Api) -> None:
    fake.says((200, {"request_id": "r-1"}))
    job = job_of("muapi", "flux-3-klein", {"prompt": "a fox"})
    assert muapi(fake.url).submit(job) == Submitted({"request_id": "r-1"})
    assert fake.received[0].path == "/hook/flux-3-klein-text-to-image"


class TestPoll:
    def poll(self, fake: Api, **result: Any) -> Any:
        fake.says((200, {"id": "r-1", **result}))
        return muapi(fake.url).poll({"request_id": "r/1"})

    @pytest.mark.parametrize("status", ["pending", "queued", "processing"])
    def test_a_job_under_way(self, fake: Api, status: str) -> None:
        assert self.poll(fake, status=status) == Pending()
        assert fake.received[-1].path == "/hook/predictions/r%2F1/result"

    @pytest.mark.parametrize(
        ("outputs", "urls"), [(["https://m.test/1", 5], ["https://m.test/1"]), (None, []), ("x", [])]
    )
    def test_its_files(self, fake: Api, outputs: Any, urls: list[str]) -> None:
        assert self.poll(fake, status="completed", outputs=outputs) == Succeeded(tuple(map(ResultFile, urls)))

    @pytest.mark.parametrize("status", ["failed", "timeout", "canceled", "cancelled"])
    def test_a_failed_job_goes_to_the_next_provider(self, fake: Api, status: str) -> None:
        outcome = self.poll(fake, status=status, error="no capacity")
        assert outcome == Failed(FailureKind.PROVIDER_ERROR, "no capacity")

    @pytest.mark.parametrize("status", ["", None, 5, "done"])
    def test_a_status_it_does_not_have_is_unknown(self, fake: Api, status: Any) -> None:
        assert isinstance(self.poll(fake, status=status), Unknown)
