"""A provider's response as a value. Pure; `http.py` reads it from the connection."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

NOT_FOUND = 404
FIRST_CLIENT_ERROR, FIRST_SERVER_ERROR = 400, 500
# The length of a provider's text in an attempt's detail or as the reason of a rejection.
SHOWN_CHARACTERS = 300

_OK, _REDIRECT = 200, 300


@dataclass(frozen=True, slots=True)
class Reply:
    """A response: its status, and its JSON (`None` if it is not valid JSON)."""

    status: int
    json: Any
    headers: Mapping[str, str]
    text: str

    @property
    def ok(self) -> bool:
        """Return whether the status is 2xx."""
        return _OK <= self.status < _REDIRECT

    def detail(self) -> str:
        """Return a short form of the response for the operator."""
        return f"HTTP {self.status}: {shown(self.text)}"

    def get(self, *path: str) -> Any:
        """Return the value at a path of object keys; `None` if it is missing."""
        value = self.json
        for name in path:
            if not isinstance(value, dict):
                return None
            value = value.get(name)
        return value

    def string(self, *path: str) -> str | None:
        """Return the text at a path of object keys; `None` for a missing or other value."""
        value = self.get(*path)
        return value if isinstance(value, str) else None


def json_of(text: object, key: str = "") -> Any:
    """Return the JSON in a response, or in a text field of one; `None` if it is not valid JSON.

    JSON can contain halves of surrogate pairs (a message cut in the middle of an emoji), which cannot be
    stored or sent; each becomes a question mark. `key` is Tollgate's key, which is removed if the response
    repeats it.
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
    """Return a text without the key: handles and customers' messages contain parts of responses."""
    return text.replace(key, "[key]") if key else text


def shown(text: str) -> str:
    """Return the first `SHOWN_CHARACTERS` of a provider's text."""
    return text[:SHOWN_CHARACTERS]
