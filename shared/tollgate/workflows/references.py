"""References to results of earlier steps inside an input: `$image.files[0]` and `$caption.text`. Pure.

A reference can be a whole text or a part of one. `$$caption.text` is the text `$caption.text`. Rules for
customers: site/workflows.md#references.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tollgate.kit.problems import Problem, pointer_step

# Deeper than any input of a model or any message of a chat.
MAX_DEPTH = 12
STEP_ID = r"[A-Za-z][A-Za-z0-9_-]{0,31}"
FILES, TEXT = "files", "text"
_REFERENCE = re.compile(rf"(\$?)\$({STEP_ID})\.([A-Za-z]+)(\[[^\[\]]*\])?")
_INDEX = re.compile(r"\[(\d{1,2})\]")
_FORMS = "$step.files[0] or $step.text"


@dataclass(frozen=True, slots=True)
class Reference:
    """A result of a step: the file with an `index`, or its text if that is `None`."""

    step: str
    index: int | None = None

    def __str__(self) -> str:
        """Return it as it is written."""
        return f"${self.step}.{TEXT}" if self.index is None else f"${self.step}.{FILES}[{self.index}]"


@dataclass(frozen=True, slots=True)
class Place:
    """A reference at a JSON pointer of an input; `problem` says why it is none."""

    pointer: str
    reference: Reference | None
    problem: Problem | None = None


def places_in(value: Any, pointer: str = "", depth: int = 0) -> Iterator[Place]:
    """Yield the references in an input, and what looks like one and is not."""
    if depth > MAX_DEPTH:
        yield Place(pointer, None, Problem(pointer, f"Is nested deeper than {MAX_DEPTH} levels."))
    elif isinstance(value, str):
        for found in _REFERENCE.finditer(value):
            if not found[1]:
                yield _place(pointer, found)
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            yield from places_in(inner, f"{pointer}/{pointer_step(name)}", depth + 1)
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from places_in(inner, f"{pointer}/{number}", depth + 1)


def with_results(value: Any, by: Callable[[Reference], str]) -> Any:
    """Return an input that was checked with `places_in`, with results instead of its references."""

    def result(found: re.Match[str]) -> str:
        reference = None if found[1] else _reference(found)
        return found[0][1:] if reference is None else by(reference) + _behind(found, reference)

    if isinstance(value, str):
        return _REFERENCE.sub(result, value)
    if isinstance(value, Mapping):
        return {name: with_results(inner, by) for name, inner in value.items()}
    return [with_results(inner, by) for inner in value] if isinstance(value, list) else value


def unknown_step(place: Place, earlier: Collection[str], later: Collection[str]) -> Problem | None:
    """Return the problem of a reference to a step that is not before its own, if it is one."""
    reference = place.reference
    if reference is None or reference.step in earlier:
        return None
    if reference.step in later:
        message = (
            f"{reference} is the result of this step or of a later one. A step can only use earlier steps."
        )
    else:
        message = (
            f"There is no step '{reference.step}' before this one. For the text itself, write ${reference}."
        )
    return Problem(place.pointer, message, sorted(earlier) or None)


def _place(pointer: str, found: re.Match[str]) -> Place:
    reference = _reference(found)
    if reference is not None:
        return Place(pointer, reference)
    message = f"{found[0]} is no result of a step. Write {_FORMS}; for the text itself, write ${found[0]}."
    return Place(pointer, None, Problem(pointer, message, _FORMS))


def _reference(found: re.Match[str]) -> Reference | None:
    step, name, index = found[2], found[3], found[4]
    # Brackets behind a text are no part of the reference.
    if name == TEXT:
        return Reference(step)
    number = None if index is None else _INDEX.fullmatch(index)
    return Reference(step, int(number[1])) if name == FILES and number is not None else None


def _behind(found: re.Match[str], reference: Reference) -> str:
    return (found[4] or "") if reference.index is None else ""
