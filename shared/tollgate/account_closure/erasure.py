"""The erasure of an account's data. Each step deletes the remaining data, so a step can be repeated."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tollgate.account_closure.repository import MAX_ROWS, ErasureRepository, ErasureUnfinishedError, pseudonym
from tollgate.account_closure.user_pool import UserPool
from tollgate.artifacts.results import Results
from tollgate.artifacts.uploads import folder_of
from tollgate.audit.events import SERVICE, Action
from tollgate.audit.repository import AuditLog
from tollgate.kit.clock import Clock
from tollgate.low_balance.repository import LowBalanceRepository
from tollgate.members.repository import IdentityRepository, TeamRepository
from tollgate.members.team import Team
from tollgate.payments.client import forget_customer
from tollgate.payments.secret import StripeKeys
from tollgate.scim.repository import DirectoryRepository

if TYPE_CHECKING:
    from types_boto3_s3 import S3Client

RESPONSES = "responses"
# Pages of S3's list, of 1 000 objects each, that one run deletes for a prefix.
MAX_PAGES = 10


@dataclass(frozen=True, slots=True)
class Erasure:
    """Erases the data of one account. Its files are in the S3 bucket `bucket`.

    `pool` is the user pool of the sign-in, or `None` for a service on one machine.
    """

    rows: ErasureRepository
    teams: TeamRepository
    people: IdentityRepository
    directories: DirectoryRepository
    low_balances: LowBalanceRepository
    results: Results
    s3: "S3Client"
    bucket: str
    pool: UserPool | None
    stripe: Callable[[], StripeKeys | None]
    audit: AuditLog
    clock: Clock

    def steps(self, team: Team) -> list[Callable[[], None]]:
        """Return the steps in their order.

        The team's row and its members are deleted last, because a repeat needs them to find the other data.
        """
        account_id = team.account_id
        return [
            lambda: self.rows.end_account(account_id, self.clock.now_ms()),
            lambda: self._tasks(account_id),
            lambda: self._files(folder_of(account_id)),
            lambda: self._files(f"{RESPONSES}/{account_id}/"),
            lambda: self.rows.delete_responses(account_id),
            lambda: self.rows.delete_deliveries(account_id),
            lambda: self.rows.delete_usage(account_id),
            lambda: self.rows.delete_budgets(account_id),
            lambda: self._card(account_id),
            lambda: self.rows.delete_low_balance(account_id),
            lambda: self.rows.scrub_keys(account_id),
            lambda: self._closed(account_id),
            lambda: self.rows.scrub_audit(account_id),
            lambda: self.directories.delete(account_id),
            lambda: self._people(team),
            lambda: self.teams.delete(account_id),
        ]

    def _tasks(self, account_id: str) -> None:
        """Delete each task after its files, because the files are found by the task's id."""
        found = self.rows.task_ids(account_id)
        for task_id in found:
            self.results.delete(task_id)
            self.rows.delete_task(task_id)
        if len(found) == MAX_ROWS:
            raise ErasureUnfinishedError("tasks")

    def _files(self, prefix: str) -> None:
        for _ in range(MAX_PAGES):
            page = self.s3.list_objects_v2(Bucket=self.bucket, Prefix=prefix)
            keys = [one["Key"] for one in page.get("Contents", [])]
            if not keys:
                return
            done = self.s3.delete_objects(
                Bucket=self.bucket, Delete={"Objects": [{"Key": key} for key in keys], "Quiet": True}
            )
            # S3 reports objects that it did not delete in a response with status 200.
            if done.get("Errors"):
                raise ErasureUnfinishedError(prefix)
        raise ErasureUnfinishedError(prefix)

    def _card(self, account_id: str) -> None:
        """Delete the saved card at Stripe, before the row with its customer id is deleted."""
        customer, keys = self.low_balances.get(account_id).customer, self.stripe()
        if customer is not None and keys is not None:
            forget_customer(keys, customer)

    def _closed(self, account_id: str) -> None:
        """Record the closure in the audit log, once for all repeats."""
        newest = self.audit.page(account_id).rows
        if not any(event.action is Action.CLOSED for event in newest):
            self.audit.write(account_id, SERVICE, Action.CLOSED, "Account")

    def _people(self, team: Team) -> None:
        for one in team.invitations:
            self.people.forget_invitation(one.email, team.account_id)
        name = pseudonym(team.account_id, "account")
        for member in team.members:
            self.people.forget(member.identity_id, team.account_id, name)
            # After the row's change: a person with another account can still sign in
            if self.pool is not None and not self.people.get(member.identity_id).accounts:
                self.pool.delete(member.identity_id)
