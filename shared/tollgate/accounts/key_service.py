"""Customers' management of API keys: list, create, change, rotate, revoke.

`by` is the calling key, as it is stored now; `delegation.py` checks its rights. Without `by` the caller is
the owner, signed in.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from tollgate.accounts.chat_keys import LIFETIME_MS, chat_key_id, live_windows_ms
from tollgate.accounts.delegation import check_change, check_control, check_new_key
from tollgate.accounts.errors import KeyNotFoundError, RotationInProgressError
from tollgate.accounts.key_request import NO_PROJECT, ModelIdOf, read_key
from tollgate.accounts.keys import new_key
from tollgate.accounts.models import ApiKey
from tollgate.accounts.repository import (
    AccountRepository,
    AlreadyRevokedError,
    ApiKeyRepository,
    StaleKeyError,
)
from tollgate.accounts.scopes import Scope
from tollgate.accounts.views import KeyView, KeyWithSecretView
from tollgate.audit.events import OWNER, Action
from tollgate.audit.repository import AuditLog
from tollgate.kit.clock import MS_PER_S, Clock, iso
from tollgate.kit.dynamodb.writes import Write
from tollgate.kit.errors import ForbiddenError, InvalidInputError
from tollgate.kit.ids import is_id
from tollgate.kit.money import cents_down, dollars
from tollgate.kit.problems import Problem
from tollgate.kit.retry import retry_change
from tollgate.kit.rotation import old_secret_ends, read_overlap_s
from tollgate.ledger.budget_repository import BudgetRepository
from tollgate.routing.facts import NO_PROVIDERS, KnownProviders

# A request's body, as JSON.
Body = Mapping[str, Any]

# The scopes of a key by default; managing the account must be requested by name.
DEFAULT_SCOPES = frozenset({Scope.MEDIA, Scope.TEXT})
MAX_OVERLAP_S = 30 * 24 * 60 * 60
# The subject of the error when a change keeps failing, for `retry_change`.
_WHAT = "This API key is"
_PROJECTS = "The projects of this account are"
_ROTATED_BY_CLIENT = (
    "This API key belongs to a connector, which renews it automatically.",
    "Revoke the key to end the connection.",
)


@dataclass(frozen=True, slots=True)
class KeyService:
    """Manages the listed keys of accounts. Views come from `ApiKey.view`.

    `by` is the calling key, unless the owner calls from the dashboard: a key grants no right that it lacks.
    Each change is written together with its line in the audit log. `model_id_of` returns the id of the
    model with a name.
    """

    keys: ApiKeyRepository
    accounts: AccountRepository
    model_id_of: ModelIdOf
    budgets: BudgetRepository
    audit: AuditLog
    clock: Clock
    join_project: Callable[[str, str, str, int], Write | None] = lambda *_: None
    """Returns the write by which an account's project gets a key, by their ids, at a time; `None` if there is
    no such project."""
    known: KnownProviders = NO_PROVIDERS
    """The providers that a routing policy can name."""

    def all(self, account_id: str) -> list[KeyView]:
        """Return the account's keys except revoked keys, the newest first. Raises `UserNotFoundError`."""
        counters, now_ms = self.accounts.existing(account_id).counters, self.clock.now_ms()
        return [key.view(now_ms, counters) for key in self.keys.listed(account_id)]

    def connectors(self, account_id: str) -> dict[str, str]:
        """Return the host of each connector among the account's keys, by the key's id."""
        listed = self.keys.listed(account_id)
        return {key.key_id: key.connector.host for key in listed if key.connector is not None}

    def by_maker(self, account_id: str) -> dict[str, list[ApiKey]]:
        """Return the account's keys by the ids of the people who created them, if that is known."""
        found: dict[str, list[ApiKey]] = {}
        for key in self.keys.listed(account_id):
            if key.made_by is not None:
                found.setdefault(key.made_by, []).append(key)
        return found

    def end_chat(self, account_id: str, identity_id: str) -> None:
        """End a person's chat page keys in an account, within 30 s everywhere."""
        now_ms = self.clock.now_ms()
        for start_ms in live_windows_ms(now_ms):
            key_id = chat_key_id(account_id, identity_id, start_ms)
            self.keys.revoke_internal(key_id, account_id, start_ms + LIFETIME_MS, now_ms)

    def revoke_made_by(self, account_id: str, identity_id: str, who: str) -> None:
        """Revoke the keys that a person created. Raises as `revoke` does."""
        for key in self.by_maker(account_id).get(identity_id, []):
            self.revoke(account_id, key.key_id, None, who=who)

    def end_management(self, account_id: str, identity_id: str, who: str) -> None:
        """Remove key management from all keys that a person created; raises `ConcurrencyLimitedError`.

        A key keeps its other scopes, because programs may use it. A key without other scopes is revoked.
        """
        for key in self.by_maker(account_id).get(identity_id, []):
            others = key.scopes - {Scope.ACCOUNT}
            if Scope.ACCOUNT not in key.scopes:
                continue
            # Another request may revoke it at the same moment.
            with suppress(KeyNotFoundError):
                if others:
                    self.update(account_id, key.key_id, {"scopes": sorted(others)}, None, who=who)
                else:
                    self.revoke(account_id, key.key_id, None, who=who)

    def create(
        self,
        account_id: str,
        body: Body,
        by: ApiKey | None,
        who: str = OWNER,
        made_by: str | None = None,
    ) -> KeyWithSecretView:
        """Create a key; only this view has the key itself in `key`. `made_by` is the caller's identity.

        Raises `InvalidInputError`, `ForbiddenError`, `KeyLimitReachedError`, `UserNotFoundError`.
        """
        now_ms = self.clock.now_ms()
        fields = self._read(body, now_ms, is_new=True)
        made = new_key()
        # Only the response has the secret; the stored hash can verify it and not reveal it.
        key = ApiKey(
            made.key_id,
            account_id,
            made.digest,
            created_at_ms=now_ms,
            listed=True,
            made_by=made_by if by is None else by.made_by,
            **{"scopes": DEFAULT_SCOPES, **fields},
        )
        # Check the whole key, including defaults: a missing field can grant something too.
        if by is not None:
            check_new_key(by, key, self.budgets.read(account_id))
        noted = self._noted(key, Action.KEY_CREATED, by, who, limits_in_words(key))

        def add() -> None:
            joined = self._joined(account_id, made.key_id, fields)
            self.keys.add(key, *self._asked(by, key), self.accounts.count_key(account_id), *joined, noted)

        retry_change(add, StaleKeyError, what=_PROJECTS)
        return {**key.view(now_ms, {}), "key": made.text}

    def _read(self, body: Body, now_ms: int, *, is_new: bool = False) -> dict[str, Any]:
        return read_key(body, self.model_id_of, now_ms, is_new=is_new, known=self.known)

    def update(
        self, account_id: str, key_id: str, body: Body, by: ApiKey | None, *, who: str = OWNER
    ) -> KeyView:
        """Change the fields in the body, null for no limit; effective within 30 s. Return the view.

        Raises `InvalidInputError`, `ForbiddenError`, `KeyNotFoundError`, `ConcurrencyLimitedError`.
        """

        def change() -> ApiKey:
            key = self._live(account_id, key_id)
            # Read inside: on a retry, a date that has passed meanwhile is refused.
            fields = self._read(body, self.clock.now_ms())
            joined = self._joined(account_id, key_id, fields)
            changed = replace(key, **fields)
            if by is not None:
                check_change(_as_it_is(by, key), key, changed, self.budgets.read(account_id))
            noted = self._noted(key, Action.KEY_CHANGED, by, who, limits_in_words(changed))
            self.keys.change(key, changed, *self._asked(by, key), *joined, noted)
            return changed

        return self._view(retry_change(change, StaleKeyError, what=_WHAT))

    def rotate(
        self, account_id: str, key_id: str, body: Body, by: ApiKey | None, *, who: str = OWNER
    ) -> KeyWithSecretView:
        """Return the view with a new secret in `key`, only this once; the old one stays valid for a while.

        Raises `InvalidInputError`, `ForbiddenError` (also for a connector), `KeyNotFoundError`,
        `ConcurrencyLimitedError`, and `RotationInProgressError` while the old secret of an earlier rotation
        is valid, unless the overlap is 0, which ends all old secrets.
        """

        def rotate() -> tuple[ApiKey, str]:
            key = self._live(account_id, key_id)
            if key.connector is not None:
                raise ForbiddenError(*_ROTATED_BY_CLIENT)
            overlap_s, now_ms = read_overlap_s(body, MAX_OVERLAP_S), self.clock.now_ms()
            # The caller gets the new secret, so it must not have fewer rights than the key.
            if by is not None:
                check_control(_as_it_is(by, key), key, self.budgets.read(account_id))
            if overlap_s and (key.previous_until_ms or 0) > now_ms:
                raise RotationInProgressError(iso(key.previous_until_ms or 0))
            made = new_key(key_id)
            rotated = replace(
                key,
                digest=made.digest,
                previous_digest=key.digest if overlap_s else None,
                previous_until_ms=now_ms + overlap_s * MS_PER_S if overlap_s else None,
            )
            noted = self._noted(key, Action.KEY_ROTATED, by, who, old_secret_ends(now_ms, overlap_s))
            self.keys.change(key, rotated, *self._asked(by, key), noted)
            return rotated, made.text

        rotated, text = retry_change(rotate, StaleKeyError, what=_WHAT)
        return {**self._view(rotated), "key": text}

    def revoke(
        self, account_id: str, key_id: str, by: ApiKey | None, who: str = OWNER, why: str = ""
    ) -> KeyView:
        """End a key, within 30 s everywhere; return its view. A repeat changes nothing.

        The audit log has `who` did it, and `why` if it is given.

        Raises `ForbiddenError`, `KeyNotFoundError`, `ConcurrencyLimitedError`.
        """

        def revoke() -> None:
            key = self._known(account_id, key_id)
            if by is not None:
                check_control(_as_it_is(by, key), key, self.budgets.read(account_id))
            # A repeat neither counts the key twice nor notes it twice.
            if key.revoked_at_ms is None:
                noted = self._noted(key, Action.KEY_REVOKED, by, who, why)
                with suppress(AlreadyRevokedError):
                    others = (*self._asked(by, key), self.accounts.uncount_key(account_id), noted)
                    self.keys.revoke(key, self.clock.now_ms(), *others)

        retry_change(revoke, StaleKeyError, what=_WHAT)
        return self._view(self._known(account_id, key_id))

    def _joined(self, account_id: str, key_id: str, fields: Mapping[str, Any]) -> list[Write]:
        """Return the write by which a key joins the project in its fields, if any.

        Raises `InvalidInputError` for an unknown project.
        """
        project_id = fields.get("project_id")
        if project_id is None:
            return []
        joined = self.join_project(account_id, project_id, key_id, self.clock.now_ms())
        if joined is None:
            raise InvalidInputError([Problem("/projectId", "There is no such project.", NO_PROJECT)])
        return [joined]

    def _asked(self, by: ApiKey | None, key: ApiKey) -> list[Write]:
        """Return a write that fails if the calling key has changed since its check: it may have lost rights.

        A key that changes itself is written anyway, under the same condition.
        """
        return [] if by is None or by.key_id == key.key_id else [self.keys.still(by)]

    def _noted(self, key: ApiKey, action: Action, by: ApiKey | None, who: str, detail: str = "") -> Write:
        """Return the write that notes who did what to a key."""
        actor = who if by is None else by.actor
        return self.audit.note(key.account_id, actor, action, key.label, detail)

    def _view(self, key: ApiKey) -> KeyView:
        return key.view(self.clock.now_ms(), self.accounts.existing(key.account_id).counters)

    def _live(self, account_id: str, key_id: str) -> ApiKey:
        key = self._known(account_id, key_id)
        if key.revoked_at_ms is not None:
            raise KeyNotFoundError
        return key

    def _known(self, account_id: str, key_id: str) -> ApiKey:
        """Return a key that is or was listed."""
        key = self.keys.get(key_id) if is_id("key", key_id) else None
        # The key of a run token has its own routes.
        known = key is not None and key.account_id == account_id and key.run is None
        if key is None or not known or not (key.listed or key.revoked_at_ms is not None):
            raise KeyNotFoundError
        return key


def limits_in_words(key: ApiKey) -> str:
    """Return a key's limits in words."""
    cap = "no cap" if key.cap is None else f"{dollars(cents_down(key.cap.limit_micro_usd))} per {key.cap.per}"
    models = "all models" if key.models is None else _counted(len(key.models), "model")
    networks = "any network" if key.networks is None else _counted(len(key.networks), "network")
    return "; ".join((", ".join(sorted(key.scopes)), cap, models, networks))


def _counted(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def _as_it_is(by: ApiKey, key: ApiKey) -> ApiKey:
    """Return the calling key as last read; a key that changes itself was just read again."""
    return key if by.key_id == key.key_id else by
