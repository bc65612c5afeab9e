"""The first events of a stream only announce a response. Until there is more, another route can answer."""

from collections.abc import Mapping
from typing import Any

# By the events that begin a part of an output: their field of the part.
_BEGUN = {
    "content_block_start": "content_block",
    "response.output_item.added": "item",
    "response.content_part.added": "part",
}
# By the kinds of parts that are nothing without content: its field.
_EMPTY = {"text": "text", "output_text": "text", "message": "content"}


def is_announcement(payload: Mapping[str, Any]) -> bool:
    """Return whether an event of a provider, in any protocol, has no output and no end of a response.

    A chat begins with the role or with nothing, a message with its start and an empty block of text, a
    response with an empty message. Thinking is more: its provider is at work, and may show nothing for
    minutes.
    """
    choices = payload.get("choices")
    if isinstance(choices, list):
        return not any(map(_says_more, choices))
    kind = payload.get("type")
    if kind in ("message_start", "ping"):
        return True
    begun: Any = payload.get(_BEGUN.get(str(kind), ""))
    content = _EMPTY.get(str(begun.get("type"))) if isinstance(begun, Mapping) else None
    return content is not None and not begun.get(content)


def _says_more(choice: object) -> bool:
    if not isinstance(choice, Mapping):
        return False
    delta = choice.get("delta")
    said = delta.items() if isinstance(delta, Mapping) else ()
    return bool(choice.get("finish_reason")) or any(value for name, value in said if name != "role")
