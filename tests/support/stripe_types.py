"""Objects of Stripe beside the types of its own library, which are made from its OpenAPI document."""

import builtins
import sys
from collections.abc import Iterator, Mapping
from types import NoneType, UnionType
from typing import Any, ClassVar, Literal, Union, get_args, get_origin, get_type_hints

import stripe
from stripe import StripeObject


def misfits(found: Any, kind: Any, path: str = "") -> Iterator[str]:
    """Yield where a JSON value is not of a type of Stripe's library: an unknown field, one that is missing, a
    value of another type or none of those that are named.
    """
    kinds = _kinds(kind)
    if not kinds or Any in kinds or (found is None and NoneType in kinds):
        return
    if isinstance(found, dict):
        objects = [one for one in kinds if isinstance(one, type) and issubclass(one, StripeObject)]
        named = [one for one in objects if getattr(one, "OBJECT_NAME", None) in (None, found.get("object"))]
        # Metadata, and what an event is about.
        is_open = any(issubclass(get_origin(one) or type(None), (dict, StripeObject)) for one in kinds)
        if not named and not is_open:
            yield f"{path}: is an object"
        for one in named[:1]:
            yield from _object_misfits(found, one, path)
    elif isinstance(found, list):
        (of,) = [get_args(one)[0] for one in kinds if get_origin(one) is list]
        for number, each in enumerate(found):
            yield from misfits(each, of, f"{path}/{number}")
    elif not any(_is(found, one) for one in kinds):
        yield f"{path}: {found!r}"


def _object_misfits(found: Mapping[str, Any], kind: type, path: str) -> Iterator[str]:
    fields = _fields(kind)
    if not fields:
        return
    yield from (f"{path}/{name}: unknown" for name in found.keys() - fields.keys())
    for name, of in fields.items():
        if name in found:
            yield from misfits(found[name], of, f"{path}/{name}")
        elif NoneType not in _kinds(of):
            yield f"{path}/{name}: missing"


def _fields(kind: type) -> dict[str, Any]:
    names = _Names(vars(sys.modules[kind.__module__]) | vars(kind))
    holder = type("Holder", (), {"__annotations__": vars(kind).get("__annotations__", {})})
    hints = get_type_hints(holder, {}, names)  # type: ignore[arg-type,unused-ignore]
    return {name: of for name, of in hints.items() if get_origin(of) is not ClassVar}


class _Names(dict[str, Any]):
    """The names of a module, and those that it imports for type checkers alone."""

    def __missing__(self, name: str) -> Any:
        # A few have another name there: of those nothing is known.
        return getattr(stripe, name, getattr(builtins, name, Any))


def _kinds(kind: Any) -> list[Any]:
    if get_origin(kind) in (Union, UnionType):
        return [each for one in get_args(kind) for each in _kinds(one)]
    return [kind]


def _is(found: Any, kind: Any) -> bool:
    if get_origin(kind) is Literal:
        return found in get_args(kind)
    return isinstance(kind, type) and type(found) is kind
