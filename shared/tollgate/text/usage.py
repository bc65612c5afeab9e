"""Token counts, in one shape whatever the provider reports (docs/providers/openai_compatible.md).

Providers count in different ways: cached tokens inside the prompt or beside it, reasoning inside the
completion or beside it. Counts come from outside, so a missing or absurd one reads as 0, never as an error.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from typing import Any

# A larger count is no count: no model reads or writes as much in one request.
MAX_TOKENS = 1_000_000_000


# Beside the tokens of a usage (`text/money/cost.py`).
COST_FIELDS = ("cost", "cost_details", "is_byok")
# The names of a chat's parts of the cost, and their names in a response. OpenRouter's SDKs require them
# (npm: @openrouter/sdk 1.3.19, `OpenResponsesResult`).
_PARTS_OF_RESPONSE = {
    "upstream_inference_prompt_cost": "upstream_inference_input_cost",
    "upstream_inference_completions_cost": "upstream_inference_output_cost",
}

# The count of searches in a usage, in Anthropic's words and in OpenRouter's.
SERVER_TOOLS, WEB_SEARCHES = "server_tool_use", "web_search_requests"

# The count of the tokens of images among the details of the output, in OpenRouter's words.
IMAGE_TOKENS = "image_tokens"

# Anthropic's iterations whose tokens are not in the total.
_BESIDE_TOTAL = ("compaction", "advisor_message")


class ReasoningCount(StrEnum):
    """The place in which an OpenAI-compatible upstream counts its reasoning tokens."""

    INSIDE = "inside"  # In `completion_tokens`, as OpenAI does.
    BESIDE = "beside"  # In `reasoning_tokens` only, on top of `completion_tokens`.
    IN_TOTAL = "in_total"  # Only in `total_tokens`: the excess over prompt and completion.


@dataclass(frozen=True, slots=True)
class Usage:
    """The usage of one request, in tokens. The four input counts are disjoint; reasoning is part of output.

    `image_tokens` are those of images in the response, beside the other output.

    Some models have no price of tokens: `search_units` are the units of a search of many documents,
    `characters` the length of a text to speak, and `seconds` the length of a recording to transcribe.
    `web_searches` are searches of the web by the provider, beside the tokens. `service` is the service tier
    that answered, if it has another price.

    `estimated`: counted here, because the provider's report is missing or impossible (then also
    `disbelieved`).
    """

    input_tokens: int
    output_tokens: int
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    cache_write_1h_tokens: int = 0
    reasoning_tokens: int = 0
    search_units: int = 0
    characters: int = 0
    seconds: int = 0
    web_searches: int = 0
    image_tokens: int = 0
    service: str = ""
    estimated: bool = False
    disbelieved: bool = False

    @property
    def has_input(self) -> bool:
        """Return whether it counts any input."""
        return self.total_input_tokens + self.search_units + self.characters + self.seconds > 0

    @property
    def total_input_tokens(self) -> int:
        """Return all input, cached or not, which decides the long-context tier."""
        written = self.cache_write_tokens + self.cache_write_1h_tokens
        return self.input_tokens + self.cache_read_tokens + written

    @property
    def total_output_tokens(self) -> int:
        """Return all output, with the images."""
        return self.output_tokens + self.image_tokens


_STORED = tuple(each.name for each in fields(Usage) if each.name != "disbelieved")


def read_chat_usage(reported: object, reasoning_count: ReasoningCount) -> Usage | None:
    """Return the usage in an OpenAI-compatible `usage` object; `None` if it is empty.

    `prompt_tokens` includes tokens read from and written to the cache. If the cached part is larger than the
    prompt, the vendor counts it separately, and it is added.
    """
    if not isinstance(reported, Mapping):
        return None
    prompt, completion = _count(reported, "prompt_tokens"), _count(reported, "completion_tokens")
    if prompt == 0 and completion == 0:
        return None
    details = _part(reported, "prompt_tokens_details")
    read = max(
        _count(details, "cached_tokens"),
        _count(reported, "prompt_cache_hit_tokens"),
        _count(reported, "cached_tokens"),
        _count(reported, "num_cached_tokens"),
    )
    written = max(_count(details, "cache_write_tokens"), _count(details, "cache_creation_input_tokens"))
    uncached = prompt - read - written if read + written <= prompt else prompt
    said = _part(reported, "completion_tokens_details")
    reasoning, drawn = _count(said, "reasoning_tokens"), min(_count(said, IMAGE_TOKENS), completion)
    if reasoning_count is ReasoningCount.BESIDE:
        completion += reasoning
    elif reasoning_count is ReasoningCount.IN_TOTAL:
        unsaid = _count(reported, "total_tokens") - prompt - completion
        completion, reasoning = completion + max(0, unsaid), max(reasoning, unsaid)
    output = completion - drawn
    return Usage(
        uncached,
        output,
        read,
        written,
        reasoning_tokens=min(reasoning, output),
        image_tokens=drawn,
        # OpenRouter's field, which Tollgate's own usage has too.
        web_searches=read_web_searches(reported),
    )


def read_responses_usage(reported: object) -> Usage | None:
    """Return the usage in the `usage` object of a response; `None` if it is empty.

    Reasoning is a part of the output for every vendor that has the protocol (`openai.types.responses`,
    `@ai-sdk/xai`).
    """
    if not isinstance(reported, Mapping):
        return None
    chat = {
        "prompt_tokens": reported.get("input_tokens"),
        "completion_tokens": reported.get("output_tokens"),
        "prompt_tokens_details": reported.get("input_tokens_details"),
        "completion_tokens_details": reported.get("output_tokens_details"),
        SERVER_TOOLS: reported.get(SERVER_TOOLS),
    }
    return read_chat_usage(chat, ReasoningCount.INSIDE)


def read_messages_usage(reported: object) -> Usage | None:
    """Return the usage in an Anthropic `usage` object; `None` if it says nothing. Its counts are disjoint.

    What stands beside the total in `iterations` (compaction: `anthropic.types.beta.BetaUsage`) is added.
    """
    if not isinstance(reported, Mapping):
        return None
    total = _messages_counts(reported)
    iterations = reported.get("iterations")
    for iteration in iterations if isinstance(iterations, list) else ():
        if isinstance(iteration, Mapping) and iteration.get("type") in _BESIDE_TOTAL:
            total = _sum(total, _messages_counts(iteration))
    total = replace(total, web_searches=read_web_searches(reported))
    return total if total.total_input_tokens + total.output_tokens else None


def read_web_searches(reported: object) -> int:
    """Return the searches of the web in a `usage` object."""
    return _count(_part(reported, SERVER_TOOLS), WEB_SEARCHES) if isinstance(reported, Mapping) else 0


def read_token_count(body: bytes) -> int | None:
    """Return the count in a response of Anthropic's count_tokens; `None` if it has none."""
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return _count(answer, "input_tokens") or None if isinstance(answer, Mapping) else None


