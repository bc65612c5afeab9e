"""The vendors' batch APIs read answers of any form: an odd one never stops a worker."""

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

import pytest

from tollgate.providers.text.batches.anthropic import COUNTS, AnthropicBatches
from tollgate.providers.text.batches.google import GoogleBatches
from tollgate.providers.text.batches.mistral import MistralBatches
from tollgate.providers.text.batches.openai import OpenAiBatches
from tollgate.providers.text.batches.xai import XaiBatches
from tollgate.text.upstream.vendor_batches import UnreadableBatchError

NOW_S = 1_780_000_000
URL = "https://vendor.test/v1"
LINE = {"custom_id": "a", "response": {"status_code": 200, "body": {"usage": {"promptTokens": 1}}}}
XAI_RESULT = {"batch_request_id": "a", "batch_result": {"response": {"chat_get_completion": {"id": "c"}}}}
XAI_PAGE = {"results": [XAI_RESULT], "pagination_token": "next"}
SAMPLES: Mapping[str, tuple[Any, Any, Any, Any]] = {
    "anthropic": (
        AnthropicBatches(URL, "key"),
        {
            "id": "b",
            "type": "message_batch",
            "processing_status": "ended",
            "created_at": "2026-11-27T00:00:00Z",
            "results_url": "u",
            "request_counts": dict.fromkeys(COUNTS, 1),
        },
        "data",
        {"custom_id": "a", "result": {"type": "succeeded", "message": {"id": "m"}}},
    ),
    "openai": (
        OpenAiBatches(URL, "key"),
        {
            "id": "b",
            "status": "completed",
            "created_at": NOW_S,
            "metadata": {"tollgate_parcel": "l"},
            "output_file_id": "o",
            "error_file_id": None,
        },
        "data",
        LINE,
    ),
    "google": (
        GoogleBatches(URL, "key"),
        {
            "name": "batches/b",
            "metadata": {
                "state": "BATCH_STATE_SUCCEEDED",
                "createTime": "2026-11-27T00:00:00Z",
                "displayName": "l",
                "output": {"responsesFile": "f"},
            },
        },
        "operations",
        LINE,
    ),
    "mistral": (
        MistralBatches(URL, "key"),
        {
            "id": "b",
            "status": "SUCCESS",
            "created_at": NOW_S,
            "metadata": {"tollgate_parcel": "l"},
            "output_file": "o",
        },
        "data",
        LINE,
    ),
    "xai": (
        XaiBatches(URL, "key"),
        {
            "batch_id": "b",
            "name": "l",
            "create_time": "2026-11-27",
            "cancel_time": None,
            "state": {"num_requests": 2, "num_pending": 0},
        },
        "batches",
        XAI_PAGE,
    ),
}
ODD: tuple[Any, ...] = (
    None,
    -1,
    1.5,
    float("inf"),
    float("nan"),
    True,
    "",
    "x",
    "9" * 5_000,
    [],
    [1],
    {},
    {"a": 1},
)


def changed(value: Any) -> Iterator[Any]:
    """Return a value in which any one part is odd or missing."""
    yield from ODD
    for key in value if isinstance(value, dict) else ():
        yield {name: each for name, each in value.items() if name != key}
        yield from ({**value, key: each} for each in changed(value[key]))
    if isinstance(value, list):
        yield from (
            [*value[:n], each, *value[n + 1 :]] for n in range(len(value)) for each in changed(value[n])
        )


@pytest.mark.parametrize("vendor", SAMPLES)
def test_an_answer_of_any_form_is_read_or_unreadable(vendor: str) -> None:
    api, one, items, line = SAMPLES[vendor]
    assert api.read(json.dumps(one).encode()).has_ended
    assert [name for name, _ in api.answers(json.dumps(line).encode())] == ["a"]
    page = {items: [one], "has_more": True, "total": 500, "nextPageToken": "t", "pagination_token": "t"}

    def listed(body: bytes) -> Any:
        return api.listed(body, None)

    def answers(body: bytes) -> Any:
        return list(api.answers(body)), api.next_file("b", body)

    for reader, whole in ((api.read, one), (listed, page), (answers, line), (api.name_in, line)):
        for value in changed(whole):
            with suppress(UnreadableBatchError):
                reader(json.dumps(value).encode())
