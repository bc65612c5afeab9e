"""Starts and ends sessions, each with a line in the audit log."""

from dataclasses import dataclass

from tollgate.accounts.key_service import KeyService
from tollgate.accounts.keys import key_id_of
from tollgate.audit.events import Action
from tollgate.audit.refusals import Refusals
from tollgate.audit.repository import AuditLog
from tollgate.members.repository import IdentityRepository
from tollgate.members.service import Actor
from tollgate.web.browsers import browser_of
from tollgate.web.sessions import OPERATOR_MS, Place, SessionStore


@dataclass(frozen=True, slots=True)
class SignIns:
    """Starts and refuses sessions, and ends all sessions of a person. `address` is the caller's, if known."""

    sessions: SessionStore
    people: IdentityRepository
    keys: KeyService
    audit: AuditLog
    refusals: Refusals

    def begin(
        self,
        account_id: str,
        who: Actor,
        how: str,
        address: str | None,
        *,
        is_operator: bool = False,
        before: str | None = None,
        agent: str = "",
    ) -> str:
        """Return the id of a new session of a person in an account.

        The audit log records `how` they signed in. A session that continues the session `before` keeps the
        end of its operator access. `agent` is the browser's `User-Agent`.
        """
        until_ms = self.audit.clock.now_ms() + OPERATOR_MS if is_operator else 0
        if before is not None:
            until_ms = self.sessions.operator_until_ms(before)
        words = f"{how} (as an operator)" if until_ms else how
        detail = words if address is None else f"{words}; from {address}"
        noted = self.audit.note(account_id, who.name, Action.SIGNED_IN, "", detail)
        place = Place(*browser_of(agent), address or "")
        return self.sessions.begin(
            account_id, who.identity_id, noted, operator_until_ms=until_ms, place=place
        )

    def end_one(self, account_id: str, who: Actor, handle: str) -> bool:
        """End one session in a person's list, and return whether it is there."""
        noted = self.audit.note(account_id, who.name, Action.SESSION_ENDED, "")
        return self.sessions.end_listed(who.identity_id, handle, [noted])

    def key_refused(self, text: str, address: str | None) -> None:
        """Note a refused key in the log of the account that has a key with this id."""
        key_id = key_id_of(text)
        key = None if key_id is None else self.keys.keys.get(key_id)
        if key is not None:
            self.refusals.note(key.account_id, key.actor, "", address)

    def end_everywhere(self, account_id: str, who: Actor) -> None:
        """End all sessions of a person, and their chat keys, in all accounts.

        The keys are ended first, so that a session that is still open cannot create the same key again.
        """
        accounts = self.people.get(who.identity_id).accounts or (account_id,)
        for each in accounts:
            self.keys.end_chat(each, who.identity_id)
        action = Action.SIGNED_OUT_EVERYWHERE
        self.sessions.end_all(
            who.identity_id, [self.audit.note(each, who.name, action, "") for each in accounts]
        )
