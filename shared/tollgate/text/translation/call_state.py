"""State of a provider that belongs to a tool call, and has to come back with it. Pure.

Gemini signs its calls in `extra_content` of a chat's tool call, and refuses a call of the current turn that
comes back without its signature (https://ai.google.dev/gemini-api/docs/thought-signatures). Messages and
Responses have no such place, so the state travels there in a block beside the thinking.
"""

from collections.abc import Mapping, Sequence
from typing import Any

EXTRA = "extra_content"
UNSIGNED = "skip_thought_signature_validator"
"""Google's documented signature of a call that its model did not make, or whose signature a client lost."""

Message = Mapping[str, Any]


def state_block(call_id: str, call: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the block with the state of a call, or nothing if it has none."""
    extra = call.get(EXTRA)
    return [{"type": EXTRA, "call_id": call_id, EXTRA: extra}] if isinstance(extra, dict) and extra else []


def states_of(blocks: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the state of each call in blocks, by the id of the call."""
    return {str(block.get("call_id")): block.get(EXTRA) for block in blocks if is_state(block)}


def is_state(block: Mapping[str, Any]) -> bool:
    """Return whether a block is the state of a call."""
    return block.get("type") == EXTRA


def with_states(calls: Sequence[Any], states: Mapping[str, Any]) -> list[Any]:
    """Return a chat's tool calls, each with its state."""
    ids = [str(call.get("id")) for call in calls]
    return [
        {**call, EXTRA: states[name]} if name in states else call
        for name, call in zip(ids, calls, strict=True)
    ]


def without_states(messages: Sequence[Message]) -> list[Message] | None:
    """Return messages without the state of calls; `None` if there is none."""
    if not any(EXTRA in holder for one in messages for holder in (one, *_calls(one))):
        return None
    return [_without_state(message) for message in messages]


def signed(messages: Sequence[Message]) -> list[Message] | None:
    """Return messages whose calls in the current turn are all signed; `None` if they are already.

    The first call of each step has to be signed.
    """
    changed = list(messages)
    for at in range(len(changed) - 1, -1, -1):
        if changed[at].get("role") == "user":
            break
        calls = _calls(changed[at])
        if calls and not calls[0].get(EXTRA):
            first = {**calls[0], EXTRA: {"google": {"thought_signature": UNSIGNED}}}
            changed[at] = {**changed[at], "tool_calls": [first, *calls[1:]]}
    return changed if any(new is not old for new, old in zip(changed, messages, strict=True)) else None


def _without_state(message: Message) -> Message:
    kept = {name: value for name, value in message.items() if name != EXTRA}
    calls = _calls(message)
    if calls:
        kept["tool_calls"] = [{name: call[name] for name in call if name != EXTRA} for call in calls]
    return kept


def _calls(message: Message) -> list[dict[str, Any]]:
    calls = message.get("tool_calls")
    found = calls if isinstance(calls, list) else []
    return found if all(isinstance(call, dict) for call in found) else []
