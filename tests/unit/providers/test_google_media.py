"""Google: its answers in ours. What holds for all adapters: test_adapter_laws.py.

Source: docs/providers/google.md.
"""

from base64 import b64encode
from dataclasses import replace
from typing import Any

import pytest

from tests.unit.providers.mapping_support import job_of
from tests.unit.providers.support import KEY, Api, cancel, connected
from tollgate.providers.runtime.base import Job, MediaProvider
from tollgate.providers.runtime.outcomes import (
    Failed,
    FailureKind,
    InlineFile,
    Lost,
    Pending,
    Rejected,
    RejectionKind,
    ResultFile,
    Submitted,
    Succeeded,
    Unknown,
)

PICTURE = b"\x89PNG and more"
DATA = {"mimeType": "image/png", "data": b64encode(PICTURE).decode()}
CALLBACK = "https://us.test/cb"
INTERACTION = {"interaction": "i/1"}
OPERATION = {"operation": "models/veo/operations/o-1"}


def google(base_url: str) -> MediaProvider:
    return connected("google", base_url)


def picture() -> Job:
    return job_of("google", "nano-banana-2", {"prompt": "a fox"})


def video() -> Job:
    return job_of("google", "gemini-omni-1.1-flash", {"prompt": "a fox"})


def veo() -> Job:
    return job_of("google", "veo-3.1-lite", {"prompt": "a fox"})


