"""Statements by month, from the ledger's own stream to the page and the file."""

import csv
import re
from decimal import Decimal
from io import StringIO

import pytest

from tests.conftest import Aws
from tests.functional.conftest import with_prompt
from tests.functional.test_api import call
from tests.functional.test_record_usage import counted_records, record
from tests.functional.test_run_task import run_to_end
from tests.support.clock import ManualClock
from tests.support.dashboard import Browser
from tests.support.samples import PAID_IMAGE
from tollgate.accounts.scopes import Scope
from tollgate.composition import api as api_parts
from tollgate.kit.clock import MS_PER_DAY
from tollgate.kit.money import micro_usd_of_cents
from tollgate.ledger.entries import Entry, EntryKind

# The clock of the tests starts in November 2023.
FIRST, SECOND = "2023-11", "2023-12"


def post(account_id: str, entry_id: str, kind: EntryKind, cents: int, now_ms: int, reason: str) -> None:
    """Put a credit or a debit into the ledger, as an operator does."""
    ledger = api_parts.api().tasks.ledger
    entry = Entry(account_id, entry_id, kind, micro_usd_of_cents(cents), now_ms, reason=reason)
    (ledger.credit if kind is EntryKind.CREDIT else ledger.debit)(entry)


@pytest.fixture
def two_months(aws: Aws, browser: Browser, account_id: str, clock: ManualClock) -> str:
    """Spend in two months: a generation that ends well and one that fails, and a debit; give the key."""
    key = api_parts.api().keys.create(account_id, {"name": "Shop", "scopes": [str(Scope.MEDIA)]}, None)
    for prompt, tags in (("a boat", {"x-tollgate-tags": "team=search"}), ("[[reject]]", {})):
        body = {"model": PAID_IMAGE, **with_prompt(prompt)}
        status, made, _ = call("POST", "/api/v1/generation/create", key["key"], body, tags)
        assert status == 200, made
        run_to_end(made["data"]["taskId"], clock)
    clock.advance_ms(30 * MS_PER_DAY)
    post(account_id, "credit_again", EntryKind.CREDIT, 250, clock.now_ms(), "=SUM(A1)")
    post(account_id, "debit_once", EntryKind.DEBIT, -40, clock.now_ms(), "Paid back to the card")
    assert record(counted_records(aws)) == {"batchItemFailures": []}
    # A session does not last a month
    assert browser.sign_in() == account_id
    return str(key["id"])


def figures(text: str) -> dict[str, str]:
    """Return the rows of the summary."""
    table = re.search(r'<table class="exact sums">(.*?)</table>', text, re.DOTALL)
    assert table is not None
    cells = re.findall(r'<th scope="row">(.*?)</th><td class="number">(.*?)</td>', table[1])
    return {name: re.sub(r"<[^>]+>", "", amount) for name, amount in cells}


