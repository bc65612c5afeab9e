"""The switches of operators as a process of text knows them."""

import asyncio

import pytest

from tests.support.clock import ManualClock
from tollgate.kit.dynamodb.core import DatabaseError
from tollgate.text.routes import switches
from tollgate.text.routes.switches import ACCEPTED_MS, REFRESH_MS, Switches

pytestmark = pytest.mark.anyio


class Table:
    """The switches in the database. While `held` is set, a read waits; `is_broken` fails it."""

    def __init__(self, *off: str) -> None:
        self.off = frozenset(off)
        self.reads = 0
        self.is_broken = False
        self.held: asyncio.Event | None = None

    async def read(self) -> frozenset[str]:
        self.reads += 1
        if self.held is not None:
            await self.held.wait()
        if self.is_broken:
            raise DatabaseError("unreachable")
        return self.off


def known(table: Table) -> tuple[Switches, ManualClock]:
    """Return switches that read this table, and their clock."""
    clock = ManualClock()
    return Switches(table.read, clock), clock


class TestReading:
    async def test_the_first_request_waits_and_knows(self) -> None:
        found, _ = known(Table("openai"))
        assert not found.is_off("openai", "m")
        await found.known()
        assert found.is_off("openai", "m")
        assert not found.is_off("azure", "m")

    async def test_many_requests_read_once_in_a_while(self) -> None:
        table = Table()
        found, clock = known(table)
        for _ in range(100):
            found.follow()
            await found.known()
        assert table.reads == 1
        clock.advance_ms(REFRESH_MS - 1)
        await found.known()
        assert table.reads == 1
        clock.advance_ms(1)
        found.follow()
        await asyncio.sleep(0)
        assert table.reads == 2

    async def test_a_known_state_is_used_while_a_newer_one_is_read(self) -> None:
        table = Table()
        found, clock = known(table)
        await found.known()
        table.off, table.held = frozenset({"openai"}), asyncio.Event()
        clock.advance_ms(REFRESH_MS)
        # It does not wait: the read has no answer yet.
        await found.known()
        assert not found.is_off("openai", "m")
        table.held.set()
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert found.is_off("openai", "m")

    async def test_after_a_pause_a_request_waits_for_the_new_state(self) -> None:
        table = Table()
        found, clock = known(table)
        await found.known()
        table.off = frozenset({"openai"})
        clock.advance_ms(ACCEPTED_MS)
        await found.known()
        assert found.is_off("openai", "m")

    async def test_a_read_without_an_answer_holds_no_request_for_long(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(switches, "WAIT_S", 0.01)
        table = Table("openai")
        found, _ = known(table)
        table.held = asyncio.Event()
        await found.known()
        assert not found.is_off("openai", "m")
        table.held.set()

    async def test_a_failed_read_keeps_the_last_state_and_is_logged(
        self, caplog: pytest.LogCaptureFixture
    ) -> None:
        table = Table("openai")
        found, clock = known(table)
        await found.known()
        table.is_broken = True
        for _ in range(3):
            clock.advance_ms(ACCEPTED_MS)
            await found.known()
            assert found.is_off("openai", "m")
        assert [record.message for record in caplog.records] == ["text.switches_not_read"] * 3
        table.is_broken, table.off = False, frozenset()
        clock.advance_ms(REFRESH_MS)
        await found.known()
        assert not found.is_off("openai", "m")


class TestNames:
    async def test_a_route_of_one_model_is_off_alone(self) -> None:
        found, _ = known(Table("azure/m"))
        await found.known()
        assert [found.is_off("azure", name) for name in ("m", "n")] == [True, False]
        assert not found.is_off("openai", "m")
