"""What the table tests share: a case is a sentence of the contract, an input and where its problems are."""

from typing import Any

from tollgate.catalog.checking import check
from tollgate.catalog.loader import Catalog
from tollgate.catalog.profiles import profile_named
from tollgate.kit.errors import InvalidInputError, Problem

CATALOG = Catalog.shipped()
URL = "https://media.example/cat.png"


def problems(profile: str, source: Any) -> list[Problem]:
    """Give the problems of `source` under the contract's `profile`; none for an accepted input."""
    try:
        check(profile_named(profile), source)
    except InvalidInputError as error:
        return error.problems
    return []


def problem_paths(profile: str, source: Any) -> list[str]:
    """Give the JSON pointers of the problems of `source`, in order."""
    return sorted(problem.path for problem in problems(profile, source))
