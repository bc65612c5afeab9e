"""Fields that a model or a route refuses: hints are removed, and other fields need another route.

The flags are the catalog's data, and each vendor's page under docs/providers/ has their source. This module
applies them to chat completions, and `translate_request_to_messages.py` to messages.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any

from tollgate.kit.errors import InvalidInputError
from tollgate.kit.problems import Problem
from tollgate.text.body.fields import CHAT
from tollgate.text.body.json_body import dumps
from tollgate.text.models import Refuses
from tollgate.text.translation.call_state import signed, without_states
from tollgate.text.translation.message_state import DETAILS, details_of
from tollgate.text.wire.dialect import ChatDialect

SCHEMA_HINT = "Answer with one JSON object and nothing else. It follows this JSON schema: "
# Fields of a chat's message that are ours, not OpenAI's.
THINKING_BLOCKS = "thinking_blocks"
SHOWN_THINKING = ("reasoning_content", THINKING_BLOCKS)
FILE = "file"
"""The type of a part with a file."""
_SHORT_ID_CHARS = 9
_SHORT_ID = re.compile(rf"[a-zA-Z0-9]{{{_SHORT_ID_CHARS}}}", re.ASCII)
_PENALTIES = ("presence_penalty", "frequency_penalty")
# Fields that would change the response, by the flag of a model or route that lacks them.
_LACKING = {
    Refuses.STOP: ("stop", *_PENALTIES),
    Refuses.LOGITS: ("n", "logprobs", "top_logprobs", "logit_bias", *_PENALTIES),
}


def sampling_to_report(fields: Mapping[str, Any], names: Iterable[str]) -> list[str]:
    """Return which of the omitted `names` had an effect: 1 is every vendor's default temperature."""
    return [name for name in names if fields.get(name) not in (None, 1)]


def without_sampling(fields: Mapping[str, Any], refuses: frozenset[Refuses]) -> list[str]:
    """Return which of the sampling fields of a body must not be sent."""
    if Refuses.SAMPLING in refuses:
        return [name for name in ("temperature", "top_p", "top_k") if name in fields]
    is_pair = fields.get("temperature") is not None and fields.get("top_p") is not None
    if Refuses.SAMPLING_PAIR in refuses and is_pair:
        return ["top_p"]
    if Refuses.TEMPERATURE in refuses and fields.get("temperature") not in (None, 1):
        return ["temperature"]
    return []


def fit_chat(
    fields: Mapping[str, Any],
    refuses: frozenset[Refuses],
    dialect: ChatDialect,
    *,
    keeps_thoughts: bool = False,
) -> tuple[dict[str, Any], list[str]]:
    """Return the changes to a body of chat completions, and the fields to omit, which the model refuses.

    `keeps_thoughts`: the body is going to be translated, and its thinking blocks with it.

    Raises `InvalidInputError` for fields that the route does not support and that change the response.
    """
    changes: dict[str, Any] = {}
    if not dialect.takes_schemas:
        changes = _schema_in_words(fields)
    messages = changes.get("messages", fields["messages"])
    if (messages := _fit_messages(messages, dialect, keeps_thoughts=keeps_thoughts)) is not None:
        changes["messages"] = messages
    dropped: list[str] = []
    if dialect.switches_thinking and "reasoning_effort" in fields:
        dropped = ["reasoning_effort"]
        is_off = fields["reasoning_effort"] == "none"
        changes["thinking"] = fields.get("thinking") or {"type": "disabled" if is_off else "enabled"}
    if dialect.wants_reasoning and _lost_reasoning(fields["messages"]):
        # Most clients do not keep it: the vendor answers without thinking, and refuses it with.
        changes["thinking"] = {"type": "disabled"}
        dropped = [name for name in ("reasoning_effort",) if name in fields]
    refuses = refuses if dialect.reads_files else refuses | {Refuses.FILES}
    if not refuses:
        return changes, dropped
    lacking = [name for flag, names in _LACKING.items() if flag in refuses for name in names]
    if problems := [*_strict_problems(fields, lacking), *_part_problems(fields, refuses)]:
        raise InvalidInputError(problems)
    dropped += without_sampling(fields, refuses)
    dropped += [name for name in lacking if name in fields]
    if Refuses.FORCED_TOOLS in refuses and fields.get("tool_choice") not in (None, "auto", "none"):
        changes["tool_choice"] = "auto"
    if Refuses.NO_TOOLS in refuses and fields.get("tool_choice") == "none":
        dropped += [name for name in ("tools", "tool_choice", "parallel_tool_calls") if name in fields]
    if Refuses.DISABLED_THINKING in refuses and fields.get("reasoning_effort") == "none":
        dropped.append("reasoning_effort")
    return changes, dropped


