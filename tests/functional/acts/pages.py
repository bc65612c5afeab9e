"""Acts of people at the dashboard, and of operators in their console."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from tests.functional.acts.worlds import Act, Doing, World, acts_in
from tests.functional.dashboard.test_dashboard_members import account_of, identity, invite, member
from tests.functional.test_connector_routes import CHOICES, Client
from tests.functional.test_directory import OFF, connect, join
from tests.functional.test_payments import send
from tests.support.dashboard import Browser
from tests.support.left_behind import masked
from tests.support.payments import KEYS, dispute, event, session, stripe_api
from tests.support.samples import PAID_BODY, PAID_IMAGE
from tests.support.tasks import create_task
from tollgate.composition import api as api_parts
from tollgate.composition import dashboard as dashboard_parts
from tollgate.composition import parts
from tollgate.web.development import OPERATOR

ADA, BOB = "ada@example.com", "bob@example.com"
KEY = {"name": "Shop", "scopes": ["media"]}
LOW = {"threshold": "10", "emails": ADA}


def posted(browser: Browser, path: str, fields: Any = ()) -> Any:
    """Send a form from a browser as it is; return what it does with the answer.

    The page itself is left out: it says ids and secrets.
    """
    answer = replace(browser).post(path, fields)
    return answer.status, answer.headers.get("hx-redirect") or answer.headers.get("location")


def at(world: World, path: str) -> Browser:
    """Return Ada's browser, which has opened a page."""
    ada = world.person(ADA)
    ada.get(path)
    return ada


@dataclass(frozen=True)
class Form:
    """A form that Ada sends from the page that she has opened."""

    page: str
    path: str
    fields: Any = ()

    def __call__(self, world: World) -> Doing:
        """Prepare it."""
        ada = at(world, self.page)
        return lambda: posted(ada, self.path, self.fields)


@dataclass(frozen=True)
class OperatorForm:
    """A form of an operator. `{}` in its path is Ada's account."""

    path: str
    fields: Mapping[str, str]

    def __call__(self, world: World) -> Doing:
        """Prepare it."""
        path, console = self.path.format(world.person(ADA).sign_in(ADA)), _console(world)
        return lambda: posted(console, path, self.fields)


def sign_in_for_the_first_time(world: World) -> Doing:
    browser = Browser()
    browser.get("/sign-in")
    return lambda: posted(browser, "/sign-in/development/email", {"email": ADA})


def sign_in_again(world: World) -> Doing:
    world.person(ADA)
    browser = Browser()
    browser.get("/sign-in")
    return lambda: posted(browser, "/sign-in/development/email", {"email": ADA})


def agree_to_a_connector(world: World) -> Doing:
    ada, product = at(world, ""), Client()
    fields = {**product.fields(), **CHOICES, "account": account_of(ada)}

    def doing() -> Any:
        status, address = posted(ada, "/connect", fields)
        return status, masked(address)

    return doing


def redeem_a_code(world: World) -> Doing:
    ada, product = at(world, ""), Client()
    code = product.code(ada, account_of(ada))
    return lambda: masked(product.redeem(code))


def refresh_a_connector(world: World) -> Doing:
    ada, product = at(world, ""), Client()
    _, tokens = product.redeem(product.code(ada, account_of(ada)))
    # The tokens are derived, so each time they are the same.
    return lambda: product.refresh(tokens["refresh_token"])


def revoke_by_a_connector(world: World) -> Doing:
    ada, product = at(world, ""), Client()
    _, tokens = product.redeem(product.code(ada, account_of(ada)))
    sent = {"token": tokens["access_token"], "client_id": product.client_id}
    return lambda: product.ask("/oauth/revoke", **sent)


def revoke_an_invitation(world: World) -> Doing:
    ada = at(world, "/members")
    link = invite(ada, BOB)
    invitation_id = link.partition("invitation=")[2].partition(".")[0]
    return lambda: posted(ada, f"/members/invitations/{invitation_id}/revoke")


