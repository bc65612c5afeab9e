"""The files of a day in the bucket of a customer, from `check_ledger` to the bucket, through the handlers."""

import csv
import json
from collections.abc import Iterator
from decimal import Decimal
from io import StringIO
from typing import Any

import pytest

from deliver_webhook.app import handler
from tests.conftest import Aws
from tests.functional.conftest import create, invoke, with_prompt
from tests.functional.test_api import call
from tests.functional.test_audit_log import events
from tests.functional.test_check_ledger import check
from tests.functional.test_run_task import run_to_end
from tests.functional.test_statistics import ask
from tests.support.clock import ManualClock
from tests.support.foreign_bucket import FAULTS, NAME, REGION, ROLE, ForeignBucket, foreign_bucket
from tollgate.accounts.service import OpenedAccount
from tollgate.audit.events import Action
from tollgate.exports import bucket as bucket_module
from tollgate.exports.bucket import MAX_ATTEMPTS, days_after
from tollgate.exports.settings import external_id
from tollgate.kit.aws import sdk
from tollgate.kit.clock import MS_PER_DAY
from tollgate.seals.verification import leaf_hash, root_of

DAY, NEXT_DAY = "2023-11-14", "2023-11-15"
BUCKET = {"name": NAME, "region": REGION, "prefix": "tollgate/", "roleArn": ROLE}


@pytest.fixture
def bucket(customer: OpenedAccount, monkeypatch: pytest.MonkeyPatch) -> Iterator[ForeignBucket]:
    with foreign_bucket(external_id(customer.account_id)) as found:
        sts, s3 = found.urls
        made = sdk._session().create_client
        monkeypatch.setattr(sdk, "sts", lambda: made("sts", endpoint_url=sts, region_name=REGION))
        real = sdk.s3_with

        def s3_with(credentials: Any, region: str) -> Any:
            monkeypatch.setenv("AWS_ENDPOINT_URL_S3", s3)
            return real(credentials, region)

        monkeypatch.setattr(sdk, "s3_with", s3_with)
        status, _, _ = call("PATCH", "/api/v1/exports/settings", customer.api_key, {"bucket": BUCKET})
        assert status == 200
        yield found


def days(aws: Aws) -> list[dict[str, Any]]:
    """Take the messages about days out of the webhook queue, also those that wait."""
    return [one for one in map(json.loads, aws.messages("WebhookQueue")) if "day" in one]


def sent(message: dict[str, Any]) -> None:
    assert invoke(handler, "WebhookQueue", json.dumps(message)) == {"batchItemFailures": []}


def written(aws: Aws, clock: ManualClock) -> None:
    """Let the day end and be sealed, and write its files."""
    clock.advance_ms(MS_PER_DAY)
    check()
    for _ in range(10):
        for message in days(aws):
            sent(message)


def shown(customer: OpenedAccount) -> Any:
    return call("GET", "/api/v1/exports/settings", customer.api_key)[1]["data"]["bucket"]


