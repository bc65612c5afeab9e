"""Statistics and the ledger as a customer reads them, through the handler of `functions/api`."""

import csv
import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from typing import Any

import pytest

from tests.conftest import Aws
from tests.functional.conftest import create, post_text, with_prompt
from tests.functional.test_api import call, details
from tests.functional.test_record_usage import counted_records, record
from tests.functional.test_run_task import run_to_end
from tests.support.clock import START_MS, ManualClock
from tests.support.samples import PAID_BODY, PAID_IMAGE
from tollgate.accounts.keys import key_id_of
from tollgate.accounts.service import OpenedAccount
from tollgate.catalog.loader import Catalog
from tollgate.composition import api as api_parts
from tollgate.composition import run_task as run_task_parts
from tollgate.kit import csv_table
from tollgate.kit.clock import MS_PER_DAY
from tollgate.kit.dynamodb.pages import Page
from tollgate.kit.dynamodb.rows import to_attributes
from tollgate.kit.money import micro_usd_of_cents
from tollgate.ledger import statement
from tollgate.ledger.entries import Entry, EntryKind, charge_entry
from tollgate.usage import repository as usage_repository

STATS, LEDGER, TABLE = "/api/v1/stats", "/api/v1/ledger", "/api/v1/ledger.csv"
START_DAY = "2023-11-14"  # of the manual clock, at 22:13:20
A_TASK = "task_01JD5R6Q00EXAMP1ETASK00001"


def ok(customer: OpenedAccount, path: str) -> Any:
    """Return the `data` of an answer that must be 200."""
    status, body, _ = call("GET", path, customer.api_key)
    assert status == 200, body
    return body["data"]


def ask(aws: Aws, customer: OpenedAccount, tokens: int, micro_usd: int) -> str:
    """Put a text request into the ledger as `text/money/billing.py` does; give its id."""
    usage = {"input_tokens": tokens, "output_tokens": tokens}
    return post_text(aws, customer.account_id, micro_usd, usage=usage)


def rolled_up(aws: Aws, customer: OpenedAccount, query: str = "") -> Any:
    """Let the ledger's stream arrive; give the statistics."""
    assert record(counted_records(aws)) == {"batchItemFailures": []}
    return ok(customer, STATS + query)


def sums(found: Any) -> tuple[int, int, int, int]:
    """Return the main numbers of a total, a day or a model."""
    return found["spentMicroUsd"], found["refundedMicroUsd"], found["tasks"], found["requests"]


@contextmanager
def queries(aws: Aws) -> Iterator[list[str]]:
    """Note the tables that are queried, once for each round trip."""
    found: list[str] = []

    def note(params: Any, **_: Any) -> None:
        found.append(params["TableName"])

    events = aws.clients.dynamodb.meta.events
    events.register("provide-client-params.dynamodb.Query", note)
    yield found
    events.unregister("provide-client-params.dynamodb.Query", note)


