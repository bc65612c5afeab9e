"""Requests per minute: counted with the money, by any number of processes, never above the limit."""

import random
from collections.abc import Iterator

import pytest
from moto import mock_aws

from tests.conftest import moto_client
from tollgate.kit.dynamodb.database import Database
from tollgate.kit.dynamodb.expressions import Add, AtLeast
from tollgate.kit.dynamodb.rows import Item
from tollgate.kit.dynamodb.writes import CountingWrite, Write
from tollgate.ledger.errors import RateLimitedError
from tollgate.ledger.rate import (
    BASE,
    MAX_ATTEMPTS,
    RateMeter,
    RateWindow,
    RateWindowMismatchError,
    count_request,
    rate_refused,
)

LIMIT = 5
MINUTE_MS = 60_000
NOW = 28_000_000 * MINUTE_MS


class Account:
    """An account's row, and processes that count requests in it."""

    def __init__(self) -> None:
        client = moto_client("dynamodb")
        client.create_table(
            TableName="Accounts",
            BillingMode="PAY_PER_REQUEST",
            AttributeDefinitions=[{"AttributeName": "account_id", "AttributeType": "S"}],
            KeySchema=[{"AttributeName": "account_id", "KeyType": "HASH"}],
        )
        self.db = Database(client)
        self.db.write(Write("Accounts", item={"account_id": "usr_1", "money": 1_000_000}))
        self.writes = 0

    def row(self) -> Item:
        found = self.db.get("Accounts", {"account_id": "usr_1"})
        assert found is not None
        return found

    def request(self, meter: RateMeter, now_ms: int, price: int = 1) -> None:
        """Take money and count, as create does. Raises `RateLimitedError`."""
        window = meter.guess("usr_1", now_ms)
        for _ in range(MAX_ATTEMPTS):
            self.writes += 1
            try:
                self.db.transact([count_request(self._debit(price, window), window)])
            except RateWindowMismatchError as exc:
                window = exc.window
            else:
                meter.counted("usr_1", window)
                return
        pytest.fail("it never found the right way to count")

    @staticmethod
    def _debit(price: int, window: RateWindow) -> CountingWrite:
        def refused(row: Item | None) -> Exception:
            assert row is not None
            return rate_refused(row, window) or AssertionError("refused for the money")

        return CountingWrite(
            "Accounts",
            key={"account_id": "usr_1"},
            update=(Add("money", -price),),
            condition=AtLeast("money", price),
            refused=refused,
        )


@pytest.fixture
def account() -> Iterator[Account]:
    with mock_aws():
        yield Account()


def test_as_many_as_the_limit_and_not_one_more(account: Account) -> None:
    meter = RateMeter(LIMIT)
    for _ in range(LIMIT):
        account.request(meter, NOW)
    with pytest.raises(RateLimitedError):
        account.request(meter, NOW + MINUTE_MS - 1)
    # The refused one used up nothing else.
    assert account.row()["money"] == 1_000_000 - LIMIT


def test_the_next_minute_begins_anew(account: Account) -> None:
    meter = RateMeter(LIMIT)
    for minute in range(3):
        for _ in range(LIMIT):
            account.request(meter, NOW + minute * MINUTE_MS)
    assert account.row()["money"] == 1_000_000 - 3 * LIMIT


def test_one_process_needs_one_write_for_each_request(account: Account) -> None:
    meter = RateMeter(LIMIT)
    for second in range(0, 600, 20):
        account.request(meter, NOW + second * 1000)
    assert account.writes == 30


@pytest.mark.parametrize("seed", range(5))
def test_any_number_of_processes_with_clocks_that_differ_share_one_limit(account: Account, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - not a secret
    processes = [(RateMeter(LIMIT), chance.randint(-3_000, 3_000)) for _ in range(4)]
    accepted = 0
    for step in range(120):
        meter, skew_ms = chance.choice(processes)
        try:
            account.request(meter, NOW + step * 1_000 + skew_ms)
        except RateLimitedError:
            continue
        accepted += 1
    # Two minutes, and the seconds by which clocks are ahead or behind reach into a third and a fourth.
    assert 2 * LIMIT <= accepted <= 4 * LIMIT
    assert account.row()["money"] == 1_000_000 - accepted
    assert account.row()["request_rate"] % BASE <= LIMIT


@pytest.mark.parametrize(
    ("minute", "count", "opens", "refusal"),
    [
        (6, LIMIT, True, None),
        (6, LIMIT, False, RateWindowMismatchError),
        (7, LIMIT - 1, True, RateWindowMismatchError),
        (7, LIMIT, True, RateLimitedError),
        (7, LIMIT - 1, False, None),
        (7, LIMIT, False, RateLimitedError),
        (8, LIMIT - 1, False, RateWindowMismatchError),
        (8, LIMIT, False, RateLimitedError),
    ],
)
def test_a_refusal_is_explained_by_the_row(
    minute: int, count: int, opens: bool, refusal: type[Exception] | None
) -> None:
    found = rate_refused({"request_rate": minute * BASE + count}, RateWindow(7, opens, LIMIT))
    assert (None if found is None else type(found)) is refusal
    if isinstance(found, RateWindowMismatchError):
        assert found.window == RateWindow(max(minute, 7), minute == 6, LIMIT)


class TestHeaders:
    def test_what_is_left_and_when_it_is_whole_again(self) -> None:
        meter = RateMeter(600)
        meter.counted("usr_1", meter.guess("usr_1", NOW))
        assert meter.headers("usr_1", NOW + 15_000) == {
            "x-ratelimit-limit": "600",
            "x-ratelimit-remaining": "599",
            "x-ratelimit-reset": "45",
        }

    def test_after_a_refusal_nothing_is_left_until_the_next_minute(self) -> None:
        meter = RateMeter(600)
        meter.refused("usr_1", NOW)
        assert meter.headers("usr_1", NOW)["x-ratelimit-remaining"] == "0"
        assert meter.headers("usr_1", NOW + MINUTE_MS)["x-ratelimit-remaining"] == "600"

    def test_another_account_has_its_own(self) -> None:
        meter = RateMeter(600)
        meter.refused("usr_1", NOW)
        assert meter.headers("usr_2", NOW)["x-ratelimit-remaining"] == "600"
