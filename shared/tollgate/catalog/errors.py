"""Faults of the catalog itself. No customer causes one; each is a 500 with its reason in the log."""

from collections.abc import Mapping


class CatalogError(Exception):
    """The catalog's data breaks its own rules; the message names file, model and field."""


class RefusedDocumentError(CatalogError):
    """A document that must not be used; `faults` has every reason."""

    def __init__(self, faults: list[str]) -> None:
        super().__init__(f"{faults[0]} ({len(faults)} faults)" if len(faults) > 1 else faults[0])
        self.faults = faults


class UnknownPriceError(Exception):
    """No price, or more than one, fits an accepted input: the request is refused, never guessed."""

    def __init__(self, model_id: str, reason: str, facts: Mapping[str, str]) -> None:
        super().__init__(f"{model_id}: {reason} for {dict(facts)}")
        self.model_id = model_id
        self.reason = reason
        self.facts = facts
