"""Pages while another service of theirs cannot be reached: they show their other parts."""

from collections.abc import Callable

import pytest
from botocore.client import BaseClient
from botocore.exceptions import EndpointConnectionError

from tests.conftest import Aws
from tests.functional.dashboard.test_dashboard_sign_in import come_back, issuer
from tests.functional.dashboard.test_dashboard_top_up import with_stripe
from tests.functional.test_run_task import run_to_end
from tests.support.clock import ManualClock
from tests.support.dashboard import Browser
from tests.support.issuer import Issuer
from tests.support.tasks import create_task
from tests.unit.artifacts.test_store import png
from tollgate.composition import api as api_parts
from tollgate.ledger.callers import Caller
from tollgate.payments.secret import REFRESH_MS
from tollgate.web.development import OPERATOR
from tollgate.web.pool import PoolSettings

__all__ = ["issuer"]

ADA = "ada@example.com"
LATER = "cannot be read now"


@pytest.fixture
def lose(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Return a function after which no call reaches the service with this name."""
    call = BaseClient._make_api_call  # type: ignore[attr-defined]

    def without(name: str) -> None:
        def make(client: BaseClient, operation: str, fields: object) -> object:
            if client.meta.service_model.service_name == name:
                raise EndpointConnectionError(endpoint_url=client.meta.endpoint_url)
            return call(client, operation, fields)

        monkeypatch.setattr(BaseClient, "_make_api_call", make)

    return without


class TestUserPool:
    def test_the_settings_are_shown_without_the_second_factor(
        self, browser: Browser, issuer: Issuer, lose: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(PoolSettings, "pool_id", "us-east-1_x")
        monkeypatch.setenv("USER_POOL_ID", "us-east-1_x")
        assert come_back(browser, issuer) == 303
        lose("cognito-idp")
        shown = browser.get("/settings")
        assert shown.status == 200
        assert LATER in shown.text
        assert "This browser" in shown.text
        assert "Set up an authenticator app" not in shown.text


class TestSecrets:
    def test_credit_is_shown_and_automatic_top_ups_stay_as_they_are(
        self, aws: Aws, browser: Browser, lose: Callable[[str], None]
    ) -> None:
        browser.sign_in(ADA)
        with_stripe(aws)
        # A new process reads the key of the sessions first.
        assert browser.get("/settings").status == 200
        lose("secretsmanager")
        shown = browser.get("/top-up")
        assert shown.status == 200
        assert "Payments cannot be made now" in shown.text
        assert "Payment history" in shown.text
        # A form without these fields would turn them off.
        assert 'name="monthly"' in shown.text
        assert browser.get("").status == 200

    def test_keys_that_were_read_before_stay_in_use(
        self, aws: Aws, browser: Browser, clock: ManualClock, lose: Callable[[str], None]
    ) -> None:
        with_stripe(aws)
        browser.sign_in(ADA)
        assert 'name="save"' in browser.get("/top-up").text
        clock.advance_ms(REFRESH_MS)
        lose("secretsmanager")
        assert 'name="save"' in browser.get("/top-up").text


class TestQueues:
    def test_the_operations_are_shown_without_the_counts(
        self, browser: Browser, lose: Callable[[str], None]
    ) -> None:
        browser.sign_in(OPERATOR)
        console = browser.at("/admin")
        lose("sqs")
        shown = console.get("/work")
        assert shown.status == 200
        assert LATER in shown.text
        assert "Ledger check" in shown.text


class TestFiles:
    def test_a_task_is_shown_without_the_image_that_it_changed(
        self, browser: Browser, clock: ManualClock, lose: Callable[[str], None]
    ) -> None:
        account_id = browser.sign_in(ADA)
        uploads = api_parts.api().files.uploads
        file = uploads.put(
            Caller.of_account(account_id), uploads.new_id(), "image/png", png(), ("fox.png", "")
        )
        body = {"model": "seedream-4.5", "input": {"prompt": "a fox", "urls": [file.file_id]}}
        task_id = str(create_task(account_id, body)["taskId"])
        run_to_end(task_id, clock)
        assert "beside.js" in browser.get(f"/tasks/{task_id}").text
        lose("s3")
        shown = browser.get(f"/tasks/{task_id}")
        assert shown.status == 200
        assert "beside.js" not in shown.text
