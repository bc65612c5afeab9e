"""Acts of customers at the API."""

import json
from base64 import b64encode
from typing import Any

from deliver_webhook.app import handler as deliver_webhook
from tests.functional.acts.worlds import Act, Caller, Doing, World
from tests.functional.conftest import invoke, with_prompt
from tests.support.samples import PAID_BODY
from tests.unit.artifacts.test_store import png
from tollgate.kit.dynamodb.database import Database
from tollgate.kit.ids import new_id
from tollgate.ledger.hold_writes import HoldWrites
from tollgate.ledger.holds import HOLD_LIFETIME_MS, Hold
from tollgate.ledger.rate import RateMeter

CREATE = "/generation/create"
RECEIVER = "https://receiver.test/hook"


def created(ada: Caller, **fields: Any) -> str:
    return str(ada.ok("POST", CREATE, {**PAID_BODY, **fields})["taskId"])


def estimate(world: World) -> Doing:
    ada = world.customer()
    return lambda: ada.ask("POST", "/generation/estimate", PAID_BODY)


def create(world: World) -> Doing:
    ada = world.customer()
    return lambda: ada.ask("POST", CREATE, {**PAID_BODY, "webhook": RECEIVER})


def create_with_a_key(world: World) -> Doing:
    ada = world.customer()
    return lambda: ada.ask("POST", CREATE, PAID_BODY, idempotency_key="order-1")


def create_with_a_file_inside(world: World) -> Doing:
    ada = world.customer()
    file = f"data:image/png;base64,{b64encode(png()).decode()}"
    return lambda: ada.ask(
        "POST", CREATE, {"model": "seedream-4.5", "input": {"prompt": "a fox", "urls": [file]}}
    )


def create_a_video(world: World) -> Doing:
    ada = world.customer()
    return lambda: ada.ask("POST", "/videos", {"model": "seedance-1.5-pro", "prompt": "a fox"})


def cancel(world: World) -> Doing:
    ada = world.customer()
    task_id = created(ada)
    return lambda: ada.ask("POST", f"/task/cancel/{task_id}")


def delete_files(world: World) -> Doing:
    ada = world.customer()
    task_id = created(ada)
    world.end(task_id)
    return lambda: ada.ask("DELETE", f"/task/files/{task_id}")


def status(world: World) -> Doing:
    ada = world.customer()
    task_id = created(ada)
    return lambda: ada.ask("GET", f"/task/status/{task_id}")


def lists(world: World) -> Doing:
    ada = world.customer()
    created(ada)
    return lambda: [
        ada.ask("GET", path) for path in ("/tasks", "/ledger", "/stats?range=7d", "/user/me", "/keys")
    ]


def grant_an_upload(world: World) -> Doing:
    ada = world.customer()
    return lambda: ada.ask("POST", "/files", {"filename": "a.png", "contentType": "image/png", "bytes": 100})[
        0
    ]


def delete_an_upload(world: World) -> Doing:
    ada = world.customer()
    made = ada.ok("POST", "/files", {"filename": "a.png", "contentType": "image/png", "bytes": len(png())})
    bucket = world.aws.stack.refs["MediaBucket"]
    world.aws.clients.s3.put_object(Bucket=bucket, Key=made["upload"]["fields"]["key"], Body=png())
    return lambda: ada.ask("DELETE", f"/files/{made['id']}")


def make_a_key(world: World) -> Doing:
    ada = world.customer()
    return lambda: ada.ask("POST", "/keys", {"name": "ci", "spendingCap": {"capCents": 5, "per": "day"}})


def change_a_key(world: World) -> Doing:
    ada = world.customer()
    key_id = ada.ok("POST", "/keys", {"name": "ci"})["id"]
    return lambda: ada.ask("PATCH", f"/keys/{key_id}", {"name": "cd"})


def rotate_a_key(world: World) -> Doing:
    ada = world.customer()
    key_id = ada.ok("POST", "/keys", {"name": "ci"})["id"]
    return lambda: ada.ask("POST", f"/keys/{key_id}/rotate", {})


def revoke_a_key(world: World) -> Doing:
    ada = world.customer()
    key_id = ada.ok("POST", "/keys", {"name": "ci"})["id"]
    return lambda: ada.ask("DELETE", f"/keys/{key_id}")


def send_a_test_event(world: World) -> Doing:
    ada = world.customer()
    return lambda: ada.ask("POST", "/webhooks/test", {"url": RECEIVER})


def redeliver_a_webhook(world: World) -> Doing:
    ada = world.customer()
    task_id = created(ada, **with_prompt("[[reject]]"), webhook=RECEIVER)
    world.end(task_id)
    delivery_id = "evt_" + task_id.removeprefix("task_")
    invoke(deliver_webhook, "WebhookQueue", json.dumps({"delivery_id": delivery_id, "seq": 0}))
    world.aws.messages("WebhookQueue")
    return lambda: ada.ask("POST", f"/webhooks/deliveries/{delivery_id}/redeliver")


