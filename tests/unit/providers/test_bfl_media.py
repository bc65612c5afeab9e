"""BFL: its answers in ours (bfl/facts.py). What holds for all adapters: test_adapter_laws.py."""

from typing import Any

import pytest

from tests.unit.providers.mapping_support import job_of
from tests.unit.providers.support import Api, connected
from tollgate.providers.runtime.base import Job, MediaProvider
from tollgate.providers.runtime.outcomes import (
    Failed,
    FailureKind,
    Lost,
    Pending,
    Rejected,
    RejectionKind,
    ResultFile,
    Submitted,
    Succeeded,
    Unknown,
)


def bfl(base_url: str) -> MediaProvider:
    return connected("bfl", base_url)


def flux() -> Job:
    return job_of("bfl", "flux-3-video", {"prompt": "a fox"})


class TestSubmit:
    @pytest.mark.parametrize(
        "url",
        [
            "https://api.bfl.ai/v1/get_result?id=j-1",
            "https://api.eu1.bfl.ai/v1/get_result?id=j-1",
            "{here}/v1/get_result?id=j-1",
        ],
    )
    def test_the_address_to_ask_is_the_one_it_answers(self, fake: Api, url: str) -> None:
        url = url.format(here=fake.url)
        fake.says((200, {"id": "j-1", "polling_url": url, "cost": 17}))
        assert bfl(fake.url).submit(flux()) == Submitted({"polling_url": url})
        assert fake.received[0].path == "/hook/v1/flux-3-video"

    @pytest.mark.parametrize(
        "url",
        [
            "https://bfl.ai.evil.test/v1",
            "https://evilbfl.ai/v1",
            "http://api.bfl.ai/v1",
            "https://api.bfl.ai@evil.test/v1",
            "https://[::1/v1",
            "//api.bfl.ai/v1",
            "",
        ],
    )
    def test_our_key_goes_nowhere_else(self, fake: Api, url: str) -> None:
        fake.says((200, {"id": "j-1", "polling_url": url}))
        assert isinstance(bfl(fake.url).submit(flux()), Lost)

    @pytest.mark.parametrize(
        ("detail", "reason"),
        [
            ([{"loc": ["body", "duration"], "msg": "too long"}, {"msg": "no"}], "too long; no"),
            ("Image is too small", "Image is too small"),
        ],
    )
    def test_an_invalid_input_ends_the_task_with_its_reason(
        self, fake: Api, detail: Any, reason: str
    ) -> None:
        fake.says((422, {"detail": detail}))
        assert bfl(fake.url).submit(flux()) == Rejected(RejectionKind.INPUT, reason)


class TestPoll:
    def poll(self, fake: Api, **result: Any) -> Any:
        fake.says((200, {"id": "j-1", **result}))
        return bfl(fake.url).poll({"polling_url": f"{fake.url}/v1/get_result?id=j-1"})

    @pytest.mark.parametrize("status", ["Pending", "Processing", "Reasoning", "Generating"])
    def test_a_job_under_way(self, fake: Api, status: str) -> None:
        assert self.poll(fake, status=status) == Pending()
        assert fake.received[-1].path == "/hook/v1/get_result?id=j-1"

    def test_its_file(self, fake: Api) -> None:
        result = {"sample": "https://delivery.test/1.mp4", "draft_cache": "https://delivery.test/1.bin"}
        assert self.poll(fake, status="Ready", result=result) == Succeeded(
            (ResultFile("https://delivery.test/1.mp4"),)
        )

    @pytest.mark.parametrize("status", ["Request Moderated", "Content Moderated"])
    def test_moderation(self, fake: Api, status: str) -> None:
        outcome = self.poll(fake, status=status)
        assert outcome == Rejected(RejectionKind.CONTENT, f"The provider refused the content: {status}.")

    def test_moderation_says_why_where_it_does(self, fake: Api) -> None:
        details = {"Moderation Reasons": ["Derivative Works Filter", "NSFW"]}
        outcome = self.poll(fake, status="Request Moderated", details=details)
        words = "The provider refused the content: Request Moderated (Derivative Works Filter, NSFW)."
        assert outcome == Rejected(RejectionKind.CONTENT, words)

    def test_the_state_may_be_in_a_field_of_that_name(self, fake: Api) -> None:
        assert self.poll(fake, state="Pending") == Pending()
        assert self.poll(fake, state="Ready", result={"sample": "https://delivery.test/1"}) == Succeeded(
            (ResultFile("https://delivery.test/1"),)
        )

    @pytest.mark.parametrize("status", ["Error", "Failed", "Task not found"])
    def test_a_job_that_failed(self, fake: Api, status: str) -> None:
        outcome = self.poll(fake, status=status)
        assert isinstance(outcome, Failed)
        assert outcome.kind is FailureKind.PROVIDER_ERROR

    @pytest.mark.parametrize("status", ["", None, 5, "Paused"])
    def test_another_status_is_no_verdict(self, fake: Api, status: Any) -> None:
        assert isinstance(self.poll(fake, status=status), Unknown)
