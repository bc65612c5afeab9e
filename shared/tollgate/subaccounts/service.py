"""A parent's management of its sub-accounts: create, show, change, transfer money, close."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tollgate.accounts.key_service import KeyService
from tollgate.accounts.models import ApiKey
from tollgate.accounts.repository import ApiKeyRepository
from tollgate.accounts.service import AccountService, new_account
from tollgate.audit.events import OWNER, Action
from tollgate.audit.repository import AuditLog
from tollgate.kit.clock import Clock
from tollgate.kit.dynamodb.writes import TransactWrite
from tollgate.kit.errors import ForbiddenError, IdempotencyKeyReusedError, InvalidInputError
from tollgate.kit.http.addresses import AddressGuard
from tollgate.kit.http.query import QueryReader, id_of
from tollgate.kit.ids import is_id
from tollgate.kit.money import dollars, micro_usd_of_cents
from tollgate.kit.problems import Problem
from tollgate.kit.retry import retry_change
from tollgate.ledger.budget_repository import BudgetRepository
from tollgate.ledger.budgets import NO_BUDGETS, StaleBudgetsError
from tollgate.ledger.errors import SubaccountClosedError
from tollgate.ledger.families import Transfer
from tollgate.ledger.family_repository import AlreadyTransferredError, FamilyRepository
from tollgate.ledger.repository import LedgerRepository
from tollgate.ledger.suspension import BEING_CLOSED
from tollgate.ledger.wallets import DEFAULT, StaleWalletsError
from tollgate.low_balance.repository import LowBalanceRepository, StaleLowBalanceError
from tollgate.low_balance.rules import LowBalanceState
from tollgate.members.repository import StaleTeamError, TeamRepository
from tollgate.members.team import AccountClosure
from tollgate.subaccounts.closing import ReturnOfRest
from tollgate.subaccounts.errors import SubaccountNotFoundError
from tollgate.subaccounts.repository import AlreadyCreatedError, SubaccountRepository
from tollgate.subaccounts.request import read_subaccount, read_transfer
from tollgate.subaccounts.views import (
    SUSPENDED_BY_PARENT,
    Subaccount,
    SubaccountPageView,
    SubaccountView,
    TransferView,
    transfer_view,
    view_of,
)
from tollgate.tasks.request import check_idempotency_key, request_hash
from tollgate.webhooks.receivers import check_host

PREFIX = "usr"
MAX_PAGE, DEFAULT_PAGE = 50, 20
# The subjects of errors when a change keeps failing, for `retry_change`.
_WHAT = "This sub-account is"


@dataclass(frozen=True, slots=True)
class SubaccountService:
    """Manages the sub-accounts of accounts. Each change is in the parent's audit log.

    `by` is the calling key; without one, the caller is the signed-in member `who`. A key manages no
    sub-accounts if it has a project or a spending cap, or is the value of a budget, because these would not
    limit it.
    """

    subaccounts: SubaccountRepository
    families: FamilyRepository
    ledger: LedgerRepository
    accounts: AccountService
    keys: ApiKeyRepository
    key_service: KeyService
    budgets: BudgetRepository
    low_balances: LowBalanceRepository
    teams: TeamRepository
    rest: ReturnOfRest
    audit: AuditLog
    guard: AddressGuard
    clock: Clock

    def page(self, parent: str, query: Mapping[str, str]) -> SubaccountPageView:
        """Return a page of sub-accounts, the newest first. Raises `InvalidInputError`."""
        reader = QueryReader(query, ("limit", "cursor"))
        limit = reader.limit(DEFAULT_PAGE, MAX_PAGE)
        before = reader.read("cursor", id_of(PREFIX), None, "Not a cursor of an earlier page.")
        reader.finish()
        found = self.subaccounts.page(parent, limit, before)
        shown: SubaccountPageView = {"subaccounts": self._views(found)}
        if len(found) == limit:
            shown["cursor"] = found[-1].child
        return shown

    def one(self, parent: str, child: str) -> SubaccountView:
        """Return a sub-account. Raises `SubaccountNotFoundError`."""
        return self._views([self._found(parent, child)])[0]

    def create(
        self,
        parent: str,
        body: Mapping[str, Any],
        idempotency_key: str | None = None,
        *,
        by: ApiKey | None,
        who: str = OWNER,
    ) -> SubaccountView:
        """Create a sub-account without money; a repeat with the same Idempotency-Key returns it.

        Raises `InvalidInputError`, `ForbiddenError`, `SubaccountLimitReachedError`, `AccountSuspendedError`,
        and `IdempotencyKeyReusedError` for another body.
        """
        self._check_control(by)
        check_idempotency_key(idempotency_key)
        fields = read_subaccount(body, self.guard, is_new=True)
        self._check_hook(fields)
        if self.accounts.me(parent).parent is not None:
            raise ForbiddenError(
                "A sub-account cannot have sub-accounts.", "Use a key of its parent account."
            )
        now_ms = self.clock.now_ms()
        account = replace(new_account(now_ms), parent=parent)
        made, body_hash = Subaccount(parent, account.account_id, fields["name"], now_ms), request_hash(body)
        budgets = replace(NO_BUDGETS, markup_percent=fields.get("markup_percent", 0))
        writes = [
            *self.subaccounts.opened(made, idempotency_key, body_hash),
            self.ledger.may_spend(parent),
            self.accounts.new_row(account, fields.get("limits", DEFAULT)),
            self.budgets.first(account.account_id, budgets),
            *self._alert(account.account_id, fields),
            self._noted(Action.SUBACCOUNT_CREATED, made, by, who, _in_words(fields)),
            *self._asked(by),
        ]
        try:
            self.subaccounts.save(*writes)
        except AlreadyCreatedError as exc:
            if exc.earlier.body_hash != body_hash:
                raise IdempotencyKeyReusedError from exc
            return self.one(parent, exc.earlier.child)
        return self.one(parent, made.child)

    def update(
        self,
        parent: str,
        child: str,
        body: Mapping[str, Any],
        by: ApiKey | None,
        who: str = OWNER,
    ) -> SubaccountView:
        """Change the fields in the body. A new mark-up applies to the next request.

        The fields are changed one after the other. If an error ends the request, a repeat changes the rest.
        Raises `InvalidInputError`, `ForbiddenError`, `SubaccountNotFoundError`, `SubaccountClosedError`, and
        `AccountSuspendedError` if an operator suspended it or its parent.
        """
        self._check_control(by)
        fields = read_subaccount(body, self.guard)
        self._check_hook(fields)
        found = self._found(parent, child)
        named = self.subaccounts.renamed(found, fields.get("name", found.name))
        noted = self._noted(Action.SUBACCOUNT_CHANGED, found, by, who, _in_words(fields))
        if fields:
            self.subaccounts.save(named, noted, *self._asked(by))
        if "limits" in fields:
            retry_change(lambda: self.accounts.limit(child, fields["limits"]), StaleWalletsError, what=_WHAT)
        if "markup_percent" in fields:
            retry_change(
                lambda: self._mark_up(child, fields["markup_percent"]), StaleBudgetsError, what=_WHAT
            )
        if "low_balance" in fields:
            retry_change(lambda: self._set_alert(child, fields), StaleLowBalanceError, what=_WHAT)
        if "suspended" in fields:
            self._suspend(parent, child, is_suspended=fields["suspended"])
        return self.one(parent, child)

    def transfer(
        self,
        parent: str,
        child: str,
        body: Mapping[str, Any],
        idempotency_key: str | None,
        *,
        by: ApiKey | None,
        who: str = OWNER,
    ) -> TransferView:
        """Move money to a sub-account, or back, once per Idempotency-Key.

        Raises `InvalidInputError`, `ForbiddenError`, `SubaccountNotFoundError`, `SubaccountClosedError`,
        `InsufficientBalanceError`, `AccountSuspendedError`, and `IdempotencyKeyReusedError` for another
        amount.
        """
        self._check_control(by)
        check_idempotency_key(idempotency_key)
        fields = read_transfer(body)
        if idempotency_key is None:
            raise InvalidInputError([Problem("", "The header Idempotency-Key is required.", _KEY_RULE)])
        found, now_ms = self._found(parent, child), self.clock.now_ms()
        amount = micro_usd_of_cents(fields["cents"])
        moved = Transfer(parent, child, amount, idempotency_key, fields.get("reason"))
        words = f"{dollars(abs(fields['cents']))} {'credited' if amount > 0 else 'taken back'}"
        noted = self._noted(Action.SUBACCOUNT_CREDITED, found, by, who, words)
        still = self.subaccounts.open_still(found)
        try:
            self.families.transfer(moved, now_ms, still, noted, *self._asked(by))
        except AlreadyTransferredError as exc:
            if -exc.entry.amount_micro_usd != amount:
                raise IdempotencyKeyReusedError from exc
            now_ms = exc.entry.created_at_ms
        return transfer_view(moved.entry_id, child, amount, now_ms)

    def close(self, parent: str, child: str, by: ApiKey | None, who: str = OWNER) -> SubaccountView:
        """Close a sub-account; return it. A repeat changes nothing.

        Its keys end now. Its money returns to the parent when its running work has ended, and then its data
        is erased (`account_closure/worker.py`). Raises `ForbiddenError`, `SubaccountNotFoundError`, and
        `AccountSuspendedError` if an operator suspended it.
        """
        self._check_control(by)

        def begin() -> None:
            found, now_ms = self._found(parent, child), self.clock.now_ms()
            if found.closed_at_ms is not None:
                return
            is_ours = self.accounts.me(child).suspended in (None, SUSPENDED_BY_PARENT)
            team = self.teams.get(child)
            closing = AccountClosure(now_ms, now_ms, gives_up=False)
            writes = [
                self.teams.change(team, replace(team, closing=closing, wake_at_ms=now_ms)),
                *self.subaccounts.closed(found, now_ms),
                self._noted(Action.SUBACCOUNT_CLOSED, found, by, who),
                *self._asked(by),
            ]
            # An operator's suspension stays, and so does the account.
            self.ledger.suspend(child, BEING_CLOSED, now_ms, *writes, replace_reason=is_ours)

        retry_change(begin, StaleTeamError, SubaccountClosedError, what=_WHAT)
        for key in self.key_service.all(child):
            self.key_service.revoke(child, key["id"], None, who=who if by is None else by.actor)
        self.rest.give_back(child)
        return self.one(parent, child)

    def acting(self, key: ApiKey, child: str, *, changes: bool) -> ApiKey:
        """Return a parent's key as a caller of a sub-account's own routes.

        Raises `SubaccountNotFoundError`, `ForbiddenError`, and `SubaccountClosedError` for a request that
        `changes` a closed one: its keys have ended, and its data is erased only once.
        """
        self._check_control(key)
        if self._found(key.account_id, child).closed_at_ms is not None and changes:
            raise SubaccountClosedError
        return replace(key, account_id=child, acts_from=key.account_id)

    def _found(self, parent: str, child: str) -> Subaccount:
        if not is_id(PREFIX, child):
            raise SubaccountNotFoundError
        return self.subaccounts.get(parent, child)

    def _views(self, found: Sequence[Subaccount]) -> list[SubaccountView]:
        ids = [each.child for each in found]
        accounts, budgets = self.families.rows_of(ids), self.budgets.read_all(ids)
        alerts = self.low_balances.read_all(ids)
        return [
            view_of(
                each, accounts[each.child], budgets[each.child].markup_percent, alerts[each.child].settings
            )
            for each in found
        ]

    def _check_hook(self, fields: Mapping[str, Any]) -> None:
        webhook = fields["low_balance"].webhook if "low_balance" in fields else None
        if webhook is not None:
            check_host("/alert/webhook", webhook, self.guard)

    def _alert(self, child: str, fields: Mapping[str, Any]) -> list[TransactWrite]:
        """Return the write of a new account's alert, if it has one."""
        if "low_balance" not in fields:
            return []
        state = LowBalanceState(child)
        return [self.low_balances.change(state, replace(state, settings=fields["low_balance"]))]

    def _set_alert(self, child: str, fields: Mapping[str, Any]) -> None:
        state = self.low_balances.get(child)
        # A changed threshold needs a new check of the balance.
        self.low_balances.save(state, replace(state, settings=fields["low_balance"], is_low=False))

    def _mark_up(self, child: str, percent: int) -> None:
        read = self.budgets.read(child)
        if read.markup_percent != percent:
            self.budgets.change(child, read, replace(read, markup_percent=percent))

    def _suspend(self, parent: str, child: str, *, is_suspended: bool) -> None:
        reason, now_ms = self.accounts.me(child).suspended, self.clock.now_ms()
        if is_suspended and reason != SUSPENDED_BY_PARENT:
            self.ledger.suspend(child, SUSPENDED_BY_PARENT, now_ms, replace_reason=False)
        elif not is_suspended and reason is not None:
            self.ledger.resume(child, self.ledger.may_spend(parent), only_reason=SUSPENDED_BY_PARENT)

    def _check_control(self, by: ApiKey | None) -> None:
        if by is None:
            return
        is_bound = self.budgets.read(by.account_id).bind_key(by.key_id)
        if by.project_id is not None or by.cap is not None or is_bound:
            raise ForbiddenError(
                "An API key that has a project or a spending cap, or is the value of a budget, "
                "manages no sub-accounts.",
                "Use a key without them, or the dashboard.",
            )

    def _asked(self, by: ApiKey | None) -> list[TransactWrite]:
        """Return a write that fails if the calling key was changed since it was read."""
        return [] if by is None else [self.keys.still(by)]

    def _noted(
        self, action: Action, found: Subaccount, by: ApiKey | None, who: str, detail: str = ""
    ) -> TransactWrite:
        return self.audit.note(found.parent, who if by is None else by.actor, action, found.label, detail)


_KEY_RULE = "a new text for each transfer; a repeat with the same text moves nothing again"


def _in_words(fields: Mapping[str, Any]) -> str:
    words = [f"mark-up {fields['markup_percent']} %"] if "markup_percent" in fields else []
    if "suspended" in fields:
        words.append("suspended" if fields["suspended"] else "resumed")
    words += [name for field, name in (("limits", "limits"), ("low_balance", "alert")) if field in fields]
    return ", ".join(words)
