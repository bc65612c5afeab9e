"""PixVerse: its answers in ours (docs/providers/pixverse.md)."""

import json
from typing import Any

import pytest

from tests.support.http_server import Raw
from tests.unit.providers.mapping_support import A, B, job_of
from tests.unit.providers.support import KEY, Api, connected, run
from tests.unit.providers.ways import simulated
from tollgate.providers.media.pixverse import facts
from tollgate.providers.media.pixverse.media import Adapter as PixVerseMedia
from tollgate.providers.runtime.base import Cancels, Job
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


def pixverse(fake: Api) -> PixVerseMedia:
    made = connected("pixverse", fake.url)
    assert isinstance(made, PixVerseMedia)
    return made


def job(**more: Any) -> Job:
    return job_of("pixverse", "pixverse-v6", {"prompt": "a fox", **more})


def good(**resp: Any) -> tuple[int, dict[str, Any]]:
    return 200, {"ErrCode": 0, "ErrMsg": "success", "Resp": resp}


def error(code: Any, message: str = "no") -> dict[str, Any]:
    return {"ErrCode": code, "ErrMsg": message, "Resp": {}}


class TestRequest:
    def test_a_video_from_text(self, fake: Api) -> None:
        fake.says(good(video_id=3_180, credits=45))
        assert pixverse(fake).submit(job()) == Submitted({"video_id": 3_180})
        (request,) = fake.received
        assert (request.method, request.path) == ("POST", "/hook/video/text/generate")
        assert request.headers["api-key"] == KEY
        assert fake.body["model"] == "v6"

    def test_images_are_sent_first_and_named_by_their_numbers(self, fake: Api) -> None:
        fake.says(good(img_id=11), good(img_id=12), good(video_id=1))
        pixverse(fake).submit(job(firstFrameImage=A, lastFrameImage=B))
        *uploads, submit = fake.received
        assert [request.path for request in uploads] == ["/hook/image/upload"] * 2
        assert [url.encode() in request.body for url, request in zip((A, B), uploads, strict=True)] == [
            True
        ] * 2
        assert all(request.headers["content-type"].startswith("multipart/form-data") for request in uploads)
        body = json.loads(submit.body)
        assert (body["first_frame_img"], body["last_frame_img"]) == (11, 12)

    def test_no_two_requests_have_the_same_trace_id(self, fake: Api) -> None:
        fake.says(good(img_id=11), good(video_id=1), good(status=5))
        pixverse(fake).submit(job(imageUrls=[A]))
        pixverse(fake).poll({"video_id": 1})
        assert len({request.headers["ai-trace-id"] for request in fake.received}) == 3

    def test_it_cannot_be_cancelled(self, fake: Api) -> None:
        assert not isinstance(pixverse(fake), Cancels)


