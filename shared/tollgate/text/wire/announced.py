"""The first events of a stream only announce a response. Until there is more, another route can answer."""

from collections.abc import Mapping
from typing import Any


def is_announcement(payload: Mapping[str, Any]) -> bool:
    """Return whether an event of a provider, in any protocol, has no output and no end of a response.

    A chat begins with the role or with nothing, a message with its start and an empty block of text. A block
    of thinking is more: its provider is at work, and may show nothing for minutes.
    """
    choices = payload.get("choices")
    if isinstance(choices, list):
        return not any(map(_says_more, choices))
    block = payload.get("content_block")
    is_empty = isinstance(block, Mapping) and block.get("type") == "text" and not block.get("text")
    return is_empty or payload.get("type") in ("message_start", "ping")


def _says_more(choice: object) -> bool:
    if not isinstance(choice, Mapping):
        return False
    delta = choice.get("delta")
    said = delta.items() if isinstance(delta, Mapping) else ()
    return bool(choice.get("finish_reason")) or any(value for name, value in said if name != "role")
