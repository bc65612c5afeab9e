"""Sign-ins that were refused, where it is known whose account they were about: one line an hour for each."""

from dataclasses import dataclass

from tollgate.audit.events import Action
from tollgate.audit.repository import OnceLog
from tollgate.kit.clock import MS_PER_S, Clock

# However many are refused in this time, an account has one line of it: a flood of guesses fills no log.
WINDOW_MS = 3_600 * MS_PER_S


@dataclass(frozen=True, slots=True)
class Refusals:
    """Notes the first refusal of an hour."""

    once: OnceLog
    clock: Clock

    def note(self, account_id: str, actor: str, subject: str, address: str | None = None) -> None:
        """Note that somebody was refused, unless that was noted in this hour already."""
        window = self.clock.now_ms() // WINDOW_MS
        origin = "" if address is None else f"from {address}; "
        detail = f"{origin}the first of this hour"
        action = Action.SIGN_IN_REFUSED
        self.once.note(account_id, f"{action}#{window}", action, subject, detail, actor=actor)
