"""What a function's role allows, as IAM judges it: an explicit `Deny` wins, and what nothing allows is
denied.

Resources are names of the template, such as `${TasksTable.Arn}/index/DueIndex`. Operators and forms that the
template does not use are refused by `ValueError`, so that none passes for another.

Source: AWS IAM User Guide, "Policy evaluation logic" and "IAM JSON policy elements: Condition operators".
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from local.template import Properties, Template, as_list, named


@dataclass(frozen=True, slots=True)
class Request:
    """One action on one resource, with the condition keys that the call brings."""

    action: str
    resource: str
    context: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        keys = "".join(f", {name}={value}" for name, value in self.context)
        return f"{self.action} on {self.resource}{keys}"


@dataclass(frozen=True, slots=True)
class Right:
    """One action on one resource that a statement allows."""

    action: str
    resource: str

    def __str__(self) -> str:
        return f"{self.action} on {self.resource}"


class Role:
    """The statements of a function's own policies."""

    def __init__(self, statements: Sequence[Properties]) -> None:
        self.statements = statements
        self._allows = [each for each in statements if each["Effect"] == "Allow"]
        self._denies = [each for each in statements if each["Effect"] == "Deny"]

    def allows(self, request: Request) -> bool:
        """Return whether IAM lets the function make a request."""
        if any(_covers(each, request) for each in self._denies):
            return False
        return any(_covers(each, request) for each in self._allows)

    def rights(self) -> Iterator[tuple[Right, "Role"]]:
        """Yield each right, and the role that is left without it."""
        for index, statement in enumerate(self.statements):
            if statement["Effect"] != "Allow":
                continue
            for action in as_list(statement["Action"]):
                for resource in as_list(statement["Resource"]):
                    rest = _without(statement, action, resource)
                    left = [*self.statements[:index], *rest, *self.statements[index + 1 :]]
                    yield Right(action, name_of(resource)), Role(left)


def roles(template: Template) -> dict[str, Role]:
    """Return the role of each function, by the function's logical id."""
    return {function: Role(template.statements(function)) for function in template.functions()}


def name_of(resource: Any) -> str:
    """Return a resource of a statement as requests name it."""
    name = named(resource)
    return name if "$" in name or "*" in name else f"${{{name}.Arn}}"


def _without(statement: Properties, action: str, resource: Any) -> list[Properties]:
    """Return statements that allow the same but for one action on one resource."""
    actions, resources = as_list(statement["Action"]), as_list(statement["Resource"])
    others = [each for each in actions if each != action]
    elsewhere = [each for each in resources if each != resource]
    kept = [{**statement, "Action": others}] if others else []
    return kept + ([{**statement, "Action": action, "Resource": elsewhere}] if elsewhere else [])


def _covers(statement: Properties, request: Request) -> bool:
    if not any(_matches(action)(request.action) for action in as_list(statement["Action"])):
        return False
    if "NotResource" in statement:
        if _is_one_of(statement["NotResource"], request.resource):
            return False
    elif not _is_one_of(statement["Resource"], request.resource):
        return False
    return all(
        _OPERATORS[operator](dict(request.context).get(key), as_list(wanted))
        for operator, keys in statement.get("Condition", {}).items()
        for key, wanted in keys.items()
    )


def _is_one_of(resources: Any, resource: str) -> bool:
    return any(_matches(name_of(each))(resource) for each in as_list(resources))


def _equals(found: str | None, wanted: Iterable[Any]) -> bool:
    return found is not None and found in {_value(each) for each in wanted}


def _is_like(found: str | None, wanted: Iterable[Any]) -> bool:
    return found is not None and any(_matches(_value(each))(found) for each in wanted)


_OPERATORS: dict[str, Callable[[str | None, Iterable[Any]], bool]] = {
    "StringEquals": _equals,
    "StringLike": _is_like,
}
"""A key that the request does not have matches nothing."""


def _value(wanted: Any) -> str:
    return f"${{{wanted['Ref']}}}" if isinstance(wanted, dict) else str(wanted)


@cache
def _matches(pattern: str) -> Callable[[str], Any]:
    """Return whether a text matches a pattern of IAM: `*` for any text, `?` for one character."""
    parts = (re.escape(part).replace(r"\?", ".") for part in pattern.split("*"))
    return re.compile(".*".join(parts), re.DOTALL).fullmatch
