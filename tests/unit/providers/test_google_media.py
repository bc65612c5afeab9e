"""Google: its answers in ours. What holds for all adapters: test_adapter_laws.py.

Source: docs/providers/google.md.
"""

from base64 import b64encode
from dataclasses import replace
from typing import Any

from tests.unit.providers.mapping_support import job_of
from tests.unit.providers.support import KEY, Api, connected
from tests.unit.providers.tables import (
    ABSENT,
    HERE,
    Row,
    Then,
    cancels,
    done,
    each,
    invalid,
    moderated,
    polls,
    says,
    submits,
)
from tollgate.providers.runtime.outcomes import (
    FailureKind,
    InlineFile,
    Lost,
    Pending,
    ResultFile,
    Submitted,
    Succeeded,
    Unknown,
)

PICTURE, VIDEO, VEO = (
    job_of("google", model, {"prompt": "a fox"})
    for model in ("nano-banana-2", "gemini-omni-1.1-flash", "veo-3.1-lite")
)
CALLBACK = "https://us.test/cb"
INTERACTION = {"interaction": "i/1"}
OPERATION = {"operation": "models/veo/operations/o-1"}
DRAWN = b"\x89PNG and more"
FILM = "https://a.test/v.mp4"
OWN = f"{HERE}/files/f-1:download?alt=media"
"""A file on the API itself."""
FILTERED = {"raiMediaFilteredCount": 1, "raiMediaFilteredReasons": ["Not allowed.", "At all."]}
NOT_HERE = "Editing videos is not available in the European Economic Area, Switzerland or the UK."
MADE = {"output_tokens_by_modality": [{"modality": "video", "tokens": 40_000}]}


