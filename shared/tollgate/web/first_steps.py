"""The first steps of a new account, and which of them are done. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from tollgate.kit.clock import MS_PER_DAY
from tollgate.web.languages import phrase
from tollgate.web.prompts import PROMPTS

# An account of this age no longer sees that it has done all steps.
SHOWN_MS = 14 * MS_PER_DAY


@dataclass(frozen=True, slots=True)
class Step:
    """A step: the page below `/dashboard` on which it is done, a link, and the rest of its sentence."""

    path: str
    title: str
    about: str
    is_done: bool


def first_steps(keys: Sequence[Mapping[str, Any]], *, has_tasks: bool, has_budget: bool) -> list[Step]:
    """Return the four steps. `keys` are the account's keys as the API shows them."""
    is_capped = has_budget or any(key["spendingCap"] for key in keys)
    return [
        Step(
            f"/playground?{urlencode({'input.prompt': PROMPTS['IMAGE'][0]})}",
            phrase("Generate a first image"),
            phrase("in the playground, for $0.01."),
            has_tasks,
        ),
        Step("/keys#new-key", phrase("Create an API key"), phrase("for your programs."), bool(keys)),
        Step(
            "/keys",
            phrase("Send a first request"),
            phrase("with the key."),
            any(key["lastUsedAt"] for key in keys),
        ),
        Step(
            "/budgets",
            phrase("Limit your spending"),
            phrase("with a budget, or with a limit of a key."),
            is_capped,
        ),
    ]


def is_shown(steps: Sequence[Step], age_ms: int) -> bool:
    """Return whether an account of this age sees its steps: until all are done, and then for a while."""
    return age_ms < SHOWN_MS or not all(step.is_done for step in steps)