def _messages_counts(reported: Mapping[str, Any]) -> Usage:
    written = _count(reported, "cache_creation_input_tokens")
    for_an_hour = min(written, _count(_part(reported, "cache_creation"), "ephemeral_1h_input_tokens"))
    read = _count(reported, "cache_read_input_tokens")
    fresh, output = _count(reported, "input_tokens"), _count(reported, "output_tokens")
    reasoning = _count(_part(reported, "output_tokens_details"), "thinking_tokens")
    return Usage(fresh, output, read, written - for_an_hour, for_an_hour, min(reasoning, output))


def _sum(one: Usage, other: Usage) -> Usage:
    return Usage(
        one.input_tokens + other.input_tokens,
        one.output_tokens + other.output_tokens,
        one.cache_read_tokens + other.cache_read_tokens,
        one.cache_write_tokens + other.cache_write_tokens,
        one.cache_write_1h_tokens + other.cache_write_1h_tokens,
        one.reasoning_tokens + other.reasoning_tokens,
    )


def latest(earlier: Usage | None, later: Usage) -> Usage:
    """Return the counts after `later` came: each is a running total, so it never falls.

    Anthropic's `message_start` has the input and its `message_delta` may repeat it or leave it out.
    """
    if earlier is None:
        return later
    return Usage(
        max(earlier.input_tokens, later.input_tokens),
        max(earlier.output_tokens, later.output_tokens),
        max(earlier.cache_read_tokens, later.cache_read_tokens),
        *_later_writes(earlier, later),
        max(earlier.reasoning_tokens, later.reasoning_tokens),
        web_searches=max(earlier.web_searches, later.web_searches),
    )


def chat_usage(usage: Usage) -> dict[str, Any]:
    """Return `usage` as OpenAI's `usage` object (docs/text-protocols.md#chat-completions)."""
    written = usage.cache_write_tokens + usage.cache_write_1h_tokens
    return {
        "prompt_tokens": usage.total_input_tokens,
        "completion_tokens": usage.total_output_tokens,
        "total_tokens": usage.total_input_tokens + usage.total_output_tokens,
        "prompt_tokens_details": {
            "cached_tokens": usage.cache_read_tokens,
            "cache_write_tokens": written,
        },
        "completion_tokens_details": {
            "reasoning_tokens": usage.reasoning_tokens,
            **({IMAGE_TOKENS: usage.image_tokens} if usage.image_tokens else {}),
        },
        **({SERVER_TOOLS: {WEB_SEARCHES: usage.web_searches}} if usage.web_searches else {}),
    }


