"""Acts of the functions that nobody waits for: each is handed one message or one batch."""

import json
import os
from functools import cache
from typing import Any
from unittest import mock

from check_ledger.app import handler as check_ledger
from close_accounts.app import handler as close_accounts
from deliver_webhook.app import handler as deliver_webhook
from dispatch_changes.app import handler as dispatch_changes
from local.machine.events import Context, stream_event
from notify_members.app import handler as notify_members
from refill_balance.app import handler as refill_balance
from run_batch.app import handler as run_batch
from run_task.app import handler as run_task
from tests.functional.acts.api import FLOW, child_of
from tests.functional.acts.worlds import Act, Doing, World, acts_in
from tests.functional.closing import EVENT as CLOSING
from tests.functional.closing import account_of
from tests.functional.conftest import StreamReader, invoke, stream_records, with_prompt
from tests.functional.mailbox import ADA, FROM, Mailbox
from tests.functional.test_api import call
from tests.functional.test_make_thumbnails import Drawing, make, put
from tests.functional.test_record_usage import counted_records, record
from tests.functional.test_run_task import task_of
from tests.functional.test_sources import probes, served
from tests.support.foreign_bucket import NAME, REGION, ROLE, foreign_bucket
from tests.support.http_server import http_server
from tests.support.lost_response import lose_response
from tests.support.payments import KEYS
from tests.support.samples import PAID_BODY
from tests.support.stripe import CUSTOMER, fake_stripe
from tests.support.tasks import create_task
from tests.support.user_pool import People
from tests.unit.ledger.test_holds import Account
from tests.unit.probing.media_files import mp4, picture
from tests.unit.probing.media_server import media_server
from tollgate.account_closure.service import DELAY_MS
from tollgate.composition import api as api_parts
from tollgate.composition import dashboard as dashboard_parts
from tollgate.composition import parts
from tollgate.composition import sweep as sweep_parts
from tollgate.exports.settings import external_id
from tollgate.kit.aws import sdk
from tollgate.kit.clock import MS_PER_DAY, MS_PER_S
from tollgate.members.service import Actor
from tollgate.probing.service import Prober
from tollgate.tasks.lifecycle import STEP_GRACE_MS
from tollgate.text.responses import states

RECEIVER = "https://receiver.test/hook"


def task(world: World, prompt: str = "fine", webhook: str = RECEIVER, **options: object) -> str:
    """Return a new task that costs one cent."""
    account_id = world.customer().account.account_id
    body = {**PAID_BODY, **with_prompt(prompt), "webhook": webhook, **options}
    return str(create_task(account_id, body)["taskId"])


def send_a_new_task_on_its_way(world: World) -> Doing:
    task(world)
    event = stream_event(stream_records(world.aws), "arn:aws:dynamodb:stream")
    return lambda: dispatch_changes(event, Context("DispatchChangesFunction"))


def submit_a_task(world: World) -> Doing:
    message = json.dumps({"task_id": task(world, webhookProgress=True), "seq": 0})
    return lambda: invoke(run_task, "TaskQueue", message)


def end_a_task_that_is_refused(world: World) -> Doing:
    message = json.dumps({"task_id": task(world, "[[reject]]"), "seq": 0})
    return lambda: invoke(run_task, "TaskQueue", message)


def start_a_step(world: World) -> Doing:
    message = json.dumps({"workflow_id": world.customer().ok("POST", "/workflows", FLOW)["id"]})
    return lambda: invoke(run_batch, "WorkflowQueue", message)


def end_a_workflow(world: World) -> Doing:
    refused = [{"id": "image", **PAID_BODY, **with_prompt("[[reject]]")}, *FLOW["steps"][1:]]
    ada = world.customer()
    workflow_id = ada.ok("POST", "/workflows", {**FLOW, "steps": refused})["id"]
    message = json.dumps({"workflow_id": workflow_id})
    invoke(run_batch, "WorkflowQueue", message)
    world.end(ada.ok("GET", f"/workflows/{workflow_id}")["steps"][0]["taskId"])
    return lambda: (invoke(run_batch, "WorkflowQueue", message), ada.ask("GET", f"/workflows/{workflow_id}"))


def finish_a_task(world: World) -> Doing:
    task_id = task(world, private=True)
    invoke(run_task, "TaskQueue", json.dumps({"task_id": task_id, "seq": 0}))
    world.clock.advance_ms(MS_PER_S)
    message = json.dumps({"task_id": task_id, "seq": 2, "poll": True})
    return lambda: (invoke(run_task, "PollQueue", message), task_of(task_id).status)