def error(status: str, message: str = "No.", reason: str | None = None) -> dict[str, Any]:
    details = (
        [] if reason is None else [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": reason}]
    )
    return {"error": {"code": 400, "message": message, "status": status, "details": details}}


def candidate(*parts: Any, **more: Any) -> dict[str, Any]:
    return {"candidates": [{**({"content": {"parts": list(parts)}} if parts else {}), **more}]}


def drawing(data: Any, **more: Any) -> dict[str, Any]:
    return {"inlineData": {"mimeType": "image/png", "data": data}, **more}


def encoded(data: bytes) -> str:
    return b64encode(data).decode()


def interaction(status: Any, **more: Any) -> dict[str, Any]:
    return {"id": "i/1", "status": status, **more}


def made(*content: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return a completed interaction: the video that it was given is not its result."""
    steps = [
        {"type": "user_input", "content": [{"type": "video", "uri": FILM}]},
        {"type": "model_output", "content": list(content)},
    ]
    return interaction("completed", steps=steps, **more)


def operation(**answer: Any) -> dict[str, Any]:
    return {"name": OPERATION["operation"], **answer}


def filmed(**response: Any) -> dict[str, Any]:
    return operation(done=True, response={"generateVideoResponse": response})


def calls_back(name: str) -> Row:
    return says("it names an address to call back", Lost, fields={name: {"uris": [CALLBACK]}})


PICTURES = submits(
    PICTURE,
    says(
        "the picture is in the answer, beside words and without what was drawn while thinking",
        Succeeded((InlineFile(DRAWN),)),
        candidate({"text": "Here it is."}, drawing(encoded(DRAWN)), finishReason="STOP"),
        candidate(drawing(encoded(b"draft"), thought=True), drawing(encoded(DRAWN))),
        sent="POST /models/gemini-3.1-flash-image:generateContent",
    ),
    says("a picture that cannot be read", Lost, *(candidate(drawing(one)) for one in ("", 5, "not base64!"))),
    says(
        "moderation inside HTTP 200",
        moderated("It is not safe."),
        *(
            candidate(finishReason=reason, finishMessage="It is not safe.")
            for reason in (
                *("SAFETY", "IMAGE_SAFETY", "PROHIBITED_CONTENT", "IMAGE_PROHIBITED_CONTENT", "BLOCKLIST"),
                *("RECITATION", "IMAGE_RECITATION", "SPII"),
            )
        ),
    ),
    says(
        "a prompt that is blocked",
        moderated("The provider refused the content."),
        {"promptFeedback": {"blockReason": "OTHER"}},
    ),
    says(
        "no picture for no reason of the customer's",
        FailureKind.PROVIDER_ERROR,
        *(
            candidate({"text": "I would rather talk."}, finishReason=reason)
            for reason in ("STOP", "NO_IMAGE", "IMAGE_OTHER", "OTHER", "MAX_TOKENS", None)
        ),
    ),
    says(
        "an invalid input",
        invalid("The ratio is unknown."),
        (400, error("INVALID_ARGUMENT", "The ratio is unknown.")),
        (400, [error("INVALID_ARGUMENT", "The ratio is unknown.")]),
    ),
    says(
        "a 400 that is about us",
        FailureKind.REFUSED_US,
        (400, error("INVALID_ARGUMENT", "API key not valid.", "API_KEY_INVALID")),
        (400, error("FAILED_PRECONDITION", "User location is not supported.")),
    ),
)
NO_CALL_BACK = submits(
    replace(PICTURE, callback_url=CALLBACK),
    says(
        "a picture has nothing to call back for",
        Lost,
        fields={"webhook_config": ABSENT, "webhookConfig": ABSENT},
    ),
)
VIDEOS = submits(
    replace(VIDEO, callback_url=CALLBACK),
    says(
        "its handle is its id", Submitted(INTERACTION), interaction("in_progress"), sent="POST /interactions"
    ),
    calls_back("webhook_config"),
    says(
        "a video that is named by URL is no fault of the customer",
        FailureKind.NOT_CONFIGURED,
        (400, error("INVALID_ARGUMENT", "HTTP video input is not supported by the model.")),
    ),
    says("moderation at once", moderated("Blocked."), (400, error("PROHIBITED_CONTENT", "Blocked."))),
)
OPERATIONS = submits(
    replace(VEO, callback_url=CALLBACK),
    says(
        "its handle is its name",
        Submitted(OPERATION),
        operation(),
        sent="POST /models/veo-3.1-lite-generate-001:predictLongRunning",
    ),
    calls_back("webhookConfig"),
)
VIDEO_POLLS = polls(
    INTERACTION,
    says(
        "under way", Pending(), *map(interaction, ("queued", "in_progress")), sent="GET /interactions/i%2F1"
    ),
    says(
        "a file on the API takes our key, also if it could not be processed",
        Succeeded((ResultFile(OWN, {"x-goog-api-key": KEY, "api-revision": "2026-05-20"}),)),
        *(Then(made({"type": "video", "uri": OWN}), {"state": state}) for state in ("ACTIVE", "FAILED")),
        sent=("GET /interactions/i%2F1", "GET /files/f-1"),
    ),
    says("a file in process", Pending(), Then(made({"type": "video", "uri": OWN}), {"state": "PROCESSING"})),
    says("a file elsewhere does not get it", done(FILM), made({"type": "video", "uri": FILM})),
    says(
        "a video in the answer",
        Succeeded((InlineFile(b"video"),)),
        made({"type": "video", "mime_type": "video/mp4", "data": encoded(b"video")}),
    ),
    says(
        "words in place of a video",
        moderated("I cannot show that."),
        made({"type": "text", "text": "I cannot show that."}),
    ),
    says("words about where we are", FailureKind.NOT_CONFIGURED, made({"type": "text", "text": NOT_HERE})),
    says(
        "a video that was made and is not there",
        FailureKind.BAD_RESULT,
        made({"type": "text", "text": "Done."}, usage=MADE),
    ),
    says(
        "an end without a result",
        FailureKind.PROVIDER_ERROR,
        *map(interaction, ("failed", "incomplete", "cancelled", "requires_action", "requires_continuation")),
    ),
    says("our credit", FailureKind.REFUSED_US, interaction("budget_exceeded")),
    says(
        "a failure for its content",
        moderated("No."),
        interaction("failed", error={"status": "SAFETY", "message": "No."}),
        interaction("failed", errors=[{"code": "IMAGE_SAFETY", "message": "No."}]),
        interaction(
            "failed", steps=[{"type": "model_output", "error": {"code": "SAFETY", "message": "No."}}]
        ),
    ),
    says("a status that it does not have", Unknown, *map(interaction, ("", None, 5, "done"))),
)
VEO_POLLS = polls(
    OPERATION,
    says("under way", Pending(), operation(), operation(done=False), sent="GET /models/veo/operations/o-1"),
    says("its samples", done(FILM), filmed(generatedSamples=[{"video": {"uri": FILM}}])),
    says("moderation leaves the samples out", moderated("Not allowed.; At all."), filmed(**FILTERED)),
    says("done with nothing", FailureKind.BAD_RESULT, operation(done=True, response={})),
    says(
        "an invalid input",
        invalid("The ratio is unknown."),
        operation(done=True, error={"code": 3, "message": "The ratio is unknown."}),
    ),
    says(
        "its own fault",
        FailureKind.PROVIDER_ERROR,
        operation(done=True, error={"code": 13, "message": "Internal."}),
    ),
)
CANCELS = [
    *cancels(
        INTERACTION,
        says("it is dropped", True, interaction("cancelled"), sent="POST /interactions/i%2F1/cancel"),
        says("it was done", False, interaction("completed")),
    ),
    *cancels(OPERATION, says("an operation cannot be dropped", False, sent=())),
]
test_answers = each("google", PICTURES, NO_CALL_BACK, VIDEOS, OPERATIONS, VIDEO_POLLS, VEO_POLLS, CANCELS)


def test_the_base_url_of_text_is_below_that_of_media(fake: Api) -> None:
    connected("google", f"{fake.url}/v1beta/openai").submit(PICTURE)
    assert fake.received[0].path == "/hook/v1beta/models/gemini-3.1-flash-image:generateContent"
