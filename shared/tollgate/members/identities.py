"""From a person who signed in to an account; the first sign-in creates it."""

from contextlib import suppress
from dataclasses import dataclass

from tollgate.accounts.service import new_account
from tollgate.kit.clock import Clock
from tollgate.ledger.crediting import AlreadyPostedError
from tollgate.ledger.entries import Entry, EntryKind
from tollgate.ledger.repository import LedgerRepository
from tollgate.members.repository import AlreadyKnownError, IdentityRepository, StaleTeamError, TeamRepository
from tollgate.members.team import founded

# A person of Cognito's user pool, by their subject there.
COGNITO = "cognito#"
# The group of the pool whose members operate the service (template.yaml, OperatorsGroup).
OPERATORS = "operators"
# The same for every account, so an account is welcomed once.
WELCOME_ENTRY = "credit_welcome"


@dataclass(frozen=True, slots=True)
class Person:
    """A person who signed in: an id that never changes (`cognito#<sub>`), and a name.

    `email` is an address that the sign-in has proven. Operators find accounts by it, so no unproven
    address is accepted. `is_operator` is true for operators of this service.
    """

    identity_id: str
    name: str
    email: str | None = None
    is_operator: bool = False


@dataclass(frozen=True, slots=True)
class Identities:
    """Finds the account of a person."""

    identities: IdentityRepository
    teams: TeamRepository
    ledger: LedgerRepository
    clock: Clock

    def account_of(self, person: Person) -> str:
        """Return the id of the person's first account; creates it if they have none."""
        account_id = self.identities.account_id(person.identity_id)
        if account_id is None:
            account_id = self._made(person)
        elif self.teams.get(account_id).seq == 0:
            self._founded(person, account_id)
        if person.email is not None:
            self.identities.note_email(person.identity_id, account_id, person.email)
        return account_id

    def _made(self, person: Person) -> str:
        account = new_account(self.clock.now_ms())
        team = self.teams.new_team(account.account_id, person.identity_id, account.created_at_ms)
        try:
            self.identities.make(person.identity_id, account, team)
        except AlreadyKnownError as exc:
            return exc.account_id
        return account.account_id

    def _founded(self, person: Person, account_id: str) -> None:
        """Make the one person of an account that is older than memberships its owner."""
        team = self.teams.get(account_id)
        # Another sign-in at the same moment may have done it.
        with suppress(StaleTeamError):
            self.teams.save(team, founded(account_id, person.identity_id, self.clock.now_ms()))

    def welcome(self, account_id: str, credit_micro_usd: int) -> None:
        """Put `credit_micro_usd` on an account, the first time this is called for it."""
        entry = Entry(account_id, WELCOME_ENTRY, EntryKind.CREDIT, credit_micro_usd, self.clock.now_ms())
        with suppress(AlreadyPostedError):
            self.ledger.credit(entry)
