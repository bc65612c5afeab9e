"""Compact JSON, and a JSON object that stays text until it is read. Pure."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

# `json.dumps` with separators creates an encoder for each call.
encode = json.JSONEncoder(separators=(",", ":")).encode
"""Returns a value as compact JSON."""


class Encoded(Mapping[str, Any]):
    """A JSON object as text, which is decoded only if it is read. So a hot path never decodes it."""

    __slots__ = ("_read", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._read: dict[str, Any] | None = None

    def _decoded(self) -> dict[str, Any]:
        if self._read is None:
            self._read = json.loads(self.text)
        return self._read

    def __getitem__(self, name: str) -> Any:
        """Return the value of a member."""
        return self._decoded()[name]

    def __iter__(self) -> Iterator[str]:
        """Return the names of the members."""
        return iter(self._decoded())

    def __len__(self) -> int:
        """Return the number of members."""
        return len(self._decoded())
