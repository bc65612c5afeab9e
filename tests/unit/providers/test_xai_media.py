"""xAI: its answers in ours (docs/providers/xai.md). What holds for all adapters: test_adapter_laws.py."""

from typing import Any

import pytest

from tests.support.http_server import Reply
from tests.unit.providers.mapping_support import A, job_of
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

URL = "https://img.test/1"
INVALID = "Client specified an invalid argument"


def xai(base_url: str) -> MediaProvider:
    return connected("xai", base_url)


def image(**more: Any) -> Job:
    return job_of("xai", "grok-imagine-image", {"prompt": "a fox", **more})


def video() -> Job:
    return job_of("xai", "grok-imagine-video", {"prompt": "a fox"})


class TestRequest:
    @pytest.mark.parametrize(
        ("job", "path", "model"),
        [
            (image(), "/images/generations", "grok-imagine-image"),
            (image(urls=[A]), "/images/edits", "grok-imagine-image"),
            (video(), "/videos/generations", "grok-imagine-video"),
        ],
        ids=["image", "edit", "video"],
    )
    def test_each_kind_goes_to_its_path(self, fake: Api, job: Job, path: str, model: str) -> None:
        xai(fake.url).submit(job)
        assert fake.received[0].path == f"/hook{path}"
        assert fake.body["model"] == model


class TestPicture:
    def test_its_address_is_in_the_answer(self, fake: Api) -> None:
        fake.says((200, {"data": [{"url": URL, "respect_moderation": True}]}))
        assert xai(fake.url).submit(image()) == Succeeded((ResultFile(URL),))

    def test_one_without_the_word_is_good(self, fake: Api) -> None:
        fake.says((200, {"data": [{"url": URL}]}))
        assert xai(fake.url).submit(image()) == Succeeded((ResultFile(URL),))

    @pytest.mark.parametrize(
        "data", [[], [{"respect_moderation": False}], [{"url": URL, "respect_moderation": False}]]
    )
    def test_moderation_says_so_inside_http_200(self, fake: Api, data: Any) -> None:
        fake.says((200, {"data": data}))
        refused = Rejected(RejectionKind.CONTENT, "The provider refused the content.")
        assert xai(fake.url).submit(image()) == refused

    @pytest.mark.parametrize("data", [{}, "x", [5], [{}], [{"url": ""}], [{"url": 5}]])
    def test_an_answer_that_cannot_be_read_is_none(self, fake: Api, data: Any) -> None:
        fake.says((200, {"data": data}))
        assert isinstance(xai(fake.url).submit(image()), Lost)


class TestRefusal:
    @pytest.mark.parametrize("status", [400, 403])
    @pytest.mark.parametrize(
        "words",
        [
            "Generated image rejected by content moderation.",
            "Content violates usage guidelines. Failed check: X",
        ],
    )
    def test_moderation_has_words_alone(self, fake: Api, status: int, words: str) -> None:
        fake.says((status, {"code": INVALID, "error": words}))
        assert xai(fake.url).submit(image()) == Rejected(RejectionKind.CONTENT, words)

    @pytest.mark.parametrize(
        "answer",
        [
            {"code": INVALID, "error": "duration is too long"},
            {"error": {"message": "duration is too long", "type": "invalid_request_error", "code": None}},
        ],
    )
    def test_an_invalid_input_in_either_shape(self, fake: Api, answer: Any) -> None:
        fake.says((400, answer))
        assert xai(fake.url).submit(video()) == Rejected(RejectionKind.INPUT, "duration is too long")

    def test_a_bad_key_is_a_400_and_not_the_customers_fault(self, fake: Api) -> None:
        fake.says((400, {"code": INVALID, "error": "Incorrect API key provided: sk***89."}))
        outcome = xai(fake.url).submit(image())
        assert isinstance(outcome, Failed)
        assert outcome.kind is FailureKind.REFUSED_US


