"""The keys of people who leave, secrets after a rotation, and the line of each change in the audit log."""

from dataclasses import dataclass, field, replace
from typing import Any, cast

import pytest

from tests.support.clock import ManualClock
from tests.unit.accounts.test_delegation import Stored
from tollgate.accounts.errors import KeyNotFoundError
from tollgate.accounts.key_service import KeyService
from tollgate.accounts.models import ApiKey
from tollgate.accounts.repository import AccountRepository, ApiKeyRepository
from tollgate.accounts.scopes import Scope
from tollgate.audit.repository import AuditLog
from tollgate.ledger.budget_repository import BudgetRepository

ACCOUNT, ADA, BOB = "usr_1", "per_ada", "per_bob"


@dataclass
class Book(Stored):
    """Keys of one account, and the lines of its audit log."""

    lines: list[tuple[object, ...]] = field(default_factory=list)

    def listed(self, account_id: str) -> list[ApiKey]:
        return [key for key in self.rows.values() if key.account_id == account_id and key.listed]

    def note(self, *line: object) -> None:
        self.lines.append(line)


CLOCK = ManualClock()


def key(number: int, **fields: Any) -> ApiKey:
    one = ApiKey(f"key_{number:026}", ACCOUNT, "d", frozenset({Scope.MEDIA}), 0, listed=True, made_by=ADA)
    return replace(one, **fields)


def book(*keys: ApiKey) -> Book:
    return Book({one.key_id: one for one in keys})


def service(stored: Book) -> KeyService:
    return KeyService(
        cast("ApiKeyRepository", stored),
        cast("AccountRepository", stored),
        {"z-image": "z-image", "kling": "kling"}.get,
        cast("BudgetRepository", stored),
        cast("AuditLog", stored),
        CLOCK,
    )


class TestPeople:
    MANAGES = key(1, scopes=frozenset({Scope.ACCOUNT}))
    BOTH = key(2, scopes=frozenset({Scope.ACCOUNT, Scope.TEXT}))
    PLAIN = key(3)
    OF_BOB = key(4, scopes=frozenset({Scope.ACCOUNT}), made_by=BOB)
    OF_NOBODY = key(5, scopes=frozenset({Scope.ACCOUNT}), made_by=None)

    def book(self) -> Book:
        return book(self.MANAGES, self.BOTH, self.PLAIN, self.OF_BOB, self.OF_NOBODY)

    def test_only_known_people_have_keys(self) -> None:
        assert service(self.book()).by_maker(ACCOUNT) == {
            ADA: [self.MANAGES, self.BOTH, self.PLAIN],
            BOB: [self.OF_BOB],
        }

    def test_a_person_who_left_has_no_key_any_more(self) -> None:
        stored = self.book()
        service(stored).revoke_made_by(ACCOUNT, ADA, "Bob")
        assert stored.listed(ACCOUNT) == [self.OF_BOB, self.OF_NOBODY]
        assert [line[:3] for line in stored.lines] == [(ACCOUNT, "Bob", "key.revoked")] * 3

    def test_a_person_who_may_not_manage_keys_has_none_that_does(self) -> None:
        stored = self.book()
        service(stored).end_management(ACCOUNT, ADA, "Bob")
        without = replace(self.BOTH, scopes=frozenset({Scope.TEXT}))
        assert stored.listed(ACCOUNT) == [without, self.PLAIN, self.OF_BOB, self.OF_NOBODY]
        assert [line[1:4] for line in stored.lines] == [
            ("Bob", "key.revoked", self.MANAGES.label),
            ("Bob", "key.changed", self.BOTH.label),
        ]


class TestRotation:
    @pytest.mark.parametrize(("overlap_s", "works_ms"), [(60, 60_000), (0, 0)])
    def test_the_old_secret_works_for_the_overlap(self, overlap_s: int, works_ms: int) -> None:
        stored = book()
        keys = service(stored)
        old = keys.create(ACCOUNT, {"name": "made"}, None)
        new = keys.rotate(ACCOUNT, old["id"], {"overlapS": overlap_s}, None)
        rotated, now_ms = stored.rows[old["id"]], CLOCK.now_ms()
        assert rotated.opens_with(new["key"], now_ms + works_ms)
        assert rotated.opens_with(old["key"], now_ms + works_ms - 1) is (works_ms > 0)
        assert not rotated.opens_with(old["key"], now_ms + works_ms)


class TestKnown:
    @pytest.mark.parametrize(
        "other", [{"account_id": "usr_2"}, {"listed": False}], ids=["account", "internal"]
    )
    def test_no_key_of_another_account_and_no_internal_key_is_changed(self, other: dict[str, Any]) -> None:
        stored = book(key(1, **other))
        keys, key_id = service(stored), key(1).key_id
        with pytest.raises(KeyNotFoundError):
            keys.update(ACCOUNT, key_id, {"name": "mine"}, None)
        with pytest.raises(KeyNotFoundError):
            keys.rotate(ACCOUNT, key_id, {}, None)
        with pytest.raises(KeyNotFoundError):
            keys.revoke(ACCOUNT, key_id, None)
        assert stored.rows == {key(1).key_id: key(1, **other)}

    def test_a_revoked_key_is_revoked_again_without_a_second_line_and_not_changed(self) -> None:
        stored = book(key(1, revoked_at_ms=5, listed=False))
        assert service(stored).revoke(ACCOUNT, key(1).key_id, None)["revokedAt"] == "1970-01-01T00:00:00.005Z"
        with pytest.raises(KeyNotFoundError):
            service(stored).update(ACCOUNT, key(1).key_id, {"name": "mine"}, None)
        assert stored.lines == []


class TestAuditLine:
    @pytest.mark.parametrize(
        ("limits", "detail"),
        [
            ({}, "media, text; no cap; all models; any network"),
            (
                {
                    "scopes": ["account"],
                    "models": ["z-image", "kling"],
                    "networks": ["203.0.113.0/24"],
                    "spendingCap": {"capCents": 1250, "per": "day"},
                },
                "account; $12.50 per day; 2 models; 1 network",
            ),
        ],
        ids=["no limits", "limits"],
    )
    def test_it_has_the_limits(self, limits: dict[str, Any], detail: str) -> None:
        stored = book()
        made = service(stored).create(ACCOUNT, {"name": "Build", **limits}, None)
        assert stored.lines == [(ACCOUNT, "owner", "key.created", f"Build ({made['id']})", detail)]
