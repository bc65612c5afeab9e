"""The form of a person's settings. Pure."""

from collections.abc import Collection, Mapping

from tollgate.kit.errors import InvalidInputError
from tollgate.kit.problems import Problem
from tollgate.members.preferences import Preferences

MAX_NAME_CHARS = 60
THEMES = ("light", "dark")


def preferences_of(
    sent: Mapping[str, str], languages: Collection[str], zones: Collection[str]
) -> Preferences:
    """Return the settings in a form. Raises `InvalidInputError` with each wrong field."""
    found = Preferences(*(sent.get(name, "").strip() for name in ("name", "language", "zone", "theme")))
    problems = []
    if len(found.name) > MAX_NAME_CHARS or not all(map(str.isprintable, found.name)):
        problems.append(Problem("/name", "Is too long or has control characters.", f"0 to {MAX_NAME_CHARS}"))
    for name, allowed in (("language", languages), ("zone", zones), ("theme", THEMES)):
        if getattr(found, name) not in ("", *allowed):
            problems.append(Problem(f"/{name}", "Is not in the list."))
    if problems:
        raise InvalidInputError(problems)
    return found
