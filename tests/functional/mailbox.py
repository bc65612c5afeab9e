"""A mailbox in the place of SES, and the events of mails to members."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from botocore.exceptions import ClientError

from dispatch_changes.app import handler as dispatch
from local.machine.events import Context, matches, stream_event
from local.template import ROOT, Template
from notify_members.app import handler
from tests.conftest import Aws
from tests.functional.conftest import StreamReader, invoke
from tests.support.clock import ManualClock
from tests.support.dashboard import Browser
from tests.support.iam import recorder
from tollgate.composition import notify_members as notify_members_parts
from tollgate.composition import parts
from tollgate.kit.aws import sdk
from tollgate.kit.clock import utc_day
from tollgate.notices.service import MAX_A_DAY

CONTEXT: Any = Context("NotifyMembersFunction")
EVENT: dict[str, Any] = json.loads((ROOT / "events/notify_members.json").read_text())
ADA, BOB = "ada@example.com", "bob@example.com"
FORM = {"name": "Shop", "scopes": ["media"]}
FROM = "hello@tollgate.example"


class Mailbox:
    """Takes mails in the place of SES; refuses those to `refused`."""

    def __init__(self) -> None:
        self.mails: list[tuple[str, str, str, str]] = []
        self.refused: set[str] = set()
        self.error = "MessageRejected"

    def send_email(self, **asked: Any) -> None:
        recorder.judge("sesv2", "SendEmail", **asked)
        assert asked["FromEmailAddress"] == FROM
        (to,) = asked["Destination"]["ToAddresses"]
        if to in self.refused:
            raise ClientError({"Error": {"Code": self.error, "Message": "no"}}, "SendEmail")
        simple = asked["Content"]["Simple"]
        body = {kind: one["Data"] for kind, one in simple["Body"].items()}
        self.mails.append((to, simple["Subject"]["Data"], body["Text"], body.get("Html", "")))

    def take(self) -> list[tuple[str, str]]:
        """Return whom what was sent to since, and forget it."""
        found = [(to, subject) for to, subject, _, _ in self.mails]
        self.mails.clear()
        return found


@pytest.fixture
def box(aws: Aws, clock: ManualClock, monkeypatch: pytest.MonkeyPatch) -> Iterator[Mailbox]:
    """Return the mailbox of a service that sends mails."""
    clock.set_to_now()
    found = Mailbox()
    monkeypatch.setattr(sdk, "sesv2", lambda: found)
    monkeypatch.setenv("MAIL_FROM", FROM)
    monkeypatch.setenv("TOLLGATE_DEVELOPMENT_SIGN_IN", "1")
    parts.forget()
    yield found
    parts.forget()


@pytest.fixture
def ada(box: Mailbox) -> Browser:
    """Return the browser of an account's owner."""
    browser = Browser()
    browser.sign_in(ADA)
    browser.get("/members")
    return browser


class Post:
    """Carries new lines of the audit log to the function, as the stream and the queue do."""

    def __init__(self, aws: Aws, template: Template) -> None:
        self._aws = aws
        self._stream = StreamReader(aws, "AuditTable")
        source = template.of_type("AWS::Lambda::EventSourceMapping")["DispatchAuditSource"]
        self._filters = [json.loads(each["Pattern"]) for each in source["FilterCriteria"]["Filters"]]

    def messages(self) -> list[str]:
        """Return the messages of what is new."""
        new = self._stream.new_records()
        records = [each for each in new if any(matches(one, each) for one in self._filters)]
        event = stream_event(records, "arn:aws:dynamodb:stream")
        # Lambda hands over no empty batch.
        assert not records or dispatch(event, CONTEXT) == {"batchItemFailures": []}
        return self._aws.messages("MailQueue")

    def deliver(self) -> None:
        """Deliver what is new."""
        for body in self.messages():
            assert tell(body)


def tell(body: str) -> bool:
    """Hand one message to the function; return whether it is done with it."""
    return bool(invoke(handler, "MailQueue", body) == {"batchItemFailures": []})


@pytest.fixture
def post(aws: Aws, template: Template) -> Post:
    """Return who carries the mails."""
    return Post(aws, template)


def used_up(account_id: str, what: str, clock: ManualClock, but: int = 0) -> None:
    """Let an account have had the mails of a budget today, but for some."""
    notices, now_ms = notify_members_parts.notifier().notices, clock.now_ms()
    for _ in range(MAX_A_DAY - but):
        notices.count(account_id, what, utc_day(now_ms), now_ms)