class TestPoll:
    def poll(self, fake: Api, status: int, value: Any) -> Any:
        fake.says((status, value))
        return xai(fake.url).poll({"request_id": "r/1"})

    def test_a_video_is_asked_for_by_its_id(self, fake: Api) -> None:
        fake.says((200, {"request_id": "r/1"}))
        assert xai(fake.url).submit(video()) == Submitted({"request_id": "r/1"})
        self.poll(fake, 202, {"status": "pending"})
        assert fake.received[-1].path == "/hook/videos/r%2F1"

    def test_http_202_is_under_way_also_without_a_body(self, fake: Api) -> None:
        fake.answer = lambda _: Reply(202, b"", {})
        assert xai(fake.url).poll({"request_id": "r-1"}) == Pending()

    def test_its_progress(self, fake: Api) -> None:
        assert self.poll(fake, 202, {"status": "pending", "progress": 40}) == Pending(40)

    def test_a_video_that_is_done(self, fake: Api) -> None:
        value = {"status": "done", "video": {"url": URL, "duration": 8, "respect_moderation": True}}
        assert self.poll(fake, 200, value) == Succeeded((ResultFile(URL),))

    def test_moderation_of_what_is_done(self, fake: Api) -> None:
        value = {"status": "done", "video": {"url": URL, "respect_moderation": False}}
        assert self.poll(fake, 200, value) == Rejected(
            RejectionKind.CONTENT, "The provider refused the content."
        )

    @pytest.mark.parametrize(
        ("error", "outcome"),
        [
            ({"code": "invalid_argument", "message": "bad"}, Rejected(RejectionKind.INPUT, "bad")),
            (
                {"code": "invalid_argument", "message": "Rejected by content moderation."},
                Rejected(RejectionKind.CONTENT, "Rejected by content moderation."),
            ),
        ],
    )
    def test_a_video_that_failed_for_what_it_is(self, fake: Api, error: Any, outcome: Rejected) -> None:
        assert self.poll(fake, 200, {"status": "failed", "error": error}) == outcome

    @pytest.mark.parametrize(
        ("value", "kind"),
        [
            ({"status": "failed", "error": {"code": "internal", "message": "x"}}, FailureKind.PROVIDER_ERROR),
            ({"status": "failed"}, FailureKind.PROVIDER_ERROR),
            ({"status": "expired"}, FailureKind.TIMED_OUT),
        ],
    )
    def test_a_video_that_failed_at_the_provider(self, fake: Api, value: Any, kind: FailureKind) -> None:
        outcome = self.poll(fake, 200, value)
        assert isinstance(outcome, Failed)
        assert outcome.kind is kind

    @pytest.mark.parametrize(
        "error", ["Video rejected by content moderation.", {"message": "Rejected by content moderation."}]
    )
    def test_moderation_of_what_is_done_as_http_400(self, fake: Api, error: Any) -> None:
        """It ends the job, which is billed all the same; no later poll says otherwise."""
        outcome = self.poll(fake, 400, {"code": INVALID, "error": error})
        assert isinstance(outcome, Rejected)
        assert outcome.kind is RejectionKind.CONTENT

    def test_another_http_400_ends_the_job_but_for_our_key(self, fake: Api) -> None:
        assert isinstance(self.poll(fake, 400, {"code": INVALID, "error": "no such thing"}), Failed)
        assert isinstance(self.poll(fake, 400, {"error": "Incorrect API key provided"}), Unknown)

    def test_a_video_that_is_there_is_done_also_without_a_status(self, fake: Api) -> None:
        assert self.poll(fake, 200, {"video": {"url": URL, "duration": 6}}) == Succeeded((ResultFile(URL),))

    @pytest.mark.parametrize("value", [{}, {"status": "new"}, {"status": 5}, []])
    def test_a_status_it_does_not_have_is_unknown(self, fake: Api, value: Any) -> None:
        assert isinstance(self.poll(fake, 200, value), Unknown)
