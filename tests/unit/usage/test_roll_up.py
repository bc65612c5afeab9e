"""The law of the roll-up: however entries are delivered, each counts exactly once."""

import json
from collections.abc import Iterator, Sequence
from itertools import count
from typing import Any, Literal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from moto import mock_aws

from tests.conftest import moto_client
from tests.support.clock import ManualClock
from tests.support.laws import examples
from tollgate.catalog.loader import Catalog
from tollgate.kit.clock import MS_PER_DAY
from tollgate.kit.dynamodb.core import WriteConflictError
from tollgate.kit.dynamodb.database import Database
from tollgate.kit.dynamodb.rows import Item, to_attributes
from tollgate.ledger.attribution import Attribution
from tollgate.ledger.entries import Entry, charge_entry, refund_of
from tollgate.ledger.hold_entries import text_entry
from tollgate.ledger.trace import NO_TRACE, Trace
from tollgate.usage import repository
from tollgate.usage.counts import Counts, bucket_of
from tollgate.usage.recorder import UsageRecorder
from tollgate.usage.repository import RollUp, UsageRepository

NOVEMBER_21_MS = 1_795_219_200_000
FIRST, LAST = "2026-11-21", "2026-11-23"
SEARCH_MICRO_USD = 10_000
Sums = dict[tuple[str, str, str], list[int]]


