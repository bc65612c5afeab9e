"""The fields of a request on the text routes, and the handling of each. Pure.

One table for each protocol. The code decides by these tables, and the docs show them (`site/fields.md`). A
test compares them with the types of OpenAI's and Anthropic's SDKs (`tests/unit/text/test_fields.py`).

The law: no field with state, and no field that would change the response, is left out in silence. If the
model's provider lacks such a field, the request is refused by the field's name. A field that is only a hint
is left out, and the response's header `x-tollgate-ignored` names it.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from tollgate.kit.errors import InvalidInputError
from tollgate.kit.problems import Problem
from tollgate.text.models import TextProtocol

_NOT_LETTERS = re.compile(r"[^a-z0-9]")


class Rule(StrEnum):
    """The handling of a field. The docs show these words."""

    SENT = "sent"
    """Every provider gets it, in its own protocol."""
    STRICT = "strict"
    """A provider that has it gets it. Others would respond differently, so the request is refused."""
    HINT = "hint"
    """A provider that has it gets it. Others do not get it, and the header names it."""
    HANDLED = "handled"
    """Tollgate itself implements it."""
    UNUSED = "unused"
    """It is never sent, and the header names it."""
    REFUSED = "refused"
    """Refused for every model, unless its value has no effect."""


@dataclass(frozen=True, slots=True)
class Field:
    """A field's rule. `about` is the reason, which a refusal states.

    `neutral` are the values without an effect, besides null. `own` is false for a field of other vendors.
    """

    rule: Rule
    about: str = ""
    neutral: tuple[Any, ...] = ()
    own: bool = True

    def has_effect(self, value: Any) -> bool:
        """Return whether a value would change anything."""
        return value is not None and not any(
            value == idle and type(value) is type(idle) for idle in self.neutral
        )


Table = Mapping[str, Field]

AT_PROVIDER = "Tools that run at the provider are not supported, because Tollgate has no price for them."
_OTHER_MODEL = "Use of another model is not supported, because Tollgate has no price for it."
_FOREIGN = "This refers to data in a provider's account. Send the data itself."
_NESTED = "Put fields directly into the body."
_SUPPORT = "This service does not support this field."
_ONE_ANSWER = "This model does not support this field."


def _rows(rule: Rule, *names: str, about: str = "", neutral: tuple[Any, ...] = (), own: bool = True) -> Table:
    return {name: Field(rule, about, neutral, own) for name in names}


# OpenRouter's fields about routes. No provider gets them.
_ROUTING: Table = {
    "provider": Field(Rule.HANDLED, "Routing wishes. A wish that cannot be honoured is refused.", own=False),
    "models": Field(Rule.HANDLED, "Models that answer if all providers of the first one fail.", own=False),
    "route": Field(Rule.HANDLED, "`fallback` is the only value, and has no effect.", own=False),
}
# Fields of other vendors, which clients send on any route.
_ELSEWHERE: Table = {
    **_rows(
        Rule.REFUSED,
        *("mcp_servers", "container", "enable_search", "search_options", "search_parameters", "plugins"),
        *("web_search_options", "web_search", "enable_code_interpreter", "google_search"),
        about=AT_PROVIDER,
        neutral=(False,),
        own=False,
    ),
    **_rows(
        Rule.REFUSED,
        *("fallbacks", "fallback_credit_token", "compaction", "billing_policy"),
        about=_OTHER_MODEL,
        neutral=(False,),
        own=False,
    ),
    **_rows(Rule.REFUSED, "extra_body", "extra_query", about=_NESTED, neutral=(False,), own=False),
    **_rows(
        Rule.REFUSED,
        *("prompt", "conversation", "previous_response_id", "cached_content", "vector_store_ids"),
        *("file_ids", "skills", "attachments", "assistant_id", "thread_id"),
        about=_FOREIGN,
        own=False,
    ),
    **_ROUTING,
}
# Settings that several vendors have. Their absence shifts the words of a response, not its form.
_TUNING = _rows(
    Rule.HINT,
    *("top_k", "min_p", "top_a", "repetition_penalty", "thinking", "reasoning", "enable_thinking"),
    *("thinking_budget", "preserve_thinking", "reasoning_split", "do_sample", "chat_template_kwargs"),
    *("request_id", "user_id", "transforms", "cache_control", "include_reasoning"),
    about="A setting of some vendors.",
    own=False,
)

CHAT: Table = {
    **_ELSEWHERE,
    **_TUNING,
    "reasoning": Field(
        Rule.HINT, "OpenRouter's field. Its `effort` is sent as `reasoning_effort`.", own=False
    ),
    **_rows(
        Rule.SENT,
        *("model", "messages", "max_completion_tokens", "max_tokens", "temperature", "top_p", "stream"),
        *("tools", "tool_choice", "parallel_tool_calls", "response_format", "reasoning_effort"),
    ),
    "stream_options": Field(Rule.HANDLED, "`include_usage` adds the usage to a stream."),
    "service_tier": Field(Rule.SENT, "A tier without a price is refused."),
    "stop": Field(Rule.STRICT, _ONE_ANSWER, ([], "")),
    "n": Field(Rule.STRICT, _ONE_ANSWER, (1,)),
    "logprobs": Field(Rule.STRICT, _ONE_ANSWER, (False,)),
    "top_logprobs": Field(Rule.STRICT, _ONE_ANSWER, (0,)),
    "logit_bias": Field(Rule.STRICT, _ONE_ANSWER, ({},)),
    "presence_penalty": Field(Rule.STRICT, _ONE_ANSWER, (0, 0.0)),
    "frequency_penalty": Field(Rule.STRICT, _ONE_ANSWER, (0, 0.0)),
    "functions": Field(Rule.STRICT, "This model accepts `tools` instead.", ([],)),
    "function_call": Field(Rule.STRICT, "This model accepts `tool_choice` instead."),
    "audio": Field(Rule.STRICT, _ONE_ANSWER),
    "moderation": Field(Rule.STRICT, _ONE_ANSWER),
    "modalities": Field(Rule.SENT, "`image` with models that answer with images; others answer with text."),
    "image_config": Field(Rule.STRICT, "Only models that answer with images have it.", ({},), own=False),
    "user": Field(Rule.HINT, "The end user's id."),
    "safety_identifier": Field(Rule.HINT, "The end user's id."),
    "seed": Field(Rule.HINT, "No vendor guarantees the same response again."),
    "prediction": Field(Rule.HINT, "It changes only the speed."),
    "verbosity": Field(Rule.HINT, "It makes a response shorter or longer."),
    "metadata": Field(Rule.HINT, "Labels for stored completions."),
    "store": Field(Rule.HINT, "Tollgate stores no completions.", (False,)),
    "usage": Field(
        Rule.HANDLED,
        "`include: true` adds the usage to a stream, like `stream_options.include_usage`.",
        own=False,
    ),
    **_rows(
        Rule.HINT,
        *("prompt_cache_key", "prompt_cache_options", "prompt_cache_retention"),
        about="It helps a provider's cache.",
    ),
    "web_search_options": Field(
        Rule.HANDLED, "A search of the web, if a provider of the model sells it.", (False,)
    ),
    "plugins": Field(
        Rule.HANDLED,
        "OpenRouter's field: `web` is the same, and `file-parser` with the engine `native`.",
        (False, []),
        own=False,
    ),
}

MESSAGES: Table = {
    **_ELSEWHERE,
    **_rows(
        Rule.SENT,
        *("model", "messages", "max_tokens", "system", "stop_sequences", "stream", "tools", "tool_choice"),
        *("thinking", "output_config", "metadata"),
    ),
    **_rows(Rule.SENT, "temperature", "top_p", own=False),
    "top_k": Field(Rule.HINT, "A setting of some vendors.", own=False),
    "thread": Field(
        Rule.REFUSED,
        "Tollgate stores no threads. Send the whole conversation. Anthropic's SDK then does so itself.",
    ),
    "cache_control": Field(Rule.HINT, "It helps a provider's cache."),
    "context_management": Field(Rule.HINT, "Edits of a long conversation; compaction is refused."),
    "diagnostics": Field(Rule.HINT, "It explains the use of a provider's cache."),
    "inference_geo": Field(Rule.HINT, "`global` only.", ("global", "not_available")),
    "service_tier": Field(
        Rule.HINT, "The ordinary tiers. A faster or reserved tier is refused.", ("auto", "standard_only")
    ),
    "speed": Field(Rule.HINT, "`standard` only.", ("standard",)),
    "betas": Field(Rule.UNUSED, "Use the header `anthropic-beta`. The SDKs do."),
    "user_profile_id": Field(Rule.REFUSED, _FOREIGN),
    "workspace_id": Field(Rule.REFUSED, _FOREIGN),
    "mcp_servers": Field(Rule.REFUSED, AT_PROVIDER, (False, [])),
    "container": Field(Rule.REFUSED, AT_PROVIDER, (False,)),
    **_rows(
        Rule.REFUSED,
        *("fallbacks", "fallback_credit_token", "compaction", "billing_policy"),
        about=_OTHER_MODEL,
        neutral=(False,),
    ),
}

# The fields by which a Responses request continues what Tollgate stores.
_CONTINUED = ("previous_response_id", "conversation")
RESPONSES: Table = {
    **{name: each for name, each in _ELSEWHERE.items() if name not in _CONTINUED},
    **_TUNING,
    **_rows(
        Rule.SENT,
        *("model", "input", "instructions", "max_output_tokens", "reasoning", "text", "tools", "tool_choice"),
        *("temperature", "top_p", "parallel_tool_calls", "stream"),
    ),
    "previous_response_id": Field(Rule.HANDLED, "Tollgate stores the conversation."),
    "conversation": Field(Rule.HANDLED, "Tollgate stores the conversation."),
    "store": Field(Rule.HANDLED, "Tollgate stores the response."),
    "metadata": Field(Rule.HANDLED, "Stored with the response, and shown in it."),
    "stream_options": Field(Rule.HANDLED, "Streams have no padding.", ({},)),
    "include": Field(
        Rule.HANDLED, "`reasoning.encrypted_content` is always included. Log probabilities are refused."
    ),
    "service_tier": Field(Rule.SENT, "A tier without a price is refused."),
    "user": Field(Rule.HINT, "The end user's id."),
    "safety_identifier": Field(Rule.HINT, "The end user's id."),
    "top_logprobs": Field(Rule.REFUSED, _SUPPORT, (0,)),
    "truncation": Field(Rule.UNUSED, "Nothing is cut: input above the context is an error.", ("disabled",)),
    "max_tool_calls": Field(Rule.HANDLED, "The most searches of the web."),
    "client_metadata": Field(Rule.UNUSED, "Codex sends it for OpenAI's own statistics.", own=False),
    **_rows(
        Rule.HINT,
        *("prompt_cache_key", "prompt_cache_options", "prompt_cache_retention"),
        about="It helps a provider's cache.",
    ),
    "background": Field(Rule.HANDLED, "Tollgate runs the request after its response."),
    "background_options": Field(Rule.REFUSED, _SUPPORT, ({}, {"completion_window": "soonest"})),
    "prompt": Field(Rule.REFUSED, _SUPPORT),
    "context_management": Field(Rule.REFUSED, _SUPPORT, ([],)),
    "moderation": Field(Rule.REFUSED, _SUPPORT),
    "access_programs": Field(Rule.REFUSED, _SUPPORT),
    "image": Field(Rule.REFUSED, _SUPPORT),
    # Fields of chats that have another name in this protocol. OpenAI refuses them too.
    "messages": Field(Rule.REFUSED, "Send `input` instead.", own=False),
    "response_format": Field(Rule.REFUSED, "Send `text.format` instead.", own=False),
    "reasoning_effort": Field(Rule.REFUSED, "Send `reasoning.effort` instead.", own=False),
    "functions": Field(Rule.REFUSED, "Send `tools` instead.", ([],), own=False),
    "function_call": Field(Rule.REFUSED, "Send `tool_choice` instead.", own=False),
    "n": Field(Rule.REFUSED, "A response has one answer.", (1,), own=False),
    "logprobs": Field(Rule.REFUSED, _SUPPORT, (False,), own=False),
}

COMPLETIONS: Table = {
    **_rows(Rule.SENT, "model", "prompt", "max_tokens", "temperature", "top_p", "stream"),
    **{
        name: CHAT[name]
        for name in (
            *("stop", "n", "logit_bias", "presence_penalty", "frequency_penalty", "seed", "user"),
            "stream_options",
        )
    },
    **_ROUTING,
    "suffix": Field(Rule.REFUSED, "The models answer a prompt, and fill no gap in a text."),
    "echo": Field(Rule.REFUSED, _SUPPORT, (False,)),
    "best_of": Field(Rule.REFUSED, _SUPPORT, (1,)),
    "logprobs": Field(Rule.REFUSED, _SUPPORT),
}
"""The fields of legacy completions, which become a chat (`completions.py`)."""
OF_RESPONSES: Table = {**CHAT, **RESPONSES}
"""The fields of Responses, and beside them those that only chats have."""
TABLES: Mapping[TextProtocol, Table] = {TextProtocol.OPENAI: CHAT, TextProtocol.ANTHROPIC: MESSAGES}


def _letters(name: str) -> str:
    return _NOT_LETTERS.sub("", name.lower())


# Some vendors read names loosely, so a refused field is known by its letters.
_REFUSED = {
    protocol: {_letters(name): field for name, field in table.items() if field.rule is Rule.REFUSED}
    for protocol, table in TABLES.items()
}


def invalid(path: str, message: str, allowed: Any = None) -> InvalidInputError:
    """Return the error of one field."""
    return InvalidInputError([Problem(path, message, allowed)])


def refused_fields(protocol: TextProtocol, fields: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield a problem for each field of a body that no model takes."""
    refused = _REFUSED[protocol]
    for name, value in fields.items():
        field = refused.get(_letters(name))
        if field is not None and field.has_effect(value):
            yield Problem(f"/{name}", field.about)