class TestUpload:
    @pytest.mark.parametrize(
        ("code", "kind"), [(500_063, RejectionKind.CONTENT), (400_032, RejectionKind.INPUT)]
    )
    def test_an_image_that_it_refuses_ends_the_task(self, fake: Api, code: int, kind: RejectionKind) -> None:
        fake.says((200, error(code, "Not this image.")))
        assert pixverse(fake).submit(job(imageUrls=[A])) == Rejected(kind, "Not this image.")
        assert len(fake.received) == 1

    @pytest.mark.parametrize("answer", [(200, {}), good(), (502, "<html>")])
    def test_an_upload_that_fails_leads_to_the_next_provider(self, fake: Api, answer: Any) -> None:
        fake.says(answer)
        outcome = pixverse(fake).submit(job(imageUrls=[A]))
        assert isinstance(outcome, Failed)
        assert outcome.kind is FailureKind.PROVIDER_ERROR

    def test_an_upload_without_an_answer_means_that_no_job_was_sent(self, fake: Api) -> None:
        fake.answer = lambda _: Raw(())
        outcome = pixverse(fake).submit(job(imageUrls=[A]))
        assert isinstance(outcome, Failed)
        assert outcome.kind is FailureKind.UNREACHABLE

    def test_uploads_that_take_too_long_are_given_up(
        self, fake: Api, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(facts, "UPLOADS_TIMEOUT_S", -1.0)
        outcome = pixverse(fake).submit(job(imageUrls=[A]))
        assert isinstance(outcome, Failed)
        assert outcome.kind is FailureKind.UNREACHABLE
        assert fake.received == []


class TestSubmitAnswer:
    @pytest.mark.parametrize("status", [200, 400, 500])
    @pytest.mark.parametrize(
        ("code", "kind"),
        [
            (500_054, RejectionKind.CONTENT),
            (500_063, RejectionKind.CONTENT),
            (400_017, RejectionKind.INPUT),
            (400_018, RejectionKind.INPUT),
        ],
    )
    def test_a_refusal_of_the_request(self, fake: Api, status: int, code: int, kind: RejectionKind) -> None:
        fake.says((status, error(code, "Not this.")))
        assert pixverse(fake).submit(job()) == Rejected(kind, "Not this.")

    @pytest.mark.parametrize(
        ("status", "body", "kind"),
        [
            (200, error(10_001), FailureKind.REFUSED_US),
            (200, error(10_005), FailureKind.REFUSED_US),
            (200, error(500_020), FailureKind.REFUSED_US),
            (200, error(500_060), FailureKind.REFUSED_US),
            (429, error(500_090), FailureKind.REFUSED_US),
            (200, error(500_044), FailureKind.LIMITED),
            (200, error(500_069), FailureKind.LIMITED),
            (200, error(99_999), FailureKind.PROVIDER_ERROR),
            (400, error(99_999), FailureKind.PROVIDER_ERROR),
            (429, "<html>", FailureKind.LIMITED),
            (502, "<html>", FailureKind.PROVIDER_ERROR),
        ],
    )
    def test_a_fault_of_its_or_of_ours(self, fake: Api, status: int, body: Any, kind: FailureKind) -> None:
        fake.says((status, body))
        outcome = pixverse(fake).submit(job())
        assert isinstance(outcome, Failed)
        assert outcome.kind is kind

    @pytest.mark.parametrize(
        "answer", [(200, None), (200, {}), good(), good(video_id="1"), good(video_id=True)]
    )
    def test_a_good_answer_without_a_video_is_no_answer(self, fake: Api, answer: Any) -> None:
        fake.says(answer)
        assert isinstance(pixverse(fake).submit(job()), Lost)


class TestPoll:
    def poll(self, fake: Api, **resp: Any) -> Any:
        fake.says(good(id=7, **resp))
        return pixverse(fake).poll({"video_id": 7})

    def test_it_asks_for_the_video(self, fake: Api) -> None:
        self.poll(fake, status=5)
        assert (fake.received[-1].method, fake.received[-1].path) == ("GET", "/hook/video/result/7")

    @pytest.mark.parametrize("status", [5, 9, 10])
    def test_a_job_under_way(self, fake: Api, status: int) -> None:
        assert self.poll(fake, status=status) == Pending()

    def test_its_file_and_how_an_extension_names_it(self, fake: Api) -> None:
        done = self.poll(fake, status=1, url="https://a.test/1.mp4")
        assert done == Succeeded((ResultFile("https://a.test/1.mp4"),), reference="7")

    def test_its_moderation(self, fake: Api) -> None:
        refused = self.poll(fake, status=7)
        assert isinstance(refused, Rejected)
        assert refused.kind is RejectionKind.CONTENT

    @pytest.mark.parametrize("status", [6, 8])
    def test_an_end_without_a_file(self, fake: Api, status: int) -> None:
        outcome = self.poll(fake, status=status)
        assert isinstance(outcome, Failed)
        assert outcome.kind is FailureKind.PROVIDER_ERROR

    @pytest.mark.parametrize("answer", [good(status=2), good(), (200, error(500_008)), (500, error(99_999))])
    def test_another_answer_has_no_verdict(self, fake: Api, answer: Any) -> None:
        fake.says(answer)
        assert isinstance(pixverse(fake).poll({"video_id": 7}), Unknown)


class TestSimulated:
    @pytest.mark.parametrize(
        "more", [{"imgReferences": [A, B]}, {"firstFrameImage": A, "lastFrameImage": B}, {"imageUrls": [A]}]
    )
    def test_jobs_that_need_images(self, simulator_url: str, more: dict[str, Any]) -> None:
        *_, done = run(simulated("pixverse", simulator_url), job(**more))
        assert isinstance(done, Succeeded)

    def test_a_video_is_extended_by_its_reference(self, simulator_url: str) -> None:
        provider = simulated("pixverse", simulator_url)
        *_, done = run(provider, job())
        assert isinstance(done, Succeeded)
        *_, longer = run(provider, job(extendFromTaskId=done.reference))
        assert isinstance(longer, Succeeded)

    def test_a_video_that_is_not_there_cannot_be_extended(self, simulator_url: str) -> None:
        (failed,) = run(simulated("pixverse", simulator_url), job(extendFromTaskId="1"))
        assert isinstance(failed, Failed)
