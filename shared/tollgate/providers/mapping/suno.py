"""Suno at relays: the contract's music actions as tables. Each relay has its own targets for them. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tollgate.providers.mapping.fields import FieldMap
from tollgate.providers.mapping.images import CannotMapError
from tollgate.providers.mapping.targets import accept_only, ignored

# The fields of every action.
ANYWAY: FieldMap = {
    "action": ignored,
    # The profile sets these defaults for every action. Other values request something that the action lacks.
    "aspectRatio": accept_only("9:16"),
    "quality": accept_only("compact"),
    "stemType": accept_only("lead_vocal"),
    "keepPitch": accept_only(True),
}
# The fields of an action without a music model and without vocals.
WITHOUT_ENGINE: FieldMap = {**ANYWAY, "mv": ignored, "instrumental": accept_only(False)}


@dataclass(frozen=True, slots=True)
class Action:
    """An action: its targets, the required names in its body, and the switch for the customer's choices."""

    words: FieldMap
    needs: tuple[str, ...] = ()
    switch: str | None = None

    def check(self, name: str, body: Mapping[str, Any]) -> None:
        """Raise `CannotMapError` if the body of the action `name` lacks a required name."""
        if missing := [needed for needed in self.needs if needed not in body]:
            raise CannotMapError(f"{name} needs {', '.join(missing)}")