class DyingClient:
    """A client whose transactions die on call, before they are written or before their answer arrives."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self.crashes: dict[int, bool] = {}
        self.sent = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    def transact_write_items(self, **request: Any) -> Any:
        self.sent += 1
        written = self.crashes.get(self.sent)
        answer = {} if written is False else self._client.transact_write_items(**request)
        if written is not None:
            raise ConnectionError("died")
        return answer


class Books:
    """The tables of the roll-up, on moto."""

    def __init__(self) -> None:
        client = moto_client("dynamodb")
        for table, keys in (("Usage", ("account_id", "usage_day")), ("Counted", ("entry_id",))):
            client.create_table(
                TableName=table,
                BillingMode="PAY_PER_REQUEST",
                AttributeDefinitions=[{"AttributeName": key, "AttributeType": "S"} for key in keys],
                KeySchema=[
                    {"AttributeName": key, "KeyType": kind}
                    for key, kind in zip(keys, ("HASH", "RANGE"), strict=False)
                ],
            )
        self.client = DyingClient(client)
        database = Database(self.client, sleep=lambda _: None)  # type: ignore[arg-type]
        self.roll_up = RollUp(database, "Usage", "Counted")
        self.usage = UsageRepository(database, "Usage")
        self.recorder = UsageRecorder(self.roll_up, (), ManualClock())

    def sums(self, accounts: Sequence[str]) -> Sums:
        return {
            (account, day, model): list(counts)
            for account in accounts
            for day, found in self.usage.days(account, FIRST, LAST)
            for model, counts in found.by_model.items()
        }

    def label_sums(self, accounts: Sequence[str], label: str) -> Sums:
        found: Sums = {}
        for account in accounts:
            for _, value, counts in self.usage.labels(account, label, FIRST, LAST):
                row = found.setdefault((account, label, value), [0] * len(Counts._fields))
                found[account, label, value] = [a + b for a, b in zip(row, counts, strict=True)]
        return found

    def key_sums(self, accounts: Sequence[str]) -> Sums:
        return {
            (account, day, key): list(counts)
            for account in accounts
            for day, found in self.usage.days(account, FIRST, LAST)
            for key, counts in found.by_key.items()
        }


@pytest.fixture(scope="module")
def books() -> Iterator[Books]:
    with mock_aws():
        yield Books()


def change(entry: Entry) -> dict[str, Any]:
    """Return an entry as a record of the stream."""
    image = to_attributes(entry.to_item())
    return {"dynamodb": {"NewImage": image, "SequenceNumber": entry.entry_id}}


def expected_sums(entries: Sequence[Entry], name: Literal["model", "key_id"] = "model") -> Sums:
    """Add entries up by hand."""
    sums: Sums = {}
    for entry in entries:
        day = f"2026-11-{21 + (entry.created_at_ms - NOVEMBER_21_MS) // MS_PER_DAY}"
        row = sums.setdefault((entry.account_id, day, getattr(entry, name) or ""), [0] * len(Counts._fields))
        if entry.amount_micro_usd > 0:
            row[1] += entry.amount_micro_usd
            continue
        row[0] -= entry.amount_micro_usd
        row[2] += entry.usage is not None
        row[3] += entry.usage is None
        row[4] += (entry.usage or {}).get("input_tokens", 0)
        row[5] += (entry.usage or {}).get("output_tokens", 0)
        searches = (entry.usage or {}).get("web_searches", 0)
        row[8] += searches
        # A charge that was cut to its hold can be less than its searches.
        row[9] += min(SEARCH_MICRO_USD * searches, -entry.amount_micro_usd)
    return sums


def expected_labels(entries: Sequence[Entry], label: str) -> Sums:
    """Add the entries with a label up by hand, over all days."""
    sums: Sums = {}
    for entry in entries:
        value = entry.user if label == "user" else (entry.tags or {}).get(label.removeprefix("tag:"))
        if value is None:
            continue
        for (account, _, _), counts in expected_sums([entry]).items():
            row = sums.setdefault((account, label, value), [0] * len(Counts._fields))
            sums[account, label, value] = [a + b for a, b in zip(row, counts, strict=True)]
    return {key: counts for key, counts in sums.items() if any(counts)}


serial = count()
LABELS = st.builds(
    Attribution,
    st.sampled_from([None, "alice", "bob#1"]),
    st.dictionaries(st.sampled_from(["team", "feature"]), st.sampled_from(["search", "ads"])),
)


@st.composite
def an_entry(draw: st.DrawFn, account_ids: Sequence[str]) -> Entry:
    account, model = draw(st.sampled_from(account_ids)), draw(st.sampled_from(["test-image", "gpt-5.4-mini"]))
    at = NOVEMBER_21_MS + draw(st.integers(0, 3 * MS_PER_DAY - 1))
    amount, made = draw(st.integers(0, 10**9)), next(serial)
    key = draw(st.sampled_from([None, "key_a", "key_b"]))
    labels = draw(LABELS)
    match draw(st.sampled_from("crt")):
        case "c":
            return charge_entry(account, f"task_{made}", model, amount, at, key_id=key, attribution=labels)
        case "r":
            charge = charge_entry(
                account, f"task_{made}", model, amount + 1, at, key_id=key, attribution=labels
            )
            return refund_of(charge, at)
        case _:
            usage = {"input_tokens": amount % 7, "output_tokens": amount % 5, "web_searches": amount % 3}
            trace = Trace(prices={"web_searches": f"{SEARCH_MICRO_USD}.00"}) if amount % 3 else NO_TRACE
            return text_entry(
                account,
                f"req_{made}",
                model=model,
                charge_micro_usd=amount,
                usage=usage,
                now_ms=at,
                key_id=key,
                attribution=labels,
                trace=trace,
            )


class TestExactlyOnce:
    @settings(max_examples=examples(15), suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(data=st.data())
    def test_repeats_splits_new_orders_and_crashes_change_nothing(
        self, books: Books, monkeypatch: pytest.MonkeyPatch, data: st.DataObject
    ) -> None:
        # Small transactions: the batches of a test are split as those of a busy account are.
        monkeypatch.setattr(repository, "MAX_AT_ONCE", 3)
        accounts = [f"usr_{next(serial)}", f"usr_{next(serial)}"]
        entries = data.draw(st.lists(an_entry(accounts), min_size=1, max_size=12))
        batches = data.draw(st.lists(st.lists(st.sampled_from(entries), max_size=12), max_size=4))
        crashes = data.draw(st.dictionaries(st.integers(1, 20), st.booleans(), max_size=6))
        books.client.sent, books.client.crashes = 0, crashes
        for batch in batches:
            books.recorder.record([change(entry) for entry in batch])
        # What failed comes again until it does not; here, all of it does.
        books.client.crashes = {}
        assert books.recorder.record([change(entry) for entry in data.draw(st.permutations(entries))]) == []
        assert books.sums(accounts) == expected_sums(entries)
        assert books.key_sums(accounts) == expected_sums(entries, "key_id")
        for label in ("user", "tag:team", "tag:feature"):
            assert books.label_sums(accounts, label) == expected_labels(entries, label)

    def test_250_entries_of_one_day_take_three_transactions(self, books: Books) -> None:
        entries = [
            charge_entry("usr_many", f"task_m{n}", ("a", "b")[n % 2], 10_000, NOVEMBER_21_MS)
            for n in range(250)
        ]
        books.client.sent, books.client.crashes = 0, {}
        assert books.recorder.record([change(entry) for entry in entries]) == []
        assert books.client.sent == 3
        half = list(Counts(spent_micro_usd=1_250_000, tasks=125))
        assert books.sums(["usr_many"]) == {("usr_many", FIRST, "a"): half, ("usr_many", FIRST, "b"): half}

    def test_entries_with_many_labels_fit_into_transactions(self, books: Books) -> None:
        labels = [Attribution(f"u{n}", {f"t{tag}": str(n) for tag in range(8)}) for n in range(50)]
        entries = [
            charge_entry("usr_l", f"task_l{n}", "a", 1, NOVEMBER_21_MS, attribution=label)
            for n, label in enumerate(labels)
        ]
        books.client.sent, books.client.crashes = 0, {}
        assert books.recorder.record([change(entry) for entry in entries]) == []
        assert books.label_sums(["usr_l"], "tag:t7") == expected_labels(entries, "tag:t7")

    def test_one_buckets_trouble_is_reported_and_leaves_the_others_alone(self, books: Books) -> None:
        entries = [charge_entry(f"usr_t{n}", f"task_t{n}", "a", 1, NOVEMBER_21_MS) for n in (1, 2)]
        books.client.sent, books.client.crashes = 0, {1: False}
        assert books.recorder.record([change(entry) for entry in entries]) == ["task_t1#charge"]
        assert set(books.sums(["usr_t1", "usr_t2"])) == {("usr_t2", FIRST, "a")}

    def test_a_row_that_others_wrote_meanwhile_is_read_again(
        self, books: Books, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        ours, theirs = (charge_entry("usr_r", f"task_r{n}", "a", n, NOVEMBER_21_MS) for n in (1, 2))
        read = Database.get
        others = [theirs]

        def get_then_others_write(database: Database, table: str, key: Item) -> Item | None:
            row = read(database, table, key)
            if others:
                books.roll_up.count(bucket_of(theirs), [others.pop()], 0)
            return row

        monkeypatch.setattr(Database, "get", get_then_others_write)
        books.roll_up.count(bucket_of(ours), [ours], 0)
        assert books.sums(["usr_r"]) == {("usr_r", FIRST, "a"): list(Counts(3, tasks=2))}

    def test_a_row_that_others_keep_writing_is_left_for_the_next_time(
        self, books: Books, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        entry = charge_entry("usr_w", "task_w", "a", 1, NOVEMBER_21_MS)
        books.roll_up.count(bucket_of(entry), [entry], 0)
        # The mark is seen by the transaction and never by the read after it.
        monkeypatch.setattr(Database, "get_all", lambda *_: [])
        with pytest.raises(WriteConflictError):
            books.roll_up.count(bucket_of(entry), [entry], 0)


def test_a_version_before_searches_reads_the_row(books: Books) -> None:
    """It knows the first eight counts only, and no other attribute with counts."""
    usage, trace = {"input_tokens": 1, "web_searches": 2}, Trace(prices={"web_searches": "10000"})
    entry = text_entry(
        "usr_before",
        "req_before",
        model="m",
        charge_micro_usd=30_000,
        usage=usage,
        now_ms=NOVEMBER_21_MS,
        trace=trace,
    )
    books.recorder.record([change(entry)])
    key = {"account_id": {"S": "usr_before"}, "usage_day": {"S": "2026-11-21"}}
    row = books.client.get_item(TableName="Usage", Key=key)["Item"]
    assert json.loads(row["counts"]["S"]) == {"m": [30_000, 0, 1, 0, 1, 0, 0, 0]}
    # It writes the row without what it does not know.
    books.client.update_item(TableName="Usage", Key=key, UpdateExpression="REMOVE counts_more, keys_more")
    assert books.sums(["usr_before"]) == {("usr_before", "2026-11-21", "m"): [30_000, 0, 1, 0, 1, *[0] * 5]}


class TestMarks:
    def test_a_mark_outlives_the_stream_and_goes_away(self, books: Books) -> None:
        entry = charge_entry("usr_x", "task_x", "a", 1, NOVEMBER_21_MS)
        books.roll_up.count(bucket_of(entry), [entry], NOVEMBER_21_MS)
        mark = books.client.get_item(TableName="Counted", Key={"entry_id": {"S": entry.entry_id}})["Item"]
        week_later_s = NOVEMBER_21_MS // 1000 + 7 * 24 * 3600
        assert mark == {"entry_id": {"S": "task_x#charge"}, "expires_at_s": {"N": str(week_later_s)}}


class TestSize:
    def test_30_days_of_every_model_are_one_page_of_dynamodb(self) -> None:
        """A page is 1 MB. Twelve digits are a million dollars, or 10¹² tokens, of one day and model."""
        counts = {model.id: [10**12 - 1] * 6 for model in Catalog.shipped().all_models()}
        keys = len("account_id") + len("usr_01JD5R6Q00EXAMP1EACCT00001") + len("usage_day") + len(FIRST)
        row = keys + len("seq") + 21 + len("counts") + len(json.dumps(counts))
        assert 30 * row < 1_000_000
