"""A compaction loses nothing: without a whole summary, all items come back."""

import asyncio
import json
from typing import Any

import pytest

from tollgate.text.responses.compaction import CompactionRendering, plain_items

ITEMS: list[dict[str, Any]] = [
    {"role": "user", "content": "go"},
    {"type": "function_call", "call_id": "c1", "name": "look", "arguments": "{}"},
    {"type": "function_call_output", "call_id": "c1", "output": "sunny"},
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "It is sunny."}]},
]


def compacted(content: str | None, finish: str) -> list[dict[str, Any]]:
    usage = {"prompt_tokens": 9, "completion_tokens": 3}
    chat = {"choices": [{"message": {"content": content}, "finish_reason": finish}], "usage": usage}
    rendering = CompactionRendering("resp_1", 0, ITEMS)
    made = json.loads(asyncio.run(rendering.whole(json.dumps(chat).encode())))
    assert made["usage"]["total_tokens"] == 12
    return list(made["output"])


@pytest.mark.parametrize(
    ("content", "finish"), [(None, "stop"), ("", "stop"), ("half", "length"), ("no", "content_filter")]
)
def test_without_a_whole_summary_all_items_come_back(content: str | None, finish: str) -> None:
    kinds = [item["type"] for item in compacted(content, finish)]
    assert kinds == ["message", "function_call", "function_call_output", "message"]


def test_with_one_the_users_messages_and_the_summary_are_left() -> None:
    assert [item["type"] for item in compacted("It is sunny in Paris.", "stop")] == ["message", "compaction"]


def test_calls_and_their_results_are_said_in_messages() -> None:
    image = {"type": "input_image", "image_url": "data:image/png;base64,AA=="}
    shown = {"type": "custom_tool_call_output", "call_id": "c2", "output": [image]}
    told = plain_items([*ITEMS, shown])
    assert [item["role"] for item in told] == ["user", "assistant", "user", "assistant", "user"]
    assert told[1]["content"] == "[Call of look: {}]"
    assert told[2]["content"] == "[Result of a call: sunny]"
    assert told[4]["content"][1] == image