class TestThePage:
    @pytest.mark.usefixtures("two_months")
    def test_a_month_begins_where_the_last_one_ended(self, browser: Browser, account_id: str) -> None:
        first = figures(browser.get(f"/statements?month={FIRST}").text)
        begun = first["Credits"]
        assert first == {
            "Opening balance": "$0.00",
            "Credits": begun,
            "Charges": "−$0.02",
            "Refunds": "$0.01",
            "Closing balance": first["Closing balance"],
        }
        second = browser.get("/statements").text
        assert figures(second)["Opening balance"] == first["Closing balance"]
        assert (figures(second)["Credits"], figures(second)["Debits"]) == ("$2.50", "−$0.40")
        balance = api_parts.api().accounts.me(account_id).balance_micro_usd
        assert figures(second)["Balance now"] == f"${balance / 1_000_000:.2f}"
        assert "Paid back to the card" in second

    @pytest.mark.usefixtures("two_months")
    def test_charges_are_by_model_and_by_key(self, browser: Browser) -> None:
        text = browser.get(f"/statements?month={FIRST}").text
        for name in (PAID_IMAGE, "Shop"):
            row = re.search(rf'<th scope="row">{name}</th>(.*?)</tr>', text, re.DOTALL)
            assert row is not None, name
            cells = re.findall(r'<td class="number">(.*?)</td>', row[1])
            assert [re.sub(r"<[^>]+>", "", cell) for cell in cells] == ["−$0.02", "$0.01", "2", "0"]

    @pytest.mark.usefixtures("two_months")
    def test_charges_are_by_tag_too(self, browser: Browser) -> None:
        asked = f"month={FIRST}&by=tag:team"
        text = browser.get(f"/statements?{asked}").text
        assert "Charges and refunds by tag:team" in text
        assert f"statements.csv?month={FIRST}&amp;by=tag%3Ateam" in text
        lines = list(csv.DictReader(StringIO(browser.get(f"/statements.csv?{asked}").text)))
        found = {(line["line"], line["name"]): int(line["amountMicroUsd"]) for line in lines}
        # What has no such tag is a row too, so the rows are all charges.
        assert {of: amount for of, amount in found.items() if "tag:team" in of[0]} == {
            ("charge_of_tag:team", "search"): -10_000,
            ("charge_of_tag:team", ""): -10_000,
            ("refund_of_tag:team", ""): 10_000,
        }
        for path in ("/statements", "/statements.csv"):
            assert browser.get(f"{path}?by=team").status == 400

    def test_who_did_nothing_yet_has_this_months(self, browser: Browser, account_id: str) -> None:
        assert set(figures(browser.get("/statements").text)) >= {"Opening balance", "Balance now"}

    @pytest.mark.usefixtures("account_id")
    @pytest.mark.parametrize("month", ["2023-10", "2024-01", "2023-13", "november", "../.."])
    def test_another_month_is_refused_by_name(self, browser: Browser, month: str) -> None:
        answer = browser.get(f"/statements?month={month}")
        assert answer.status == 400
        assert browser.get(f"/statements.csv?month={month}").status == 400

    @pytest.mark.usefixtures("two_months")
    def test_nobody_sees_anothers(self) -> None:
        other = Browser()
        other.sign_in("bob@example.com")
        assert "Paid back to the card" not in other.get("/statements").text


class TestTheFile:
    @pytest.mark.usefixtures("two_months")
    def test_its_lines_add_up(self, browser: Browser) -> None:
        answer = browser.get("/statements.csv")
        assert answer.headers["content-type"].startswith("text/csv")
        assert f"statement-{SECOND}.csv" in answer.headers["content-disposition"]
        lines = list(csv.DictReader(StringIO(answer.text)))
        of = {line["line"]: int(line["amountMicroUsd"]) for line in lines}
        moved = sum(
            int(line["amountMicroUsd"])
            for line in lines
            if line["line"] in {"credit", "debit", "charge", "refund"}
        )
        assert of["opening"] + moved == of["closing"]
        # Numbers stay numbers, also below zero
        assert all(Decimal(line["amountUsd"]) * 10**6 == int(line["amountMicroUsd"]) for line in lines)
        # No text in it is a formula
        assert [line["description"] for line in lines if line["line"] == "credit"] == ["'=SUM(A1)"]

    @pytest.mark.usefixtures("two_months")
    def test_keys_are_the_charges_once_more(self, browser: Browser, two_months: str) -> None:
        lines = list(csv.DictReader(StringIO(browser.get(f"/statements.csv?month={FIRST}").text)))
        by_line = {line["line"]: line for line in lines}
        assert by_line["charge_of_key"]["reference"] == two_months
        assert by_line["charge_of_key"]["name"] == "Shop"
        assert by_line["charge_of_key"]["amountMicroUsd"] == by_line["charge"]["amountMicroUsd"] == "-20000"
        assert by_line["refund_of_key"]["amountMicroUsd"] == by_line["refund"]["amountMicroUsd"] == "10000"


class TestAnAccountOfBefore:
    def test_its_first_statement_opens_with_what_was_there(
        self, aws: Aws, browser: Browser, account_id: str, two_months: str, clock: ManualClock
    ) -> None:
        before = browser.get("/statements").text
        table = aws.stack.refs["UsageTable"]
        for row in aws.clients.dynamodb.scan(TableName=table)["Items"]:
            if row["usage_day"]["S"].startswith(FIRST):
                del row["kinds"]
                aws.clients.dynamodb.put_item(TableName=table, Item=row)
        after = browser.get("/statements").text
        assert figures(after) == figures(before)
        assert browser.get(f"/statements?month={FIRST}").status == 400
