"""Each route that stores an address of a webhook resolves its name, and refuses an address of ours."""

import json
from typing import Any

import pytest

from tests.functional.test_api import call, details
from tests.support.resolver import resolving
from tests.support.samples import PAID_BODY, PAID_IMAGE
from tollgate.accounts.service import OpenedAccount

INSIDE, OUTSIDE = "https://inside.test/", "https://outside.test/"
BUDGET = {"name": "B", "scope": "user", "limitCents": 2, "per": "day"}
STEPS = [{"id": "image", "model": PAID_IMAGE, "input": PAID_BODY["input"]}]
ALERT = {"alert": {"thresholdCents": 5, "webhook": INSIDE}}


@pytest.mark.parametrize(
    ("path", "body", "changed"),
    [
        ("/generation/create", {**PAID_BODY, "webhook": INSIDE}, None),
        ("/workflows", {"steps": STEPS, "webhook": INSIDE}, None),
        ("/budgets", {**BUDGET, "webhook": INSIDE}, None),
        ("/budgets", {"webhook": INSIDE}, BUDGET),
        ("/tokens", {"maxCostCents": 2, "webhook": INSIDE}, None),
        ("/subaccounts", {"name": "Acme", **ALERT}, None),
        ("/subaccounts", ALERT, {"name": "Acme"}),
    ],
)
def test_a_name_of_a_private_address_is_refused(
    customer: OpenedAccount,
    monkeypatch: pytest.MonkeyPatch,
    path: str,
    body: dict[str, Any],
    changed: dict[str, Any] | None,
) -> None:
    """Create with `body`, or change by it an object that was created with `changed`."""
    resolving(monkeypatch, {"inside.test": [["10.0.0.1"]], "outside.test": [["93.184.216.34"]]})
    method, path, key = "POST", f"/api/v1{path}", customer.api_key
    if changed is not None:
        method, path = "PATCH", f"{path}/{call('POST', path, key, changed)[1]['data']['id']}"
    status, answer, _ = call(method, path, key, body)
    assert (status, [*details(answer).values()]) == (400, ["The URL must point to a public address."])
    assert call(method, path, key, json.dumps(body).replace(INSIDE, OUTSIDE))[0] == 200
