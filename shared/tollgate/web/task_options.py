"""The options of a generation in the playground's form: from the sent fields to the body of a create. Pure.

Source: site/tasks.md#create.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tollgate.kit.errors import InvalidInputError
from tollgate.kit.numbers import digits
from tollgate.kit.problems import Problem
from tollgate.ledger.attribution import NONE, Attribution, tags_of

# Prepended to a field's name, so that it cannot collide with a model's field.
PREFIX = "option-"
# How long files can be kept, in seconds: an hour, a day, a week, 30 days, a year.
LIFETIMES_S = (3_600, 86_400, 604_800, 2_592_000, 31_536_000)
FIELDS = ("private", "expiresInS", "finishByS", "webhook", "webhookProgress", "tags", "provider")
"""The options that show their errors. `provider` has several fields."""
_ON = "on"
_MAX_WHOLE = 10**9
_PAIRS = "name=value pairs with commas between them, such as team=search, feature=summary"


@dataclass(frozen=True, slots=True)
class TaskOptions:
    """The fields of a create beside `model` and `input`, the labels, and the problems of wrong tags."""

    body: Mapping[str, Any] = field(default_factory=dict)
    attribution: Attribution = NONE
    problems: Sequence[Problem] = ()


NO_OPTIONS = TaskOptions()


def options_of(sent: Mapping[str, str], only: Sequence[str]) -> TaskOptions:
    """Return the options in the sent fields; an empty field is no option.

    `only` are the chosen providers. The create checks the values.
    """
    given = {
        name.removeprefix(PREFIX): value.strip() for name, value in sent.items() if name.startswith(PREFIX)
    }
    wishes = {
        **({"only": list(only)} if only else {}),
        **({"zdr": True} if given.get("zdr") == _ON else {}),
        **({"data_collection": "deny"} if given.get("noTraining") == _ON else {}),
    }
    body: dict[str, Any] = {name: True for name in ("private", "webhookProgress") if given.get(name) == _ON}
    body |= {name: _whole(given[name]) for name in ("expiresInS", "finishByS") if given.get(name)}
    body |= {"webhook": given["webhook"]} if given.get("webhook") else {}
    body |= {"provider": wishes} if wishes else {}
    try:
        return TaskOptions(body, _tags(given.get("tags", "")))
    except InvalidInputError as error:
        # The form has one field for all tags.
        return TaskOptions(
            body, problems=[Problem("/tags", one.message, one.allowed) for one in error.problems]
        )


def _whole(text: str) -> int | str:
    number = digits(text, 0, _MAX_WHOLE)
    return text if number is None else number


def _tags(text: str) -> Attribution:
    """Return the labels. Raises `InvalidInputError`."""
    pairs = [pair.partition("=") for pair in text.split(",") if pair.strip()]
    if not all(equals for _, equals, _ in pairs):
        raise InvalidInputError([Problem("/tags", "Each tag needs a name and a value.", _PAIRS)])
    return tags_of({name.strip(): value.strip() for name, _, value in pairs}, "/tags") if pairs else NONE
