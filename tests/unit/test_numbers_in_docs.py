"""Limits in the docs are those that the code enforces."""

import pytest

from local.template import read_template
from local.upkeep.prose_files import ROOT
from tests.unit.catalog.cases import CATALOG
from tollgate.account_closure.service import DELAY_MS
from tollgate.accounts import chat_keys
from tollgate.accounts.auth import KEY_CACHE_MS, USE_RECORD_INTERVAL_MS
from tollgate.accounts.cap_monitor import NOTIFY_PERCENT
from tollgate.accounts.key_service import MAX_OVERLAP_S
from tollgate.accounts.repository import MAX_API_KEYS
from tollgate.artifacts import uploads
from tollgate.audit.events import ACCESS_RETENTION_MS
from tollgate.kit.http.json_body import MAX_BODY_BYTES, MAX_MEDIA_BODY_BYTES
from tollgate.kit.problems import MAX_PROBLEMS
from tollgate.kit.rotation import DEFAULT_OVERLAP_S
from tollgate.ledger.caps import MAX_COUNTERS
from tollgate.ledger.entries import EntryKind
from tollgate.ledger.holds import MAX_HOLDS
from tollgate.ledger.repository import MAX_OPEN_TASKS, MAX_RUNNING_TASKS
from tollgate.ledger.request_counts import FACTOR
from tollgate.ledger.statement import MAX_CSV
from tollgate.members.team import INVITATION_MS, MAX_INVITATIONS, MAX_MEMBERS
from tollgate.notices.reminders import AHEAD_MS
from tollgate.tasks import idempotency, models, waiting
from tollgate.tasks import request as create_request
from tollgate.tasks.openai_images import MAX_IMAGES
from tollgate.text.body import json_body as text_body
from tollgate.text.money import metering
from tollgate.text.responses.storage import LIFETIME_S as RESPONSE_S
from tollgate.text.routes.calls import WHOLE_TIMEOUT_S
from tollgate.text.serving import event_stream
from tollgate.usage.period import MAX_DAYS
from tollgate.webhooks import schedule, sender
from tollgate.webhooks.repository import MAX_IN_LANE, MAX_IN_SLOW_LANE
from tollgate.webhooks.request import MAX_OVERLAP_S as MAX_WEBHOOK_OVERLAP_S

KIB, MIB = 1024, 1024 * 1024
MS = 1_000
DAY_S, HOUR_S, MINUTE_S = 24 * 60 * 60, 60 * 60, 60
NUMBERS = {8: "eight"}


def duration(seconds: int) -> str:
    """Return a time as the pages write it."""
    for size, unit in ((HOUR_S, "h"), (MINUTE_S, "min")):
        if seconds % size == 0:
            return f"{seconds // size} {unit}"
    return f"{seconds} s"


