"""A page of items, in OpenAI's form. Pure.

Source: `openai.types.responses.input_item_list_params`, `openai.types.conversations.item_list_params`.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from tollgate.kit.errors import InvalidInputError
from tollgate.kit.numbers import digits
from tollgate.kit.problems import one_of
from tollgate.text.body.fields import invalid
from tollgate.text.responses.items import listed

# Items in a page: the most, and the default (OpenAI's bounds).
MAX_LISTED = 100
LISTED = 20


def check_page(query: Mapping[str, str]) -> None:
    """Raise `InvalidInputError` for a wrong limit or order."""
    _limit(query)
    _order(query)


def page_of(items: Sequence[Any], query: Mapping[str, str]) -> dict[str, Any]:
    """Return the page of items that a query names. Raises `InvalidInputError`."""
    limit, order = _limit(query), _order(query)
    found = listed(items)
    if order == "desc":
        found.reverse()
    ids = [item.get("id") for item in found]
    after = query.get("after")
    if after is not None and after not in ids:
        raise invalid("/after", "Must be the id of an item of this list.")
    rest = found if after is None else found[ids.index(after) + 1 :]
    return list_of(rest[:limit], has_more=len(rest) > limit)


def list_of(items: Sequence[Any], *, has_more: bool = False) -> dict[str, Any]:
    """Return items as a list object."""
    first_id, last_id = (items[0]["id"], items[-1]["id"]) if items else (None, None)
    ends = {"first_id": first_id, "last_id": last_id}
    return {"object": "list", "data": list(items), **ends, "has_more": has_more}


def _limit(query: Mapping[str, str]) -> int:
    limit = digits(query.get("limit", str(LISTED)), 1, MAX_LISTED)
    if limit is None:
        raise invalid("/limit", f"Must be a whole number from 1 to {MAX_LISTED}.")
    return limit


def _order(query: Mapping[str, str]) -> str:
    order = query.get("order", "desc")
    if order not in ("asc", "desc"):
        raise InvalidInputError([one_of("/order", ["asc", "desc"])])
    return order