def accept_an_invitation(world: World) -> Doing:
    ada = at(world, "/members")
    link = invite(ada, BOB)
    bob = world.person(BOB)
    bob.get(link)
    return lambda: posted(bob, "/join")


def accept_without_a_link(world: World) -> Doing:
    ada, bob = at(world, "/members"), world.person(BOB)
    invite(ada, BOB)
    bob.get("")
    (account_id, found), *_ = dashboard_parts.dashboard().members.waiting(identity(BOB))
    fields = {"account": account_id, "invitation": found.invitation_id}
    return lambda: posted(bob, "/join/own", fields)


def change_a_role(world: World) -> Doing:
    ada = at(world, "/members")
    member(ada, "viewer", BOB)
    return lambda: posted(ada, "/members/role", {"member": identity(BOB), "role": "developer"})


def remove_a_member_and_their_keys(world: World) -> Doing:
    ada = at(world, "/members")
    bob = member(ada, "developer", BOB)
    bob.get("/keys")
    bob.post("/keys", KEY)
    return lambda: posted(ada, "/members/remove", {"member": identity(BOB), "keys": "revoke"})


def leave_an_account(world: World) -> Doing:
    ada = at(world, "/members")
    bob = member(ada, "viewer", BOB)
    return lambda: posted(bob, "/members/leave")


def add_a_user_by_the_directory(world: World) -> Doing:
    directory = connect(at(world, "/members"))
    return lambda: directory.ask("POST", "/Users", {"userName": BOB})[0]


def join_by_the_directory(world: World) -> Doing:
    ada = at(world, "/members")
    connect(ada).add(BOB)
    bob = world.person(BOB)
    bob.get(f"/join?invitation={account_of(ada)}")
    return lambda: posted(bob, "/join")


def end_access_by_the_directory(world: World) -> Doing:
    ada = at(world, "/members")
    directory = connect(ada)
    user_id = directory.add(BOB)
    join(account_of(ada), BOB)
    return lambda: directory.ask("PATCH", f"/Users/{user_id}", OFF)[0]


def delete_a_user_by_the_directory(world: World) -> Doing:
    directory = connect(at(world, "/members"))
    user_id = directory.add(BOB)
    return lambda: directory.ask("DELETE", f"/Users/{user_id}")[0]


def remove_a_card(world: World) -> Doing:
    ada = at(world, "/top-up")
    # Without Stripe's keys only our own row is changed.
    api_parts.api().low_balance.save_customer(account_of(ada), "cus_1")
    return lambda: posted(ada, "/top-up/card/remove")


def go_to_pay(world: World) -> Doing:
    _with_stripe(world, world.ends.enter_context(stripe_api([])))
    ada = at(world, "/top-up")
    return lambda: posted(ada, "/top-up", {"amount": "25", "save": "1"})


def pay(world: World) -> Doing:
    _with_stripe(world)
    customer = world.customer()
    return lambda: send(event(session(customer.account.account_id, 2_500, customer="cus_1")))[0]


def _with_a_result(world: World) -> tuple[Browser, str]:
    """Return Ada's browser, and a generation of hers that has ended."""
    ada = at(world, "/tasks")
    created = create_task(account_of(ada), {**PAID_BODY})
    world.end(created["taskId"])
    return ada, created["taskId"]


def share_a_result(world: World) -> Doing:
    ada, task_id = _with_a_result(world)
    return lambda: posted(ada, f"/tasks/{task_id}/share", {"input": "on"})


def stop_sharing(world: World) -> Doing:
    ada, task_id = _with_a_result(world)
    ada.post(f"/tasks/{task_id}/share")
    return lambda: posted(ada, f"/tasks/{task_id}/unshare")


def delete_results(world: World) -> Doing:
    ada, task_id = _with_a_result(world)
    return lambda: posted(ada, "/tasks/delete", {"task": task_id})


