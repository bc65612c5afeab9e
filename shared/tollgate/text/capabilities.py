"""Fields that a model or a route refuses: hints are removed, and other fields need another route.

The flags are the catalog's data, and each vendor's page under docs/providers/ has their source. This module
applies them to chat completions, and `translate_request_to_messages.py` to messages.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from tollgate.kit.errors import InvalidInputError, Problem
from tollgate.text.dialect import ChatDialect
from tollgate.text.fields import CHAT
from tollgate.text.models import Refuses
from tollgate.text.request import dumps

SCHEMA_HINT = "Answer with one JSON object and nothing else. It follows this JSON schema: "
# Fields of a chat's message that are ours, not OpenAI's.
SHOWN_THINKING = ("reasoning_content", "thinking_blocks")
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
    fields: Mapping[str, Any], refuses: frozenset[Refuses], dialect: ChatDialect
) -> tuple[dict[str, Any], list[str]]:
    """Return the changes to a body of chat completions, and the fields to omit, which the model refuses.

    Raises `InvalidInputError` for fields that the route does not support and that change the response.
    """
    changes: dict[str, Any] = {}
    if not dialect.takes_schemas:
        changes = _schema_in_words(fields)
    if dialect.passes is None and (
        messages := _without_thinking(changes.get("messages", fields["messages"]))
    ):
        changes["messages"] = messages
    dropped: list[str] = []
    if dialect.wants_reasoning and _lost_reasoning(fields["messages"]):
        # Most clients do not keep it: the vendor answers without thinking, and refuses it with.
        changes["thinking"] = {"type": "disabled"}
        dropped = [name for name in ("reasoning_effort",) if name in fields]
    if not refuses:
        return changes, dropped
    lacking = [name for flag, names in _LACKING.items() if flag in refuses for name in names]
    if problems := [*_strict_problems(fields, lacking), *_image_problems(fields, refuses)]:
        raise InvalidInputError(problems)
    dropped += without_sampling(fields, refuses)
    dropped += [name for name in lacking if name in fields]
    if Refuses.FORCED_TOOLS in refuses and fields.get("tool_choice") not in (None, "auto", "none"):
        changes["tool_choice"] = "auto"
    return changes, dropped


def _lost_reasoning(messages: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether a turn that called tools comes back without the reasoning before it."""
    return any(one.get("tool_calls") and not one.get("reasoning_content") for one in messages)


def _without_thinking(messages: Any) -> list[Any] | None:
    """Return messages without the fields in which we show thinking; `None` if no message has them.

    Clients send them back with the turn, and vendors that refuse unknown fields would refuse them.
    """
    if not any(name in message for message in messages for name in SHOWN_THINKING):
        return None
    return [
        {name: value for name, value in message.items() if name not in SHOWN_THINKING} for message in messages
    ]


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


def _image_problems(fields: Mapping[str, Any], refuses: frozenset[Refuses]) -> Iterator[Problem]:
    if Refuses.IMAGE_URLS not in refuses:
        return
    for position, message in enumerate(fields["messages"]):
        content = message.get("content")
        for at, part in enumerate(content if isinstance(content, list) else []):
            image = part.get("image_url") if isinstance(part, dict) else None
            url = image.get("url") if isinstance(image, dict) else image
            if isinstance(url, str) and not url.startswith("data:"):
                yield Problem(f"/messages/{position}/content/{at}/image_url", "Must be a base64 data URL.")
