"""A sentence whose values are apart, so that a page can translate it."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Words:
    """An English text with `{names}`, and their values. `make languages` finds the text by this name."""

    text: str
    values: Mapping[str, object]

    def __str__(self) -> str:
        """Return the sentence in English."""
        return self.text.format(**self.values)


class WordedError(Exception):
    """An error with a sentence for people. The message of the exception is the sentence in English."""

    def __init__(self, text: str, **values: object) -> None:
        self.words = Words(text, values)
        super().__init__(str(self.words))
