"""Suno at relays: the contract's music actions as tables. Each relay has its own words for them. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tollgate.providers.fields import Words, meaningless, only
from tollgate.providers.images import CannotMapError

ANYWAY: Words = {
    "action": meaningless,
    # The profile gives these to every action; said otherwise, they ask for what the action has not.
    "aspectRatio": only("9:16"),
    "quality": only("compact"),
    "stemType": only("lead_vocal"),
    "keepPitch": only(True),
}
"""What an input of any action has."""
WITHOUT_ENGINE: Words = {**ANYWAY, "mv": meaningless, "instrumental": only(False)}
"""The same of an action that no engine makes and no voice sings."""


@dataclass(frozen=True, slots=True)
class Action:
    """An action's words, what its body must have, and the name of its switch to the customer's choices."""

    words: Words
    needs: tuple[str, ...] = ()
    switch: str | None = None

    def check(self, name: str, body: Mapping[str, Any]) -> None:
        """Raise `CannotMapError` where the body of the action `name` lacks what it must have."""
        if missing := [needed for needed in self.needs if needed not in body]:
            raise CannotMapError(f"{name} needs {', '.join(missing)}")
