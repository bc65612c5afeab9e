"""A conversation made shorter: a summary by the model takes the place of the model's answers. Pure.

Only OpenAI's models can read OpenAI's compactions. This one is a chat with the model of the request, so every
model has it, at the price of the chat. The summary is sealed in the same way as reasoning (`items.py`).

Source: `openai.types.responses.response_compact_params`, `openai.types.responses.compacted_response`.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tollgate.kit.problems import Problem
from tollgate.routing.reading import FIELDS as ROUTING
from tollgate.text.body.json_body import json_text
from tollgate.text.models import TextProtocol
from tollgate.text.responses.items import (
    COMPACTION,
    SUMMARY,
    is_call,
    is_output,
    listed,
    prefix_of,
)
from tollgate.text.translation.thinking import sealed
from tollgate.text.upstream.exchange import encoded
from tollgate.text.usage import responses_usage

# Of the summary, with the model's thinking. A longer one is no summary.
MAX_SUMMARY_TOKENS = 16_384
FIELDS = (
    *("model", "input", "instructions", "previous_response_id", "service_tier"),
    *("prompt_cache_key", "prompt_cache_options", "prompt_cache_retention"),
    *ROUTING,
)
# The last message of the chat.
REQUEST = (
    "Summarise the conversation above for a model that continues it and cannot read it. Keep every fact, "
    "name, number, decision, open task and result that may matter later. Write the summary only."
)
_KEPT_ROLES = ("user", "developer", "system")


def problems_of_compaction(fields: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield a problem for each field that a compaction does not have."""
    for name, value in fields.items():
        if name not in FIELDS and value is not None:
            yield Problem(f"/{name}", "Not a field of a compaction.", list(FIELDS))


def fields_of_compaction(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of the Responses request for the summary. Its input is the client's."""
    given = {name: value for name, value in fields.items() if value is not None}
    return {"input": [], **given, "store": False, "max_output_tokens": MAX_SUMMARY_TOKENS}


def plain_items(items: Sequence[Any]) -> list[Any]:
    """Return items in which calls of tools and their results are messages.

    The request for a summary has no tools, and providers refuse calls of tools that a request does not have.
    """
    return [_plain(item) if isinstance(item, Mapping) else item for item in items]


def _plain(item: Mapping[str, Any]) -> Mapping[str, Any]:
    if is_call(item):
        said = item.get("arguments", item.get("input"))
        text = said if isinstance(said, str) else json_text(said)
        return {"role": "assistant", "content": f"[Call of {item.get('name', item['type'])}: {text}]"}
    if not is_output(item):
        return item
    output = item.get("output", item.get("tools"))
    if isinstance(output, list) and item["type"] != "tool_search_output":
        return {"role": "user", "content": [{"type": "input_text", "text": "[Result of a call]"}, *output]}
    text = output if isinstance(output, str) else json_text(output)
    return {"role": "user", "content": f"[Result of a call: {text}]"}


@dataclass(slots=True)
class CompactionRendering:
    """The chat's response as a compaction. See `Rendering`; it is never streamed.

    `items` are all items of the conversation.
    """

    compaction_id: str
    created_s: int
    items: Sequence[Any]
    protocol: TextProtocol = TextProtocol.OPENAI
    keep_alive: bytes = b""

    def events(self, chunk: bytes) -> bytes:
        """Return the chunk, because a compaction has no stream."""
        return chunk

    def error(self, body: bytes) -> bytes:
        """Return the body, because a compaction has no stream."""
        return body

    async def end(self) -> bytes:
        """Return nothing, because a compaction has no stream."""
        return b""

    async def whole(self, body: bytes) -> bytes:
        """Return the compaction. Without a whole summary it has all items, so that nothing is lost."""
        chat = json.loads(body)
        choice = chat["choices"][0]
        text = choice["message"].get("content")
        is_whole = bool(text) and choice.get("finish_reason") == "stop"
        output = self._shorter(text) if is_whole else self.items
        shown = {"id": self.compaction_id, "object": "response.compaction", "created_at": self.created_s}
        return encoded({**shown, "output": self._named(output), "usage": responses_usage(chat["usage"])})

    def _shorter(self, summary: str) -> list[Any]:
        kept = [item for item in self.items if item.get("role") in _KEPT_ROLES]
        content = sealed([{"type": SUMMARY, "text": summary}])
        return [*kept, {"type": COMPACTION, "encrypted_content": content}]

    def _named(self, items: Sequence[Any]) -> list[Any]:
        core = self.compaction_id.removeprefix("resp_")
        return listed(
            [{**item, "id": f"{prefix_of(item)}_{core}_{index}"} for index, item in enumerate(items)]
        )
