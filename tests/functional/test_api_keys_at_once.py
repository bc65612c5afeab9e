"""Keys that several requests change at once, through the handler of `functions/api`."""

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from tests.conftest import Aws
from tests.functional.test_api_keys import CAP, KEYS, made, ok, order, refusal, shown
from tests.support.clock import ManualClock
from tollgate.accounts.auth import use_write
from tollgate.accounts.repository import ApiKeyRepository, StaleKeyError
from tollgate.accounts.service import OpenedAccount
from tollgate.composition import api as api_parts
from tollgate.kit.dynamodb.database import Database


class Sent(NamedTuple):
    """A request about a key, and the repository's write that it leads to."""

    method: str
    rest: str
    body: Any
    write: str


class TestRace:
    """What is judged is what is written: who changes a key between the two is seen."""

    @staticmethod
    def between(monkeypatch: pytest.MonkeyPatch, method: str, meanwhile: Callable[[], object]) -> None:
        """Let something happen after the key was read and judged, and before it is written; once."""
        write = getattr(ApiKeyRepository, method)

        def late(*args: Any) -> Any:
            monkeypatch.setattr(ApiKeyRepository, method, write)
            meanwhile()
            return write(*args)

        monkeypatch.setattr(ApiKeyRepository, method, late)

    @staticmethod
    def owner(customer: OpenedAccount, key_id: str, body: dict[str, Any]) -> None:
        """Change a key as its owner, who is signed in."""
        api_parts.api().keys.update(customer.account_id, key_id, body, None)

    @pytest.mark.parametrize(
        "sent",
        [
            Sent("POST", "/rotate", {}, "change"),
            Sent("PATCH", "", {"name": "mine now"}, "change"),
            Sent("DELETE", "", None, "revoke"),
        ],
    )
    def test_a_key_that_is_widened_meanwhile_is_touched_by_no_weaker_one(
        self, customer: OpenedAccount, monkeypatch: pytest.MonkeyPatch, sent: Sent
    ) -> None:
        weak = made(customer, scopes=["account", "media"])
        other = made(customer, scopes=["media"])
        path, widened = f"{KEYS}/{other['id']}", {"scopes": ["media", "text"]}
        self.between(monkeypatch, sent.write, lambda: self.owner(customer, other["id"], widened))
        assert refusal(sent.method, path + sent.rest, weak["key"], sent.body) == (403, "forbidden")
        assert shown(customer, other["id"])["scopes"] == ["media", "text"]
        assert shown(customer, other["id"])["name"] == "made"
        assert order(other["key"])[0] == 200

    @pytest.mark.parametrize("end", ["narrowed", "revoked", "given a budget"])
    @pytest.mark.parametrize(
        "sent",
        [
            Sent("POST", "", {"name": "gift", "scopes": ["account", "media"]}, "add"),
            Sent("PATCH", "/{id}", {"name": "mine now"}, "change"),
            Sent("POST", "/{id}/rotate", {}, "change"),
            Sent("DELETE", "/{id}", None, "revoke"),
        ],
    )
    def test_a_caller_that_is_less_by_the_time_of_its_write_writes_nothing(
        self, customer: OpenedAccount, monkeypatch: pytest.MonkeyPatch, sent: Sent, end: str
    ) -> None:
        caller = made(customer, scopes=["account", "media"])
        other = made(customer, scopes=["media"])
        keys, budgets = api_parts.api().keys, api_parts.api().budgets

        def owner_acts() -> None:
            if end == "revoked":
                keys.revoke(customer.account_id, caller["id"], None)
            elif end == "given a budget":
                body = {"name": "b", "scope": "key", "value": caller["id"], "limitCents": 1, "per": "day"}
                budgets.create(customer.account_id, body, None)
            else:
                keys.update(customer.account_id, caller["id"], {"scopes": ["account"]}, None)

        self.between(monkeypatch, sent.write, owner_acts)
        refused = refusal(sent.method, KEYS + sent.rest.format(id=other["id"]), caller["key"], sent.body)
        assert refused == ((401, "invalid_api_key") if end == "revoked" else (429, "concurrency_limited"))
        assert shown(customer, other["id"])["name"] == "made"
        assert "gift" not in [one["name"] for one in ok("GET", KEYS, customer.api_key)["keys"]]
        assert order(other["key"])[0] == 200

    def test_two_changes_at_once_both_stand(
        self, customer: OpenedAccount, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        key = made(customer)
        path = f"{KEYS}/{key['id']}"
        self.between(monkeypatch, "change", lambda: self.owner(customer, key["id"], {"spendingCap": CAP}))
        rotated = ok("POST", f"{path}/rotate", customer.api_key, {})
        assert shown(customer, key["id"])["spendingCap"]["capCents"] == CAP["capCents"]
        assert order(rotated["key"])[0] == 200

    def test_of_two_rotations_at_once_the_second_is_told(
        self, customer: OpenedAccount, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        key, keys = made(customer), api_parts.api().keys
        self.between(monkeypatch, "change", lambda: keys.rotate(customer.account_id, key["id"], {}, None))
        path = f"{KEYS}/{key['id']}/rotate"
        assert refusal("POST", path, customer.api_key, {}) == (409, "rotation_in_progress")

    def test_a_use_meanwhile_disturbs_nobody(
        self, aws: Aws, customer: OpenedAccount, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        key = made(customer)
        table = aws.stack.refs["ApiKeysTable"]
        use = use_write(table, key["id"], clock.now_ms())
        self.between(monkeypatch, "change", lambda: Database(aws.clients.dynamodb).write(use))
        ok("PATCH", f"{KEYS}/{key['id']}", customer.api_key, {"name": "used"})
        assert shown(customer, key["id"])["name"] == "used"
        assert shown(customer, key["id"])["lastUsedAt"] is not None

    def test_one_that_never_stands_still_is_left_alone(
        self, customer: OpenedAccount, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def moved(*_: object) -> None:
            raise StaleKeyError

        key = made(customer)
        monkeypatch.setattr(ApiKeyRepository, "change", moved)
        change = {"name": "never"}
        answer = refusal("PATCH", f"{KEYS}/{key['id']}", customer.api_key, change)
        assert answer == (429, "concurrency_limited")
