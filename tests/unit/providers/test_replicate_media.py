"""Replicate: its answers in ours. What holds for all adapters: test_adapter_laws.py.

Source: docs/providers/replicate.md.
"""

from dataclasses import replace

import pytest

from tests.unit.providers.mapping_support import S, V, job_of, mapped
from tests.unit.providers.tables import ABSENT, cancels, done, each, invalid, moderated, polls, says, submits
from tollgate.providers.runtime.base import Mapped
from tollgate.providers.runtime.outcomes import FailureKind, Pending, Submitted, Unknown


@pytest.mark.parametrize(("quality", "model"), [("standard", "lipsync-2"), ("pro", "lipsync-2-pro")])
def test_lip_sync(quality: str, model: str) -> None:
    source = {"videoUrls": [V], "audioUrls": [S], "quality": quality}
    body = {"video": V, "audio": S, "sync_mode": "loop"}
    assert mapped("replicate", "sync-lipsync-2", source) == Mapped(f"sync/{model}", body)


FLUX = job_of("replicate", "flux-3-image", {"prompt": "a fox"})
ONE, TWO = "https://r.test/1", "https://r.test/2"
FLAGGED = "The input or output was flagged as sensitive. Please try again. (E005)"
NSFW = "NSFW content detected. Try running it again."

SUBMITS = submits(
    FLUX,
    says(
        "a prediction of an official model",
        Submitted({"id": "p-1"}),
        *((status, {"id": "p-1", "status": "starting"}) for status in (200, 201, 202)),
        sent="POST /models/black-forest-labs/flux-3-image/predictions",
        headers={"prefer": ABSENT},
        fields={"webhook": ABSENT},
    ),
    says(
        "an invalid input",
        invalid("- input: prompt is required"),
        (422, {"title": "Input validation failed", "detail": "- input: prompt is required"}),
    ),
)
CALLED_BACK = submits(
    replace(FLUX, callback_url="https://us.test/cb"),
    says(
        "it calls back when it is done",
        Submitted({"id": "p-1"}),
        {"id": "p-1"},
        fields={"webhook": "https://us.test/cb", "webhook_events_filter": ["completed"]},
    ),
)
POLLS = polls(
    {"id": "p/1"},
    says(
        "under way",
        Pending(),
        {"status": "starting"},
        {"status": "processing"},
        sent="GET /predictions/p%2F1",
    ),
    says("its file", done(ONE), {"status": "succeeded", "output": ONE}),
    says("its files", done(ONE, TWO), {"status": "succeeded", "output": [ONE, TWO, 5, ""]}),
    says("no files", done(), *({"status": "succeeded", "output": output} for output in (None, {"a": 1}))),
    says("flagged, which only its words tell", moderated(FLAGGED), {"status": "failed", "error": FLAGGED}),
    says("NSFW, which only its words tell", moderated(NSFW), {"status": "failed", "error": NSFW}),
    says(
        "a prediction without a result",
        FailureKind.PROVIDER_ERROR,
        *({"status": "failed", "error": error} for error in ("CUDA out of memory (E1001)", None, {"a": 1})),
        {"status": "canceled"},
        {"status": "aborted"},
    ),
    says("a status it does not have", Unknown, *({"status": status} for status in ("", None, 5, "done"))),
)
CANCELS = cancels(
    {"id": "p-1"},
    says("dropped", True, {"status": "canceled"}, {"status": "aborted"}, sent="POST /predictions/p-1/cancel"),
    says("not dropped", False, {"status": "processing"}, {"status": "succeeded"}),
)
test_answers = each("replicate", SUBMITS, CALLED_BACK, POLLS, CANCELS)
