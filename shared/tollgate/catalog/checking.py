"""A customer's `input` against a profile: normalised values, or every problem at once.

Source: site/tasks.md#create.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from pydantic import ValidationError

from tollgate.catalog.image_alias import as_sent, refused_images, under_its_name
from tollgate.catalog.media import Measured, MediaFacts, length_of
from tollgate.catalog.nearest import nearest
from tollgate.catalog.profiles.base import IMAGES, Profile
from tollgate.catalog.rules import CheckedInput, at, printable
from tollgate.kit.errors import InvalidInputError
from tollgate.kit.problems import Problem, of_value

# However much of a body is wrong, the answer stays small.
MAX_PROBLEMS = 100

# What pydantic itself can find: everything but an object's shape is checked by our kinds.
OBJECT_MESSAGES = {
    "missing": "Required.",
    "string_unicode": "Must have field names of valid Unicode text.",
}


def check(profile: type[Profile], source: object) -> CheckedInput:
    """Return `source`, the `input` of a create body, normalised; raises `InvalidInputError` otherwise."""
    if not isinstance(source, dict):
        raise InvalidInputError([Problem(at(), "Must be an object.")])
    renamed = under_its_name(profile, source)
    # Unknown fields are checked separately, so that a misspelt name is reported with the other problems.
    known = {name: renamed[name] for name in renamed.keys() & profile.accepted()}
    problems = list(_unknown_fields(profile, renamed))
    values, invalid = _read_fields(profile, known, problems)
    checked = _without_blanks(values, known)
    problems += _blank_required(profile, checked, known, invalid)
    for rule in profile.rules:
        # A rule about an invalid field would only repeat its problem, in less clear words.
        if invalid.isdisjoint(rule.needs):
            problems += rule.check(checked)
    if problems:
        raise InvalidInputError(_bounded(as_sent(profile, source, one) for one in problems))
    return checked


def check_media(
    profile: type[Profile],
    checked: CheckedInput,
    facts: Mapping[str, MediaFacts],
    unknown: Collection[str] = (),
) -> Measured:
    """Check the files that `checked` points to; return their measures that decide the price.

    `facts` has, by URL, the facts of each of `profile.probes(checked.values)`, without the `unknown` URLs,
    whose files do not exist yet. Raises `InvalidInputError` with every problem of every file.
    """
    by_rule = [
        (one, [each for each in one.requests(checked.values) if each.url not in unknown])
        for one in profile.media
    ]
    by_rule = [(one, requests) for one, requests in by_rule if requests]
    sources = [request for one, requests in by_rule if one.is_source for request in requests]
    # Source files are priced by their length; other files only have bounds.
    source_s = length_of(sources, facts)
    output_s = profile.output_seconds(checked.values, source_s)
    problems = [found for one, requests in by_rule for found in one.problems(requests, facts, output_s)]
    if problems:
        raise InvalidInputError(_bounded(problems))
    values = checked.values
    sizes = {
        name: size.of(values, facts[values[size.field][0]])
        for name, size in profile.sizes.items()
        if values[size.field][0] not in unknown
    }
    return Measured(source_s, sizes)


def check_sizes(profile: type[Profile], measured: Measured, most: Mapping[str, int]) -> None:
    """Check that no size of the result exceeds the largest with a price; `most` has it by dimension.

    Raises `InvalidInputError`.
    """
    problems = [
        Problem(
            at(size.field, 0),
            f"The result would have {measured.sizes[name]} {size.words}, at most {most[name]} are possible.",
            f"at most {most[name]} {size.words}",
        )
        for name, size in profile.sizes.items()
        if measured.sizes.get(name, 0) > most.get(name, measured.sizes.get(name, 0))
    ]
    if problems:
        raise InvalidInputError(problems)


def _unknown_fields(profile: type[Profile], source: dict[Any, Any]) -> Iterator[Problem]:
    names = profile.published()
    unknown = [name for name in source if name not in names]
    # One more than is shown, so that the error states that there are more.
    for name in unknown[: MAX_PROBLEMS + 1]:
        if name == IMAGES:
            yield refused_images(profile)
            continue
        meant = nearest(name, tuple(names))
        hint = "" if meant is None else f" Did you mean {meant!r}?"
        yield Problem(at(name), f"Unknown field {printable(str(name))!r}.{hint}")


def _read_fields(
    profile: type[Profile], known: dict[str, Any], problems: list[Problem]
) -> tuple[dict[str, Any], set[str]]:
    """Return the values of the fields that are valid, and the names of those that are not."""
    try:
        return profile.model_validate(known).model_dump(exclude_none=True), set()
    except ValidationError as error:
        found = error.errors(include_url=False)
    problems += map(_problem, found[: MAX_PROBLEMS + 1])
    invalid = {str(one["loc"][0]) for one in found}
    # With defaults, so that the rules see the input without the invalid fields.
    defaults = {name: info.default for name, info in profile.published().items() if info.default is not None}
    valid = {name: value for name, value in {**defaults, **known}.items() if name not in invalid}
    return valid, invalid


def _problem(error: Any) -> Problem:
    """Describe pydantic's error in our words; our own kinds bring theirs."""
    path = at(*error["loc"])
    if error["type"] == "refused":
        problem = Problem(path, error["ctx"]["message"], error["ctx"]["allowed"])
        return of_value(problem, error["input"])
    if error["type"] == "extra_forbidden":
        return Problem(path, f"Unknown field {printable(str(error['loc'][-1]))!r}.")
    if error["type"] in OBJECT_MESSAGES:
        return Problem(path, OBJECT_MESSAGES[error["type"]])
    return of_value(Problem(path, "Must be an object."), error["input"])


def _without_blanks(values: dict[str, Any], known: dict[str, Any]) -> CheckedInput:
    """Drop empty arrays and blank strings, because they count as omitted."""
    kept = {name: value for name, value in values.items() if not _is_blank(value)}
    return CheckedInput(kept, frozenset(kept.keys() & known.keys()))


def _blank_required(
    profile: type[Profile], checked: CheckedInput, known: dict[str, Any], invalid: set[str]
) -> Iterator[Problem]:
    for name, info in profile.published().items():
        if info.is_required() and name in known and name not in checked.given and name not in invalid:
            yield Problem(at(name), "Must not be empty.")


def _is_blank(value: object) -> bool:
    return value == [] or (isinstance(value, str) and not value.strip())


def _bounded(problems: Iterable[Problem]) -> list[Problem]:
    shown = list(problems)
    if len(shown) <= MAX_PROBLEMS:
        return shown
    return [*shown[:MAX_PROBLEMS], Problem(at(), "There are more problems than are listed here.")]