class TestStatistics:
    def test_of_an_account_that_did_nothing(self, customer: OpenedAccount) -> None:
        nothing = {
            "spentCents": 0,
            "spentMicroUsd": 0,
            "refundedCents": 0,
            "refundedMicroUsd": 0,
            "requests": 0,
            "tasks": 0,
            "inputTokens": 0,
            "outputTokens": 0,
        }
        assert ok(customer, STATS) == {
            "range": "today",
            "from": START_DAY,
            "to": START_DAY,
            "total": nothing,
            "byDay": [{"date": START_DAY, **nothing}],
            "byModel": [],
            "byKey": [],
        }

    def test_tasks_and_text_by_model_the_dearest_first(
        self, aws: Aws, customer: OpenedAccount, clock: ManualClock
    ) -> None:
        run_to_end(create(customer), clock)
        run_to_end(create(customer, **with_prompt("[[reject]]")), clock)
        ask(aws, customer, 11, 63)
        ask(aws, customer, 7, 40)
        found = rolled_up(aws, customer)
        assert sums(found["total"]) == (20_103, 10_000, 2, 2)
        assert (found["total"]["spentCents"], found["total"]["refundedCents"]) == (3, 1)
        assert [(each["model"], sums(each)) for each in found["byModel"]] == [
            (PAID_IMAGE, (20_000, 10_000, 2, 0)),
            ("gpt-5.4-mini", (103, 0, 0, 2)),
        ]
        assert found["byModel"][1]["inputTokens"] == found["byModel"][1]["outputTokens"] == 18

    def test_each_key_has_what_it_asked_for_and_the_dashboard_has_the_rest(
        self, aws: Aws, customer: OpenedAccount, clock: ManualClock
    ) -> None:
        first = ok(customer, "/api/v1/keys")["keys"][0]["id"]
        for prompt in ("a boat", "[[reject]]"):
            body = {"model": PAID_IMAGE, **with_prompt(prompt)}
            _, made, _ = call("POST", "/api/v1/generation/create", customer.api_key, body)
            run_to_end(made["data"]["taskId"], clock)
        ask(aws, customer, 11, 63)
        found = rolled_up(aws, customer)["byKey"]
        assert [(each["keyId"], sums(each)) for each in found] == [
            (first, (20_000, 10_000, 2, 0)),
            ("", (63, 0, 0, 1)),
        ]

    def test_groups_by_label_key_model_and_member(
        self, aws: Aws, customer: OpenedAccount, clock: ManualClock
    ) -> None:
        for prompt, sent in (
            ("a boat", "team=search,user=alice"),
            ("[[reject]]", "team=search"),
            ("x", "team=ads"),
        ):
            body = {"model": PAID_IMAGE, **with_prompt(prompt)}
            headers = {"x-tollgate-tags": sent}
            _, made, _ = call("POST", "/api/v1/generation/create", customer.api_key, body, headers)
            run_to_end(made["data"]["taskId"], clock)
        ask(aws, customer, 11, 63)
        first = ok(customer, "/api/v1/keys")["keys"][0]["id"]
        expected = {
            "tag:team": [("search", (20_000, 10_000, 2, 0)), ("ads", (10_000, 0, 1, 0))],
            "user": [("alice", (10_000, 0, 1, 0))],
            "tag:feature": [],
            "model": [(PAID_IMAGE, (30_000, 10_000, 3, 0)), ("gpt-5.4-mini", (63, 0, 0, 1))],
            "key": [(first, (30_000, 10_000, 3, 0)), ("", (63, 0, 0, 1))],
            "member": [("", (30_063, 10_000, 3, 1))],
        }
        rolled_up(aws, customer)
        for group_by, groups in expected.items():
            found = ok(customer, f"{STATS}?groupBy={group_by}")
            assert found["groupBy"] == group_by
            assert [(each["value"], sums(each)) for each in found["groups"]] == groups
        # The ledger shows them, the refund's included.
        entries = ok(customer, f"{LEDGER}?limit=10")["entries"]
        assert [entry["kind"] for entry in entries if entry.get("tags") == {"team": "search"}] == [
            "refund", "charge", "charge",
        ]  # fmt: skip
        assert [entry["user"] for entry in entries if "user" in entry] == ["alice"]

    @pytest.mark.parametrize("group_by", ["team", "tag:", "tag:Team", "", "user:alice"])
    def test_an_unknown_group_is_refused(self, customer: OpenedAccount, group_by: str) -> None:
        status, body, _ = call("GET", f"{STATS}?groupBy={group_by}", customer.api_key)
        assert (status, set(details(body))) == (400, {"/groupBy"})

    def test_a_wrong_header_is_refused_and_nothing_is_charged(self, customer: OpenedAccount) -> None:
        body = {"model": PAID_IMAGE, **with_prompt("a boat")}
        headers = {"x-tollgate-tags": "Team=x"}
        status, answer, _ = call("POST", "/api/v1/generation/create", customer.api_key, body, headers)
        assert (status, answer["error"]["code"]) == (400, "invalid_input")
        assert "x-tollgate-tags" in answer["error"]["message"]
        assert ok(customer, "/api/v1/user/me")["balance"] == 100

    def test_more_values_than_one_request_reads_are_refused(
        self, aws: Aws, customer: OpenedAccount, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(usage_repository, "MAX_LABEL_ROWS", 1)
        for n in range(2):
            row = {"account_id": customer.account_id, "usage_day": f"user#{START_DAY}#u{n}", "requests": 1}
            aws.clients.dynamodb.put_item(TableName=aws.stack.refs["UsageTable"], Item=to_attributes(row))
        status, body, _ = call("GET", f"{STATS}?groupBy=user", customer.api_key)
        assert (status, set(details(body))) == (400, {"/from"})

    def test_a_refund_counts_on_the_day_of_the_refund(
        self, aws: Aws, customer: OpenedAccount, clock: ManualClock
    ) -> None:
        clock.set((START_MS // MS_PER_DAY + 1) * MS_PER_DAY - 1)
        task_id = create(customer, **with_prompt("[[reject]]"))
        clock.advance_ms(1)
        run_to_end(task_id, clock)
        found = rolled_up(aws, customer, "?range=7d")
        assert [(each["date"], sums(each)) for each in found["byDay"]][-2:] == [
            ("2023-11-14", (10_000, 0, 1, 0)),
            ("2023-11-15", (0, 10_000, 0, 0)),
        ]
        assert found["byDay"][0]["date"] == "2023-11-09"
        assert sums(ok(customer, STATS)["total"]) == (0, 10_000, 0, 0)

    def test_only_the_days_asked_for(self, aws: Aws, customer: OpenedAccount, clock: ManualClock) -> None:
        for _ in range(4):
            create(customer)
            clock.advance_ms(MS_PER_DAY)
        found = rolled_up(aws, customer, "?range=custom&from=2023-11-15&to=2023-11-16")
        assert (found["range"], found["from"], found["to"]) == ("custom", "2023-11-15", "2023-11-16")
        assert [each["tasks"] for each in found["byDay"]] == [1, 1]
        assert found["total"]["tasks"] == found["byModel"][0]["tasks"] == 2

    def test_nobody_sees_another_accounts(self, aws: Aws, customer: OpenedAccount) -> None:
        create(customer)
        stranger = api_parts.api().accounts.open(1)
        assert rolled_up(aws, stranger)["total"]["tasks"] == 0

    def test_30_days_are_one_query_however_much_was_used(self, aws: Aws, customer: OpenedAccount) -> None:
        today = date(2023, 11, 14)
        models = [model.id for model in Catalog.shipped().all_models()]
        counts = json.dumps({model: [0, 0, 0, 1000, 0, 0] for model in models})
        for n in range(30):
            day = {"account_id": customer.account_id, "usage_day": str(today - timedelta(days=n))}
            row = to_attributes({**day, "seq": 1, "counts": counts})
            aws.clients.dynamodb.put_item(TableName=aws.stack.refs["UsageTable"], Item=row)
        with queries(aws) as found:
            assert ok(customer, f"{STATS}?range=30d")["total"]["tasks"] == 30_000 * len(models)
        assert found == [aws.stack.refs["UsageTable"]]

    def test_a_bad_query_is_named(self, customer: OpenedAccount) -> None:
        status, body, _ = call("GET", f"{STATS}?range=custom&from=2023-02-30&month=2", customer.api_key)
        assert (status, set(details(body))) == (400, {"/from", "/to", "/month"})


class TestWhoMay:
    @pytest.mark.parametrize("path", [STATS, LEDGER, TABLE])
    def test_nobody_without_a_key(self, aws: Aws, path: str) -> None:
        status, body, _ = call("GET", path)
        assert (status, body["error"]["code"]) == (401, "invalid_api_key")

    @pytest.mark.parametrize("path", [STATS, LEDGER, TABLE])
    def test_no_key_without_the_account_scope(self, customer: OpenedAccount, path: str) -> None:
        body = {"name": "ci", "scopes": ["media", "text"]}
        _, made, _ = call("POST", "/api/v1/keys", customer.api_key, body)
        status, answer, _ = call("GET", path, made["data"]["key"])
        assert (status, answer["error"]["code"]) == (403, "forbidden")


def entry_ids(data: Any) -> list[str]:
    return [entry["id"] for entry in data["entries"]]


def all_pages(customer: OpenedAccount, query: str) -> list[str]:
    """Follow the cursors; give all ids."""
    found, cursor = [], ""
    for _ in range(20):
        data = ok(customer, f"{LEDGER}?{query}{cursor}")
        found += entry_ids(data)
        if "cursor" not in data:
            return found
        cursor = f"&cursor={data['cursor']}"
    pytest.fail("the pages do not end")


class TestLedger:
    def test_each_kind_of_entry(self, aws: Aws, customer: OpenedAccount, clock: ManualClock) -> None:
        clock.advance_ms(1000)
        task_id = create(customer, **with_prompt("[[reject]]"))
        run_to_end(task_id, clock)
        request_id = ask(aws, customer, 11, 63)
        text, refund, charge, credit = ok(customer, LEDGER)["entries"]
        assert text | {"createdAt": ""} == {
            "id": f"{request_id}#text",
            "kind": "text",
            "amountMicroUsd": -63,
            "amountUsd": "-0.000063",
            "model": "gpt-5.4-mini",
            "requestId": request_id,
            "createdAt": "",
        }
        assert charge == {
            "id": f"{task_id}#charge",
            "kind": "charge",
            "amountMicroUsd": -10_000,
            "amountUsd": "-0.01",
            "model": PAID_IMAGE,
            "taskId": task_id,
            "createdAt": "2023-11-14T22:13:21.000Z",
        }
        assert (refund["amountUsd"], refund["answers"]) == ("0.01", charge["id"])
        assert (credit["kind"], credit["amountUsd"]) == ("credit", "1")

    @pytest.mark.parametrize("limit", [1, 2, 7])
    def test_pages_have_each_entry_once_the_newest_first(
        self, customer: OpenedAccount, clock: ManualClock, limit: int
    ) -> None:
        made = []
        for later_ms in (1, 0, 0, 1):  # three of them in the same millisecond
            clock.advance_ms(later_ms)
            made.append(f"{create(customer)}#charge")
        found = all_pages(customer, f"limit={limit}")
        assert (found[0], set(found[1:4])) == (made[3], set(made[:3]))
        assert len(found) == 5
        assert found[4].startswith("credit_")

    def test_filters(self, aws: Aws, customer: OpenedAccount, clock: ManualClock) -> None:
        clock.advance_ms(1000)
        task_id = create(customer, **with_prompt("[[reject]]"))
        run_to_end(task_id, clock)
        clock.set(START_MS + 60_000)
        request_id = ask(aws, customer, 1, 1)
        both = [f"{task_id}#refund", f"{task_id}#charge"]
        for query, expected in {
            f"taskId={task_id}": both,
            f"taskId={task_id}&kind=charge": both[1:],
            f"requestId={request_id}": [f"{request_id}#text"],
            "kind=refund": both[:1],
            "kind=text&from=2023-11-14T22:14:20Z": [f"{request_id}#text"],
            "from=2023-11-14T22:13:21Z&to=2023-11-14T22:14:20Z": both,
            f"requestId={request_id}&to=2023-11-14T22:14:20Z": [],
            "from=2023-11-15": [],
        }.items():
            assert entry_ids(ok(customer, f"{LEDGER}?{query}")) == expected, query

    def test_nobody_sees_anothers(self, customer: OpenedAccount) -> None:
        task_id = create(customer)
        stranger = api_parts.api().accounts.open(1)
        assert len(entry_ids(ok(stranger, LEDGER))) == 1
        assert entry_ids(ok(stranger, f"{LEDGER}?taskId={task_id}")) == []

    def test_a_rare_kind_makes_short_pages_and_is_found(
        self, customer: OpenedAccount, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for _ in range(4):
            clock.advance_ms(1)
            create(customer)
        monkeypatch.setattr(statement, "MAX_READ", 3)
        first = ok(customer, f"{LEDGER}?kind=credit")
        assert first["entries"] == []
        assert "cursor" in first
        assert len(all_pages(customer, "kind=credit")) == 1

    def test_a_bad_query_is_named(self, customer: OpenedAccount) -> None:
        status, body, _ = call("GET", f"{LEDGER}?kind=bonus&cursor=nonsense", customer.api_key)
        assert (status, set(details(body))) == (400, {"/kind", "/cursor"})


ID = statement.COLUMNS.index("id")


class TestTable:
    def rows(self, customer: OpenedAccount, query: str = "") -> list[list[str]]:
        status, text, headers = call("GET", TABLE + query, customer.api_key)
        assert status == 200
        assert headers["content-type"] == "text/csv; charset=utf-8"
        assert headers["content-disposition"] == 'attachment; filename="ledger.csv"'
        return list(csv.reader(text.splitlines()))

    def test_it_has_the_entries_of_the_list(self, customer: OpenedAccount, clock: ManualClock) -> None:
        clock.advance_ms(1000)
        _, made, _ = call("POST", "/api/v1/generation/create", customer.api_key, PAID_BODY)
        task_id = made["data"]["taskId"]
        header, charge, credit = self.rows(customer)
        assert dict(zip(header, charge, strict=True)) == {
            "createdAt": "2023-11-14T22:13:21.000Z",
            "kind": "charge",
            "amountUsd": "-0.01",
            "amountMicroUsd": "-10000",
            "model": PAID_IMAGE,
            "taskId": task_id,
            "requestId": "",
            "answers": "",
            "reference": "",
            "id": f"{task_id}#charge",
            "keyId": key_id_of(customer.api_key),
            "user": "",
            "tags": "",
            "projectId": "",
            "tokenId": "",
            "reason": "",
        }
        assert credit[1:4] == ["credit", "1", "1000000"]
        assert self.rows(customer, "?kind=credit") == [header, credit]

    def test_it_has_everything_that_the_list_has(self, customer: OpenedAccount, clock: ManualClock) -> None:
        clock.advance_ms(1000)
        texts: Any = {name: name for name in ("task_id", "model", "answers", "request_id", "reference")}
        texts |= {name: name for name in ("key_id", "user", "project", "token", "reason")}
        tags = {"team": "search", "feature": "summary"}
        paid = Entry(customer.account_id, "paid", EntryKind.CREDIT, 10**6, clock.now_ms(), tags=tags, **texts)
        run_task_parts.step_runner().ledger.credit(paid)
        (listed, *_), (header, row, *_) = ok(customer, LEDGER)["entries"], self.rows(customer)
        own = {"tags": "team=search,feature=summary", "amountMicroUsd": "1000000", "amountUsd": "1"}
        assert dict(zip(header, row, strict=True)) == {**listed, **own}

    def test_text_in_it_is_never_a_formula(self, aws: Aws, customer: OpenedAccount) -> None:
        # Also the wide forms, which spreadsheets of East Asia read as the narrow ones.
        formulas = ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", *"\uff1d\uff0b\uff0d\uff20"]
        ledger = run_task_parts.step_runner().ledger
        for formula in formulas:
            ledger.credit(Entry(customer.account_id, formula, EntryKind.CREDIT, 1, START_MS + 1))
        ids = {row[ID] for row in self.rows(customer, "?from=2023-11-14T22:13:20.001Z")[1:]}
        assert ids == {f"'{formula}" for formula in formulas}

    def test_one_that_is_cut_says_how_to_go_on(
        self, customer: OpenedAccount, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for _ in range(4):
            clock.advance_ms(1)
            create(customer)
        monkeypatch.setattr(statement, "MAX_CSV", 3)
        *first, (note,) = self.rows(customer)
        assert note.startswith("Cut after 3 entries.")
        rest = self.rows(customer, f"?{note.rpartition(' ')[2]}")
        assert len(first[1:]) + len(rest[1:]) == len({row[ID] for row in first[1:] + rest[1:]}) == 5

    def test_the_longest_one_fits_into_an_answer_of_lambda(self) -> None:
        """6 MB, in which the text is a JSON string: a quote or an end of line takes two bytes."""
        entry = charge_entry("usr_1", A_TASK, "m" * 60, micro_usd_of_cents(10**9), START_MS)
        page = Page([entry] * statement.MAX_CSV, "c" * 100)
        assert len(statement.as_csv(page)) < csv_table.MAX_BYTES

    def test_long_labels_cut_it_sooner(
        self, customer: OpenedAccount, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for _ in range(4):
            clock.advance_ms(1)
            create(customer)
        whole = self.rows(customer)
        size = sum(len(",".join(row)) + 2 for row in whole)
        monkeypatch.setattr(csv_table, "MAX_BYTES", size // 2)
        *first, (note,) = self.rows(customer)
        assert 1 < len(first) < len(whole)
        assert note.startswith(f"Cut after {len(first) - 1} entries.")
        rest = self.rows(customer, f"?{note.rpartition(' ')[2]}")
        assert first + rest[1:] == whole

    def test_a_bad_query_is_named(self, customer: OpenedAccount) -> None:
        status, body, _ = call("GET", f"{TABLE}?limit=10001", customer.api_key)
        assert (status, details(body)) == (400, {"/limit": "Must be a whole number, 1 to 10000."})
