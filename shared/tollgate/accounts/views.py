"""Accounts and API keys as the API shows them."""

from typing import Annotated, Literal, NotRequired, cast

from tollgate.accounts.scopes import Scope
from tollgate.kit.response_shapes import Cents, DecimalText, Keywords, Shape, Timestamp
from tollgate.ledger.caps import CapPeriod
from tollgate.routing.wishes import Sort, Wishes


class UserView(Shape):
    """The account of the key."""

    id: str
    balance: Cents
    createdAt: Timestamp


class EndingRequestView(Shape):
    """A stream that was asked to end."""

    requestId: str
    ending: Literal[True]


class CapView(Shape):
    """The spending cap of a key, and the amount spent in this period."""

    capCents: Cents
    per: CapPeriod
    spentCents: Cents
    resetsAt: Timestamp


class RoutingView(Shape):
    """Routing wishes that bound every request. Missing fields permit everything."""

    order: NotRequired[list[str]]
    only: NotRequired[list[str]]
    ignore: NotRequired[list[str]]
    require_parameters: NotRequired[bool]
    data_collection: NotRequired[Literal["deny"]]
    zdr: NotRequired[bool]
    max_price: NotRequired[dict[str, DecimalText]]
    sort: NotRequired[Sort]


class KeyView(Shape):
    """An API key, without the key itself."""

    id: str
    name: str
    prefix: str
    scopes: Annotated[list[Scope], Keywords(minItems=1)]
    createdAt: Timestamp
    expiresAt: Timestamp | None
    revokedAt: Timestamp | None
    lastUsedAt: Timestamp | None
    oldSecretEndsAt: Timestamp | None
    models: list[str] | None
    """Model ids; null for all."""
    networks: list[str] | None
    """For example 203.0.113.0/24 or 2001:db8::/32; null for all."""
    projectId: str | None
    cacheTtlS: int | None
    """How long responses are cached if a request does not say; null for no cache."""
    routing: RoutingView | None
    """The routing policy; null for none."""
    spendingCap: CapView | None
    """Null if there is no cap. Days and months are UTC."""


class KeysView(Shape):
    """The account's keys, the newest first."""

    keys: list[KeyView]


class KeyWithSecretView(KeyView):
    """A new key, or one with a new secret."""

    key: str
    """The whole key. Only this response contains it."""


def routing_view(wishes: Wishes) -> RoutingView:
    """Return a routing policy as the API shows it."""
    shown = wishes.to_item()
    shown.pop("across_models", None)
    return cast("RoutingView", shown)