def delete_files_at_their_time(world: World) -> Doing:
    task_id = task(world, expiresInS=3_600)
    world.end(task_id)
    message = json.dumps({"task_id": task_id, "seq": task_of(task_id).seq})
    world.clock.set(task_of(task_id).expires_at_ms or 0)
    return lambda: (invoke(run_task, "TaskQueue", message), task_of(task_id).files)


def submit_a_task_whose_price_a_file_decided(world: World) -> Doing:
    """The worker copies the file, measures the copy, and gives the copy to the provider (decision 0009)."""
    world.ends.enter_context(mock.patch.object(Prober, "_invoked", probes(world.aws)))
    parts.forget()
    url = world.ends.enter_context(media_server()).add("/a.mp4", served(mp4()))
    body = {"model": "seedance-2.0", "input": {"prompt": "a fox", "videoUrls": [url]}}
    task_id = world.customer(1_000).ok("POST", "/generation/create", body)["taskId"]
    message = json.dumps({"task_id": task_id, "seq": 0})
    return lambda: (invoke(run_task, "TaskQueue", message), task_of(task_id).status)


def draw_a_thumbnail(world: World) -> Doing:
    drawing = Drawing(world.aws)
    drawn = mock.patch.object(sdk, "lambda_for_thumbnails", cache(lambda: drawing))
    world.ends.enter_context(drawn)
    put(world.aws, picture("png"))
    return make


def seal_the_days_that_are_over(world: World) -> Doing:
    for _ in range(2):
        world.end(task(world, "[[reject]]"))
        world.clock.advance_ms(MS_PER_DAY)

    def runs() -> None:
        # A fault in the comparison of costs does not end the run. The next invocation finishes it
        for event in ({}, {"continue": True}):
            check_ledger(event, Context("CheckLedgerFunction"))

    return runs


def erase_an_account(world: World) -> Doing:
    ada = world.person(ADA)
    ada.get("/closing")
    for private in (False, True):
        body = {**PAID_BODY, **with_prompt("fine"), "private": private}
        world.end(str(create_task(account_of(ada), body)["taskId"]))
    ada.post("/closing", {"account": account_of(ada), "balance": "give up"})
    world.clock.advance_ms(DELAY_MS)
    return lambda: close_accounts(CLOSING, Context("CloseAccountsFunction"))


def tell_an_owner_of_a_new_key(world: World) -> Doing:
    box = Mailbox()
    world.ends.enter_context(mock.patch.object(sdk, "sesv2", return_value=box))
    world.ends.enter_context(mock.patch.dict(os.environ, MAIL_FROM=FROM))
    parts.forget()
    ada = world.person(ADA)
    ada.get("/keys")
    reader = StreamReader(world.aws, "AuditTable")
    ada.post("/keys", {"name": "Shop", "scopes": ["media"]})
    event = stream_event(reader.new_records(), "arn:aws:dynamodb:stream")
    dispatch_changes(event, Context("DispatchChangesFunction"))
    (message,) = world.aws.messages("MailQueue")
    return lambda: (invoke(notify_members, "MailQueue", message), {to for to, _ in box.take()})


def deliver_a_webhook(world: World) -> Doing:
    url = world.ends.enter_context(http_server(lambda _: 204))
    delivery_id = "evt_" + task_that_ended(world, url).removeprefix("task_")
    return lambda: invoke(deliver_webhook, "WebhookQueue", json.dumps({"delivery_id": delivery_id, "seq": 0}))


def deliver_a_webhook_in_vain(world: World) -> Doing:
    url = world.ends.enter_context(http_server(lambda _: 500))
    delivery_id = "evt_" + task_that_ended(world, url).removeprefix("task_")
    return lambda: invoke(deliver_webhook, "WebhookQueue", json.dumps({"delivery_id": delivery_id, "seq": 0}))


def send_a_request_that_ended(world: World) -> Doing:
    """Its event becomes a delivery, and its span is sent and counted."""
    url = world.ends.enter_context(http_server(lambda _: 200))
    customer = world.customer()
    customer.ok("PATCH", "/exports/settings", {"requestWebhook": RECEIVER, "spans": {"endpoint": url}})
    made = create_task(customer.account.account_id, PAID_BODY)
    world.end(str(made["taskId"]))
    changes = stream_event(stream_records(world.aws), "arn:aws:dynamodb:stream")
    dispatch_changes(changes, Context("DispatchChangesFunction"))
    (message,) = [one for one in world.aws.messages("WebhookQueue") if "entries" in json.loads(one)]
    return lambda: invoke(deliver_webhook, "WebhookQueue", message)


