"""The form of a routing policy: from the sent fields to the body that the services take. Pure.

Source of the fields: site/routing.md#policies.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from tollgate.routing.wishes import PRICES

# The form has no place for these, so they stay.
KEPT = ("order", "require_parameters", "sort")
_ON = "on"


def policy_body(
    sent: Mapping[str, str], only: Sequence[str], ignore: Sequence[str], current: Mapping[str, Any] | None
) -> dict[str, Any]:
    """Return the policy in the sent fields; empty if they bound nothing.

    `only` and `ignore` are the chosen providers, and `current` is the policy before the change. The services
    check the values.
    """
    prices = {name: sent[name].strip().replace(",", ".") for name in PRICES if sent.get(name, "").strip()}
    body: dict[str, Any] = {name: value for name, value in (current or {}).items() if name in KEPT}
    body |= {name: list(some) for name, some in (("only", only), ("ignore", ignore)) if some}
    body |= {"zdr": True} if sent.get("zdr") == _ON else {}
    body |= {"data_collection": "deny"} if sent.get("data_collection") == _ON else {}
    return {**body, "max_price": prices} if prices else body
