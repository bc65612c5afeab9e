"""The authenticator of the text routes: as that of the others, and no request waits for its own trace."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from tests.support.clock import START_MS, ManualClock
from tollgate.accounts.async_auth import AsyncAuthenticator
from tollgate.accounts.auth import KEY_CACHE_MS
from tollgate.accounts.errors import InvalidApiKeyError
from tollgate.accounts.keys import NewKey, new_key
from tollgate.accounts.models import ApiKey
from tollgate.accounts.scopes import ALL_SCOPES, Scope
from tollgate.kit.dynamodb.core import DatabaseError
from tollgate.kit.dynamodb.expressions import Set
from tollgate.kit.dynamodb.rows import Item
from tollgate.kit.dynamodb.writes import Write
from tollgate.ledger.runs import RunTerms

pytestmark = pytest.mark.anyio


class FakeDatabase:
    """One key, and `others`; its writes wait until they may, and fail if they are to."""

    def __init__(self, key: NewKey) -> None:
        self.key = ApiKey(key.key_id, "usr_1", key.digest, ALL_SCOPES, 0)
        self.row = self.key.to_item()
        self.others: dict[str, Item] = {}
        self.reads = 0
        self.may_write = asyncio.Event()
        self.failing = False
        self.written: list[Write] = []

    async def get(self, table: str, key: Item) -> Item | None:
        self.reads += 1
        return (self.others | {self.row["key_id"]: self.row}).get(key["key_id"])

    async def write(self, write: Write) -> None:
        await self.may_write.wait()
        self.written.append(write)
        if self.failing:
            raise DatabaseError("no answer")


class Desk:
    def __init__(self) -> None:
        self.key, self.clock = new_key(), ManualClock()
        self.db = FakeDatabase(self.key)
        self.authenticator = AsyncAuthenticator(self.db, "keys", self.clock)  # type: ignore[arg-type]

    async def ask(self, text: str | None = None) -> ApiKey:
        return await self.authenticator.authenticate(text or self.key.text, Scope.TEXT, None)


class TestReads:
    async def test_a_key_is_read_once_in_30_seconds_and_an_unknown_one_too(self) -> None:
        desk = Desk()
        unknown = new_key().text
        for _ in range(10):
            await desk.ask()
            with pytest.raises(InvalidApiKeyError):
                await desk.ask(unknown)
        assert desk.db.reads == 2


# Changes of a key, and whether a batch or a workflow may go on with it.
USABLE = pytest.mark.parametrize(
    ("changed", "is_usable"),
    [
        ({}, True),
        ({"revoked_at_ms": START_MS}, False),
        ({"expires_at_ms": START_MS}, False),
        ({"scopes": frozenset({Scope.MEDIA})}, False),
    ],
    ids=["good", "revoked", "expired", "without the scope"],
)


class TestTheKeyOfABatch:
    @USABLE
    async def test_it_is_read_once_in_30_seconds(self, changed: dict[str, Any], is_usable: bool) -> None:
        desk = Desk()
        key = replace(desk.db.key, **changed)
        desk.db.row = key.to_item()
        for _ in range(2):
            found = await desk.authenticator.current(desk.key.key_id)
            assert found == (key if is_usable else None)
        assert desk.db.reads == 1
        assert await desk.authenticator.current("another") is None

    @pytest.mark.parametrize("name", ["current", "current_now"])
    @USABLE
    async def test_a_run_token_is_as_usable_as_its_key(
        self, changed: dict[str, Any], is_usable: bool, name: str
    ) -> None:
        desk = Desk()
        token = replace(desk.db.key, run=RunTerms(500, "key_1"), models=frozenset({"a", "b"}))
        creator = replace(desk.db.key, key_id="key_1", models=frozenset({"b", "c"}), **changed)
        desk.db.row = token.to_item()
        desk.db.others = {"key_1": creator.to_item()}
        found = await getattr(desk.authenticator, name)(token.key_id)
        assert found == (replace(token, models=frozenset({"b"})) if is_usable else None)
        desk.db.others.clear()
        desk.clock.advance_ms(KEY_CACHE_MS)
        assert await getattr(desk.authenticator, name)(token.key_id) is None

    async def test_a_workflow_reads_it_each_time(self) -> None:
        desk = Desk()
        for _ in range(2):
            assert await desk.authenticator.current_now(desk.key.key_id) == desk.db.key
        assert desk.db.reads == 2


class TestLastUse:
    @pytest.mark.parametrize("failing", [False, True])
    async def test_it_is_noted_once_beside_the_requests_which_do_not_wait(self, failing: bool) -> None:
        desk = Desk()
        desk.db.failing = failing
        for _ in range(3):
            assert (await desk.ask()).account_id == "usr_1"
        assert desk.db.written == []
        desk.db.may_write.set()
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        (noted,) = desk.db.written
        assert noted.key == {"key_id": desk.key.key_id}
        assert noted.update == (Set("last_used_at_ms", desk.clock.now_ms()),)
