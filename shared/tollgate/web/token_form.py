"""The form of a run token: from the sent fields to the body that `RunTokenService` takes. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tollgate.kit.errors import InvalidInputError
from tollgate.kit.numbers import digits
from tollgate.kit.problems import Problem
from tollgate.run_tokens.request import MAX_LIFETIME_S, MIN_LIFETIME_S
from tollgate.web.key_form import cents_of
from tollgate.web.problems import in_words

FIELDS = ("key", "name", "limit", "lifetime", "models", "tags")
# The lifetimes in the form, in seconds, with their words.
LIFETIMES = {900: "15 minutes", 3600: "1 hour", 14_400: "4 hours", 28_800: "8 hours", 86_400: "24 hours"}
_SHOWN = {"maxCostCents": "limit", "expiresInS": "lifetime"}


def token_body(sent: Mapping[str, str], models: Sequence[str]) -> dict[str, Any]:
    """Return the body of a new token, from the fields `FIELDS` except `key`.

    `limit` is in US dollars, `lifetime` in seconds, and `tags` has a pair `name=value` in each line. Raises
    `InvalidInputError` if a field is invalid; the service checks all other rules.
    """
    problems: list[Problem] = []
    body: dict[str, Any] = {"tags": _tags(sent.get("tags", ""), problems)}
    if name := sent.get("name", "").strip():
        body["name"] = name
    if models:
        body["models"] = list(models)
    body["expiresInS"] = digits(sent.get("lifetime", ""), MIN_LIFETIME_S, MAX_LIFETIME_S)
    if body["expiresInS"] is None:
        problems.append(Problem("/lifetime", "Choose a lifetime."))
    try:
        body["maxCostCents"] = cents_of(sent.get("limit", "").strip(), "/limit")
    except InvalidInputError as error:
        problems += error.problems
    if problems:
        raise InvalidInputError(problems)
    return body


def beside_token_fields(problems: Iterable[Problem]) -> dict[str, str]:
    """Return the message for each of `FIELDS`, empty for fields without a problem."""
    found: dict[str, list[Problem]] = {name: [] for name in FIELDS}
    for problem in problems:
        part = problem.path.split("/")[1]
        found[name if (name := _SHOWN.get(part, part)) in found else "name"].append(problem)
    return {name: in_words(some, beside=1) for name, some in found.items()}


def _tags(text: str, problems: list[Problem]) -> dict[str, str]:
    found: dict[str, str] = {}
    for line in filter(None, map(str.strip, text.splitlines())):
        name, equals, value = (part.strip() for part in line.partition("="))
        if not equals or name in found:
            message = f"The tag {name} is there twice." if equals else "A line has no equals sign."
            problems.append(Problem("/tags", message, "a line such as team=search for each tag"))
        found[name] = value
    return found
