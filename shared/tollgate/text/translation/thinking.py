"""Thinking that a client keeps for its provider, and returns unread with the next request. Pure.

Blocks of thinking are sealed into one text: the `encrypted_content` of a reasoning item in Responses, and the
`signature` of a thinking block in Messages.
"""

import base64
import binascii
import json
from collections.abc import Mapping, Sequence
from typing import Any

from tollgate.text.body.json_body import dumps
from tollgate.text.translation.message_state import joined_states

# To distinguish our seal from another provider's content.
_SEAL = "tg1."


def sealed(thinking_blocks: Sequence[Mapping[str, Any]]) -> str:
    """Return thinking blocks as one text."""
    return _SEAL + base64.b64encode(dumps(joined_states(thinking_blocks)).encode()).decode()


def is_sealed(encrypted: object) -> bool:
    """Return whether a text is our seal, with or without thinking in it."""
    return isinstance(encrypted, str) and encrypted.startswith(_SEAL)


def unsealed(encrypted: object) -> list[dict[str, Any]]:
    """Return the thinking blocks in a text; none if it is not our seal.

    If a client changes the blocks, the provider that signed them refuses the request.
    """
    if not isinstance(encrypted, str) or not is_sealed(encrypted):
        return []
    try:
        found = json.loads(base64.b64decode(encrypted.removeprefix(_SEAL), validate=True))
    except (binascii.Error, ValueError, RecursionError):
        return []
    return [block for block in found if isinstance(block, dict)] if isinstance(found, list) else []


def without_foreign_thinking(turns: Sequence[Any]) -> list[Any] | None:
    """Return the turns of a messages request without thinking of other models; `None` if there is none.

    Anthropic refuses such blocks. A client has them if it began the conversation with another model.
    """
    if not any(_is_foreign(block) for turn in turns for block in _blocks(turn)):
        return None
    kept = [
        {**turn, "content": [block for block in _blocks(turn) if not _is_foreign(block)]}
        if _blocks(turn)
        else turn
        for turn in turns
    ]
    return [turn for turn in kept if turn["content"] != []]


def _blocks(turn: Any) -> list[Any]:
    content = turn.get("content") if isinstance(turn, dict) and turn.get("role") == "assistant" else None
    return content if isinstance(content, list) else []


def _is_foreign(block: Any) -> bool:
    if not isinstance(block, dict) or block.get("type") != "thinking":
        return False
    signature = block.get("signature")
    return not signature or is_sealed(signature)
