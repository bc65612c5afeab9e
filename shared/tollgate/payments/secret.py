"""Stripe's keys: one JSON secret, `{"secretKey": "sk_…", "webhookSecret": "whsec_…"}`; `{}` for none.

`baseUrl` is for a server that stands in for Stripe's.
"""

import json
from collections.abc import Callable

from pydantic import BaseModel, ConfigDict, Field

from tollgate.kit.clock import MS_PER_S, Clock
from tollgate.kit.remembered import Remembered

# A changed secret is in use at most this much later.
REFRESH_MS = 300 * MS_PER_S
# What a header can carry: a line break at its end would fail every call, with the key in the error.
_KEY = r"^[\x21-\x7e]+$"


class StripeKeys(BaseModel):
    """What is needed to ask Stripe for a payment, and to trust what it tells of one."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True, hide_input_in_errors=True)

    secret_key: str = Field(alias="secretKey", pattern=_KEY, repr=False)
    webhook_secret: str = Field(alias="webhookSecret", pattern=_KEY, repr=False)
    base_url: str | None = Field(default=None, alias="baseUrl")

    @property
    def is_live(self) -> bool:
        """Return whether real cards are charged: `sk_live_…`, or `rk_live_…` of a restricted key."""
        return self.secret_key[2:].startswith("_live_")


def read_keys(secret: str) -> StripeKeys | None:
    """The keys in a secret's text, if it has any. Raises pydantic's `ValidationError`, without them."""
    return None if json.loads(secret) == {} else StripeKeys.model_validate_json(secret)


class StripeKeySource:
    """Stripe's keys, read when they are first needed and remembered for a while."""

    def __init__(self, read_secret: Callable[[], str], clock: Clock) -> None:
        self._keys = Remembered(lambda: read_keys(read_secret()), REFRESH_MS, clock)

    def keys(self) -> StripeKeys | None:
        """Return the keys, or `None` where this service takes no payments. Raises as `read_keys` does."""
        return self._keys.get()