def error(status: str, message: str = "No.", code: int = 400, reason: str | None = None) -> dict[str, Any]:
    details = (
        [] if reason is None else [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": reason}]
    )
    return {"error": {"code": code, "message": message, "status": status, "details": details}}


class TestAddress:
    def test_the_base_url_of_text_is_below_that_of_media(self, fake: Api) -> None:
        google(f"{fake.url}/v1beta/openai").submit(picture())
        assert fake.received[0].path == "/hook/v1beta/models/gemini-3.1-flash-image:generateContent"

    @pytest.mark.parametrize(
        ("job", "path"),
        [
            (picture(), "/models/gemini-3.1-flash-image:generateContent"),
            (video(), "/interactions"),
            (veo(), "/models/veo-3.1-lite-generate-001:predictLongRunning"),
        ],
        ids=["picture", "video", "veo"],
    )
    def test_each_kind_goes_to_its_surface(self, fake: Api, job: Job, path: str) -> None:
        google(fake.url).submit(job)
        assert fake.received[0].path == f"/hook{path}"

    @pytest.mark.parametrize(
        ("job", "name"), [(video(), "webhook_config"), (veo(), "webhookConfig")], ids=["video", "veo"]
    )
    def test_a_job_calls_back(self, fake: Api, job: Job, name: str) -> None:
        google(fake.url).submit(replace(job, callback_url=CALLBACK))
        assert fake.body[name] == {"uris": [CALLBACK]}

    def test_a_picture_has_nothing_to_call_back_for(self, fake: Api) -> None:
        google(fake.url).submit(replace(picture(), callback_url=CALLBACK))
        assert set(fake.body) == {"contents", "generationConfig"}


class TestRefusal:
    @pytest.mark.parametrize("wrapped", [False, True])
    def test_an_invalid_input_ends_the_task_with_its_reason(self, fake: Api, wrapped: bool) -> None:
        found = error("INVALID_ARGUMENT", "The ratio is unknown.")
        fake.says((400, [found] if wrapped else found))
        refused = Rejected(RejectionKind.INPUT, "The ratio is unknown.")
        assert google(fake.url).submit(picture()) == refused

    @pytest.mark.parametrize(
        "found",
        [
            error("INVALID_ARGUMENT", "API key not valid.", reason="API_KEY_INVALID"),
            error("FAILED_PRECONDITION", "User location is not supported."),
        ],
        ids=["key", "location"],
    )
    def test_a_400_that_is_about_us(self, fake: Api, found: dict[str, Any]) -> None:
        fake.says((400, found))
        outcome = google(fake.url).submit(picture())
        assert isinstance(outcome, Failed)
        assert outcome.kind is FailureKind.REFUSED_US

    def test_a_video_that_is_named_by_url_is_no_fault_of_the_customer(self, fake: Api) -> None:
        fake.says((400, error("INVALID_ARGUMENT", "HTTP video input is not supported by the model.")))
        found = google(fake.url).submit(video())
        assert isinstance(found, Failed)
        assert found.kind is FailureKind.NOT_CONFIGURED

    def test_a_video_that_is_refused_at_once(self, fake: Api) -> None:
        fake.says((400, error("PROHIBITED_CONTENT", "Blocked.")))
        assert google(fake.url).submit(video()) == Rejected(RejectionKind.CONTENT, "Blocked.")


class TestPicture:
    def submit(self, fake: Api, **answer: Any) -> Any:
        fake.says((200, answer))
        return google(fake.url).submit(picture())

    def test_it_is_in_the_answer_beside_words(self, fake: Api) -> None:
        parts = [{"text": "Here it is."}, {"inlineData": DATA}]
        found = self.submit(fake, candidates=[{"content": {"parts": parts}, "finishReason": "STOP"}])
        assert found == Succeeded((InlineFile(PICTURE),))

    def test_what_was_drawn_while_thinking_is_left_out(self, fake: Api) -> None:
        draft = {"inlineData": {**DATA, "data": b64encode(b"draft").decode()}, "thought": True}
        found = self.submit(fake, candidates=[{"content": {"parts": [draft, {"inlineData": DATA}]}}])
        assert found == Succeeded((InlineFile(PICTURE),))

    @pytest.mark.parametrize(
        "reason",
        [
            *("SAFETY", "IMAGE_SAFETY", "PROHIBITED_CONTENT", "IMAGE_PROHIBITED_CONTENT", "BLOCKLIST"),
            *("RECITATION", "IMAGE_RECITATION", "SPII"),
        ],
    )
    def test_moderation_comes_inside_http_200(self, fake: Api, reason: str) -> None:
        found = self.submit(fake, candidates=[{"finishReason": reason, "finishMessage": "It is not safe."}])
        assert found == Rejected(RejectionKind.CONTENT, "It is not safe.")

    def test_a_prompt_that_is_blocked(self, fake: Api) -> None:
        found = self.submit(fake, promptFeedback={"blockReason": "OTHER"})
        assert found == Rejected(RejectionKind.CONTENT, "The provider refused the content.")

    @pytest.mark.parametrize("reason", ["STOP", "NO_IMAGE", "IMAGE_OTHER", "OTHER", "MAX_TOKENS", None])
    def test_no_picture_for_no_reason_of_the_customers(self, fake: Api, reason: str | None) -> None:
        parts = [{"text": "I would rather talk."}]
        found = self.submit(fake, candidates=[{"content": {"parts": parts}, "finishReason": reason}])
        assert isinstance(found, Failed)
        assert found.kind is FailureKind.PROVIDER_ERROR

    @pytest.mark.parametrize("data", ["", 5, "not base64!"])
    def test_a_picture_that_cannot_be_read_is_none(self, fake: Api, data: Any) -> None:
        part = {"inlineData": {"mimeType": "image/png", "data": data}}
        assert isinstance(self.submit(fake, candidates=[{"content": {"parts": [part]}}]), Lost)


class TestInteraction:
    def poll(self, fake: Api, *answers: dict[str, Any]) -> Any:
        fake.says(*((200, {"id": "i/1", **answer}) for answer in answers))
        return google(fake.url).poll(INTERACTION)

    def output(self, *content: dict[str, Any]) -> dict[str, Any]:
        steps = [{"type": "user_input", "content": [{"type": "video", "uri": "https://a.test/v.mp4"}]}]
        return {"status": "completed", "steps": [*steps, {"type": "model_output", "content": list(content)}]}

    def test_its_handle_is_its_id(self, fake: Api) -> None:
        fake.says((200, {"id": "i/1", "status": "in_progress"}))
        assert google(fake.url).submit(video()) == Submitted(INTERACTION)

    @pytest.mark.parametrize("status", ["queued", "in_progress"])
    def test_a_video_under_way(self, fake: Api, status: str) -> None:
        assert self.poll(fake, {"status": status}) == Pending()
        assert fake.received[-1].path == "/hook/interactions/i%2F1"

    def test_a_file_on_the_api_takes_our_key(self, fake: Api) -> None:
        uri = f"{fake.url}/files/f-1:download?alt=media"
        found = self.poll(fake, self.output({"type": "video", "uri": uri}), {"state": "ACTIVE"})
        (file,) = found.files
        assert file.url == uri
        assert file.headers["x-goog-api-key"] == KEY
        assert KEY not in repr(found)
        assert fake.received[-1].path == "/hook/files/f-1"

    def test_a_file_elsewhere_does_not_get_it(self, fake: Api) -> None:
        uri = "https://elsewhere.test/files/f-1:download"
        found = self.poll(fake, self.output({"type": "video", "uri": uri}))
        assert found == Succeeded((ResultFile(uri),))

    @pytest.mark.parametrize(("state", "outcome"), [("PROCESSING", Pending), ("FAILED", Succeeded)])
    def test_only_a_file_in_process_is_waited_for(self, fake: Api, state: str, outcome: type) -> None:
        uri = f"{fake.url}/files/f-1:download?alt=media"
        found = self.poll(fake, self.output({"type": "video", "uri": uri}), {"state": state})
        assert isinstance(found, outcome)

    def test_a_video_may_come_in_the_answer(self, fake: Api) -> None:
        data = b64encode(b"video").decode()
        found = self.poll(fake, self.output({"type": "video", "mime_type": "video/mp4", "data": data}))
        assert found == Succeeded((InlineFile(b"video"),))

    def test_words_in_place_of_a_video_are_a_refusal(self, fake: Api) -> None:
        found = self.poll(fake, self.output({"type": "text", "text": "I cannot show that."}))
        assert found == Rejected(RejectionKind.CONTENT, "I cannot show that.")

    def test_words_about_where_we_are_lead_to_the_next_provider(self, fake: Api) -> None:
        words = "Editing videos is not available in the European Economic Area, Switzerland or the UK."
        found = self.poll(fake, self.output({"type": "text", "text": words}))
        assert isinstance(found, Failed)
        assert found.kind is FailureKind.NOT_CONFIGURED

    def test_a_video_that_was_made_and_is_not_there_is_no_refusal(self, fake: Api) -> None:
        usage = {"output_tokens_by_modality": [{"modality": "video", "tokens": 40_000}]}
        found = self.poll(fake, {**self.output({"type": "text", "text": "Done."}), "usage": usage})
        assert isinstance(found, Failed)
        assert found.kind is FailureKind.BAD_RESULT

    @pytest.mark.parametrize(
        ("status", "kind"),
        [
            ("failed", FailureKind.PROVIDER_ERROR),
            ("incomplete", FailureKind.PROVIDER_ERROR),
            ("cancelled", FailureKind.PROVIDER_ERROR),
            ("requires_action", FailureKind.PROVIDER_ERROR),
            ("requires_continuation", FailureKind.PROVIDER_ERROR),
            ("budget_exceeded", FailureKind.REFUSED_US),
        ],
    )
    def test_an_interaction_without_a_result(self, fake: Api, status: str, kind: FailureKind) -> None:
        found = self.poll(fake, {"status": status})
        assert isinstance(found, Failed)
        assert found.kind is kind

    @pytest.mark.parametrize(
        "where",
        [
            {"error": {"status": "SAFETY", "message": "No."}},
            {"errors": [{"code": "IMAGE_SAFETY", "message": "No."}]},
            {"steps": [{"type": "model_output", "error": {"code": "SAFETY", "message": "No."}}]},
        ],
        ids=["interaction", "errors", "step"],
    )
    def test_a_failure_for_its_content(self, fake: Api, where: dict[str, Any]) -> None:
        assert self.poll(fake, {"status": "failed", **where}) == Rejected(RejectionKind.CONTENT, "No.")

    @pytest.mark.parametrize("status", ["", None, 5, "done"])
    def test_a_status_it_does_not_have_is_unknown(self, fake: Api, status: Any) -> None:
        assert isinstance(self.poll(fake, {"status": status}), Unknown)

    @pytest.mark.parametrize(("status", "dropped"), [("cancelled", True), ("completed", False)])
    def test_its_state_tells_whether_it_was_dropped(self, fake: Api, status: str, dropped: bool) -> None:
        fake.says((200, {"id": "i/1", "status": status}))
        assert cancel(google(fake.url), INTERACTION) is dropped
        (request,) = fake.received
        assert (request.method, request.path) == ("POST", "/hook/interactions/i%2F1/cancel")


class TestOperation:
    def poll(self, fake: Api, **answer: Any) -> Any:
        fake.says((200, {"name": OPERATION["operation"], **answer}))
        return google(fake.url).poll(OPERATION)

    def test_its_handle_is_its_name(self, fake: Api) -> None:
        fake.says((200, {"name": OPERATION["operation"]}))
        assert google(fake.url).submit(veo()) == Submitted(OPERATION)

    @pytest.mark.parametrize("answer", [{}, {"done": False}])
    def test_without_done_it_is_under_way(self, fake: Api, answer: dict[str, Any]) -> None:
        assert self.poll(fake, **answer) == Pending()
        assert fake.received[-1].path == "/hook/models/veo/operations/o-1"

    def test_its_samples(self, fake: Api) -> None:
        samples = [{"video": {"uri": "https://a.test/v.mp4"}}]
        found = self.poll(fake, done=True, response={"generateVideoResponse": {"generatedSamples": samples}})
        assert found == Succeeded((ResultFile("https://a.test/v.mp4"),))

    def test_moderation_leaves_the_samples_out(self, fake: Api) -> None:
        response = {"raiMediaFilteredCount": 1, "raiMediaFilteredReasons": ["Not allowed.", "At all."]}
        found = self.poll(fake, done=True, response={"generateVideoResponse": response})
        assert found == Rejected(RejectionKind.CONTENT, "Not allowed.; At all.")

    def test_done_with_nothing_is_a_bad_result(self, fake: Api) -> None:
        found = self.poll(fake, done=True, response={})
        assert isinstance(found, Failed)
        assert found.kind is FailureKind.BAD_RESULT

    def test_an_invalid_input(self, fake: Api) -> None:
        found = self.poll(fake, done=True, error={"code": 3, "message": "The ratio is unknown."})
        assert found == Rejected(RejectionKind.INPUT, "The ratio is unknown.")

    def test_a_fault(self, fake: Api) -> None:
        found = self.poll(fake, done=True, error={"code": 13, "message": "Internal."})
        assert isinstance(found, Failed)
        assert found.kind is FailureKind.PROVIDER_ERROR

    def test_it_cannot_be_dropped(self, fake: Api) -> None:
        assert cancel(google(fake.url), OPERATION) is False
        assert fake.received == []
