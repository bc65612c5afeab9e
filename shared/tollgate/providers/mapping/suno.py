"""Suno at relays: the contract's music actions as tables. Each relay has its own words for them. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tollgate.providers.mapping.fields import FieldMap
from tollgate.providers.mapping.images import CannotMapError
from tollgate.providers.mapping.targets import accept_only, ignored

# What an input of any action has.
ANYWAY: FieldMap = {
    "action": ignored,
    # The profile gives these to every action; said otherwise, they ask for what the action has not.
    "aspectRatio": accept_only("9:16"),
    "quality": accept_only("compact"),
    "stemType": accept_only("lead_vocal"),
    "keepPitch": accept_only(True),
}
# The same of an action that no engine makes and no voice sings.
WITHOUT_ENGINE: FieldMap = {**ANYWAY, "mv": ignored, "instrumental": accept_only(False)}


@dataclass(frozen=True, slots=True)
class Action:
    """An action's words, what its body must have, and the name of its switch to the customer's choices."""

    words: FieldMap
    needs: tuple[str, ...] = ()
    switch: str | None = None

    def check(self, name: str, body: Mapping[str, Any]) -> None:
        """Raise `CannotMapError` where the body of the action `name` lacks what it must have."""
        if missing := [needed for needed in self.needs if needed not in body]:
            raise CannotMapError(f"{name} needs {', '.join(missing)}")
