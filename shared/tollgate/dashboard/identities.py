"""From a person who signed in to an account; the first sign-in makes it."""

from contextlib import suppress
from dataclasses import dataclass

from tollgate.accounts.service import new_account
from tollgate.dashboard.repository import AlreadyKnownError, IdentityRepository
from tollgate.kit.clock import Clock
from tollgate.ledger.entries import Entry, EntryKind
from tollgate.ledger.repository import AlreadyPostedError, LedgerRepository

# The same for every account, so an account is welcomed once.
WELCOME_ENTRY = "credit_welcome"


@dataclass(frozen=True, slots=True)
class Person:
    """Who signed in: an id that never changes (`cognito#<sub>`), and what to call them.

    `email` is an address that the sign-in has proven theirs; operators find their account by it, so no other
    will do. `is_operator` says whether they operate this service.
    """

    identity_id: str
    name: str
    email: str | None = None
    is_operator: bool = False


@dataclass(frozen=True, slots=True)
class Identities:
    """Finds the account of a person."""

    identities: IdentityRepository
    ledger: LedgerRepository
    clock: Clock

    def account_of(self, person: Person) -> str:
        """Return the id of the person's account, made now if this is their first sign-in."""
        account_id = self.identities.account_id(person.identity_id) or self._made(person)
        if person.email is not None:
            self.identities.note_email(person.identity_id, account_id, person.email)
        return account_id

    def _made(self, person: Person) -> str:
        account = new_account(self.clock.now_ms())
        try:
            self.identities.make(person.identity_id, account)
        except AlreadyKnownError as exc:
            return exc.account_id
        return account.account_id

    def welcome(self, account_id: str, credit_micro_usd: int) -> None:
        """Put `credit_micro_usd` on an account, the first time this is called for it."""
        entry = Entry(account_id, WELCOME_ENTRY, EntryKind.CREDIT, credit_micro_usd, self.clock.now_ms())
        with suppress(AlreadyPostedError):
            self.ledger.credit(entry)
