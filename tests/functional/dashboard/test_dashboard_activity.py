"""Activity in the dashboard: every request with its cost, filters, pages, a table, and the chart above it."""

import csv
import re
from io import StringIO

import pytest

from dashboard.pages import activity
from tests.conftest import Aws
from tests.functional.conftest import post_text, with_prompt
from tests.functional.test_api import call
from tests.functional.test_record_usage import counted_records, record
from tests.functional.test_run_task import run_to_end
from tests.support.clock import ManualClock
from tests.support.dashboard import Browser
from tests.support.samples import PAID_IMAGE
from tollgate.accounts.scopes import Scope
from tollgate.activity import service
from tollgate.composition import api as api_parts
from tollgate.kit.dynamodb.database import Database
from tollgate.kit.ids import new_id
from tollgate.ledger.attribution import Attribution
from tollgate.ledger.callers import Caller
from tollgate.ledger.hold_entries import failed_entry, void_entry
from tollgate.ledger.hold_writes import HoldWrites
from tollgate.ledger.holds import Hold
from tollgate.tasks.models import Task

PROMPTS = ("a boat", "[[reject]]")
TEXT_MICRO_USD = 1_234


@pytest.fixture
def key_id(account_id: str, clock: ManualClock, aws: Aws) -> str:
    """Ask with a key for a generation that ends well, one that fails, and texts; give the key."""
    key = api_parts.api().keys.create(account_id, {"name": "Shop", "scopes": [str(Scope.MEDIA)]}, None)
    for prompt in PROMPTS:
        body = {"model": PAID_IMAGE, **with_prompt(prompt)}
        status, made, _ = call("POST", "/api/v1/generation/create", key["key"], body)
        assert status == 200, made
        clock.advance_ms(1_500)
        run_to_end(made["data"]["taskId"], clock)
    post_texts(aws, account_id, key["id"], clock)
    return str(key["id"])


def post_texts(aws: Aws, account_id: str, key_id: str, clock: ManualClock) -> None:
    """Put a text request and one that never ended into the ledger, as `text/money/billing.py` does."""
    clock.advance_ms(1_000)
    usage = {"input_tokens": 7, "cache_read_tokens": 5, "output_tokens": 34}
    facts = {"key_id": key_id, "latency_ms": 2_345, "provider": "openai", "first_byte_ms": 678}
    labels = Attribution(project="proj_1", token="tok_1")
    post_text(aws, account_id, TEXT_MICRO_USD, usage=usage, attribution=labels, **facts)
    clock.advance_ms(1_000)
    writes = HoldWrites(*(aws.stack.refs[name] for name in ("AccountsTable", "LedgerTable")))
    Database(aws.clients.dynamodb).write(
        writes.record(void_entry(account_id, Hold(new_id("req"), 1, 0), clock.now_ms()))
    )


def words_of(html: str) -> str:
    """Return the words of a part of a page."""
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


def rows(browser: Browser, query: str = "") -> list[str]:
    """Return the texts of the rows that the page shows."""
    text = browser.get(f"/activity{query}").text
    found = re.search(r'<table class="activity stacks[^"]*">.*?<tbody>(.*?)</tbody>', text, re.DOTALL)
    if found is None:
        return []
    return [words_of(row) for row in re.findall(r"<tr>(.*?)</tr>", found[1], re.DOTALL)]


def finished_task(browser: Browser) -> Task:
    """Return the customer's newest task that has finished."""
    caller = Caller.of_account(browser.sign_in())
    return api_parts.api().reader.found(caller, {"status": "finished"}).rows[0]