RATE = int(read_template().source["Parameters"]["RequestsPerMinute"]["Default"])
WAITS = [duration(wait) for wait in schedule.WAITS_S]
KINDS = ", ".join(f"`{kind}`" for kind in EntryKind)
STATED = [
    ("site/errors.md", f"The body of a generation is larger than {MAX_MEDIA_BODY_BYTES // MIB} MiB"),
    ("site/errors.md", f"larger than {text_body.MAX_BODY_BYTES // MIB} MiB on text routes"),
    ("site/errors.md", f"or {MAX_BODY_BYTES // MIB} MiB on other routes"),
    ("site/errors.md", f"The account has {MAX_API_KEYS} API keys"),
    ("site/uploads.md", f"at most {MAX_MEDIA_BODY_BYTES // MIB} MiB for the whole request"),
    ("site/uploads.md", f"up to {uploads.MAX_UPLOAD_BYTES // MIB} MiB"),
    ("site/uploads.md", f"store {uploads.MAX_FILES:,} files and {uploads.MAX_STORED_BYTES // 1024**3} GiB"),
    ("site/keys.md", f"at most {MAX_API_KEYS} keys"),
    ("site/keys.md", f"at most {MAX_OVERLAP_S // DAY_S} days"),
    ("site/statistics.md", f"({KINDS})"),
    ("site/limits.md", f"create requests and text requests in a minute | {RATE} |"),
    ("site/limits.md", f"requests of any kind in a minute | {RATE * FACTOR:,} |"),
    ("site/limits.md", f"text requests at once | {MAX_HOLDS} |"),
    ("site/limits.md", f"tasks that have not ended | {MAX_OPEN_TASKS:,} |"),
    ("site/limits.md", f"tasks at providers at once | {MAX_RUNNING_TASKS} |"),
    (
        "site/limits.md",
        f"body of a create request, with data URIs | {MAX_MEDIA_BODY_BYTES // MIB} MiB, of which `input` "
        f"{create_request.MAX_INPUT_BYTES // KIB} KiB",
    ),
    ("site/limits.md", f"body of a text request | {text_body.MAX_BODY_BYTES // MIB} MiB |"),
    ("site/limits.md", f"other bodies | {MAX_BODY_BYTES // MIB} MiB |"),
    (
        "site/limits.md",
        f"an uploaded file | {uploads.MAX_UPLOAD_BYTES // MIB} MiB; {uploads.MAX_FILES:,} files and "
        f"{uploads.MAX_STORED_BYTES // 1024**3} GiB in an account |",
    ),
    ("site/limits.md", f"a text response that is not streamed | {WHOLE_TIMEOUT_S:.0f} s,"),
    ("site/limits.md", f"`?wait=` of a task's status | {waiting.MAX_WAIT_S} s |"),
    (
        "site/limits.md",
        f"`Idempotency-Key` | 1 to {create_request.MAX_KEY_LENGTH} characters, remembered for "
        f"{idempotency.LIFETIME_S // HOUR_S} hours;",
    ),
    (
        "site/limits.md",
        f"`metadata` | {models.MAX_METADATA_KEYS} keys, {models.MAX_METADATA_BYTES:,} bytes |",
    ),
    (
        "site/webhooks.md",
        f"{NUMBERS[schedule.MAX_ATTEMPTS]} attempts: at once, then after another "
        f"{', '.join(WAITS[:-1])} and {WAITS[-1]}.",
    ),
    ("site/webhooks.md", f"Answer 2xx within {sender.TIMEOUT_S:.0f} s,"),
    (
        "site/webhooks.md",
        f"at most {MAX_IN_LANE} attempts in progress at once, or {MAX_IN_SLOW_LANE} while its receivers take "
        f"{sender.SLOW_MS // 1_000} s",
    ),
    ("site/webhooks.md", f"within {schedule.REDELIVERY_GAP_MS // 1_000} s of the last call"),
    ("site/webhooks.md", f"The last {schedule.MAX_LOG} attempts are kept"),
    ("site/keys.md", f"`lastUsedAt` (accurate to {USE_RECORD_INTERVAL_MS // MS // MINUTE_S} minutes)"),
    ("site/keys.md", f"take effect everywhere within {KEY_CACHE_MS // MS} seconds"),
    ("site/keys.md", f"(default {DEFAULT_OVERLAP_S:,}, at most"),
    ("site/uploads.md", f"tasks can use the file for {uploads.USABLE_S // HOUR_S} hours"),
    ("site/uploads.md", f"deletes it after {uploads.RETENTION_DAYS} days"),
    ("site/errors.md", f"up to {MAX_PROBLEMS} problems"),
    ("site/errors.md", f"used {MAX_COUNTERS} keys with a spending cap"),
    ("site/errors.md", f"sent {RATE} create and text requests"),
    ("site/errors.md", f"or {RATE * FACTOR:,} requests of any kind in this minute"),
    ("site/errors.md", f"has {MAX_OPEN_TASKS:,} open tasks, {MAX_HOLDS} running text requests"),
    ("site/errors.md", f"[sent again](webhooks.md#send-again) {schedule.MAX_REDELIVERIES} times"),
    ("site/errors.md", f"not complete after {WHOLE_TIMEOUT_S:.0f} s"),
    ("site/streaming.md", f"upstream_timeout` after {WHOLE_TIMEOUT_S:.0f} s"),
    ("site/streaming.md", f"sent every {event_stream.KEEP_ALIVE_S:.0f} s"),
    ("site/fields.md", f"at most {event_stream.MAX_IGNORED} names"),
    ("site/chat.md", f"stored for {RESPONSE_S // DAY_S} days"),
    ("site/billing.md", f"no fewer than {metering.LEAST_OUTPUT_TOKENS:,} tokens"),
    ("site/image.md", f"`n` (1 to {MAX_IMAGES})"),
    ("site/statistics.md", f"at most {MAX_DAYS} days"),
    ("site/statistics.md", f"up to {MAX_CSV:,} entries"),
    ("site/webhooks.md", f"(0 to {MAX_WEBHOOK_OVERLAP_S}, default one day)"),
    ("site/webhooks.md", f"sent again {schedule.MAX_REDELIVERIES} times"),
    ("site/webhooks.md", f"allowed once in {schedule.TEST_GAP_MS // MS} s"),
    ("site/members.md", f"valid for {INVITATION_MS // MS // DAY_S} days"),
    ("site/members.md", f"at most {MAX_MEMBERS} members and {MAX_INVITATIONS} open invitations"),
    ("site/members.md", f"{NOTIFY_PERCENT} % of a key's spending cap"),
    ("site/members.md", f"a key expires in {AHEAD_MS // MS // DAY_S} days"),
    ("site/members.md", f"{ACCESS_RETENTION_MS // MS // DAY_S} days |"),
    ("site/members.md", f"for at most {chat_keys.LIFETIME_MS // MS // MINUTE_S} minutes"),
    ("site/closing.md", f"| for {DELAY_MS // MS // DAY_S} days |"),
    ("operations.yaml", f"at most {MAX_MEDIA_BODY_BYTES // MIB} MiB for the"),
]


@pytest.mark.parametrize(("page", "words"), STATED)
def test_a_page_states_the_limit_of_the_code(page: str, words: str) -> None:
    assert words in " ".join((ROOT / "shared/tollgate/reference" / page).read_text().split())


def test_every_body_limit_is_a_whole_number_of_mib() -> None:
    assert [limit % MIB for limit in (MAX_BODY_BYTES, MAX_MEDIA_BODY_BYTES, text_body.MAX_BODY_BYTES)] == [
        0,
        0,
        0,
    ]


def test_models_whose_id_starts_with_test_are_the_free_ones() -> None:
    moderations = {model.id for model in CATALOG.text_models() if model.moderation is not None}
    free = {model.id for model in CATALOG.all_models() if model.free and model.id not in moderations}
    assert free == {model.id for model in CATALOG.all_models() if model.id.startswith("test-")} - moderations
