"""How an OpenAI-compatible upstream deviates from OpenAI's protocol, as data.

Source: docs/providers/openai_compatible.md.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tollgate.text.body.fields import CHAT, RESPONSES
from tollgate.text.usage import ReasoningCount


@dataclass(frozen=True, slots=True)
class ChatDialect:
    """One vendor's deviations.

    `limit_field` is its name for the limit of output tokens, and `finish_names` maps its finish reasons to
    OpenAI's. `faulty_finishes` are finish reasons that mean a failure. `code_statuses` maps error codes to
    HTTP statuses, if the vendor's own status misleads. `echoes_reasoning`: past reasoning is sent back in
    `reasoning_content`. A vendor that `wants_reasoning` refuses a turn with tool calls but without reasoning,
    while it thinks. `takes_schemas`: `response_format` may have a schema. `switches_thinking`: thinking is
    switched by `thinking`, because it has no `reasoning_effort`. `thinks_in_parts`: while it thinks, the
    content of a response is a list of parts. `takes_stream_options` is false if the field is refused, and a
    stream always has its usage. `message_fields` are the fields of a message that are not refused.
    `short_call_ids`: ids of tool calls have nine letters or digits.

    `details_formats` are the formats of the vendor's own `reasoning_details`, which come back with a message.

    A vendor that `signs_calls` refuses calls of tools that come back without their state
    (`text/translation/call_state.py`).

    A vendor that `reads_files` documents PDF files in a chat, and bills them as input tokens.

    `passes` are the fields that may be sent to the vendor, because they are known to cost only tokens. It is
    `None` if the vendor refuses unknown fields. Other vendors accept them silently, and charge for them.
    """

    limit_field: str = "max_completion_tokens"
    reasoning_count: ReasoningCount = ReasoningCount.INSIDE
    finish_names: Mapping[str, str] = field(default_factory=dict)
    faulty_finishes: tuple[str, ...] = ()
    code_statuses: Mapping[str, int] = field(default_factory=dict)
    echoes_reasoning: bool = False
    wants_reasoning: bool = False
    takes_schemas: bool = True
    switches_thinking: bool = False
    thinks_in_parts: bool = False
    takes_stream_options: bool = True
    message_fields: frozenset[str] | None = None
    short_call_ids: bool = False
    signs_calls: bool = False
    reads_files: bool = False
    details_formats: frozenset[str | None] = frozenset()
    passes: frozenset[str] | None = None

    def knows(self, name: str) -> bool:
        """Return whether the vendor documents a field."""
        if self.passes is not None:
            return name in self.passes
        return name in CHAT and CHAT[name].own

    def takes(self, name: str) -> bool:
        """Return whether the vendor is sent a field of a chat client.

        A vendor that refuses unknown fields also gets those, and its refusal names them.
        """
        return self.knows(name) or (self.passes is None and name not in CHAT)


@dataclass(frozen=True, slots=True)
class ResponsesDialect:
    """A vendor's own Responses API.

    `passes` are the client's fields that may be sent, `None` if the vendor refuses unknown fields. `lacks`
    are Tollgate's fields that it does not have. `tools` are the kinds of tools that it knows, `None` for all
    that the client runs. `counts`: it counts the input tokens of a request.
    """

    passes: frozenset[str] | None = None
    lacks: frozenset[str] = frozenset()
    counts: bool = False
    tools: frozenset[str] | None = None

    def takes(self, name: str) -> bool:
        """Return whether the vendor is sent a field of a client. Its refusal names unknown fields."""
        if self.passes is not None:
            return name in self.passes
        return RESPONSES[name].own if name in RESPONSES else name not in CHAT

    def takes_tools(self, fields: Mapping[str, Any]) -> bool:
        """Return whether the vendor knows all kinds of tools in a request."""
        return self.tools is None or all(tool.get("type") in self.tools for tool in fields.get("tools") or [])


def passing(*own: str, lacks: tuple[str, ...] = ()) -> frozenset[str]:
    """Return the fields of chat completions that cost tokens only, with a vendor's `own`.

    `lacks` are fields that the vendor accepts without following them, by its documentation.
    """
    return CHAT_FIELDS.union(own).difference(lacks)


# The fields of `openai.types.chat.completion_create_params` that several vendors have and none charges for.
CHAT_FIELDS = frozenset(
    {
        *("model", "messages", "max_tokens", "max_completion_tokens", "n", "stream", "stream_options"),
        *("temperature", "top_p", "stop", "seed", "presence_penalty", "frequency_penalty", "logit_bias"),
        *("logprobs", "top_logprobs", "tools", "tool_choice", "parallel_tool_calls", "functions"),
        *("function_call", "response_format", "reasoning_effort", "verbosity", "user", "safety_identifier"),
        *("metadata", "modalities"),
    }
)
