"""The recorder itself: a right that is missing is found through the function's own door."""

from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Any

import pytest
from botocore.exceptions import ClientError

from local.template import Template
from tests.conftest import Aws
from tests.functional.test_api import call
from tests.support.iam import recorder
from tests.support.iam.rights import Role, roles
from tests.support.samples import PAID_BODY
from tollgate.accounts.service import OpenedAccount

CREATE = "/api/v1/generation/create"


@pytest.fixture
def denied(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return what is denied from now on; what is in it at the end of a test fails that test."""
    found: list[str] = []
    monkeypatch.setattr(recorder, "_denied", found)
    monkeypatch.setattr(recorder, "_made", set())
    return found


def without(template: Template, function: str, action: str, resource: str) -> dict[str, Role]:
    """Return all roles, one of them without one right."""
    known = roles(template)
    (left,) = [
        left
        for right, left in known[function].rights()
        if (right.action, right.resource) == (action, resource)
    ]
    return {**known, function: left}


class TestARightThatIsMissing:
    def test_a_refused_create_with_a_key_reads_whether_it_was_made(
        self,
        customer: OpenedAccount,
        template: Template,
        denied: list[str],
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        roles_of_now = without(template, "ApiFunction", "dynamodb:GetItem", "${IdempotencyTable.Arn}")
        monkeypatch.setattr(recorder, "_allows", lambda name, request: roles_of_now[name].allows(request))
        body = {**PAID_BODY, "maxCostCents": 0}
        status, _, _ = call("POST", CREATE, customer.api_key, body, {"idempotency-key": "order-1"})
        assert status == 400
        assert set(denied) == {"ApiFunction may not: dynamodb:GetItem on ${IdempotencyTable.Arn}"}
        denied.clear()

    def test_s3_does_not_say_that_an_object_is_missing(self, aws: Aws, denied: list[str]) -> None:
        head = {"Bucket": aws.stack.refs["MediaBucket"], "Key": "inputs/usr_1/a.png"}
        assert status_of(aws, "ApiFunction", head) == 403
        (found,) = denied
        assert found.startswith("ApiFunction may not: s3:ListBucket on ${MediaBucket.Arn}: S3 says 403")
        denied.clear()
        # It may list the other bucket as a whole.
        other = {"Bucket": aws.stack.refs["ConfigBucket"], "Key": "catalog.json"}
        assert status_of(aws, "ApiFunction", other) == 404

    def test_a_thread_has_the_owner_of_who_starts_it(self, denied: list[str]) -> None:
        context = copy_context()
        context.run(recorder._owner.set, "SweepFunction")
        with ThreadPoolExecutor(1) as pool:
            assert context.run(pool.submit, recorder.owner).result() == "SweepFunction"

    def test_what_a_test_asks_is_nobodys(self) -> None:
        assert recorder.owner() == recorder.A_TEST


def status_of(aws: Aws, function: str, params: dict[str, Any]) -> int:
    """Return how S3 answers a HEAD of a function, asked from a thread: it has no test on its stack."""
    context = copy_context()
    context.run(recorder._owner.set, function)
    client: Any = aws.clients.s3
    with ThreadPoolExecutor(1) as pool:
        asked = context.run(lambda: pool.submit(client.head_object, **params))
        with pytest.raises(ClientError) as caught:
            asked.result()
    return int(caught.value.response["ResponseMetadata"]["HTTPStatusCode"])
