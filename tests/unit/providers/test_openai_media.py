"""OpenAI: its answers in ours. What holds for all adapters: test_adapter_laws.py.

Source: docs/providers/openai.md.
"""

from base64 import b64encode
from typing import Any

import pytest

from tests.unit.providers.mapping_support import A, job_of
from tests.unit.providers.support import Api, connected
from tollgate.providers.runtime.base import Job, MediaProvider
from tollgate.providers.runtime.outcomes import (
    Failed,
    FailureKind,
    InlineFile,
    Lost,
    Rejected,
    RejectionKind,
    Succeeded,
    Unknown,
)

PICTURE = b"\x89PNG and more"
ENCODED = b64encode(PICTURE).decode()


def openai(base_url: str) -> MediaProvider:
    return connected("openai", base_url)


def gpt_image(**more: Any) -> Job:
    return job_of("openai", "gpt-image-2", {"prompt": "a fox", **more})


def error(
    code: str | None, message: str | None = "No.", kind: str = "invalid_request_error"
) -> dict[str, Any]:
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


class TestRequest:
    def test_a_picture_from_text(self, fake: Api) -> None:
        openai(fake.url).submit(gpt_image())
        assert fake.received[0].path == "/hook/images/generations"
        assert fake.body == {
            "model": "gpt-image-2",
            "prompt": "a fox",
            "size": "1024x1024",
            "quality": "medium",
        }

    def test_an_edit_has_its_images_by_url(self, fake: Api) -> None:
        openai(fake.url).submit(gpt_image(urls=[A]))
        assert fake.received[0].path == "/hook/images/edits"
        assert fake.body["images"] == [{"image_url": A}]


class TestAnswer:
    def test_the_pictures_are_in_it(self, fake: Api) -> None:
        fake.says((200, {"created": 1, "data": [{"b64_json": ENCODED}, {"b64_json": ENCODED}]}))
        assert openai(fake.url).submit(gpt_image()) == Succeeded((InlineFile(PICTURE), InlineFile(PICTURE)))

    @pytest.mark.parametrize(
        "data", [[], {}, [{}], ["x"], [{"b64_json": ""}], [{"b64_json": 5}], [{"b64_json": "not base64!"}]]
    )
    def test_an_answer_without_a_picture_is_none(self, fake: Api, data: Any) -> None:
        fake.says((200, {"created": 1, "data": data}))
        assert isinstance(openai(fake.url).submit(gpt_image()), Lost)

    def test_a_picture_of_twenty_megabytes_is_taken(self, fake: Api) -> None:
        large = PICTURE + bytes(20 * 1024 * 1024)
        fake.says((200, {"data": [{"b64_json": b64encode(large).decode()}]}))
        assert openai(fake.url).submit(gpt_image()) == Succeeded((InlineFile(large),))

    @pytest.mark.parametrize("code", ["moderation_blocked", "content_policy_violation"])
    def test_moderation_ends_the_task_with_its_reason(self, fake: Api, code: str) -> None:
        fake.says((400, error(code, "It is not safe.", "image_generation_user_error")))
        assert openai(fake.url).submit(gpt_image()) == Rejected(RejectionKind.CONTENT, "It is not safe.")

    def test_an_invalid_input_ends_the_task_with_its_reason(self, fake: Api) -> None:
        fake.says((400, error("invalid_value", "The size is too large.")))
        refused = Rejected(RejectionKind.INPUT, "The size is too large.")
        assert openai(fake.url).submit(gpt_image()) == refused

    @pytest.mark.parametrize(
        ("status", "code"),
        [(429, "insufficient_quota"), (400, "billing_hard_limit_reached"), (429, "billing_not_active")],
    )
    def test_our_empty_account_is_not_the_customers_fault(self, fake: Api, status: int, code: str) -> None:
        fake.says((status, error(code)))
        outcome = openai(fake.url).submit(gpt_image())
        assert isinstance(outcome, Failed)
        assert outcome.kind is FailureKind.REFUSED_US

    def test_a_rate_limit_is_not_an_empty_account(self, fake: Api) -> None:
        fake.says((429, error("rate_limit_exceeded")))
        outcome = openai(fake.url).submit(gpt_image())
        assert isinstance(outcome, Failed)
        assert outcome.kind is FailureKind.LIMITED

    def test_there_are_no_jobs_to_ask_for(self, fake: Api) -> None:
        assert isinstance(openai(fake.url).poll({}), Unknown)
        assert fake.received == []
