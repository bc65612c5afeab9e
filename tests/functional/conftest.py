"""A customer, and the worker's loop, on moto."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import pytest

from local.machine.events import Context, sqs_event, stream_event
from tests.conftest import Aws
from tests.support.dashboard import Browser
from tests.support.moto_stack import has_rows, put_back, state_of_moto
from tests.support.payments import KEYS
from tests.support.samples import PAID_BODY
from tests.support.stripe import FakeStripe, fake_stripe
from tests.support.tasks import create_task
from tests.unit.probing.media_server import MediaServer, media_server
from tollgate.accounts.service import OpenedAccount
from tollgate.composition import api as api_parts
from tollgate.composition import parts
from tollgate.kit.dynamodb.database import Database
from tollgate.kit.ids import new_id
from tollgate.kit.money import micro_usd_of_cents
from tollgate.ledger.budgets import NO_BUDGETS
from tollgate.ledger.hold_entries import text_entry
from tollgate.ledger.hold_writes import HoldWrites
from tollgate.ledger.holds import HOLD_LIFETIME_MS, Hold
from tollgate.ledger.rate import BASE, RateMeter
from tollgate.ledger.wallets import Limits

MAX_STEPS = 60

T = TypeVar("T")

# By name and time: what was done, and DynamoDB. A session that began later than a test's clock shows would
# end the sessions that the test begins.
_done: dict[tuple[str, int], tuple[Any, bytes]] = {}


def once(name: str, do: Callable[[], T]) -> T:
    """Do what only writes rows, which takes longer than most tests; return its result.

    Later calls put back the rows, if the tables are as empty as they were.
    """
    key = name, parts.clock().now_ms()
    if has_rows():
        return do()
    if key in _done:
        kept: T
        kept, state = _done[key]
        put_back({"dynamodb": state})
        return kept
    done = do()
    _done[key] = done, state_of_moto()["dynamodb"]
    return done


@pytest.fixture
def customer(aws: Aws) -> OpenedAccount:
    """Return an account with 100 cents on it."""
    return once("customer", lambda: api_parts.api().accounts.open(micro_usd_of_cents(100)))


@pytest.fixture(params=[1, 3], ids=["one row", "three wallets"])
def customer_of(request: pytest.FixtureRequest, customer: OpenedAccount) -> OpenedAccount:
    """Return a customer whose account has so many rows."""
    if request.param > 1:
        limits = Limits(text_at_once=300, requests_per_minute=10**4, wallets=request.param)
        api_parts.api().tasks.ledger.wallets.set_limits(customer.account_id, limits)
        api_parts.api().limits.put(customer.account_id, limits.share())
    return customer


@pytest.fixture
def stranger(aws: Aws) -> OpenedAccount:
    """Return another customer."""
    return api_parts.api().accounts.open(micro_usd_of_cents(100))


@pytest.fixture
def dashboard(aws: Aws, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let people in by their word."""
    monkeypatch.setenv("TOLLGATE_DEVELOPMENT_SIGN_IN", "1")


@pytest.fixture
def browser(dashboard: None) -> Browser:
    """Return a browser that nobody has signed in with."""
    return Browser()


def sign_in_once(browser: Browser, page: str = "") -> str:
    """Sign Ada in and open a page; return her account."""

    def sign_in() -> tuple[str, str | None, str]:
        account_id = browser.sign_in()
        browser.get(page)
        return account_id, browser.session, browser.csrf

    account_id, browser.session, browser.csrf = once(f"sign in {page}", sign_in)
    return account_id


@pytest.fixture
def account_id(browser: Browser) -> str:
    """Return the account of somebody who has just signed in with the browser."""
    return sign_in_once(browser)


@pytest.fixture
def ada(browser: Browser) -> Iterator[Browser]:
    """Return the browser of an account's owner, who has looked at the page of its members."""
    parts.forget()
    sign_in_once(browser, "/members")
    yield browser
    parts.forget()


@pytest.fixture
def with_keys(aws: Aws) -> None:
    """Fill in Stripe's keys, as an operator does."""
    aws.clients.secrets.put_secret_value(
        SecretId=aws.stack.refs["StripeSecret"], SecretString=json.dumps(KEYS)
    )


@pytest.fixture
def stripe(aws: Aws) -> Iterator[FakeStripe]:
    """Run Stripe, whose keys the service has."""
    with fake_stripe() as found:
        secret = json.dumps({**KEYS, "baseUrl": found.url})
        aws.clients.secrets.put_secret_value(SecretId=aws.stack.refs["StripeSecret"], SecretString=secret)
        parts.forget()
        yield found
    parts.forget()


@pytest.fixture
def server() -> Iterator[MediaServer]:
    """Return a running server of media for the functions that decode them."""
    with media_server() as running:
        yield running


@pytest.fixture
def on_one_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a function that decodes media start as on one machine, with the guard closed."""
    monkeypatch.setenv("STAGE", "local")
    monkeypatch.delenv("TOLLGATE_ALLOW_LOOPBACK_MEDIA", raising=False)


@pytest.fixture
def loopback_open(monkeypatch: pytest.MonkeyPatch) -> None:
    """Open the guard to this machine, as a developer does."""
    monkeypatch.setenv("TOLLGATE_ALLOW_LOOPBACK_MEDIA", "1")


@pytest.fixture
def webhooks_to_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let webhooks go to this machine, as a developer does."""
    monkeypatch.setenv("TOLLGATE_ALLOW_LOOPBACK_WEBHOOKS", "1")


