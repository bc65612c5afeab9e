"""Refused sign-ins of a known account: one event an hour for each account."""

from dataclasses import dataclass

from tollgate.audit.events import Action
from tollgate.audit.repository import OnceLog
from tollgate.kit.clock import MS_PER_S, Clock

# An account gets one event in this time, so that many guesses do not fill its log.
WINDOW_MS = 3_600 * MS_PER_S


@dataclass(frozen=True, slots=True)
class Refusals:
    """Notes the first refusal in an hour."""

    once: OnceLog
    clock: Clock

    def note(self, account_id: str, actor: str, subject: str, address: str | None = None) -> None:
        """Note a refused sign-in, unless this hour already has one."""
        window = self.clock.now_ms() // WINDOW_MS
        origin = "" if address is None else f"from {address}; "
        detail = f"{origin}the first of this hour"
        action = Action.SIGN_IN_REFUSED
        self.once.note(account_id, f"{action}#{window}", action, subject, detail, actor=actor)
