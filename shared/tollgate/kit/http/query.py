"""The query of a request, parameter by parameter, with every problem at once. Pure."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from functools import partial
from typing import Any, TypeVar

from tollgate.kit.errors import InvalidInputError
from tollgate.kit.ids import is_id
from tollgate.kit.numbers import digits
from tollgate.kit.problems import Problem, not_whole, one_of, unknown_fields

Value = TypeVar("Value")
Default = TypeVar("Default")

# What `epoch_ms` takes, in words.
A_TIME = "an ISO 8601 date or time, e.g. 2026-11-20 or 2026-11-20T09:30:00Z"

_EPOCH = datetime.fromtimestamp(0, tz=UTC)


class QueryReader:
    """Reads parameters and collects their problems. `finish` raises them all."""

    def __init__(self, query: Mapping[str, str], known: Sequence[str]) -> None:
        self.problems = unknown_fields(query, known, what="parameter")
        self._query = query

    def read(
        self,
        name: str,
        reader: Callable[[str], Value],
        default: Default,
        message: str,
        allowed: Any = None,
    ) -> Value | Default:
        """Return a parameter as `reader` reads it, or `default` if it is missing.

        If `reader` raises `ValueError`, the problem has this `message` and lists the `allowed` values.
        """
        if name not in self._query:
            return default
        try:
            return reader(self._query[name])
        except ValueError:
            self.problems.append(Problem(f"/{name}", message, allowed))
            return default

    def limit(self, default: int, most: int) -> int:
        """Return the parameter `limit`, a whole number from 1 to `most`."""
        wrong = not_whole("/limit", 1, most)
        return self.read("limit", _page_size(most), default, wrong.message, wrong.allowed)

    def text(self, name: str) -> str | None:
        """Return a parameter as it is, or `None` if it is missing."""
        return self._query.get(name)

    def choose(
        self, name: str, reader: Callable[[str], Value], default: Default, values: Iterable[str]
    ) -> Value | Default:
        """Return a parameter like `read`. The problem lists the `values`, which are all that are valid."""
        problem = one_of(f"/{name}", values)
        return self.read(name, reader, default, problem.message, problem.allowed)

    def one_of(self, name: str, values: Collection[str], default: Default) -> str | Default:
        """Return a parameter, or `default` if it is missing. Other texts than the `values` are a problem."""
        return self.choose(name, matching(values.__contains__), default, values)

    def finish(self) -> None:
        """Raise `InvalidInputError` if there was any problem."""
        if self.problems:
            raise InvalidInputError(self.problems)


def _page_size(most: int) -> Callable[[str], int]:
    """Return a reader of whole numbers from 1 to `most`."""

    def reader(text: str) -> int:
        number = digits(text, 1, most)
        if number is None:
            raise ValueError(text)
        return number

    return reader


def id_of(prefix: str) -> Callable[[str], str]:
    """Return a reader of ids with this prefix."""
    return matching(partial(is_id, prefix))


def matching(is_valid: Callable[[str], bool]) -> Callable[[str], str]:
    """Return a reader of texts that a check accepts."""

    def reader(text: str) -> str:
        if not is_valid(text):
            raise ValueError(text)
        return text

    return reader


def epoch_ms(text: str) -> int:
    """Read a date or a time, which without an offset is UTC, as epoch milliseconds. Raises `ValueError`."""
    found = datetime.fromisoformat(text)
    aware = found if found.tzinfo else found.replace(tzinfo=UTC)
    if aware < _EPOCH:
        raise ValueError(text)
    return (aware - _EPOCH) // timedelta(milliseconds=1)


def date_ms(text: str) -> int:
    """Read `YYYY-MM-DD` as its first millisecond; raise `ValueError` for the other formats of ISO 8601."""
    if date.fromisoformat(text).isoformat() != text:
        raise ValueError(text)
    return epoch_ms(text)
