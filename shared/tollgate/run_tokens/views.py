"""Run tokens as the API shows them. Pure."""

from enum import StrEnum
from typing import Annotated, NotRequired

from tollgate.kit.clock import iso
from tollgate.kit.money import cents_down, cents_up
from tollgate.kit.response_shapes import Cents, Keywords, Shape, Timestamp
from tollgate.ledger.attribution import USER
from tollgate.ledger.runs import Run


class RunTokenState(StrEnum):
    """Whether a run token still works."""

    ACTIVE = "active"  # It works until it expires, and pays until its limit.
    EXPIRED = "expired"  # Its time is over.
    REVOKED = "revoked"  # It was ended by a request.


class RunTokenView(Shape):
    """A run token, without the token itself."""

    id: str
    name: str
    state: RunTokenState
    maxCostCents: Cents
    spentCents: Cents
    """With open reservations of running text requests; rounded up."""
    spentMicroUsd: int
    leftCents: Cents
    models: list[str] | None
    """Model ids; null for all models of the key."""
    tags: Annotated[dict[str, str], Keywords(description="Added to each request; `user` is the end user.")]
    keyId: str
    """The key that created it."""
    webhook: str | None
    """Called at 50, 80 and 100 percent."""
    createdAt: Timestamp
    expiresAt: Timestamp
    revokedAt: Timestamp | None


class RunTokenWithSecretView(RunTokenView):
    """A new run token."""

    token: str
    """The token itself, used as an API key. Only this response contains it."""


class RunTokenPageView(Shape):
    """A page of run tokens, the newest first."""

    tokens: list[RunTokenView]
    cursor: NotRequired[str]
    """Missing on the last page."""


def view_of(run: Run, now_ms: int) -> RunTokenView:
    """Return a run token as it is at `now_ms`."""
    limit, spent = run.terms.limit_micro_usd, run.spent_micro_usd
    labels = run.terms.labels
    return {
        "id": run.token_id,
        "name": run.name,
        "state": _state(run, now_ms),
        "maxCostCents": cents_down(limit),
        "spentCents": cents_up(spent),
        "spentMicroUsd": spent,
        "leftCents": cents_down(max(limit - spent, 0)),
        "models": None if run.models is None else sorted(run.models),
        "tags": {**labels.tags, USER: labels.user} if labels.user else dict(labels.tags),
        "keyId": run.terms.key_id,
        "webhook": run.webhook,
        "createdAt": iso(run.created_at_ms),
        "expiresAt": iso(run.expires_at_ms),
        "revokedAt": None if run.revoked_at_ms is None else iso(run.revoked_at_ms),
    }


def _state(run: Run, now_ms: int) -> RunTokenState:
    if run.revoked_at_ms is not None:
        return RunTokenState.REVOKED
    return RunTokenState.ACTIVE if now_ms < run.expires_at_ms else RunTokenState.EXPIRED
