"""The secrets that sign an account's webhooks, and their rotation. Pure.

Two are live during a rotation: each attempt carries a signature of both (Standard Webhooks), so a receiver
can verify with the old secret until it has the new one.
"""

import secrets
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NotRequired

from tollgate.accounts.errors import RotationInProgressError
from tollgate.kit.clock import MS_PER_S, iso
from tollgate.kit.dynamodb.rows import Item
from tollgate.kit.response_shapes import Shape, Timestamp

PREFIX = "whsec_"
# Standard Webhooks requires 24 to 64 bytes.
SECRET_BYTES = 32
SHOWN_CHARACTERS = 4


class SecretView(Shape):
    """A secret that signs webhooks."""

    secret: str
    masked: str
    createdAt: Timestamp
    expiresAt: NotRequired[Timestamp]


class WebhookSecretsView(Shape):
    """The secrets that sign now, newest first."""

    secrets: list[SecretView]


@dataclass(frozen=True, slots=True)
class WebhookSecret:
    """A secret `whsec_…` of Standard Webhooks.

    Without `expires_at_ms` it is the current one. A replaced one signs beside it until then.
    """

    text: str
    created_at_ms: int
    expires_at_ms: int | None = None

    def live_at(self, now_ms: int) -> bool:
        """Return whether it signs at `now_ms`."""
        return self.expires_at_ms is None or now_ms < self.expires_at_ms

    @property
    def masked(self) -> str:
        """Return a short form that distinguishes it from other secrets and verifies nothing."""
        return self.text[: len(PREFIX) + SHOWN_CHARACTERS] + "…"

    def view(self) -> SecretView:
        """Return the secret as its owner sees it."""
        shown: SecretView = {
            "secret": self.text,
            "masked": self.masked,
            "createdAt": iso(self.created_at_ms),
        }
        if self.expires_at_ms is not None:
            shown["expiresAt"] = iso(self.expires_at_ms)
        return shown

    def to_item(self) -> Item:
        """Return the secret as it stands in the account's row."""
        return {
            "secret": self.text,
            "created_at_ms": self.created_at_ms,
            "expires_at_ms": self.expires_at_ms,
        }

    @classmethod
    def from_item(cls, item: Item | str, account_created_at_ms: int) -> "WebhookSecret":
        """Return the secret that a row holds; a bare string is the account's first secret."""
        if isinstance(item, str):
            return cls(item, account_created_at_ms)
        return cls(item["secret"], item["created_at_ms"], item["expires_at_ms"])


def new_webhook_secret(now_ms: int) -> WebhookSecret:
    """Generate a secret with the system's random generator."""
    return WebhookSecret(PREFIX + b64encode(secrets.token_bytes(SECRET_BYTES)).decode(), now_ms)


def live_secrets(known: Sequence[WebhookSecret], now_ms: int) -> tuple[WebhookSecret, ...]:
    """Return the secrets that sign at `now_ms`, the newest first."""
    return tuple(secret for secret in known if secret.live_at(now_ms))


def rotated(
    known: Sequence[WebhookSecret], fresh: WebhookSecret, overlap_s: int, now_ms: int
) -> tuple[WebhookSecret, ...]:
    """Return the secrets with `fresh` as the current one; the previous one stays valid for `overlap_s`.

    Raises `RotationInProgressError` while an earlier rotation's old secret is valid, because a third secret
    would end it early. An overlap of 0 ends all old secrets at once, regardless of earlier overlaps.
    """
    current, *leaving = live_secrets(known, now_ms)
    if overlap_s == 0:
        return (fresh,)
    if leaving:
        raise RotationInProgressError(iso(max(secret.expires_at_ms or 0 for secret in leaving)))
    return (fresh, replace(current, expires_at_ms=now_ms + overlap_s * MS_PER_S))
