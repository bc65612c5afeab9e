"""BFL: its answers in ours (bfl/facts.py). What holds for all adapters: test_adapter_laws.py."""

from typing import Any

from tests.unit.providers.mapping_support import job_of
from tests.unit.providers.tables import HERE, done, each, invalid, moderated, polls, says, submits
from tollgate.providers.runtime.outcomes import FailureKind, Lost, Pending, Submitted, Unknown

FLUX = job_of("bfl", "flux-3-video", {"prompt": "a fox"})
FILE = "https://delivery.test/1.mp4"
RESULT = {"sample": FILE, "draft_cache": "https://delivery.test/1.bin"}
REFUSED = "The provider refused the content: "


def result(polling_url: str) -> dict[str, Any]:
    return {"id": "j-1", "polling_url": polling_url, "cost": 17}


SUBMITS = submits(
    FLUX,
    *(
        says(
            f"it is asked at {url}",
            Submitted({"polling_url": url}),
            result(url),
            sent="POST /v1/flux-3-video",
        )
        for url in ("https://api.bfl.ai/v1/r?id=1", "https://api.eu1.bfl.ai/v1/r?id=1", f"{HERE}/v1/r?id=1")
    ),
    says(
        "our key goes nowhere else",
        Lost,
        result("https://bfl.ai.evil.test/v1"),
        result("https://evilbfl.ai/v1"),
        result("http://api.bfl.ai/v1"),
        result("https://api.bfl.ai@evil.test/v1"),
        result("https://[::1/v1"),
        result("//api.bfl.ai/v1"),
        result(""),
    ),
    says(
        "an invalid input, field by field",
        invalid("too long; no"),
        (422, {"detail": [{"loc": ["body", "duration"], "msg": "too long"}, {"msg": "no"}]}),
    ),
    says("an invalid input in words", invalid("Too small"), (422, {"detail": "Too small"})),
)
POLLS = polls(
    {"polling_url": f"{HERE}/v1/get_result?id=j-1"},
    says(
        "under way",
        Pending(),
        *({"status": status} for status in ("Pending", "Processing", "Reasoning", "Generating")),
        {"state": "Pending"},
        sent="GET /v1/get_result?id=j-1",
    ),
    says(
        "its charge, in credits of one cent",
        done(FILE, cost_micro_usd=135_000),
        {"status": "Ready", "result": RESULT, "cost": 13.5},
    ),
    says(
        "a charge that is none",
        done(FILE),
        *({"status": "Ready", "result": RESULT, "cost": cost} for cost in (None, -1, "5", True, 1e12)),
    ),
    says("its file", done(FILE), {"status": "Ready", "result": RESULT}, {"state": "Ready", "result": RESULT}),
    says("a moderated prompt", moderated(f"{REFUSED}Request Moderated."), {"status": "Request Moderated"}),
    says("a moderated result", moderated(f"{REFUSED}Content Moderated."), {"status": "Content Moderated"}),
    says(
        "moderation with its reasons",
        moderated(f"{REFUSED}Request Moderated (Derivative Works Filter, NSFW)."),
        {
            "status": "Request Moderated",
            "details": {"Moderation Reasons": ["Derivative Works Filter", "NSFW"]},
        },
    ),
    says(
        "a failed job",
        FailureKind.PROVIDER_ERROR,
        *({"status": status} for status in ("Error", "Failed", "Task not found")),
    ),
    says("another status", Unknown, *({"status": status} for status in ("", None, 5, "Paused"))),
)
test_answers = each("bfl", SUBMITS, POLLS)
