"""What a provider answered, as a value. Pure; `http.py` reads it off the wire."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

NOT_FOUND = 404
FIRST_CLIENT_ERROR, FIRST_SERVER_ERROR = 400, 500
# How much of a provider's words is kept, in an attempt's detail or as the reason of a refusal.
SHOWN_CHARACTERS = 300

_OK, _REDIRECT = 200, 300


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer: its status and its JSON (`None` where it has none that can be read)."""

    status: int
    json: Any
    headers: Mapping[str, str]
    text: str

    @property
    def ok(self) -> bool:
        """Return whether the status is 2xx."""
        return _OK <= self.status < _REDIRECT

    def detail(self) -> str:
        """Return the answer in short, for the operator."""
        return f"HTTP {self.status}: {shown(self.text)}"

    def get(self, *path: str) -> Any:
        """Return the value at a path of object keys, or `None` where there is none."""
        value = self.json
        for name in path:
            if not isinstance(value, dict):
                return None
            value = value.get(name)
        return value

    def string(self, *path: str) -> str | None:
        """Return the text at a path of object keys, or `None` where there is no text."""
        value = self.get(*path)
        return value if isinstance(value, str) else None


def json_of(text: object, key: str = "") -> Any:
    """Return the JSON that is in an answer, or in a field of one; `None` where it is none that can be read.

    JSON can spell halves of surrogate pairs (a message cut in the middle of an emoji), which can be neither
    stored nor sent: each becomes a question mark. `key` is our own, where the answer may repeat it.
    """
    if not isinstance(text, str):
        return None
    try:
        return json.loads(
            without_key(json.dumps(json.loads(text), ensure_ascii=False), key).encode(errors="replace")
        )
    except (ValueError, RecursionError):
        return None


def without_key(text: str, key: str) -> str:
    """Return a text without our key: handles and customers' messages are made of what providers answer."""
    return text.replace(key, "[key]") if key else text


def shown(text: str) -> str:
    """Return as much of a provider's words as is kept."""
    return text[:SHOWN_CHARACTERS]
