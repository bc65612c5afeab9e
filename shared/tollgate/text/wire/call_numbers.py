"""The numbers of the tool calls in a stream of chat completions. Pure.

OpenAI's clients join the pieces of a call by its `index`. Some vendors send no index, null, or 0 for every
call (docs/providers/openai_compatible.md#tool-calls), and then the id tells the calls apart.
"""

from collections.abc import Mapping
from typing import Any


class CallNumbers:
    """The calls of one choice so far, numbered from 0."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[str, str | int], int] = {}
        self._ids: list[str] = []

    def of(self, call: Mapping[str, Any]) -> int:
        """Return the number of the call that a piece belongs to."""
        given, call_id = call.get("index"), str(call.get("id") or "")
        index = given if isinstance(given, int) else None
        known = None if index is None else self._numbers.get(("index", index))
        is_other = known is not None and call_id != "" and self._ids[known] not in ("", call_id)
        if index is None and not call_id and self._ids:
            return len(self._ids) - 1
        key = ("id", call_id) if index is None or is_other else ("index", index)
        if key not in self._numbers:
            self._numbers[key] = len(self._ids)
            self._ids.append(call_id)
        number = self._numbers[key]
        self._ids[number] = self._ids[number] or call_id
        return number
