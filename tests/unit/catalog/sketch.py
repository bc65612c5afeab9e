"""An input on its way to being valid: what the fixes of `fixes.py` work with."""

from typing import Any

from hypothesis import strategies as st

Input = dict[str, Any]

MAX_DRAWN_CHARS = 40


def words(max_length: int = MAX_DRAWN_CHARS) -> st.SearchStrategy[str]:
    """Draw a text that says something, of at most `max_length` characters."""
    text = st.text(st.characters(codec="utf-8"), min_size=1, max_size=min(max_length, MAX_DRAWN_CHARS))
    return text.filter(lambda drawn: drawn.strip())


WORDS = words()
URLS = st.integers(0, 10**6).map(lambda number: f"https://media.example/{number}.png")


class Sketch:
    """A drawn input of a model, and how to draw more of its fields."""

    def __init__(
        self,
        draw: st.DrawFn,
        source: Input,
        values: dict[str, st.SearchStrategy[Any]],
        properties: dict[str, Any],
    ) -> None:
        self.draw = draw
        self.source = source
        self._values = values
        self._properties = properties

    def has(self, *names: str) -> bool:
        """Say whether any of the fields holds something."""
        return any(self.source.get(name) not in (None, []) for name in names)

    def knows(self, name: str) -> bool:
        """Say whether the model has the field."""
        return name in self._values

    def chosen(self, name: str) -> Any:
        """Return a field's value, or its default."""
        return self.source.get(name, self._properties.get(name, {}).get("default"))

    def drop(self, *names: str) -> None:
        """Take fields out."""
        for name in names:
            self.source.pop(name, None)

    def need(self, *names: str) -> None:
        """Make sure that fields hold something."""
        for name in names:
            if not self.has(name):
                self.source[name] = self.draw(self._values[name].filter(lambda value: value != []))

    def pick(self, *options: Any) -> Any:
        """Draw one of some values."""
        return self.draw(st.sampled_from(options))

    def set(self, name: str, *options: Any) -> None:
        """Return a field one of some values."""
        self.source[name] = self.pick(*options)

    def most(self, name: str, count: int) -> None:
        """Cut an array."""
        if name in self.source:
            self.source[name] = self.source[name][:count]

    def keep(self, groups: list[tuple[str, ...]], *others: tuple[str, ...]) -> tuple[str, ...]:
        """Keep the fields of one of `groups` (or of `others`), drop those of the rest; give what is kept."""
        kept: tuple[str, ...] = self.pick(*groups, *others)
        self.drop(*(name for group in groups for name in group if name not in kept))
        return kept
