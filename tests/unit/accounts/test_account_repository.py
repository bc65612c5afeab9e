"""The conditions of writes to accounts and keys, on moto: what changed since it was read stays as it is."""

from dataclasses import replace
from typing import Any

import pytest

from tests.conftest import Aws
from tollgate.accounts.models import ApiKey
from tollgate.accounts.repository import (
    AccountRepository,
    AlreadyRevokedError,
    ApiKeyRepository,
    StaleKeyError,
    StaleSecretsError,
)
from tollgate.accounts.scopes import ALL_SCOPES
from tollgate.accounts.service import new_account
from tollgate.accounts.webhook_secrets import WebhookSecret
from tollgate.kit.clock import MS_PER_DAY
from tollgate.kit.dynamodb.database import Database
from tollgate.kit.dynamodb.rows import Item
from tollgate.kit.dynamodb.writes import Write
from tollgate.kit.errors import UserNotFoundError
from tollgate.ledger.attribution import Attribution
from tollgate.ledger.runs import RunTerms
from tollgate.ledger.wallets import DEFAULT, Limits

NOW = 1_700_000_000_000
ACCOUNT = replace(new_account(NOW), account_id="usr_1")
KEY = ApiKey("key_1", "usr_1", "digest", ALL_SCOPES, NOW, NOW + MS_PER_DAY, name="Shop", listed=True)
RUN = replace(KEY, key_id="key_2", listed=False, run=RunTerms(5, "key_1", Attribution()))


class Stored:
    """An empty database with the repositories."""

    def __init__(self, aws: Aws) -> None:
        self.db = Database(aws.clients.dynamodb)
        self.tables = aws.stack.refs["AccountsTable"], aws.stack.refs["ApiKeysTable"]
        self.accounts = AccountRepository(self.db, self.tables[0])
        self.keys = ApiKeyRepository(self.db, self.tables[1])

    def account(self) -> Item:
        return self.db.get(self.tables[0], {"account_id": "usr_1"}) or {}

    def key(self, key_id: str) -> Item:
        return self.db.get(self.tables[1], {"key_id": key_id}) or {}


@pytest.fixture
def stored(aws: Aws) -> Stored:
    return Stored(aws)


class TestRevokedKeys:
    def test_a_listed_key_is_in_no_index_any_more_and_takes_no_change(self, stored: Stored) -> None:
        stored.keys.add(KEY)
        assert stored.keys.listed("usr_1") == [KEY]
        stored.keys.revoke(KEY, NOW + 5)
        assert stored.keys.get("key_1") == replace(KEY, revoked_at_ms=NOW + 5, listed=False, seq=1)
        assert {"listed_at", "expiry_day"} & stored.key("key_1").keys() == set()
        with pytest.raises(AlreadyRevokedError):
            stored.keys.revoke(KEY, NOW + 6)
        assert stored.key("key_1")["revoked_at_ms"] == NOW + 5

    def test_one_that_was_changed_since_it_was_read_stays(self, stored: Stored) -> None:
        stored.keys.add(KEY)
        stored.keys.change(KEY, replace(KEY, name="Other"))
        with pytest.raises(StaleKeyError):
            stored.keys.revoke(KEY, NOW + 5)
        assert "revoked_at_ms" not in stored.key("key_1")

    def test_a_run_token_ends_once_with_what_is_written_with_it(self, stored: Stored) -> None:
        stored.keys.add(RUN)
        stored.accounts.add(ACCOUNT)
        count = stored.accounts.count_key("usr_1")
        stored.keys.revoke_run("key_2", NOW + 5, count)
        with pytest.raises(AlreadyRevokedError):
            stored.keys.revoke_run("key_2", NOW + 6, count)
        assert stored.key("key_2")["revoked_at_ms"] == NOW + 5
        # The account has no other key.
        assert stored.account()["api_keys"] == 1

    def test_no_other_key_is_revoked_as_a_run_token(self, stored: Stored) -> None:
        stored.keys.add(KEY)
        for key_id in ("key_1", "key_gone"):
            with pytest.raises(AlreadyRevokedError):
                stored.keys.revoke_run(key_id, NOW)
        assert "revoked_at_ms" not in stored.key("key_1")
        assert stored.key("key_gone") == {}


class TestAccounts:
    @pytest.mark.parametrize(
        ("limits", "row"),
        [(DEFAULT, {}), (Limits(text_at_once=7), {"limits": Limits(text_at_once=7).to_item()})],
    )
    def test_only_limits_of_its_own_are_stored(
        self, stored: Stored, limits: Limits, row: dict[str, Any]
    ) -> None:
        stored.db.write(stored.accounts.new(ACCOUNT, limits))
        assert stored.account() == ACCOUNT.to_item() | row

    def test_one_from_before_its_keys_were_counted_has_one(self, stored: Stored) -> None:
        stored.db.write(Write(stored.tables[0], item={"account_id": "usr_1", "balance_micro_usd": 0}))
        stored.db.transact([stored.accounts.uncount_key("usr_1")])
        assert stored.account()["api_keys"] == 0

    def test_one_that_is_gone_is_not_made_by_a_change(self, stored: Stored) -> None:
        with pytest.raises(UserNotFoundError):
            stored.db.transact([stored.accounts.uncount_key("usr_1")])
        with pytest.raises(UserNotFoundError):
            stored.accounts.set_completes_answers("usr_1", completes=True)
        assert stored.account() == {}

    def test_secrets_that_were_rotated_since_they_were_read_stay(self, stored: Stored) -> None:
        stored.accounts.add(ACCOUNT)
        read, new = ACCOUNT.webhook_secrets, [WebhookSecret("whsec_new", NOW)]
        stored.accounts.replace_webhook_secrets("usr_1", read, new)
        with pytest.raises(StaleSecretsError):
            stored.accounts.replace_webhook_secrets("usr_1", read, [WebhookSecret("whsec_other", NOW)])
        assert [secret["secret"] for secret in stored.account()["webhook_secrets"]] == ["whsec_new"]
