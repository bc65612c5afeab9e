"""Every request counts: in each process by itself, and in the account's row after a part of the window."""

from collections.abc import Iterator

import pytest
from moto import mock_aws

from tests.conftest import moto_client
from tollgate.kit.dynamodb.database import Database
from tollgate.kit.dynamodb.expressions import SetIfMissing
from tollgate.kit.dynamodb.writes import Write
from tollgate.ledger.errors import RateLimitedError
from tollgate.ledger.hourly_counts import count_in_hour
from tollgate.ledger.rate import with_lower_remaining
from tollgate.ledger.request_counts import BASE, FACTOR, RequestMeter, Share, StaleCountError
from tollgate.ledger.wallets import Limits

TABLE, ACCOUNT = "Accounts", "usr_1"
MINUTE_MS = 60_000
NOW = 28_000_000 * MINUTE_MS
FLOOR = 28_000_000 * BASE
# 1,000 requests of any kind, told after every 10.
LIMIT = 100


@pytest.fixture
def db() -> Iterator[Database]:
    with mock_aws():
        client = moto_client("dynamodb")
        client.create_table(
            TableName=TABLE,
            BillingMode="PAY_PER_REQUEST",
            AttributeDefinitions=[{"AttributeName": "account_id", "AttributeType": "S"}],
            KeySchema=[{"AttributeName": "account_id", "KeyType": "HASH"}],
        )
        database = Database(client)
        database.write(Write(TABLE, item={"account_id": ACCOUNT, "balance_micro_usd": 5}))
        yield database


def said(db: Database) -> int:
    row = db.get(TABLE, {"account_id": ACCOUNT})
    assert row is not None
    return int(row.get("all_requests", 0))


def counted(meter: RequestMeter, many: int, now_ms: int = NOW) -> None:
    for _ in range(many):
        meter.count(ACCOUNT, now_ms)


def taken(meter: RequestMeter, now_ms: int = NOW) -> Share:
    share = meter.take(TABLE, ACCOUNT, now_ms)
    assert share is not None
    return share


def told(db: Database, meter: RequestMeter, now_ms: int = NOW) -> None:
    share = taken(meter, now_ms)
    try:
        db.write(share.write)
    except StaleCountError as exc:
        meter.moved(ACCOUNT, share, exc, now_ms)


class TestOneProcess:
    def test_counts_up_to_ten_times_the_requests_that_may_take_money(self) -> None:
        meter = RequestMeter(LIMIT)
        counted(meter, FACTOR * LIMIT)
        assert meter.left(ACCOUNT, NOW) == 0
        with pytest.raises(RateLimitedError, match="1000 requests"):
            meter.count(ACCOUNT, NOW)
        meter.count("usr_2", NOW)
        meter.count(ACCOUNT, NOW + MINUTE_MS)

    def test_limits_of_an_account_are_those_of_all_its_wallets(self) -> None:
        meter = RequestMeter(LIMIT)
        assert meter.left(ACCOUNT, NOW, Limits(requests_per_minute=7, wallets=3)) == 210

    def test_tells_after_a_hundredth_of_the_window(self, db: Database) -> None:
        meter = RequestMeter(LIMIT)
        counted(meter, 9)
        assert meter.take(TABLE, ACCOUNT, NOW) is None
        counted(meter, 1)
        told(db, meter)
        assert said(db) == FLOOR + 10
        counted(meter, 10)
        told(db, meter)
        assert said(db) == FLOOR + 20
        assert meter.left(ACCOUNT, NOW) == 980

    def test_tells_each_request_of_a_small_window(self, db: Database) -> None:
        meter = RequestMeter(1)
        for total in range(1, 4):
            counted(meter, 1)
            told(db, meter)
            assert said(db) == FLOOR + total
        assert meter.take(TABLE, ACCOUNT, NOW) is None

    def test_begins_anew_in_the_next_minute(self, db: Database) -> None:
        meter = RequestMeter(LIMIT)
        counted(meter, 10)
        told(db, meter)
        counted(meter, 10, NOW + MINUTE_MS)
        told(db, meter, NOW + MINUTE_MS)
        assert said(db) == FLOOR + BASE + 10

    def test_makes_no_account_and_touches_nothing_else(self, db: Database) -> None:
        meter = RequestMeter(LIMIT)
        for _ in range(10):
            meter.count("usr_gone", NOW)
        share = meter.take(TABLE, "usr_gone", NOW)
        assert share is not None
        with pytest.raises(StaleCountError):
            db.write(share.write)
        assert db.get(TABLE, {"account_id": "usr_gone"}) is None


class TestSeveral:
    def test_each_learns_what_the_others_told(self, db: Database) -> None:
        one, other = RequestMeter(LIMIT), RequestMeter(LIMIT)
        counted(one, 400)
        told(db, one)
        counted(other, 10)
        told(db, other)
        # The other one's share was refused, and goes with its next.
        assert said(db) == FLOOR + 400
        assert other.left(ACCOUNT, NOW) == 590
        told(db, other)
        assert said(db) == FLOOR + 410

    def test_together_they_stop_at_the_limit_but_for_what_is_not_told_yet(self, db: Database) -> None:
        meters = [RequestMeter(LIMIT) for _ in range(5)]
        made = 0
        for _ in range(400):
            for meter in meters:
                try:
                    meter.count(ACCOUNT, NOW)
                except RateLimitedError:
                    continue
                made += 1
                while (share := meter.take(TABLE, ACCOUNT, NOW)) is not None:
                    try:
                        db.write(share.write)
                    except StaleCountError as exc:
                        meter.moved(ACCOUNT, share, exc, NOW)
        assert 1_000 <= made <= 1_000 + 5 * 10

    def test_a_clock_ahead_of_ours_is_believed_and_breaks_nothing(self, db: Database) -> None:
        ahead, ours = RequestMeter(LIMIT), RequestMeter(LIMIT)
        counted(ahead, 10, NOW + MINUTE_MS)
        told(db, ahead, NOW + MINUTE_MS)
        counted(ours, 10)
        told(db, ours)
        assert said(db) == FLOOR + BASE + 10


class TestALostAnswer:
    def test_twice_is_once(self, db: Database) -> None:
        meter = RequestMeter(LIMIT)
        counted(meter, 10)
        share = taken(meter)
        # The row has the share's mark, so the second write is known as the first.
        db.write(share.write)
        db.write(share.write)
        assert said(db) == FLOOR + 10
        assert meter.left(ACCOUNT, NOW) == 990


def test_the_headers_promise_no_more_than_is_left() -> None:
    headers = {"x-ratelimit-limit": "600", "x-ratelimit-remaining": "599"}
    assert with_lower_remaining(headers, 6_000)["x-ratelimit-remaining"] == "599"
    assert with_lower_remaining(headers, 7)["x-ratelimit-remaining"] == "7"
    assert with_lower_remaining(headers, -1)["x-ratelimit-remaining"] == "0"


def test_a_count_of_an_hour_is_dropped_two_hours_after_its_first_one() -> None:
    write = count_in_hour(TABLE, ACCOUNT, "tokens#", NOW, most=1, refused=StaleCountError)
    assert SetIfMissing("expires_at_s", NOW // 1_000 + 2 * 60 * 60) in write.update