@pytest.mark.usefixtures("key_id")
class TestRows:
    def test_each_request_has_its_key_status_times_tokens_and_cost(self, browser: Browser) -> None:
        died, text, failed, finished = rows(browser)
        assert "Expired" in died
        assert "$0.00" in died
        for word in ("gpt-5.4-mini", "Finished", "Shop", "openai", "2.3 s", "678 ms", " 12 34 ", "$0.0012"):
            assert word in f"{text} "
        for word in (PAID_IMAGE, "Failed", "Shop", "$0.01", "refunded"):
            assert word in failed
        for word in (PAID_IMAGE, "Finished", "Shop", "$0.01"):
            assert word in finished
        task = finished_task(browser)
        took_s = ((task.finished_at_ms or 0) - task.created_at_ms) / 1000
        assert took_s >= 1.5
        assert f" {took_s} s " in finished
        assert "refunded" not in finished

    def test_what_is_no_request_is_one_link_away(self, browser: Browser) -> None:
        shown = browser.get("/activity").text
        assert 'Top-ups, credits and debits are in the <a href="/live/dashboard/statements">' in shown
        assert '<h2 id="moves">Credits and debits</h2>' in browser.get("/statements").text

    def test_a_generation_shows_its_thumbnail(self, browser: Browser) -> None:
        task = finished_task(browser)
        assert f'src="{task.files[0].url}.thumb.webp"' in browser.get("/activity").text

    def test_a_text_that_nobody_answered_says_so(
        self, browser: Browser, aws: Aws, clock: ManualClock
    ) -> None:
        writes = HoldWrites(*(aws.stack.refs[name] for name in ("AccountsTable", "LedgerTable")))
        entry = failed_entry(
            browser.sign_in(),
            Hold(new_id("req"), 1, 0),
            clock.now_ms() + 1,
            model="gpt-5.4-mini",
            provider="openai → openrouter",
            reason="Ended with HTTP 502; nothing was charged.",
            key_id=None,
            latency_ms=1_200,
        )
        Database(aws.clients.dynamodb).write(writes.record(entry))
        row = rows(browser, "?kind=text&status=failed")
        assert len(row) == 1
        for word in ("gpt-5.4-mini", "Failed", "$0.00", "openai → openrouter", "1.2 s"):
            assert word in row[0]
        (line,) = csv.DictReader(StringIO(browser.get("/activity.csv?status=failed&kind=text").text))
        assert (line["status"], line["costUsd"], line["model"]) == ("failed", "0", "gpt-5.4-mini")

    def test_a_generation_says_which_providers_were_asked(self, browser: Browser) -> None:
        task = finished_task(browser)
        assert rows(browser)[-1].count(task.attempts[0].provider) == 1

    @pytest.mark.parametrize(
        ("query", "statuses"),
        [
            ("?kind=task", ["Failed", "Finished"]),
            ("?kind=text", ["Expired", "Finished"]),
            ("?status=failed", ["Failed"]),
            ("?model=gpt-5.4-mini", ["Finished"]),
            ("?key=dashboard", ["Expired"]),
            ("?from=2023-11-14&to=2023-11-14", ["Expired", "Finished", "Failed", "Finished"]),
            ("?to=2023-11-13", []),
            ("?from=2023-11-15", []),
        ],
    )
    def test_filters(self, browser: Browser, query: str, statuses: list[str]) -> None:
        found = [re.search("Expired|Finished|Failed", row) for row in rows(browser, query)]
        assert [one[0] for one in found if one] == statuses

    def test_a_key_s_own(self, browser: Browser, key_id: str) -> None:
        assert len(rows(browser, f"?key={key_id}")) == 3

    def test_bad_filters_are_named(self, browser: Browser) -> None:
        answer = browser.get("/activity?kind=song&from=2023-02-30&cursor=x")
        assert answer.status == 400

    def test_pages_have_each_row_once(self, browser: Browser) -> None:
        account_id = browser.sign_in()
        seen: list[str] = []
        query = {"limit": "1"}
        while True:
            page = api_parts.api().activity.page(account_id, query)
            seen += [row.row_id for row in page.rows]
            if page.cursor is None:
                break
            query = {"limit": "1", "cursor": page.cursor}
        assert len(seen) == len(set(seen)) == 4

    def test_nobody_sees_anothers(self, browser: Browser) -> None:
        other = Browser()
        other.sign_in("bob@example.com")
        assert rows(other) == []
        assert rows(browser)


