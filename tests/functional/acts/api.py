"""Acts of customers at the API."""

import json
from base64 import b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from deliver_webhook.app import handler as deliver_webhook
from tests.functional.acts.worlds import Act, Caller, Doing, World, acts_in
from tests.functional.conftest import invoke, running_text, with_prompt
from tests.support.samples import PAID_BODY
from tests.unit.artifacts.test_store import png

CREATE = "/generation/create"
RECEIVER = "https://receiver.test/hook"


@dataclass(frozen=True)
class Asked:
    """A request of a new customer. `{}` in its path is the result of `before`, which is carried out first."""

    method: str
    path: str
    body: Any = None
    before: Callable[[Caller], str] = lambda _: ""
    headers: Mapping[str, str] = field(default_factory=dict)

    def __call__(self, world: World) -> Doing:
        """Prepare it."""
        ada = world.customer()
        path = self.path.format(self.before(ada))
        return lambda: ada.ask(self.method, path, self.body, **self.headers)


def created(ada: Caller, **fields: Any) -> str:
    return str(ada.ok("POST", CREATE, {**PAID_BODY, **fields})["taskId"])


def delete_files(world: World) -> Doing:
    ada = world.customer()
    task_id = created(ada)
    world.end(task_id)
    return lambda: ada.ask("DELETE", f"/task/files/{task_id}")


def lists(world: World) -> Doing:
    ada = world.customer()
    created(ada)
    return lambda: [
        ada.ask("GET", path) for path in ("/tasks", "/ledger", "/stats?range=7d", "/user/me", "/keys")
    ]


def delete_an_upload(world: World) -> Doing:
    ada = world.customer()
    made = ada.ok("POST", "/files", {"filename": "a.png", "contentType": "image/png", "bytes": len(png())})
    bucket = world.aws.stack.refs["MediaBucket"]
    world.aws.clients.s3.put_object(Bucket=bucket, Key=made["upload"]["fields"]["key"], Body=png())
    return lambda: ada.ask("DELETE", f"/files/{made['id']}")


def redeliver_a_webhook(world: World) -> Doing:
    ada = world.customer()
    task_id = created(ada, **with_prompt("[[reject]]"), webhook=RECEIVER)
    world.end(task_id)
    delivery_id = "evt_" + task_id.removeprefix("task_")
    invoke(deliver_webhook, "WebhookQueue", json.dumps({"delivery_id": delivery_id, "seq": 0}))
    world.aws.messages("WebhookQueue")
    return lambda: ada.ask("POST", f"/webhooks/deliveries/{delivery_id}/redeliver")


CHAT = {"model": "gpt-5.4-mini", "max_tokens": 9, "messages": [{"role": "user", "content": "hi"}]}
QUOTED = {
    "requests": [
        {"path": f"/api/v1{CREATE}", "body": PAID_BODY},
        {"path": "/api/v1/chat/completions", "body": CHAT},
    ]
}


def cancel_a_quote(world: World) -> Doing:
    ada = world.customer()
    quote_id = quote_of(ada)
    ada.ok("POST", f"/quotes/{quote_id}/create")
    return lambda: ada.ask("POST", f"/quotes/{quote_id}/cancel")


FLOW: Any = {
    "steps": [
        {"id": "image", **PAID_BODY},
        {"id": "cut", "model": "bria-rmbg-2.0", "input": {"imageUrls": ["$image.files[0]"]}},
    ],
    "webhook": "https://receiver.test/hook",
}


def end_a_text_request(world: World) -> Doing:
    ada = world.customer()
    request_id = running_text(world.aws, ada.account.account_id)
    return lambda: ada.ask("DELETE", f"/requests/{request_id}")


def child_of(ada: Caller, cents: int = 50) -> str:
    """Return the path of a new sub-account with money."""
    path = f"/subaccounts/{ada.ok('POST', '/subaccounts', {'name': 'Acme', 'markupPercent': 50})['id']}"
    ada.ok("POST", f"{path}/credit", {"amountCents": cents}, idempotency_key="first")
    return path


def grant_an_upload(world: World) -> Doing:
    ada = world.customer()
    return lambda: ada.ask("POST", "/files", UPLOAD)[0]


def key_of(ada: Caller) -> str:
    return str(ada.ok("POST", "/keys", {"name": "ci"})["id"])


def quote_of(ada: Caller) -> str:
    return str(ada.ok("POST", "/quotes", QUOTED)["id"])


def workflow_of(ada: Caller) -> str:
    return str(ada.ok("POST", "/workflows", FLOW)["id"])


ORDER = {"idempotency_key": "order-1"}
WITH_A_FILE = {"prompt": "a fox", "urls": [f"data:image/png;base64,{b64encode(png()).decode()}"]}
ALERT = {"alert": {"thresholdCents": 5}}
ACME = {"name": "Acme", "markupPercent": 20, **ALERT}
OTHER = {"name": "B", "markupPercent": 10, "suspended": True, "limits": {"textAtOnce": 2}, **ALERT}
UPLOAD = {"filename": "a.png", "contentType": "image/png", "bytes": 100}
ASKED = {
    "estimate": Asked("POST", "/generation/estimate", PAID_BODY),
    "create": Asked("POST", CREATE, {**PAID_BODY, "webhook": RECEIVER}),
    "create_with_a_key": Asked("POST", CREATE, PAID_BODY, headers=ORDER),
    "create_with_a_file_inside": Asked("POST", CREATE, {"model": "seedream-4.5", "input": WITH_A_FILE}),
    "create_a_video": Asked("POST", "/videos", {"model": "seedance-1.5-pro", "prompt": "a fox"}),
    "cancel": Asked("POST", "/task/cancel/{}", before=created),
    "status": Asked("GET", "/task/status/{}", before=created),
    "make_a_key": Asked("POST", "/keys", {"name": "ci", "spendingCap": {"capCents": 5, "per": "day"}}),
    "change_a_key": Asked("PATCH", "/keys/{}", {"name": "cd"}, key_of),
    "rotate_a_key": Asked("POST", "/keys/{}/rotate", {}, key_of),
    "revoke_a_key": Asked("DELETE", "/keys/{}", None, key_of),
    "send_a_test_event": Asked("POST", "/webhooks/test", {"url": RECEIVER}),
    "rotate_a_webhook_secret": Asked("POST", "/webhooks/secret/rotate", {}),
    "create_a_quote": Asked("POST", "/quotes", QUOTED),
    "create_what_is_quoted": Asked("POST", "/quotes/{}/create", None, quote_of),
    "create_a_workflow": Asked("POST", "/workflows", FLOW, headers={"Idempotency_Key": "flow"}),
    "cancel_a_workflow": Asked("POST", "/workflows/{}/cancel", None, workflow_of),
    "create_a_subaccount": Asked("POST", "/subaccounts", ACME, headers={"idempotency_key": "acme"}),
    "change_a_subaccount": Asked("PATCH", "{}", OTHER, child_of),
    "credit_a_subaccount": Asked("POST", "{}/credit", {"amountCents": 5}, child_of, ORDER),
    "take_money_back": Asked("POST", "{}/credit", {"amountCents": -5}, child_of, ORDER),
    "close_a_subaccount": Asked("DELETE", "{}", None, child_of),
}
ACTS: dict[str, Act] = {**acts_in(globals()), **ASKED}
