"""Exports through the handlers: the FOCUS file of a day."""

import csv
from decimal import Decimal
from io import StringIO
from typing import Any

import pytest

from tests.conftest import Aws
from tests.functional.conftest import create, with_prompt
from tests.functional.test_api import call, details
from tests.functional.test_run_task import run_to_end
from tests.functional.test_statistics import ask, rolled_up
from tests.support.clock import ManualClock
from tollgate.accounts.service import OpenedAccount
from tollgate.composition import api as api_parts
from tollgate.exports import focus_file
from tollgate.kit.clock import MS_PER_DAY

FOCUS = "/api/v1/exports/focus"
# The clock starts at 22:13:20 on this day.
DAY = "2023-11-14"


def part(customer: OpenedAccount, query: str) -> tuple[list[dict[str, str]], str | None]:
    status, text, headers = call("GET", f"{FOCUS}?{query}", customer.api_key)
    assert (status, headers["content-type"].partition(";")[0]) == (200, "text/csv"), text
    return list(csv.DictReader(StringIO(text))), headers.get("x-next-cursor")


class TestFocus:
    def test_its_sum_is_the_statement_and_it_has_the_labels(
        self, aws: Aws, customer: OpenedAccount, clock: ManualClock
    ) -> None:
        failed = create(customer, **with_prompt("[[reject]]"))
        run_to_end(failed, clock)
        create(customer)
        request_id = ask(aws, customer, 30, 63)
        rolled_up(aws, customer)
        clock.advance_ms(MS_PER_DAY)
        rows, cursor = part(customer, f"date={DAY}")
        statement, _ = api_parts.api().months.statement(customer.account_id, None)
        billed = sum(Decimal(row["BilledCost"]) for row in rows)
        assert billed * 10**6 == -(statement.charges_micro_usd + statement.refunds_micro_usd) > 0
        assert cursor is None
        assert [row["ChargeCategory"] for row in rows] == ["Usage", "Credit", "Usage", "Usage"]
        (text,) = (row for row in rows if row["x_RequestId"] == request_id)
        assert (text["BilledCost"], text["ConsumedQuantity"]) == ("0.000063", "60.0")
        assert part(customer, "date=2023-11-13")[0] == []

    def test_parts_follow_each_other(
        self, aws: Aws, customer: OpenedAccount, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(focus_file, "MAX_KEYS", 2)
        monkeypatch.setattr(focus_file, "MAX_ROWS", 3)
        monkeypatch.setattr(focus_file.FocusFiles.part, "__defaults__", (None, 3))
        sent = [ask(aws, customer, 1, n) for n in range(1, 8)]
        clock.advance_ms(MS_PER_DAY)
        rows, cursor = part(customer, f"date={DAY}")
        found, parts = [row["x_RequestId"] for row in rows], 1
        while cursor is not None:
            rows, cursor = part(customer, f"date={DAY}&cursor={cursor}")
            found += [row["x_RequestId"] for row in rows]
            parts += 1
        assert (sorted(found), parts > 2) == (sorted(sent), True)

    @pytest.mark.parametrize(
        ("query", "field", "words"),
        [
            ("", "/date", "Required"),
            ("date=14.11.2023", "/date", "calendar date"),
            (f"date={DAY}", "/date", "not complete"),
            ("date=2023-11-01&cursor=x", "/cursor", "cursor"),
            ("date=2023-11-01&page=2", "/page", "parameter"),
        ],
    )
    def test_a_wrong_query_is_refused(
        self, customer: OpenedAccount, query: str, field: str, words: str
    ) -> None:
        status, body, _ = call("GET", f"{FOCUS}?{query}", customer.api_key)
        assert (status, set(details(body))) == (400, {field})
        assert words in details(body)[field]

    def test_a_day_is_complete_half_an_hour_after_its_end(
        self, customer: OpenedAccount, clock: ManualClock
    ) -> None:
        def status() -> Any:
            return call("GET", f"{FOCUS}?date={DAY}", customer.api_key)[0]

        clock.advance_ms((1 * 3600 + 46 * 60 + 39 + 1800) * 1000)
        assert status() == 400
        clock.advance_ms(1000)
        assert status() == 200