def write_a_day_into_a_bucket(world: World) -> Doing:
    """The files of a day are written into the customer's bucket, step by step, until the message is done."""
    customer = world.customer()
    account_id = customer.account.account_id
    theirs = world.ends.enter_context(foreign_bucket(external_id(account_id)))
    made, (sts, s3) = sdk._session().create_client, theirs.urls
    real = sdk.s3_with

    def s3_with(credentials: Any, region: str) -> Any:
        with mock.patch.dict(os.environ, AWS_ENDPOINT_URL_S3=s3):
            return real(credentials, region)

    roles = mock.patch.object(sdk, "sts", return_value=made("sts", endpoint_url=sts, region_name=REGION))
    world.ends.enter_context(roles)
    world.ends.enter_context(mock.patch.object(sdk, "s3_with", s3_with))
    target = {"name": NAME, "region": REGION, "prefix": "", "roleArn": ROLE}
    customer.ok("PATCH", "/exports/settings", {"bucket": target})
    world.end(str(create_task(account_id, PAID_BODY)["taskId"]))
    world.clock.advance_ms(MS_PER_DAY)
    check_ledger({}, Context("CheckLedgerFunction"))
    (message,) = [one for one in world.aws.messages("WebhookQueue") if "day" in json.loads(one)]
    return lambda: (invoke(deliver_webhook, "WebhookQueue", message), sorted(theirs.objects))


def change_exports(world: World) -> Doing:
    customer = world.customer()
    wanted = {"requestWebhook": RECEIVER, "spans": {"endpoint": "https://spans.test/v1/traces"}}
    return lambda: customer.ok("PATCH", "/exports/settings", wanted)


def task_that_ended(world: World, url: str) -> str:
    task_id = task(world, "[[reject]]", url)
    world.end(task_id)
    return task_id


def count_usage(world: World) -> Doing:
    task_that_ended(world, RECEIVER)
    records = counted_records(world.aws)
    return lambda: record(records)


def sweep(world: World) -> Doing:
    task(world)
    world.clock.advance_ms(STEP_GRACE_MS)
    return lambda: sweep_parts.sweeper().sweep() and None


def record_a_check(world: World) -> Doing:
    def recorded() -> None:
        # A process remembers its last check.
        sweep_parts.status_recorder.cache_clear()
        sweep_parts.status_recorder().record(is_late=False)

    return recorded


def return_the_charge_of_a_lost_response(world: World) -> Doing:
    lose_response(
        Account(world.aws, 1_000), world.aws.stack.refs["ResponsesTable"], world.clock.now_ms(), 200
    )
    world.clock.advance_ms(states.RUNNING_S * MS_PER_S)
    return lambda: sweep_parts.sweeper().sweep() and None


def move_mark_up(world: World) -> Doing:
    ada = world.customer()
    child = child_of(ada).rpartition("/")[2]
    body = {"name": "web", "scopes": ["media"]}
    key = ada.ok("POST", "/keys", body, x_tollgate_account=child)["key"]
    task_id = call("POST", "/api/v1/generation/create", key, PAID_BODY)[1]["data"]["taskId"]
    world.end(task_id)
    return lambda: sweep_parts.sweeper().sweep() and None


def top_up_by_a_saved_card(world: World) -> Doing:
    stripe = world.ends.enter_context(fake_stripe())
    refs, secret = world.aws.stack.refs, json.dumps({**KEYS, "baseUrl": stripe.url})
    world.aws.clients.secrets.put_secret_value(SecretId=refs["StripeSecret"], SecretString=secret)
    parts.forget()
    ada, api = world.customer(1_000), api_parts.api()
    account_id = ada.account.account_id
    api.low_balance.save_customer(account_id, CUSTOMER)
    form = {"threshold": "10", "emails": "ada@example.com", "amount": "20", "monthly": "50"}
    api.low_balance.change(account_id, form)
    ada.ok("POST", "/generation/create", PAID_BODY)
    record(counted_records(world.aws))
    message = json.dumps({"account_id": account_id, "fall": 1})

    def refilled() -> Any:
        # Stripe's side does not go back with ours: what it did once it did, under the same key.
        done = invoke(refill_balance, "RefillQueue", message)
        return done, stripe.taken_cents

    return refilled


def erase_an_account_and_its_person(world: World) -> Doing:
    """Nothing is in the account but its owner: each other row's erasure is an act of the same kind."""
    pool = People.made()
    world.ends.enter_context(mock.patch.dict(os.environ, {"USER_POOL_ID": pool.pool_id}))
    world.ends.callback(parts.forget)
    owner = pool.add("ada@example.com")
    account_id = pool.signed_in(owner)
    by = Actor(owner.identity_id, owner.name)
    dashboard_parts.dashboard().account_closure.request(account_id, account_id, "give up", by)
    world.clock.advance_ms(DELAY_MS)

    def erased() -> Any:
        close_accounts({}, Context("CloseAccountsFunction"))
        return pool.addresses()

    return erased


ACTS: dict[str, Act] = acts_in(globals())