def speech_usage(usage: Usage) -> dict[str, Any]:
    """Return `usage` as the `usage` object of `speech.audio.done`, with the characters if they are priced."""
    tokens = {"input_tokens": usage.total_input_tokens, "output_tokens": usage.output_tokens}
    priced = {"characters": usage.characters} if usage.characters else {}
    return {**tokens, "total_tokens": sum(tokens.values()), **priced}


def embedding_usage(usage: Usage) -> dict[str, Any]:
    """Return `usage` as the `usage` object of embeddings."""
    tokens = usage.total_input_tokens
    return {"prompt_tokens": tokens, "total_tokens": tokens}


def responses_usage(usage: Mapping[str, Any]) -> dict[str, Any]:
    """Return a chat's `usage` in the form of a response, with its cost."""
    details = usage.get("prompt_tokens_details") or {}
    read, written = details.get("cached_tokens") or 0, details.get("cache_write_tokens") or 0
    thought = (usage.get("completion_tokens_details") or {}).get("reasoning_tokens") or 0
    prompt, completion = usage.get("prompt_tokens") or 0, usage.get("completion_tokens") or 0
    return {
        "input_tokens": prompt,
        "input_tokens_details": {"cached_tokens": read, "cache_write_tokens": written},
        "output_tokens": completion,
        "output_tokens_details": {"reasoning_tokens": thought},
        "total_tokens": prompt + completion,
        **({SERVER_TOOLS: usage[SERVER_TOOLS]} if SERVER_TOOLS in usage else {}),
        **_cost_of_response(usage),
    }


def _cost_of_response(usage: Mapping[str, Any]) -> dict[str, Any]:
    cost = {name: usage[name] for name in COST_FIELDS if name in usage}
    if details := cost.get("cost_details"):
        parts = {theirs: details[ours] for ours, theirs in _PARTS_OF_RESPONSE.items() if ours in details}
        cost["cost_details"] = {**details, **parts}
    return cost


def messages_usage(usage: Usage) -> dict[str, Any]:
    """Return `usage` as Anthropic's `usage` object, with all of its fields (docs/providers/anthropic.md).

    The last fields are null, because they are about services that Tollgate does not sell.
    """
    return {
        **message_end_usage(usage),
        "cache_creation": {
            "ephemeral_5m_input_tokens": usage.cache_write_tokens,
            "ephemeral_1h_input_tokens": usage.cache_write_1h_tokens,
        },
        "service_tier": "standard",
        "inference_geo": None,
        "speed": None,
    }


def message_end_usage(usage: Usage) -> dict[str, Any]:
    """Return `usage` in the form of the event `message_delta`, which lacks some fields of a message."""
    return {
        "input_tokens": usage.input_tokens,
        "cache_creation_input_tokens": usage.cache_write_tokens + usage.cache_write_1h_tokens,
        "cache_read_input_tokens": usage.cache_read_tokens,
        "output_tokens": usage.output_tokens,
        "output_tokens_details": {"thinking_tokens": usage.reasoning_tokens},
        SERVER_TOOLS: _server_tools(usage),
    }


def _server_tools(usage: Usage) -> dict[str, int] | None:
    searches = usage.web_searches
    return {WEB_SEARCHES: searches, "web_fetch_requests": 0} if searches else None


def stored_usage(usage: Usage) -> Mapping[str, Any]:
    """Return the non-zero counts of a usage, for the ledger."""
    return {name: value for name in _STORED if (value := getattr(usage, name))}


def _later_writes(earlier: Usage, later: Usage) -> tuple[int, int]:
    # Only one of the two may split by lifetime, so the sum must not fall.
    total = max(
        earlier.cache_write_tokens + earlier.cache_write_1h_tokens,
        later.cache_write_tokens + later.cache_write_1h_tokens,
    )
    for_an_hour = min(total, max(earlier.cache_write_1h_tokens, later.cache_write_1h_tokens))
    return total - for_an_hour, for_an_hour


def _count(counts: Mapping[str, Any], name: str) -> int:
    value = counts.get(name)
    # `True` is an `int`, and is no count.
    return value if type(value) is int and 0 < value <= MAX_TOKENS else 0


def _part(counts: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = counts.get(name)
    return value if isinstance(value, dict) else {}
