"""MuAPI: its answers in our words (docs/providers/muapi.md)."""

from tests.unit.providers.mapping_support import job_of
from tests.unit.providers.tables import done, each, polls, says, submits
from tollgate.providers.runtime.outcomes import Failed, FailureKind, Pending, Submitted, Unknown

SUBMITS = submits(
    job_of("muapi", "flux-3-klein", {"prompt": "a fox"}),
    says(
        "a job goes to its model's path",
        Submitted({"request_id": "r-1"}),
        {"request_id": "r-1"},
        sent="POST /flux-3-klein-text-to-image",
    ),
)
POLLS = polls(
    {"request_id": "r/1"},
    says(
        "under way",
        Pending(),
        *({"status": status} for status in ("pending", "queued", "processing")),
        sent="GET /predictions/r%2F1/result",
    ),
    says("its file", done("https://m.test/1"), {"status": "completed", "outputs": ["https://m.test/1", 5]}),
    says("no files", done(), *({"status": "completed", "outputs": one} for one in (None, "x"))),
    says(
        "a failed job",
        Failed(FailureKind.PROVIDER_ERROR, "no capacity"),
        *({"status": one, "error": "no capacity"} for one in ("failed", "timeout", "canceled", "cancelled")),
    ),
    says("a status it does not have", Unknown, *({"status": status} for status in ("", None, 5, "done"))),
)
test_answers = each("muapi", SUBMITS, POLLS)
