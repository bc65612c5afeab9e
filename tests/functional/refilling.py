"""What the tests of automatic top-ups share."""

import json
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import pytest
from botocore.exceptions import ClientError

from local.machine.events import Context
from local.template import ROOT
from refill_balance.app import handler
from tests.conftest import Aws
from tests.functional.conftest import create
from tests.functional.test_record_usage import counted_records, record
from tests.support.iam import recorder
from tests.support.stripe import CUSTOMER, FakeStripe
from tollgate.accounts.service import OpenedAccount
from tollgate.composition import api as api_parts
from tollgate.composition import parts
from tollgate.kit.aws import sdk
from tollgate.kit.dynamodb.database import Database
from tollgate.kit.ids import new_id
from tollgate.kit.money import micro_usd_of_cents
from tollgate.ledger.audit import audit
from tollgate.ledger.hold_entries import text_entry
from tollgate.ledger.hold_writes import HoldWrites
from tollgate.low_balance.rules import LowBalanceState

CONTEXT: Any = Context("RefillBalanceFunction")
EVENT: dict[str, Any] = json.loads((ROOT / "events/refill_balance.json").read_text())
FORM = {"threshold": "10", "emails": "ada@example.com bob@example.com", "amount": "20", "monthly": "50"}
STARTS_WITH_CENTS = 1_000
TOP_UP = micro_usd_of_cents(2_000)


class Sent(NamedTuple):
    """A mail that was sent."""

    to: str
    subject: str
    text: str
    html: str


@dataclass
class Post:
    """Takes mails in the place of SES; `errors` names SES's error for an address that gets none."""

    mails: list[Sent] = field(default_factory=list)
    errors: dict[str, str] = field(default_factory=dict)

    def send_email(self, **asked: Any) -> None:
        recorder.judge("sesv2", "SendEmail", **asked)
        simple = asked["Content"]["Simple"]
        (to,) = asked["Destination"]["ToAddresses"]
        if to in self.errors:
            raise ClientError({"Error": {"Code": self.errors[to], "Message": "no"}}, "SendEmail")
        assert asked["FromEmailAddress"] == "credit@tollgate.example"
        text, page = (simple["Body"][kind]["Data"] for kind in ("Text", "Html"))
        self.mails.append(Sent(to, simple["Subject"]["Data"], text, page))


@pytest.fixture
def post(monkeypatch: pytest.MonkeyPatch) -> Post:
    """Return the mails that are sent."""
    found = Post()
    monkeypatch.setattr(sdk, "sesv2", lambda: found)
    monkeypatch.setenv("MAIL_FROM", "credit@tollgate.example")
    return found


@pytest.fixture
def ada(stripe: FakeStripe) -> OpenedAccount:
    """Open an account at its threshold, with a saved card and every setting."""
    account = api_parts.api().accounts.open(micro_usd_of_cents(STARTS_WITH_CENTS))
    api_parts.api().low_balance.save_customer(account.account_id, CUSTOMER)
    api_parts.api().low_balance.change(account.account_id, FORM)
    return account


def state_of(account: OpenedAccount) -> LowBalanceState:
    """Return the account's current state."""
    return api_parts.api().low_balance.get(account.account_id)


def spend(aws: Aws, account: OpenedAccount) -> None:
    """Spend a cent, and let the ledger's stream arrive."""
    create(account)
    look(aws)


def look(aws: Aws) -> None:
    """Let the ledger's stream arrive, all of it, as after a failure."""
    assert record(counted_records(aws)) == {"batchItemFailures": []}


def messages(aws: Aws) -> list[str]:
    """Take the messages that wait for the function."""
    return aws.messages("RefillQueue")


def deliver(body: str) -> bool:
    """Hand one message to the function; give whether it is done with it."""
    asked = deepcopy(EVENT)
    asked["Records"][0]["body"] = body
    return bool(handler(asked, CONTEXT) == {"batchItemFailures": []})


def settle(aws: Aws) -> None:
    """Deliver what there is."""
    for body in messages(aws):
        assert deliver(body)


def is_proven(account: OpenedAccount) -> bool:
    """Return whether the account's books agree."""
    found = api_parts.api().accounts.me(account.account_id)
    entries = api_parts.api().tasks.ledger.entries(account.account_id)
    return audit(account.account_id, found.balance_micro_usd, entries) is None


def credits_of(account: OpenedAccount) -> list[Any]:
    """Return the credits but the first one."""
    entries = api_parts.api().statement.page(account.account_id, {"kind": "credit"})["entries"]
    return list(entries[:-1])


def take(aws: Aws, account: OpenedAccount, cents: int) -> None:
    """Charge an account for a text that cost so much."""
    entry = text_entry(
        account.account_id,
        new_id("req"),
        model="gpt-5.4-mini",
        charge_micro_usd=micro_usd_of_cents(cents),
        usage={},
        now_ms=parts.clock().now_ms(),
    )
    writes = HoldWrites(*(aws.stack.refs[name] for name in ("AccountsTable", "LedgerTable")))
    Database(aws.clients.dynamodb).transact(writes.charge_late(entry, None))


ADA, BOB = "ada@example.com", "bob@example.com"


def choose_card_and_die(stripe: FakeStripe, body: str) -> None:
    """Deliver a message of which Stripe answers the list of cards and nothing after it."""
    stripe.is_deaf = True
    assert not deliver(body)
    stripe.is_deaf = False
