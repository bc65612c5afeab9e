"""Whatever part of AWS throttles us, and whichever function hears it: 503 with `Retry-After`, never a 500."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from botocore.client import BaseClient
from botocore.exceptions import ClientError

from tests.conftest import Aws
from tests.functional.conftest import balance_cents
from tests.functional.test_api import call
from tests.functional.test_files import NEW
from tests.functional.test_payments import send
from tests.support.dashboard import Browser
from tests.support.payments import KEYS, event, session
from tests.support.samples import PAID_IMAGE
from tollgate.accounts.service import OpenedAccount
from tollgate.composition import parts
from tollgate.kit.dynamodb.core import Wait
from tollgate.web.development import OPERATOR

CREATE = {"model": PAID_IMAGE, "input": {"prompt": "a fox", "size": "1:1"}}
MEDIA = "https://media.example.com/a"
PROBED = {
    "model": "kling-2.6-motion-control",
    "input": {
        "prompt": "x",
        "imageUrls": [f"{MEDIA}.png"],
        "videoUrls": [f"{MEDIA}.mp4"],
        "characterOrientation": "image",
    },
}
RETRY_AFTER = "5"


def throttle(monkeypatch: pytest.MonkeyPatch, operation: str, code: str) -> None:
    """Have an operation refused each time, as the SDK gives it after its own tries."""
    carry_out = BaseClient._make_api_call  # type: ignore[attr-defined]

    def throttled(client: Any, asked: str, request: Any) -> Any:
        if asked != operation:
            return carry_out(client, asked, request)
        error: Any = {"Error": {"Code": code, "Message": "Rate exceeded"}}
        raise ClientError(error, asked)

    monkeypatch.setattr(BaseClient, "_make_api_call", throttled)
    monkeypatch.setattr("tollgate.kit.dynamodb.core.Patience.wait", lambda *_: Wait(0.0))


@pytest.fixture
def browser(aws: Aws, monkeypatch: pytest.MonkeyPatch) -> Iterator[Browser]:
    """Return a browser at a service that lets people in by their word, in which an operator is signed in."""
    monkeypatch.setenv("TOLLGATE_DEVELOPMENT_SIGN_IN", "1")
    parts.forget()
    browser = Browser()
    browser.sign_in(OPERATOR)
    yield browser
    parts.forget()


class TestTheApi:
    @pytest.mark.parametrize(
        ("path", "body", "operation", "code"),
        [
            ("/api/v1/generation/create", CREATE, "TransactWriteItems", "ThrottlingException"),
            ("/api/v1/generation/create", CREATE, "GetItem", "ProvisionedThroughputExceededException"),
            ("/api/v1/generation/create", PROBED, "Invoke", "TooManyRequestsException"),
            ("/api/v1/files", NEW, "ListObjectsV2", "SlowDown"),
            ("/api/v1/files", NEW, "PutObject", "SlowDown"),
            ("/api/v1/keys", {"name": "a"}, "TransactWriteItems", "RequestLimitExceeded"),
        ],
    )
    def test_says_when_to_come_back_and_charges_nothing(
        self,
        customer: OpenedAccount,
        monkeypatch: pytest.MonkeyPatch,
        path: str,
        body: Any,
        operation: str,
        code: str,
    ) -> None:
        before = balance_cents(customer)
        with monkeypatch.context() as patched:
            throttle(patched, operation, code)
            status, answer, headers = call("POST", path, customer.api_key, body)
        assert (status, answer["error"]["code"]) == (503, "storage_busy")
        assert headers["retry-after"] == RETRY_AFTER
        assert balance_cents(customer) == before

    @pytest.mark.parametrize("operation", ["GetSecretValue", "TransactWriteItems"])
    def test_stripe_is_told_to_send_its_event_again(
        self, aws: Aws, customer: OpenedAccount, monkeypatch: pytest.MonkeyPatch, operation: str
    ) -> None:
        aws.clients.secrets.put_secret_value(
            SecretId=aws.stack.refs["StripeSecret"], SecretString=json.dumps(KEYS)
        )
        parts.forget()
        paid = event(session(customer.account_id, 2_500))
        with monkeypatch.context() as patched:
            throttle(patched, operation, "ThrottlingException")
            assert send(paid)[0] == 503
        assert send(paid)[0] == 200


class TestPages:
    @pytest.mark.parametrize("base", ["/dashboard", "/admin"])
    @pytest.mark.parametrize("operation", ["GetSecretValue", "GetItem"])
    def test_say_when_to_come_back(
        self, browser: Browser, monkeypatch: pytest.MonkeyPatch, base: str, operation: str
    ) -> None:
        parts.forget()
        throttle(monkeypatch, operation, "ThrottlingException")
        answer = browser.at(base).get("")
        assert answer.status == 503
        assert answer.headers["retry-after"] == RETRY_AFTER
        assert "The service is busy." in answer.text