def unsent(
    protocol: TextProtocol, fields: Mapping[str, Any], takes: Callable[[str], bool]
) -> tuple[list[str], list[str]]:
    """Return the fields that a provider is not sent, and which of them the response's header names.

    `takes` states whether the provider gets a field. Raises `InvalidInputError` for the fields among the rest
    that would change the response.
    """
    return _unsent(TABLES[protocol], _UNKNOWN[protocol], fields, takes)


def unsent_of_response(
    fields: Mapping[str, Any], takes: Callable[[str], bool]
) -> tuple[list[str], list[str]]:
    """Return the same as `unsent` for a Responses request at a provider that has the protocol.

    Clients also send fields of chats, with the same meaning. Raises as `unsent` does.
    """
    return _unsent(OF_RESPONSES, _UNKNOWN[TextProtocol.OPENAI], fields, takes)


def _unsent(
    table: Table, unknown: Field, fields: Mapping[str, Any], takes: Callable[[str], bool]
) -> tuple[list[str], list[str]]:
    left = {name: table.get(name, unknown) for name in fields if not takes(name)}
    asked = {
        name: field
        for name, field in left.items()
        if field.rule in _REPORTED and field.has_effect(fields[name])
    }
    problems = [
        Problem(f"/{name}", field.about, field.neutral[0] if field.neutral else None)
        for name, field in asked.items()
        if field.rule is Rule.STRICT
    ]
    if problems:
        raise InvalidInputError(problems)
    return list(left), list(asked)


_REPORTED = (Rule.STRICT, Rule.HINT, Rule.UNUSED)
# Fields in no table. Anthropic refuses them for every model, in these words; chat clients send many.
_UNKNOWN = {
    TextProtocol.OPENAI: Field(Rule.HINT),
    TextProtocol.ANTHROPIC: Field(Rule.STRICT, "Extra inputs are not permitted."),
}