def post_text(aws: Aws, account_id: str, micro_usd: int, **facts: Any) -> str:
    """Put a text request into the ledger, as `text/money/billing.py` does; return its id."""
    request_id = new_id("req")
    of_text = {"model": "gpt-5.4-mini", "usage": {}, "now_ms": parts.clock().now_ms(), **facts}
    entry = text_entry(account_id, request_id, charge_micro_usd=micro_usd, **of_text)
    writes = HoldWrites(*(aws.stack.refs[name] for name in ("AccountsTable", "LedgerTable")))
    Database(aws.clients.dynamodb).write(writes.record(entry))
    return request_id


def running_text(aws: Aws, account_id: str, *budgets: str) -> str:
    """Hold money for a text request, as `text/money/placing.py` does; return its id."""
    now_ms, request_id = parts.clock().now_ms(), new_id("req")
    hold = Hold(request_id, 100, now_ms + HOLD_LIFETIME_MS, budgets=budgets)
    writes = HoldWrites(*(aws.stack.refs[name] for name in ("AccountsTable", "LedgerTable")))
    db = Database(aws.clients.dynamodb)
    row = db.get(aws.stack.refs["AccountsTable"], {"account_id": account_id}) or {}
    window = RateMeter(600).guess(account_id, now_ms)
    is_open = row.get("request_rate", 0) // BASE == window.minute
    window = replace(window, opens=not is_open)
    db.write(writes.place(account_id, hold, window, None, budgets=NO_BUDGETS))
    return request_id


def balance_cents(customer: OpenedAccount) -> Any:
    """Return the balance that the customer sees."""
    return api_parts.api().accounts.me(customer.account_id).view()["balance"]


def create(customer: OpenedAccount, **fields: Any) -> str:
    """Create a task that costs one cent, with other fields of the body as given; return its id."""
    made = create_task(customer.account_id, {**PAID_BODY, **fields})
    return str(made["taskId"])


def with_prompt(prompt: str) -> dict[str, Any]:
    """Return the fields of a body with another prompt."""
    return {"input": {"prompt": prompt, "size": "1:1"}}


def invoke(handler: Callable[..., Any], queue: str, *bodies: str) -> Any:
    """Call a queue's handler with one event of these bodies."""
    messages = [{"MessageId": f"m{n}", "ReceiptHandle": "r", "Body": body} for n, body in enumerate(bodies)]
    return handler(sqs_event(messages, f"arn:aws:sqs:us-east-1:1:{queue}", "us-east-1"), Context("test"))


class StreamReader:
    """Reads a table's stream from its beginning on, as an event source does.

    Always from its first record: a transaction that is refused makes moto go back to a copy of the table, and
    an iterator from before reads on in the one that was given up, with the records of what was refused.
    """

    def __init__(self, aws: Aws, table: str) -> None:
        self._streams = aws.clients.streams
        self._arn = aws.stack.attributes[f"{table}.StreamArn"]
        self._read = 0

    def new_records(self) -> list[Any]:
        """Return the records that it did not return yet."""
        shard = self._streams.describe_stream(StreamArn=self._arn)["StreamDescription"]["Shards"][0]
        iterator = self._streams.get_shard_iterator(
            StreamArn=self._arn, ShardId=shard["ShardId"], ShardIteratorType="TRIM_HORIZON"
        )["ShardIterator"]
        records = self._streams.get_records(ShardIterator=iterator)["Records"]
        found = list(records[self._read :])
        self._read = len(records)
        return found


def stream_records(aws: Aws, table: str = "TasksTable") -> list[Any]:
    """Return every record of a table's stream so far."""
    return StreamReader(aws, table).new_records()


@dataclass(frozen=True, slots=True)
class Worker:
    """Carries messages by hand, as the event sources do."""

    aws: Aws

    def step(self) -> int:
        """Hand every message of the task and poll queues to `run_task`; return how many there were."""
        from run_task.app import handler  # noqa: PLC0415 - Lambda's own entry

        bodies = self.aws.messages("TaskQueue") + self.aws.messages("PollQueue")
        for body in bodies:
            assert invoke(handler, "TaskQueue", body) == {"batchItemFailures": []}
        return len(bodies)

    def start(self, task_id: str) -> None:
        """Send a new task's first message, as the stream's handler does."""
        self.send({"task_id": task_id, "seq": 0})

    def send(self, message: dict[str, Any]) -> None:
        """Send a message to the task queue."""
        url = self.aws.stack.refs["TaskQueue"]
        self.aws.clients.sqs.send_message(QueueUrl=url, MessageBody=json.dumps(message))

    def dispatch(self, records: list[Any]) -> Any:
        """Hand records to `dispatch_changes`."""
        from dispatch_changes.app import handler  # noqa: PLC0415 - as above

        return handler(stream_event(records, "arn:aws:dynamodb:stream"), Context("test"))


@pytest.fixture
def worker(aws: Aws) -> Worker:
    return Worker(aws)