def _lost_reasoning(messages: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether a turn that called tools comes back without the reasoning before it."""
    return any(one.get("tool_calls") and not one.get("reasoning_content") for one in messages)


def _fit_messages(
    messages: Sequence[Mapping[str, Any]], dialect: ChatDialect, *, keeps_thoughts: bool
) -> list[Any] | None:
    """Return messages as the vendor takes them, with its own state; `None` if they are so already."""
    fitted: Sequence[Mapping[str, Any]] = [
        _fit_message(message, dialect, keeps_thoughts=keeps_thoughts) for message in messages
    ]
    fitted = (signed(fitted) if dialect.signs_calls else without_states(fitted)) or fitted
    is_same = all(one is given for one, given in zip(fitted, messages, strict=True))
    return None if is_same else list(fitted)


def _fit_message(
    message: Mapping[str, Any], dialect: ChatDialect, *, keeps_thoughts: bool
) -> Mapping[str, Any]:
    changes: dict[str, Any] = {}
    if dialect.passes is not None and message.get("role") == "developer":
        # OpenAI's newer name of the role: others refuse it, e.g. DeepSeek ("unknown variant `developer`").
        changes["role"] = "system"
    if dialect.short_call_ids:
        if isinstance(calls := message.get("tool_calls"), list):
            changes["tool_calls"] = [{**call, "id": short_call_id(call.get("id"))} for call in calls]
        if "tool_call_id" in message:
            changes["tool_call_id"] = short_call_id(message["tool_call_id"])
    kept = SHOWN_THINKING if keeps_thoughts else ()
    refused = [name for name in message if name not in kept and not _takes_of_message(name, dialect)]
    if DETAILS in message:
        if details := details_of(message[DETAILS], dialect.details_formats):
            changes |= {DETAILS: details} if details != message[DETAILS] else {}
        else:
            refused.append(DETAILS)
    if not changes and not refused:
        return message
    return {name: value for name, value in message.items() if name not in refused} | changes


def _takes_of_message(name: str, dialect: ChatDialect) -> bool:
    """Return whether a vendor takes a field of a message. Clients send back all that they got with a turn."""
    if dialect.message_fields is not None:
        return name in dialect.message_fields
    # Thinking blocks belong to vendors with another protocol, and citations are no input.
    if name == "annotations":
        return False
    return name != THINKING_BLOCKS and (dialect.passes is not None or name not in SHOWN_THINKING)


def short_call_id(call_id: object) -> str:
    """Return an id of nine letters and digits, always the same for the same id of a tool call."""
    if isinstance(call_id, str) and _SHORT_ID.fullmatch(call_id):
        return call_id
    return sha256(str(call_id).encode()).hexdigest()[:_SHORT_ID_CHARS]


def _schema_in_words(fields: Mapping[str, Any]) -> dict[str, Any]:
    wanted = fields.get("response_format")
    if not isinstance(wanted, dict) or wanted.get("type") != "json_schema":
        return {}
    named = wanted.get("json_schema")
    schema = named.get("schema") if isinstance(named, dict) else None
    told = {"role": "system", "content": f"{SCHEMA_HINT}{dumps(schema)}"}
    return {"response_format": {"type": "json_object"}, "messages": [told, *fields["messages"]]}


def _strict_problems(fields: Mapping[str, Any], lacking: Sequence[str]) -> Iterator[Problem]:
    for name in lacking:
        # SDKs send values without an effect as a matter of course.
        if CHAT[name].has_effect(fields.get(name)):
            yield Problem(f"/{name}", "This model does not support this field.")


def _part_problems(fields: Mapping[str, Any], refuses: frozenset[Refuses]) -> Iterator[Problem]:
    if not refuses & {Refuses.IMAGE_URLS, Refuses.FILES}:
        return
    for position, message in enumerate(fields["messages"]):
        content = message.get("content")
        for at, part in enumerate(content if isinstance(content, list) else []):
            if not isinstance(part, dict):
                continue
            path = f"/messages/{position}/content/{at}"
            image = part.get("image_url")
            url = image.get("url") if isinstance(image, dict) else image
            is_address = isinstance(url, str) and not url.startswith("data:")
            if is_address and Refuses.IMAGE_URLS in refuses:
                yield Problem(
                    f"{path}/image_url", "This model takes images in base64 only, not their addresses."
                )
            if part.get("type") == FILE and Refuses.FILES in refuses:
                yield Problem(path, "This model does not read files.")


def has_files(messages: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether the messages of a chat have files, such as PDF documents."""
    contents = [message.get("content") for message in messages]
    parts = [part for content in contents if isinstance(content, list) for part in content]
    return any(isinstance(part, dict) and part.get("type") == FILE for part in parts)