def ask_for_the_end_of_an_account(world: World) -> Doing:
    ada = at(world, "/closing")
    account_id = ada.get("").attribute("data-account")
    return lambda: posted(ada, "/closing", {"account": account_id, "balance": "give up"})


def keep_an_account_after_all(world: World) -> Doing:
    ada = at(world, "/closing")
    account_id = ada.get("").attribute("data-account")
    assert ada.post("/closing", {"account": account_id, "balance": "give up"}).status == 200
    ada.get("/closing")
    return lambda: posted(ada, "/closing/undo")


def take_back_a_payment(world: World) -> Doing:
    account_id = world.person(ADA).sign_in(ADA)
    _with_stripe(world)
    send(event(session(account_id, 2_500)))
    claimed = event(dispute(2_500), "charge.dispute.created", "evt_2", 1)
    return lambda: send(claimed)[0]


def take_back_what_was_not_credited_yet(world: World) -> Doing:
    account_id = world.person(ADA).sign_in(ADA)
    _with_stripe(world)
    send(event(dispute(600), "charge.dispute.created", "evt_2", 1))
    paid = event(session(account_id, 2_500))
    return lambda: send(paid)[0]


def refund_by_an_operator(world: World) -> Doing:
    account_id, console = world.person(ADA).sign_in(ADA), _console(world)
    task_id = str(create_task(account_id, PAID_BODY)["taskId"])
    world.end(task_id)
    return lambda: posted(console, f"/tasks/{task_id}/refund", {"reason": "It is not what it should be"})


def _console(world: World) -> Browser:
    browser = world.person(OPERATOR)
    browser.get("")
    return browser.at("/admin")


def _with_stripe(world: World, url: str = "https://api.stripe.invalid") -> None:
    secret = json.dumps({**KEYS, "baseUrl": url})
    refs = world.aws.stack.refs
    world.aws.clients.secrets.put_secret_value(SecretId=refs["StripeSecret"], SecretString=secret)
    parts.forget()


GENERATION = {"input.prompt": "a fox", "input.size": "1:1", "form_id": "form_1"}
CREDIT = {"action": "credit", "usd": "2.50", "reference": "ticket-1", "reason": "It broke"}
OUTAGE = {"provider": "fal", "reason": "It fails", "disabled": "true"}
INCIDENT = {"title": "Late videos", "impact": "down", "part-media": "1", "phase": "identified"}
FORMS: dict[str, Act] = {
    "sign_out": Form("", "/sign-out"),
    "sign_out_everywhere": Form("", "/sign-out/everywhere"),
    "make_a_key": Form("/keys", "/keys", KEY),
    "make_a_key_for_the_chat": Form("/chat", "/chat/key"),
    "invite_somebody": Form("/members", "/members/invitations", {"email": BOB, "role": "developer"}),
    "connect_a_directory": Form("/members", "/members/directory", {"role": "viewer"}),
    "set_mail_topics": Form("/members", "/members/mails", {"money": "1"}),
    "change_billing_details": Form("/top-up", "/top-up/billing", {"company": "Lighthouse GmbH"}),
    "wish_for_mails_about_a_low_balance": Form("/top-up", "/top-up/low-balance", LOW),
    "run_in_the_playground": Form(f"/playground/{PAID_IMAGE}", f"/playground/{PAID_IMAGE}/run", GENERATION),
    "credit_by_an_operator": OperatorForm("/accounts/{}", CREDIT),
    "debit_by_an_operator": OperatorForm("/accounts/{}", {**CREDIT, "action": "debit"}),
    "suspend": OperatorForm("/accounts/{}", {"action": "suspend", "reason": "fraud"}),
    "switch_a_provider_off": OperatorForm("/providers", OUTAGE),
    "open_an_incident": OperatorForm("/incidents", {**INCIDENT, "words": "We know the cause."}),
    "change_a_price": OperatorForm(f"/models/{PAID_IMAGE}", {"price-default": "0.02", "version": ""}),
}
ACTS: dict[str, Act] = {**acts_in(globals()), **FORMS}
