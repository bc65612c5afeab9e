"""Operators' actions on providers: show their health, switch one off or on.

A provider of generations and of text has one switch. The breaker is only of generations.
"""

from collections.abc import Container, Sequence
from dataclasses import dataclass
from typing import Any

from tollgate.audit.events import EVERYBODY, Action
from tollgate.catalog.loader import AnyModel
from tollgate.catalog.refresh import LiveCatalog
from tollgate.catalog.text_models import CatalogTextModel
from tollgate.kit.clock import Clock, iso
from tollgate.operator.console import OperatorConsole
from tollgate.operator.errors import OperatorError, checked_reason
from tollgate.providers.runtime.accounts import accounts, media_accounts, text_accounts
from tollgate.providers.runtime.health import Health
from tollgate.providers.runtime.health_store import ProviderHealthStore

KNOWN = tuple(sorted(accounts()))


@dataclass(frozen=True, kw_only=True, slots=True)
class ProviderConsole(OperatorConsole):
    """Shows providers to operators, and switches them. `live` contains the providers with a key."""

    health: ProviderHealthStore
    catalog: LiveCatalog
    live: frozenset[str]
    clock: Clock

    def media_rows(self) -> list[dict[str, Any]]:
        """Return the rows of media providers, and of the routes of media models."""
        return self._rows_of(media_accounts(), is_text=False)

    def text_rows(self) -> list[dict[str, Any]]:
        """Return the rows of text providers, and of the routes of text models."""
        return self._rows_of(text_accounts(), is_text=True)

    def _rows_of(self, providers: Container[str], *, is_text: bool) -> list[dict[str, Any]]:
        catalog, found = self.catalog.catalog(), []
        for row in self.rows():
            provider, _, model_id = row["provider"].partition("/")
            model = catalog.find_by_id(model_id) if model_id else None
            if provider in providers and (model is None or isinstance(model, CatalogTextModel) is is_text):
                found.append(row)
        return found

    def rows(self) -> list[dict[str, Any]]:
        """Return the health of all providers; a route of one model is `provider/model`."""
        health, now_ms = self.health.health(), self.clock.now_ms()
        return [
            provider_row(
                name, health.get(name, Health()), now_ms, is_live=name.partition("/")[0] in self.live
            )
            for name in sorted({*KNOWN, *health})
        ]

    def switch(self, provider: str, model: str | None, reason: str, *, disabled: bool) -> str:
        """Switch a provider, or its route of one model; return the switched name. Raises `OperatorError`."""
        name, why = self.check(provider, model, reason), checked_reason(reason)
        words = f"{'off' if disabled else 'on'}: {why}"
        noted = self.audit.note(EVERYBODY, self.who, Action.PROVIDER_SWITCHED, name, words)
        self.health.switch(name, noted, disabled=disabled, reason=why)
        return name

    def check(self, provider: str, model: str | None, reason: str) -> str:
        """Return the name that `switch` would switch. Raises `OperatorError` if it does not exist."""
        if provider not in KNOWN:
            raise OperatorError(
                "There is no provider {provider}. Choose one of: {known}.",
                provider=provider,
                known=", ".join(KNOWN),
            )
        checked_reason(reason)
        if model is None:
            return provider
        models: Sequence[AnyModel] = self.catalog.catalog().all_models()
        of_provider = [each.id for each in models if any(route.provider == provider for route in each.routes)]
        # Without this check, a wrong name would appear as switched off but have no effect.
        if model not in of_provider:
            known = ", ".join(of_provider) or "none"
            raise OperatorError(
                "{provider} has no route for {model}. It has live routes for: {known}.",
                provider=provider,
                model=model,
                known=known,
            )
        return f"{provider}/{model}"


def provider_row(name: str, health: Health, now_ms: int, *, is_live: bool) -> dict[str, Any]:
    """Return the health of a provider or a route as one row. Pure."""
    breaker = "open" if health.is_open_at(now_ms) else "half-open" if health.tripped else "closed"
    return {
        "provider": name,
        "live": is_live,
        "breaker": breaker,
        "failures": health.failures,
        "openUntil": iso(health.open_until_ms) if breaker == "open" else None,
        "disabled": health.disabled,
        "reason": health.reason,
    }