def rotate_a_webhook_secret(world: World) -> Doing:
    ada = world.customer()
    return lambda: ada.ask("POST", "/webhooks/secret/rotate", {})


QUOTED = {
    "requests": [
        {"path": f"/api/v1{CREATE}", "body": PAID_BODY},
        {
            "path": "/api/v1/chat/completions",
            "body": {
                "model": "gpt-5.4-mini",
                "max_tokens": 9,
                "messages": [{"role": "user", "content": "hi"}],
            },
        },
    ]
}


def create_a_quote(world: World) -> Doing:
    ada = world.customer()
    return lambda: ada.ask("POST", "/quotes", QUOTED)


def create_what_is_quoted(world: World) -> Doing:
    ada = world.customer()
    quote_id = ada.ok("POST", "/quotes", QUOTED)["id"]
    return lambda: ada.ask("POST", f"/quotes/{quote_id}/create")


def cancel_a_quote(world: World) -> Doing:
    ada = world.customer()
    quote_id = ada.ok("POST", "/quotes", QUOTED)["id"]
    ada.ok("POST", f"/quotes/{quote_id}/create")
    return lambda: ada.ask("POST", f"/quotes/{quote_id}/cancel")


FLOW: Any = {
    "steps": [
        {"id": "image", **PAID_BODY},
        {"id": "cut", "model": "bria-rmbg-2.0", "input": {"imageUrls": ["$image.files[0]"]}},
    ],
    "webhook": "https://receiver.test/hook",
}


def create_a_workflow(world: World) -> Doing:
    ada = world.customer()
    return lambda: ada.ask("POST", "/workflows", FLOW, Idempotency_Key="flow")


def cancel_a_workflow(world: World) -> Doing:
    ada = world.customer()
    workflow_id = ada.ok("POST", "/workflows", FLOW)["id"]
    return lambda: ada.ask("POST", f"/workflows/{workflow_id}/cancel")


def end_a_text_request(world: World) -> Doing:
    ada, refs = world.customer(), world.aws.stack.refs
    writes = HoldWrites(refs["AccountsTable"], refs["LedgerTable"])
    now_ms, request_id, row = world.clock.now_ms(), new_id("req"), ada.account.account_id
    window = RateMeter(600).guess(row, now_ms)
    hold = Hold(request_id, 100, now_ms + HOLD_LIFETIME_MS)
    Database(world.aws.clients.dynamodb).write(writes.place(row, hold, window))
    return lambda: ada.ask("DELETE", f"/requests/{request_id}")


def child_of(ada: Caller, cents: int = 50) -> str:
    """Return the path of a new sub-account with money."""
    path = f"/subaccounts/{ada.ok('POST', '/subaccounts', {'name': 'Acme', 'markupPercent': 50})['id']}"
    ada.ok("POST", f"{path}/credit", {"amountCents": cents}, idempotency_key="first")
    return path


def create_a_subaccount(world: World) -> Doing:
    ada = world.customer()
    body = {"name": "Acme", "markupPercent": 20, "alert": {"thresholdCents": 5}}
    return lambda: ada.ask("POST", "/subaccounts", body, idempotency_key="acme")


def change_a_subaccount(world: World) -> Doing:
    ada = world.customer()
    path = child_of(ada)
    body = {
        "name": "B",
        "markupPercent": 10,
        "suspended": True,
        "limits": {"textAtOnce": 2},
        "alert": {"thresholdCents": 5},
    }
    return lambda: ada.ask("PATCH", path, body)


def credit_a_subaccount(world: World) -> Doing:
    ada = world.customer()
    path = child_of(ada)
    return lambda: ada.ask("POST", f"{path}/credit", {"amountCents": 5}, idempotency_key="order-1")


def take_money_back(world: World) -> Doing:
    ada = world.customer()
    path = child_of(ada)
    return lambda: ada.ask("POST", f"{path}/credit", {"amountCents": -5}, idempotency_key="order-1")


def close_a_subaccount(world: World) -> Doing:
    ada = world.customer()
    path = child_of(ada)
    return lambda: ada.ask("DELETE", path)


ACTS: tuple[Act, ...] = (
    create_a_subaccount,
    change_a_subaccount,
    credit_a_subaccount,
    take_money_back,
    close_a_subaccount,
    end_a_text_request,
    estimate,
    create,
    create_with_a_key,
    create_with_a_file_inside,
    create_a_video,
    create_a_quote,
    create_what_is_quoted,
    cancel_a_quote,
    create_a_workflow,
    cancel_a_workflow,
    cancel,
    delete_files,
    status,
    lists,
    grant_an_upload,
    delete_an_upload,
    make_a_key,
    change_a_key,
    rotate_a_key,
    revoke_a_key,
    send_a_test_event,
    redeliver_a_webhook,
    rotate_a_webhook_secret,
)
