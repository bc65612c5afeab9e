"""Replicate: its answers in ours. What holds for all adapters: test_adapter_laws.py.

Source: docs/providers/replicate.md.
"""

from dataclasses import replace
from typing import Any

import pytest

from tests.unit.providers.mapping_support import job_of
from tests.unit.providers.support import Api, cancel, connected
from tollgate.providers.runtime.base import Job, MediaProvider
from tollgate.providers.runtime.outcomes import (
    Failed,
    FailureKind,
    Pending,
    Rejected,
    RejectionKind,
    ResultFile,
    Submitted,
    Succeeded,
    Unknown,
)


def replicate(base_url: str) -> MediaProvider:
    return connected("replicate", base_url)


def flux() -> Job:
    return job_of("replicate", "flux-3-image", {"prompt": "a fox"})


class TestSubmit:
    @pytest.mark.parametrize("status", [200, 201, 202])
    def test_a_prediction_of_an_official_model(self, fake: Api, status: int) -> None:
        fake.says((status, {"id": "p-1", "status": "starting"}))
        assert replicate(fake.url).submit(flux()) == Submitted({"id": "p-1"})
        (request,) = fake.received
        assert request.path == "/hook/models/black-forest-labs/flux-3-image/predictions"
        assert "prefer" not in request.headers
        assert fake.body["input"]["prompt"] == "a fox"
        assert "webhook" not in fake.body

    def test_it_calls_back_when_it_is_done(self, fake: Api) -> None:
        replicate(fake.url).submit(replace(flux(), callback_url="https://us.test/cb"))
        assert fake.body["webhook"] == "https://us.test/cb"
        assert fake.body["webhook_events_filter"] == ["completed"]

    def test_an_invalid_input_ends_the_task_with_its_reason(self, fake: Api) -> None:
        fake.says((422, {"title": "Input validation failed", "detail": "- input: prompt is required"}))
        refused = Rejected(RejectionKind.INPUT, "- input: prompt is required")
        assert replicate(fake.url).submit(flux()) == refused


class TestPoll:
    def poll(self, fake: Api, **prediction: Any) -> Any:
        fake.says((200, {"id": "p-1", **prediction}))
        return replicate(fake.url).poll({"id": "p/1"})

    @pytest.mark.parametrize("status", ["starting", "processing"])
    def test_a_prediction_under_way(self, fake: Api, status: str) -> None:
        assert self.poll(fake, status=status) == Pending()
        assert fake.received[-1].path == "/hook/predictions/p%2F1"

    @pytest.mark.parametrize(
        ("output", "urls"),
        [
            ("https://r.test/1", ["https://r.test/1"]),
            (["https://r.test/1", "https://r.test/2", 5, ""], ["https://r.test/1", "https://r.test/2"]),
            (None, []),
            ({"a": 1}, []),
        ],
    )
    def test_its_files(self, fake: Api, output: Any, urls: list[str]) -> None:
        assert self.poll(fake, status="succeeded", output=output) == Succeeded(tuple(map(ResultFile, urls)))

    @pytest.mark.parametrize(
        "error",
        [
            "The input or output was flagged as sensitive. Please try again. (E005)",
            "NSFW content detected. Try running it again.",
        ],
    )
    def test_moderation_is_told_by_words_alone(self, fake: Api, error: str) -> None:
        assert self.poll(fake, status="failed", error=error) == Rejected(RejectionKind.CONTENT, error)

    @pytest.mark.parametrize("error", ["CUDA out of memory (E1001)", None, {"a": 1}])
    @pytest.mark.parametrize("status", ["failed", "canceled", "aborted"])
    def test_a_prediction_without_a_result(self, fake: Api, status: str, error: Any) -> None:
        outcome = self.poll(fake, status=status, error=error)
        assert isinstance(outcome, Failed)
        assert outcome.kind is FailureKind.PROVIDER_ERROR

    @pytest.mark.parametrize("status", ["", None, 5, "done"])
    def test_a_status_it_does_not_have_is_unknown(self, fake: Api, status: Any) -> None:
        assert isinstance(self.poll(fake, status=status), Unknown)


class TestCancel:
    @pytest.mark.parametrize(
        ("status", "dropped"),
        [("canceled", True), ("aborted", True), ("processing", False), ("succeeded", False)],
    )
    def test_its_state_afterwards_tells(self, fake: Api, status: str, dropped: bool) -> None:
        fake.says((200, {"id": "p-1", "status": status}))
        assert cancel(replicate(fake.url), {"id": "p-1"}) is dropped
        (request,) = fake.received
        assert (request.method, request.path) == ("POST", "/hook/predictions/p-1/cancel")