@pytest.mark.usefixtures("key_id")
class TestTheTable:
    def test_it_has_the_rows_that_the_filters_let_through(self, browser: Browser, key_id: str) -> None:
        answer = browser.get("/activity.csv?kind=text&status=finished")
        assert answer.headers["content-type"].startswith("text/csv")
        (row,) = csv.DictReader(StringIO(answer.text))
        assert (row["keyId"], row["costUsd"], row["latencyMs"]) == (key_id, "0.001234", "2345")
        assert (row["inputTokens"], row["outputTokens"], row["status"]) == ("12", "34", "finished")
        assert (row["projectId"], row["tokenId"]) == ("proj_1", "tok_1")

    def test_one_that_is_cut_says_so(self, browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(service, "MAX_CSV", 2)
        lines = browser.get("/activity.csv").text.splitlines()
        assert len(lines) == 4
        assert lines[-1].startswith('"Cut after 2 rows. For the rest, repeat with cursor=')


class TestTheChart:
    def chart(self, browser: Browser, query: str) -> tuple[str, str]:
        """Return the heading of the chart at the address, and the words of its legend."""
        text = browser.get(f"/activity{query}").text
        (heading,) = re.findall(r'(?s)<h2 id="spent">(.*?)</h2>', text)
        (legend,) = re.findall(r'(?s)data-chart="series">(.*?)</ul>', text)
        return words_of(heading), words_of(legend)

    @pytest.mark.parametrize(
        ("query", "heading", "legend"),
        [
            ("", "Spent: $0.01", f"{PAID_IMAGE} $0.01 gpt-5.4-mini $0.0012"),
            ("?by=key", "Spent: $0.01", "Shop $0.01"),
            ("?metric=requests", "3 requests", f"{PAID_IMAGE} 2 gpt-5.4-mini 1"),
            ("?metric=tokens&by=key", "12 tokens in, 34 out", "Shop 46"),
            # The request whose hold expired has no model.
            ("?metric=errors", "2 of 4 requests failed (50.0 %)", f"{PAID_IMAGE} 1 None 1 gpt-5.4-mini 0"),
            (
                "?metric=latency&kind=text",
                "Half of the requests took at most 2.3 s",
                "Half within (p50) 2.3 s 95 % within (p95) 2.3 s",
            ),
            # Filters that the daily sums do not have.
            ("?kind=text", "Spent: $0.0012", "gpt-5.4-mini $0.0012 None $0.00"),
            (f"?model={PAID_IMAGE}&by=key", "Spent: $0.01", "Shop $0.01"),
            ("?model=gpt-5.4-mini", "Spent: $0.0012", "gpt-5.4-mini $0.0012"),
            ("?to=2023-11-13", "Spent: $0.00", ""),
        ],
    )
    @pytest.mark.usefixtures("key_id")
    def test_it_shows_the_metric_of_the_filtered_requests(
        self, aws: Aws, browser: Browser, query: str, heading: str, legend: str
    ) -> None:
        assert record(counted_records(aws)) == {"batchItemFailures": []}
        assert self.chart(browser, query) == (heading, legend)

    @pytest.mark.usefixtures("key_id")
    def test_by_member_it_names_the_creator_of_the_key(self, aws: Aws, browser: Browser) -> None:
        assert record(counted_records(aws)) == {"batchItemFailures": []}
        assert self.chart(browser, "?by=member")[1] == "Dashboard, and keys without a member $0.01"

    @pytest.mark.usefixtures("key_id")
    def test_it_says_if_it_has_only_the_newest(
        self, browser: Browser, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(service, "MAX_SUMMED", 1)
        assert "Only the newest requests of these days" in browser.get("/activity?metric=errors").text


class TestLabels:
    def groups(self, browser: Browser, query: str) -> str:
        """Return the words of the section at the address."""
        text = browser.get(f"/activity{query}").text
        (found,) = re.findall(r'(?s)<section [^>]*id="usage">(.*?)</section>', text)
        return words_of(found)

    def test_spending_by_end_user_and_by_tag(
        self, aws: Aws, account_id: str, browser: Browser, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        key = api_parts.api().keys.create(account_id, {"name": "Shop", "scopes": [str(Scope.MEDIA)]}, None)[
            "key"
        ]
        # The last one is in the list of requests, so it is in the sums too.
        for tags in ("user=alice,team=a", "user=alice,team=b", "user=bob,team=b", ""):
            body = {"model": PAID_IMAGE, **with_prompt("a boat")}
            status, made, _ = call(
                "POST", "/api/v1/generation/create", key, body, {"x-tollgate-tags": tags} if tags else None
            )
            assert status == 200, made
        assert record(counted_records(aws)) == {"batchItemFailures": []}
        head = "Spent Refunded Generations Text requests Tokens in Tokens out"
        shown = self.groups(browser, "?by=user")
        assert f"End user {head} alice $0.02 $0.00 2 0 0 0 None $0.01 $0.00 1 0 0 0 bob" in shown
        assert shown.startswith("Spent: $0.04")
        for query in ("?by=user&metric=errors", "?by=user&model=" + PAID_IMAGE):
            assert "None $0.01 $0.00 1 0 0 0" in self.groups(browser, query)
        assert shown.endswith("How to label requests")
        shown = self.groups(browser, "?by=tag&tag=team")
        assert f"team {head} b $0.02 $0.00 2 0 0 0 None $0.01 $0.00 1 0 0 0 a $0.01" in shown
        assert "Spent: $0.02" in self.groups(browser, "?by=user&user=alice")
        assert "Spent: $0.02" in self.groups(browser, "?by=tag&tag=team&label=team%3Db")
        assert "Spent: $0.02" in self.groups(browser, "?by=tag&tag=team&user=alice")
        monkeypatch.setattr(activity, "MAX_GROUPS", 1)
        assert "And 2 more." in self.groups(browser, "?by=user")

    @pytest.mark.parametrize("query", ["?by=tag&tag=Team+A", "?by=tag"])
    @pytest.mark.usefixtures("account_id")
    def test_a_tag_needs_a_name(self, browser: Browser, query: str) -> None:
        assert "Enter the name of a tag, such as team." in self.groups(browser, query)
