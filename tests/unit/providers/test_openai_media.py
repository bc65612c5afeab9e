"""OpenAI: its answers in ours. What holds for all adapters: test_adapter_laws.py.

Source: docs/providers/openai.md.
"""

from base64 import b64encode
from typing import Any

from tests.unit.providers.mapping_support import A, job_of
from tests.unit.providers.tables import each, invalid, moderated, polls, says, submits
from tollgate.providers.runtime.outcomes import FailureKind, InlineFile, Lost, Succeeded, Unknown

PICTURE = b"\x89PNG and more"
LARGE = PICTURE + bytes(20 * 1024 * 1024)
P = {"prompt": "a fox"}


def data(*items: Any) -> dict[str, Any]:
    return {"created": 1, "data": list(items)}


def encoded(picture: bytes) -> dict[str, str]:
    return {"b64_json": b64encode(picture).decode()}


def error(code: str, message: str = "No.", kind: str = "invalid_request_error") -> dict[str, Any]:
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


SUBMITS = submits(
    job_of("openai", "gpt-image-2", P),
    says(
        "the pictures are in the answer",
        Succeeded((InlineFile(PICTURE), InlineFile(PICTURE))),
        data(encoded(PICTURE), encoded(PICTURE)),
        sent="POST /images/generations",
        body={"model": "gpt-image-2", **P, "size": "1024x1024", "quality": "medium"},
    ),
    says("a picture of twenty megabytes", Succeeded((InlineFile(LARGE),)), data(encoded(LARGE))),
    says(
        "an answer without a picture",
        Lost,
        *(data(), {"data": {}}, data({}), data("x"), data({"b64_json": ""}), data({"b64_json": 5})),
        data({"b64_json": "not base64!"}),
    ),
    says(
        "moderation",
        moderated("Not safe."),
        *(
            (400, error(code, "Not safe.", "image_generation_user_error"))
            for code in ("moderation_blocked", "content_policy_violation")
        ),
    ),
    says("an invalid input", invalid("Too large."), (400, error("invalid_value", "Too large."))),
    says(
        "our account is empty",
        FailureKind.REFUSED_US,
        (429, error("insufficient_quota")),
        (400, error("billing_hard_limit_reached")),
        (429, error("billing_not_active")),
    ),
    says("too many requests", FailureKind.LIMITED, (429, error("rate_limit_exceeded"))),
)
EDITS = submits(
    job_of("openai", "gpt-image-2", {**P, "urls": [A]}),
    says(
        "an edit has its images by URL",
        Lost,
        sent="POST /images/edits",
        fields={"images": [{"image_url": A}]},
    ),
)
POLLS = polls({}, says("there are no jobs to ask for", Unknown, sent=()))
test_answers = each("openai", SUBMITS, EDITS, POLLS)