class TestFiles:
    def test_a_day_is_written_with_the_sums_of_the_ledger(
        self, aws: Aws, customer: OpenedAccount, clock: ManualClock, bucket: ForeignBucket
    ) -> None:
        run_to_end(create(customer, **with_prompt("[[reject]]")), clock)
        request_id = ask(aws, customer, 30, 63)
        written(aws, clock)
        names = {name.removeprefix("tollgate/") for name in bucket.objects}
        assert names == {
            f"focus/{DAY}/part-0001.csv",
            f"requests/{DAY}/part-0001.jsonl",
            f"sealed/{DAY}/part-0001.json",
            f"days/{DAY}.json",
        }
        rows = list(csv.DictReader(StringIO(self.text(bucket, f"focus/{DAY}/part-0001.csv"))))
        assert sum(Decimal(row["BilledCost"]) for row in rows) == Decimal("0.000063")
        lines = self.text(bucket, f"requests/{DAY}/part-0001.jsonl").splitlines()
        assert json.loads(lines[-1])["id"] == request_id
        sealed = json.loads(self.text(bucket, f"sealed/{DAY}/part-0001.json"))
        root = root_of(map(leaf_hash, sealed["entries"])).hex()
        assert root == sealed["seal"]["payload"]["root"]
        assert shown(customer)["lastDay"] == DAY
        # The session can write there and nowhere else
        (statement,) = json.loads(bucket.policies[0])["Statement"]
        assert (statement["Action"], statement["Resource"]) == (
            "s3:PutObject",
            f"arn:aws:s3:::{NAME}/tollgate/*",
        )

    def test_many_rows_are_several_files_in_several_steps(
        self,
        aws: Aws,
        customer: OpenedAccount,
        clock: ManualClock,
        bucket: ForeignBucket,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        self.in_small_steps(monkeypatch)
        made = {ask(aws, customer, 1, n) for n in range(1, 6)}
        written(aws, clock)
        found = self.requests_in(bucket, "tollgate/", DAY)
        assert (set(found), len(found)) == (made, 5)
        assert shown(customer)["lastDay"] == DAY

    def test_a_new_place_gets_whole_days_and_has_no_last_day_of_the_old_one(
        self,
        aws: Aws,
        customer: OpenedAccount,
        clock: ManualClock,
        bucket: ForeignBucket,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        self.in_small_steps(monkeypatch)
        asked = sorted(ask(aws, customer, 1, n) for n in range(1, 6))
        clock.advance_ms(MS_PER_DAY)
        check()
        (message,) = days(aws)
        for _ in range(10):
            sent(message)
            (message,) = days(aws)
            if message["place"]["kind"] == "requests" and message["place"]["number"] == 2:
                break
        # The first file of requests is in the old place.
        settings = {"bucket": {**BUCKET, "prefix": "new/"}}
        assert call("PATCH", "/api/v1/exports/settings", customer.api_key, settings)[0] == 200
        sent(message)
        self.to_the_end(aws)
        assert self.requests_in(bucket, "new/", DAY) == asked
        assert f"new/days/{DAY}.json" in bucket.objects
        assert shown(customer)["lastDay"] == DAY
        settings["bucket"]["prefix"] = "newer/"
        assert call("PATCH", "/api/v1/exports/settings", customer.api_key, settings)[0] == 200
        assert not shown(customer).keys() & {"lastDay", "lastSentAt", "lastError"}

    def test_a_message_that_arrives_twice_writes_no_row_twice(
        self,
        aws: Aws,
        customer: OpenedAccount,
        clock: ManualClock,
        bucket: ForeignBucket,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        self.in_small_steps(monkeypatch)
        for fault in (None, "denied"):
            ask(aws, customer, 1, 1)
            bucket.fault = fault
            clock.advance_ms(MS_PER_DAY)
            check()
            for message in days(aws):
                sent({**message, "attempt": MAX_ATTEMPTS})
            self.to_the_end(aws)
        # The second day is missing when the third one is written: one message is for both.
        asked = sorted(ask(aws, customer, 1, n) for n in range(1, 6))
        bucket.fault = None
        clock.advance_ms(MS_PER_DAY)
        check()
        (message,) = days(aws)
        for _ in range(10):
            sent(message)
            (following,) = days(aws)
            if "place" not in following:
                break
            message = following
        # The last message of the second day comes again, now that only the third day is missing.
        sent(message)
        self.to_the_end(aws)
        sent(following)
        self.to_the_end(aws)
        assert self.requests_in(bucket, "tollgate/", "2023-11-16") == asked
        assert shown(customer)["lastDay"] == "2023-11-16"

    def test_a_message_of_the_version_before_starts_the_day_again(
        self, aws: Aws, customer: OpenedAccount, clock: ManualClock, bucket: ForeignBucket
    ) -> None:
        asked = sorted(ask(aws, customer, 1, n) for n in range(1, 3))
        clock.advance_ms(MS_PER_DAY)
        sent({"account_id": customer.account_id, "day": DAY, "place": {"kind": "sealed", "number": 1}})
        assert self.requests_in(bucket, "tollgate/", DAY) == asked

    def test_the_first_day_is_made_good_too(
        self, aws: Aws, customer: OpenedAccount, clock: ManualClock, bucket: ForeignBucket
    ) -> None:
        asked = ask(aws, customer, 1, 1)
        bucket.fault = "denied"
        for _ in range(2):
            clock.advance_ms(MS_PER_DAY)
            check()
            for message in days(aws):
                sent({**message, "attempt": MAX_ATTEMPTS})
        bucket.fault = None
        written(aws, clock)
        assert self.requests_in(bucket, "tollgate/", DAY) == [asked]
        assert shown(customer)["lastDay"] == "2023-11-16"

    @staticmethod
    def in_small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
        """Let each message write one file of at most two rows."""
        monkeypatch.setattr(bucket_module, "MAX_ROWS", 2)
        monkeypatch.setattr(bucket_module, "WRITES_FOR_MS", -1)

    @staticmethod
    def to_the_end(aws: Aws) -> None:
        for _ in range(20):
            for message in days(aws):
                sent(message)

    @staticmethod
    def requests_in(bucket: ForeignBucket, prefix: str, day: str) -> list[str]:
        """Return the ids in all files of requests of a day, sorted."""
        files = [
            text.decode()
            for name, text in bucket.objects.items()
            if name.startswith(f"{prefix}requests/{day}/")
        ]
        return sorted(json.loads(line)["id"] for text in files for line in text.splitlines())

    def text(self, bucket: ForeignBucket, name: str) -> str:
        return bucket.objects[f"tollgate/{name}"].decode()


class TestFailures:
    @pytest.mark.parametrize("fault", [*FAULTS, "lost"])
    def test_a_fault_is_shown_tried_again_and_made_good_by_the_next_day(
        self, aws: Aws, customer: OpenedAccount, clock: ManualClock, bucket: ForeignBucket, fault: str
    ) -> None:
        ask(aws, customer, 1, 5)
        bucket.fault = fault
        clock.advance_ms(MS_PER_DAY)
        check()
        (message,) = days(aws)
        sent(message)
        code = FAULTS.get(fault, (0, "Connection"))[1]
        assert code in shown(customer)["lastError"]
        assert "lastDay" not in shown(customer)
        sent({**message, "attempt": MAX_ATTEMPTS})
        assert [one.action for one in events(customer.account_id)].count(Action.EXPORT_FAILING) == 1
        bucket.fault = None
        written(aws, clock)
        assert (shown(customer)["lastDay"], "lastError" in shown(customer)) == (NEXT_DAY, False)

    def test_a_role_that_trusts_us_without_the_external_id_is_refused(
        self, aws: Aws, customer: OpenedAccount, clock: ManualClock, bucket: ForeignBucket
    ) -> None:
        bucket.trusts_everybody = True
        written(aws, clock)
        assert bucket.objects == {}
        assert "must require the external id" in shown(customer)["lastError"]

    def test_another_customer_cannot_name_the_role(
        self, aws: Aws, customer: OpenedAccount, clock: ManualClock, bucket: ForeignBucket
    ) -> None:
        bucket.external_id = external_id("usr_of_somebody_else")
        written(aws, clock)
        assert bucket.objects == {}
        assert "AssumeRole: AccessDenied" in shown(customer)["lastError"]


@pytest.mark.parametrize(
    ("done", "last", "found"),
    [
        ("", "2026-11-25", ["2026-11-25"]),
        ("2026-11-25", "2026-11-25", []),
        ("2026-11-23", "2026-11-25", ["2026-11-24", "2026-11-25"]),
        ("2026-11-26", "2026-11-25", []),
    ],
)
def test_missing_days_are_written_from_the_oldest(done: str, last: str, found: list[str]) -> None:
    assert days_after(done, last) == found


def test_at_most_a_month_is_made_good() -> None:
    assert len(days_after("2020-01-01", "2026-11-25")) == 32
