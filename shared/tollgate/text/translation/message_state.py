"""State of a provider that belongs to a chat's message as a whole, and has to come back with it. Pure.

- `extra_content`: Gemini signs a text without calls (https://ai.google.dev/gemini-api/docs/thought-signatures).
- `reasoning_details`: the thinking of OpenRouter and of MiniMax, which comes back unchanged
  (https://openrouter.ai/docs/use-cases/reasoning-tokens). A stream has it in pieces.

Messages and Responses have no such place. There it travels in a block beside the thinking, like the state of
a call (`call_state.py`).
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tollgate.text.translation.call_state import EXTRA

DETAILS = "reasoning_details"
MESSAGE_STATE = "message_state"
# The texts of a piece of thinking, which are joined. Of its other members the last value counts.
_TEXTS = ("text", "summary", "data")

Block = dict[str, Any]


def thinking_state(part: Mapping[str, Any]) -> list[Block]:
    """Return a block with the state of the thinking in a chat's message or delta; nothing if it has none."""
    return _block(part, DETAILS)


def text_state(part: Mapping[str, Any]) -> list[Block]:
    """Return a block with the state of the text in a chat's message or delta; nothing if it has none.

    A stream has it at the end of the text.
    """
    return _block(part, EXTRA)


def is_message_state(block: Mapping[str, Any]) -> bool:
    """Return whether a block is the state of a message."""
    return block.get("type") == MESSAGE_STATE


def state_fields(blocks: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the fields of a chat's message with the state in blocks."""
    found: dict[str, Any] = {}
    for block in filter(is_message_state, blocks):
        if isinstance(block.get(EXTRA), dict):
            found[EXTRA] = block[EXTRA]
        if isinstance(block.get(DETAILS), list):
            found[DETAILS] = joined_details([*found.get(DETAILS, []), *block[DETAILS]])
    return found


def joined_states(blocks: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return blocks with all pieces of a message's state in one block. A stream has many pieces."""
    pieces = state_fields(blocks)
    others = [block for block in blocks if not is_message_state(block)]
    return [*others, {"type": MESSAGE_STATE, **pieces}] if pieces else others


def joined_details(pieces: Sequence[Any]) -> list[Any]:
    """Return the thinking that a stream sent in `pieces`. Pieces with the same type and index are joined."""
    found: list[Any] = []
    for piece in pieces:
        last: Any = found[-1] if found else None
        if _is_more(last, piece):
            found[-1] = _joined(last, piece)
        else:
            found.append(piece)
    return found


def details_of(details: object, formats: frozenset[str | None]) -> list[Any]:
    """Return the pieces of thinking in a vendor's formats."""
    given = details if isinstance(details, list) else []
    return [each for each in given if isinstance(each, dict) and _format(each) in formats]


def _block(part: Mapping[str, Any], name: str) -> list[Block]:
    return [{"type": MESSAGE_STATE, name: part[name]}] if part.get(name) else []


def _format(piece: Mapping[str, Any]) -> str | None:
    given = piece.get("format")
    return None if given is None else str(given)


def _is_more(last: Any, piece: Any) -> bool:
    if not isinstance(last, dict) or not isinstance(piece, dict):
        return False
    return all(last.get(name) == piece.get(name) for name in ("type", "index")) and "index" in piece


def _joined(last: Mapping[str, Any], piece: Mapping[str, Any]) -> Block:
    more = {name: value for name, value in piece.items() if value is not None}
    texts = {
        name: f"{last[name]}{more[name]}"
        for name in _TEXTS
        if isinstance(last.get(name), str) and isinstance(more.get(name), str)
    }
    return {**last, **more, **texts}
