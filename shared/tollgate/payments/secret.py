"""Stripe's keys: one JSON secret, `{"secretKey": "sk_…", "webhookSecret": "whsec_…"}`; `{}` for none.

`baseUrl` is for a substitute for Stripe's server.
"""

import json
from collections.abc import Callable

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr

from tollgate.kit.cache import CachedValue
from tollgate.kit.clock import MS_PER_S, Clock

# A changed secret is in use at most this much later.
REFRESH_MS = 300 * MS_PER_S
# Characters that a header can carry: a line break would fail every call, with the key in the error.
_KEY = r"^[\x21-\x7e]+$"


class StripeKeys(BaseModel):
    """The keys for requests to Stripe and for the verification of its events."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True, hide_input_in_errors=True)

    secret_key: str = Field(alias="secretKey", pattern=_KEY, repr=False)
    webhook_secret: str = Field(alias="webhookSecret", pattern=_KEY, repr=False)
    base_url: str | None = Field(default=None, alias="baseUrl")
    _has_tax: bool = PrivateAttr(default=False)

    @property
    def has_tax(self) -> bool:
        """Return whether Stripe Tax adds the tax to each payment (the template's `StripeTax`)."""
        return self._has_tax

    def with_tax(self, has_tax: bool) -> "StripeKeys":
        """Return the same keys with the setting of Stripe Tax."""
        found = self.model_copy()
        found._has_tax = has_tax
        return found

    @property
    def is_live(self) -> bool:
        """Return whether real cards are charged: `sk_live_…`, or `rk_live_…` of a restricted key."""
        return self.secret_key[2:].startswith("_live_")


def read_keys(secret: str) -> StripeKeys | None:
    """Return the keys in a secret's text, if any. Raises pydantic's `ValidationError`, without them."""
    return None if json.loads(secret) == {} else StripeKeys.model_validate_json(secret)


class StripeKeySource:
    """Stripe's keys, read when they are first needed and cached; with `report` as in `CachedValue`."""

    def __init__(
        self,
        read_secret: Callable[[], str],
        clock: Clock,
        report: Callable[[Exception], None] | None = None,
        *,
        has_tax: bool = False,
    ) -> None:
        def read() -> StripeKeys | None:
            keys = read_keys(read_secret())
            return None if keys is None else keys.with_tax(has_tax)

        self._keys = CachedValue(read, REFRESH_MS, clock, report)

    def keys(self) -> StripeKeys | None:
        """Return the keys, or `None` if this service takes no payments. Raises as `read_keys` does."""
        return self._keys.get()
