"""Customers' management of run tokens: create, show, list, revoke."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from tollgate.accounts.delegation import check_control, check_new_token
from tollgate.accounts.errors import KeyNotFoundError
from tollgate.accounts.key_request import ModelIdOf
from tollgate.accounts.keys import new_key
from tollgate.accounts.models import ApiKey
from tollgate.accounts.repository import AlreadyRevokedError, ApiKeyRepository
from tollgate.accounts.scopes import Scope
from tollgate.audit.events import OWNER, Action
from tollgate.audit.repository import AuditLog
from tollgate.kit.clock import Clock, iso
from tollgate.kit.dynamodb.writes import TransactWrite
from tollgate.kit.http.addresses import AddressGuard
from tollgate.kit.http.query import QueryReader, id_of
from tollgate.kit.ids import is_id
from tollgate.kit.money import cents_down, dollars
from tollgate.ledger.budget_repository import BudgetRepository
from tollgate.ledger.runs import PREFIX, Run, RunTerms, key_id_of, token_id_of
from tollgate.run_tokens.errors import TokenNotFoundError
from tollgate.run_tokens.repository import RunTokenRepository
from tollgate.run_tokens.request import read_token
from tollgate.run_tokens.views import RunTokenPageView, RunTokenView, RunTokenWithSecretView, view_of
from tollgate.webhooks.receivers import check_host

MAX_PAGE, DEFAULT_PAGE = 100, 20
# A token never manages the account.
SCOPES = frozenset({Scope.MEDIA, Scope.TEXT})


@dataclass(frozen=True, slots=True)
class RunTokenService:
    """Manages the run tokens of accounts. Each creation and revocation is in the audit log."""

    keys: ApiKeyRepository
    runs: RunTokenRepository
    budgets: BudgetRepository
    model_id_of: ModelIdOf
    audit: AuditLog
    clock: Clock
    guard: AddressGuard

    def create(
        self, account_id: str, body: Mapping[str, Any], by: ApiKey, who: str | None = None
    ) -> RunTokenWithSecretView:
        """Create a token of the key `by`; only this view has the token itself.

        `who` is the member who creates it in the dashboard, if any. Raises `InvalidInputError`,
        `ForbiddenError`, `TokenLimitReachedError`, `InvalidApiKeyError`.
        """
        wanted, now_ms = read_token(body, self.model_id_of, self.guard), self.clock.now_ms()
        if wanted.webhook is not None:
            check_host("/webhook", wanted.webhook, self.guard)
        made, terms = new_key(), RunTerms(wanted.limit_micro_usd, by.key_id, wanted.labels, by.acts_from)
        key = ApiKey(
            made.key_id,
            account_id,
            made.digest,
            by.scopes & SCOPES,
            now_ms,
            now_ms + wanted.lifetime_ms,
            name=wanted.name,
            models=wanted.models,
            run=terms,
        )
        check_new_token(by, key)
        run = Run(
            account_id,
            token_id_of(made.key_id),
            wanted.name,
            terms,
            now_ms,
            now_ms + wanted.lifetime_ms,
            wanted.models,
            wanted.webhook,
            sends_mails=who is not None,
        )
        noted = self._noted(run, Action.TOKEN_CREATED, who or by.actor)
        # The key may have lost rights since its check.
        self.keys.add(key, self.keys.still(by), *self.runs.opened(run), noted)
        return {**view_of(run, now_ms), "token": made.text}

    def create_of(
        self, account_id: str, key_id: str, body: Mapping[str, Any], who: str
    ) -> RunTokenWithSecretView:
        """Create a token of a listed key for a member of the account.

        Raises as `create` does, and `KeyNotFoundError`.
        """
        key = self.keys.get(key_id) if is_id("key", key_id) else None
        if key is None or key.account_id != account_id or not key.listed:
            raise KeyNotFoundError
        return self.create(account_id, body, key, who)

    def one(self, account_id: str, token_id: str) -> RunTokenView:
        """Return a token. Raises `TokenNotFoundError`."""
        return view_of(self._run(account_id, token_id), self.clock.now_ms())

    def page(self, account_id: str, query: Mapping[str, str]) -> RunTokenPageView:
        """Return a page of an account's tokens. Raises `InvalidInputError`."""
        reader = QueryReader(query, ("limit", "cursor"))
        limit = reader.limit(DEFAULT_PAGE, MAX_PAGE)
        after = reader.read("cursor", id_of(PREFIX), None, "Not a cursor of an earlier page.")
        reader.finish()
        now_ms = self.clock.now_ms()
        found = [view_of(run, now_ms) for run in self.runs.page(account_id, limit, after)]
        shown: RunTokenPageView = {"tokens": found}
        if len(found) == limit:
            shown["cursor"] = found[-1]["id"]
        return shown

    def revoke(self, account_id: str, token_id: str, by: ApiKey | None, who: str = OWNER) -> RunTokenView:
        """End a token, within 30 s everywhere; return it. A repeat, or after its end, changes nothing.

        Raises `TokenNotFoundError`, `ForbiddenError`, `ConcurrencyLimitedError`.
        """
        run, now_ms = self._run(account_id, token_id), self.clock.now_ms()
        creator = self.keys.get(run.terms.key_id)
        if by is not None and creator is not None:
            check_control(by, creator, self.budgets.read(account_id))
        if run.revoked_at_ms is None and now_ms < run.expires_at_ms:
            noted = self._noted(run, Action.TOKEN_REVOKED, who if by is None else by.actor)
            with suppress(AlreadyRevokedError):
                self.keys.revoke_run(key_id_of(token_id), now_ms, self.runs.revoked(run, now_ms), noted)
        return self.one(account_id, token_id)

    def _run(self, account_id: str, token_id: str) -> Run:
        run = self.budgets.run(account_id, token_id) if is_id(PREFIX, token_id) else None
        if run is None:
            raise TokenNotFoundError
        return run

    def _noted(self, run: Run, action: Action, actor: str) -> TransactWrite:
        limit = dollars(cents_down(run.terms.limit_micro_usd))
        models = "all models" if run.models is None else f"{len(run.models)} models"
        detail = f"{limit}, {models}, until {iso(run.expires_at_ms)}"
        subject = f"{run.name} ({run.token_id})"
        return self.audit.note(run.account_id, actor, action, subject, detail)
