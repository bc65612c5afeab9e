"""Keys as a customer manages and uses them, through the handler of `functions/api`."""

from typing import Any

import pytest

from tests.conftest import Aws
from tests.functional.conftest import balance_cents
from tests.functional.test_api import call, details
from tests.functional.test_run_task import run_to_end
from tests.support.clock import ManualClock
from tests.support.samples import PAID_BODY, PAID_IMAGE
from tollgate.accounts.service import OpenedAccount
from tollgate.composition import api as api_parts
from tollgate.kit.dynamodb.core import WriteConflictError
from tollgate.kit.dynamodb.database import Database
from tollgate.kit.money import micro_usd_of_cents

KEYS = "/api/v1/keys"
FIELDS = {
    "id",
    "name",
    "prefix",
    "scopes",
    "createdAt",
    "expiresAt",
    "revokedAt",
    "lastUsedAt",
    "oldSecretEndsAt",
    "models",
    "networks",
    "projectId",
    "cacheTtlS",
    "routing",
    "spendingCap",
}
ROUTES = [
    ("GET", KEYS),
    ("POST", KEYS),
    ("PATCH", f"{KEYS}/key_1"),
    ("DELETE", f"{KEYS}/key_1"),
    ("POST", f"{KEYS}/key_1/rotate"),
]
CAP = {"capCents": 5, "per": "day"}
HOUR_MS = 60 * 60 * 1000


def ok(method: str, path: str, key: str, body: Any = None) -> Any:
    """Return the `data` of an answer that must be 200."""
    status, answer, _ = call(method, path, key, body)
    assert status == 200, answer
    assert answer["code"] == 200
    return answer["data"]


def made(customer: OpenedAccount, **fields: Any) -> Any:
    """Make a key with these fields; give its view, with the key."""
    return ok("POST", KEYS, customer.api_key, {"name": "made", **fields})


def shown(customer: OpenedAccount, key_id: str) -> Any:
    """Return a key as the list shows it."""
    (found,) = [one for one in ok("GET", KEYS, customer.api_key)["keys"] if one["id"] == key_id]
    return found


def refusal(method: str, path: str, key: str, body: Any = None) -> tuple[int, str]:
    """Return status and code of an answer that must be an error."""
    status, answer, _ = call(method, path, key, body)
    return status, answer["error"]["code"]


def order(key: str, **fields: Any) -> tuple[int, Any]:
    """Order an image for one cent."""
    status, answer, _ = call("POST", "/api/v1/generation/create", key, {**PAID_BODY, **fields})
    return status, answer


def test_a_new_account_has_one_key_of_all_scopes_and_a_name(customer: OpenedAccount) -> None:
    (first,) = ok("GET", KEYS, customer.api_key)["keys"]
    assert (first["name"], set(first["scopes"])) == ("First key", {"media", "text", "account"})


class TestMake:
    def test_a_key_is_shown_once_and_works(self, customer: OpenedAccount) -> None:
        status, answer, headers = call("POST", KEYS, customer.api_key, {"name": "ci"})
        assert status == 200
        assert headers["cache-control"] == "no-store"
        made = answer["data"]
        assert made.keys() == FIELDS | {"key"}
        assert made["key"].startswith(made["prefix"] + "_")
        assert (made["name"], made["scopes"]) == ("ci", ["media", "text"])
        assert order(made["key"])[0] == 200
        listed = shown(customer, made["id"])
        assert listed.keys() == FIELDS
        assert listed["prefix"] == made["prefix"]

    def test_the_secret_is_nowhere_in_the_tables(self, aws: Aws, customer: OpenedAccount) -> None:
        secret = made(customer)["key"].rpartition("_")[2]
        for table in ("ApiKeysTable", "AccountsTable"):
            assert secret not in str(aws.clients.dynamodb.scan(TableName=aws.stack.refs[table])["Items"])

    def test_every_problem_comes_at_once_and_nothing_is_made(self, customer: OpenedAccount) -> None:
        body = {"scopes": ["x"], "models": ["test-image", "no-such-model"], "networks": ["1.2.3"], "owner": 1}
        status, answer, _ = call("POST", KEYS, customer.api_key, body)
        assert status == 400
        assert details(answer).keys() == {"/name", "/scopes/0", "/models/1", "/networks/0", "/owner"}
        assert len(ok("GET", KEYS, customer.api_key)["keys"]) == 1

    def test_the_hundred_and_first_is_refused_until_one_is_revoked(
        self, customer: OpenedAccount, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("tollgate.accounts.repository.MAX_API_KEYS", 3)
        keys = [made(customer) for _ in range(2)]
        assert refusal("POST", KEYS, customer.api_key, {"name": "x"}) == (409, "key_limit_reached")
        for _ in range(2):  # a second time counts nothing
            ok("DELETE", f"{KEYS}/{keys[0]['id']}", customer.api_key)
        made(customer)
        assert refusal("POST", KEYS, customer.api_key, {"name": "x"}) == (409, "key_limit_reached")

    def test_a_write_that_conflicts_each_time_makes_none(
        self, customer: OpenedAccount, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def conflict(*_: object) -> None:
            raise WriteConflictError

        with monkeypatch.context() as patch:
            patch.setattr(Database, "transact", conflict)
            found = refusal("POST", KEYS, customer.api_key, {"name": "x"})
        assert found == (429, "concurrency_limited")
        assert len(ok("GET", KEYS, customer.api_key)["keys"]) == 1


class TestScopes:
    def test_the_routes_want_the_account_scope(self, customer: OpenedAccount) -> None:
        key = made(customer)["key"]
        for method, path in ROUTES:
            assert refusal(method, path, key, {}) == (403, "forbidden")
            assert call(method, path, None, {})[0] == 401

    def test_a_key_is_good_for_its_scopes_only(self, customer: OpenedAccount) -> None:
        key = made(customer, scopes=["account"])["key"]
        assert ok("GET", "/api/v1/user/me", key)["id"] == customer.account_id
        assert order(key)[0] == 403


class TestAnotherAccount:
    def test_its_keys_are_as_if_they_did_not_exist(self, customer: OpenedAccount) -> None:
        theirs = api_parts.api().accounts.open(0)
        (listed,) = ok("GET", KEYS, theirs.api_key)["keys"]
        for method, path in ROUTES[2:]:
            answers = [
                call(method, path.replace("key_1", key_id), customer.api_key, {})[:2]
                for key_id in (listed["id"], "key_nope")
            ]
            for _, body in answers:
                # It differs in each response.
                assert body["error"].pop("requestId")
            assert answers[0] == answers[1]
            assert (answers[0][0], answers[0][1]["error"]["code"]) == (404, "key_not_found")
        assert ok("GET", KEYS, theirs.api_key)["keys"] == [listed]


class TestUpdate:
    def test_what_the_body_names_changes_and_the_rest_stays(self, customer: OpenedAccount) -> None:
        key = made(
            customer, models=["suno"], networks=["203.0.113.0/24"], spendingCap={"capCents": 5, "per": "day"}
        )
        changed = ok("PATCH", f"{KEYS}/{key['id']}", customer.api_key, {"name": "new", "models": None})
        expected = {name: value for name, value in key.items() if name != "key"}
        assert changed == {**expected, "name": "new", "models": None}
        assert shown(customer, key["id"]) == changed

    def test_an_empty_change_changes_nothing(self, customer: OpenedAccount) -> None:
        key = made(customer)
        shown = ok("PATCH", f"{KEYS}/{key['id']}", customer.api_key, {})
        assert shown == {name: value for name, value in key.items() if name != "key"}

    def test_it_is_checked_as_a_new_key_is(self, customer: OpenedAccount) -> None:
        key = made(customer)
        status, answer, _ = call("PATCH", f"{KEYS}/{key['id']}", customer.api_key, {"name": "", "scopes": []})
        assert status == 400
        assert details(answer).keys() == {"/name", "/scopes"}

    def test_it_takes_effect_within_30_seconds(self, customer: OpenedAccount, clock: ManualClock) -> None:
        key = made(customer)
        assert order(key["key"])[0] == 200
        ok("PATCH", f"{KEYS}/{key['id']}", customer.api_key, {"models": ["suno"]})
        clock.advance_ms(30_000)
        assert order(key["key"])[0] == 403


class TestRotate:
    def test_both_secrets_work_until_the_old_ones_time_is_over(
        self, customer: OpenedAccount, clock: ManualClock
    ) -> None:
        key = made(customer)
        assert order(key["key"])[0] == 200
        rotated = ok("POST", f"{KEYS}/{key['id']}/rotate", customer.api_key, {"overlapS": 3600})
        assert rotated["id"] == key["id"]
        assert rotated["oldSecretEndsAt"] is not None
        assert {order(rotated["key"])[0], order(key["key"])[0]} == {200}
        clock.advance_ms(HOUR_MS)
        assert order(key["key"])[0] == 401
        assert order(rotated["key"])[0] == 200

    def test_without_a_body_the_old_one_lives_a_day(
        self, customer: OpenedAccount, clock: ManualClock
    ) -> None:
        key = made(customer)
        ok("POST", f"{KEYS}/{key['id']}/rotate", customer.api_key)
        clock.advance_ms(24 * HOUR_MS - 1)
        assert order(key["key"])[0] == 200
        clock.advance_ms(1)
        assert order(key["key"])[0] == 401

    def test_with_no_overlap_the_old_one_ends_within_30_seconds(
        self, customer: OpenedAccount, clock: ManualClock
    ) -> None:
        key = made(customer)
        assert order(key["key"])[0] == 200
        rotated = ok("POST", f"{KEYS}/{key['id']}/rotate", customer.api_key, {"overlapS": 0})
        assert rotated["oldSecretEndsAt"] is None
        clock.advance_ms(30_000)
        assert order(key["key"])[0] == 401
        assert order(rotated["key"])[0] == 200

    def test_an_overlap_that_was_promised_is_not_cut_short_by_accident(self, customer: OpenedAccount) -> None:
        path = f"{KEYS}/{made(customer)['id']}/rotate"
        ok("POST", path, customer.api_key)
        assert refusal("POST", path, customer.api_key) == (409, "rotation_in_progress")
        ok("POST", path, customer.api_key, {"overlapS": 0})
        ok("POST", path, customer.api_key)

    def test_the_cap_goes_on_counting(self, customer: OpenedAccount) -> None:
        key = made(customer, spendingCap={"capCents": 1, "per": "day"})
        assert order(key["key"])[0] == 200
        rotated = ok("POST", f"{KEYS}/{key['id']}/rotate", customer.api_key)
        assert order(rotated["key"])[0] == 402


class TestRevoke:
    def test_the_key_ends_within_30_seconds_and_leaves_the_list(
        self, customer: OpenedAccount, clock: ManualClock
    ) -> None:
        key = made(customer)
        assert order(key["key"])[0] == 200
        revoked = ok("DELETE", f"{KEYS}/{key['id']}", customer.api_key)
        assert revoked["revokedAt"] is not None
        clock.advance_ms(30_000)
        assert order(key["key"])[0] == 401
        assert key["id"] not in {each["id"] for each in ok("GET", KEYS, customer.api_key)["keys"]}
        again = ok("DELETE", f"{KEYS}/{key['id']}", customer.api_key)
        assert again["revokedAt"] == revoked["revokedAt"]

    def test_a_revoked_key_cannot_come_back(self, customer: OpenedAccount) -> None:
        key = made(customer)
        ok("DELETE", f"{KEYS}/{key['id']}", customer.api_key)
        for method, rest in (("PATCH", ""), ("POST", "/rotate")):
            assert refusal(method, f"{KEYS}/{key['id']}{rest}", customer.api_key, {}) == (
                404,
                "key_not_found",
            )

    def test_a_key_may_revoke_itself(self, customer: OpenedAccount, clock: ManualClock) -> None:
        (own,) = ok("GET", KEYS, customer.api_key)["keys"]
        ok("DELETE", f"{KEYS}/{own['id']}", customer.api_key)
        clock.advance_ms(30_000)
        assert refusal("GET", KEYS, customer.api_key) == (401, "invalid_api_key")


class TestFresh:
    """The routes of keys read their caller anew: no key is made in the 30 s that others remember one."""

    def test_a_key_that_was_just_revoked_makes_none(self, customer: OpenedAccount) -> None:
        leaked = made(customer, scopes=["account", "media"])
        ok("GET", KEYS, leaked["key"])
        ok("DELETE", f"{KEYS}/{leaked['id']}", customer.api_key)
        for method, path in ROUTES:
            assert refusal(method, path, leaked["key"], {"name": "x"}) == (401, "invalid_api_key")

    def test_a_key_that_was_just_limited_makes_none_beyond(self, customer: OpenedAccount) -> None:
        limited = made(customer, scopes=["account", "media"])
        ok("GET", KEYS, limited["key"])
        ok("PATCH", f"{KEYS}/{limited['id']}", customer.api_key, {"spendingCap": CAP})
        assert refusal("POST", KEYS, limited["key"], {"name": "x", "scopes": ["media"]}) == (403, "forbidden")

    def test_and_shows_or_changes_no_webhook_secret(self, customer: OpenedAccount) -> None:
        leaked = made(customer, scopes=["account"])
        ok("GET", "/api/v1/webhooks/secret", leaked["key"])
        ok("DELETE", f"{KEYS}/{leaked['id']}", customer.api_key)
        for method, path in (("GET", "/secret"), ("POST", "/secret/rotate")):
            assert refusal(method, f"/api/v1/webhooks{path}", leaked["key"])[0] == 401


class TestDelegation:
    def test_a_key_gives_no_other_more_than_it_has(self, customer: OpenedAccount) -> None:
        strong = made(customer, scopes=["media", "text", "account"])
        weak = made(customer, scopes=["account", "media"], models=["test-image"])["key"]
        within = {"name": "x", "scopes": ["media"], "models": ["test-image"]}
        ok("POST", KEYS, weak, within)
        for beyond in ({"scopes": ["text"]}, {"models": None}, {"models": ["suno"]}):
            assert refusal("POST", KEYS, weak, {**within, **beyond}) == (403, "forbidden")
            assert refusal("PATCH", f"{KEYS}/{strong['id']}", weak, beyond) == (403, "forbidden")
        # To rotate a key is to have it; and a stronger one is not weakened or ended either.
        assert refusal("POST", f"{KEYS}/{strong['id']}/rotate", weak) == (403, "forbidden")
        assert refusal("DELETE", f"{KEYS}/{strong['id']}", weak) == (403, "forbidden")
        for change in ({"name": "renamed"}, {"models": ["test-image"]}, {"spendingCap": CAP}):
            assert refusal("PATCH", f"{KEYS}/{strong['id']}", weak, change) == (403, "forbidden")

    def test_a_change_is_judged_by_the_key_that_results(self, customer: OpenedAccount) -> None:
        # The scope alone is within the caller's; the other limits of the key are not.
        by = made(customer, scopes=["account", "media"], models=["test-image"])["key"]
        other = made(customer, scopes=["text"])
        change = {"scopes": ["media"], "spendingCap": CAP}
        assert refusal("PATCH", f"{KEYS}/{other['id']}", by, change) == (403, "forbidden")
        assert shown(customer, other["id"])["scopes"] == ["text"]

    def test_a_key_with_a_cap_touches_no_other_and_keeps_its_cap(self, customer: OpenedAccount) -> None:
        capped = made(customer, scopes=["account", "media", "text"], spendingCap=CAP)
        other = made(customer, scopes=["text"])
        assert refusal("POST", KEYS, capped["key"], {"name": "x", "spendingCap": CAP}) == (403, "forbidden")
        for change in ({"scopes": ["account", "media"]}, {"spendingCap": None}, {"name": "x"}):
            assert refusal("PATCH", f"{KEYS}/{other['id']}", capped["key"], change) == (403, "forbidden")
        for method, rest in (("POST", "/rotate"), ("DELETE", "")):
            assert refusal(method, f"{KEYS}/{other['id']}{rest}", capped["key"]) == (403, "forbidden")
        raised = {"spendingCap": {"capCents": 6, "per": "day"}}
        assert refusal("PATCH", f"{KEYS}/{capped['id']}", capped["key"], raised) == (403, "forbidden")
        ok("POST", f"{KEYS}/{capped['id']}/rotate", capped["key"])

    def test_a_key_with_a_budget_of_its_own_manages_only_itself(self, customer: OpenedAccount) -> None:
        all_scopes = ["account", "media", "text"]
        by, other = made(customer, scopes=all_scopes), made(customer, scopes=["text"])
        # A limit for each key on its own covers new keys too, so it binds no key to itself.
        budget = {"name": "b", "scope": "key", "limitCents": 10, "per": "day"}
        ok("POST", "/api/v1/budgets", customer.api_key, budget)
        ok("DELETE", f"{KEYS}/{ok('POST', KEYS, by['key'], {'name': 'x'})['id']}", by["key"])
        ok("POST", "/api/v1/budgets", customer.api_key, {**budget, "limitCents": 2, "value": by["id"]})
        for method, rest, body in (
            ("POST", "", {"name": "escape"}),
            ("PATCH", f"/{other['id']}", {"name": "mine"}),
            ("POST", f"/{other['id']}/rotate", {}),
            ("DELETE", f"/{other['id']}", None),
        ):
            status, answer, _ = call(method, KEYS + rest, by["key"], body)
            assert (status, answer["error"]["code"]) == (403, "forbidden")
            assert ": budget." in answer["error"]["message"]
            assert "manages only itself" in answer["error"]["message"]
        # Its own requests, run tokens and name are as before.
        token = ok("POST", "/api/v1/tokens", by["key"], {"maxCostCents": 2, "expiresInS": 60})["token"]
        assert [order(key)[0] for key in (token, by["key"], token)] == [200, 200, 402]
        assert ok("PATCH", f"{KEYS}/{by['id']}", by["key"], {"name": "me"})["name"] == "me"


class TestLimits:
    def test_models_hold_for_estimate_and_create(self, customer: OpenedAccount) -> None:
        key = made(customer, models=["suno"])["key"]
        for path in ("estimate", "create"):
            status, answer, _ = call("POST", f"/api/v1/generation/{path}", key, PAID_BODY)
            assert (status, answer["error"]["code"]) == (403, "forbidden")
            assert f"'{PAID_IMAGE}'" in answer["error"]["message"]
        assert balance_cents(customer) == 100

    def test_networks_are_compared_with_what_the_gateway_saw_and_never_with_a_header(
        self, customer: OpenedAccount
    ) -> None:
        # events/api.json comes from 203.0.113.7.
        here = made(customer, networks=["203.0.113.0/24"])["key"]
        elsewhere = made(customer, networks=["198.51.100.0/24", "2001:db8::/32"])["key"]
        assert order(here)[0] == 200
        for headers in (None, {"x-forwarded-for": "198.51.100.1", "x-real-ip": "198.51.100.1"}):
            status, answer, _ = call("POST", "/api/v1/generation/create", elsewhere, PAID_BODY, headers)
            assert (status, answer["error"]["code"]) == (403, "forbidden")
            assert "203.0.113.7" in answer["error"]["message"]

    def test_a_key_ends_when_it_expires(self, customer: OpenedAccount, clock: ManualClock) -> None:
        # The manual clock starts at 2023-11-14T22:13:20Z.
        key = made(customer, expiresAt="2023-11-14T23:13:20Z")["key"]
        clock.advance_ms(HOUR_MS - 1)
        assert order(key)[0] == 200
        clock.advance_ms(1)
        assert order(key)[0] == 401

    def test_the_last_use_is_shown(self, customer: OpenedAccount, clock: ManualClock) -> None:
        key = made(customer)
        clock.advance_ms(1000)
        order(key["key"])
        assert shown(customer, key["id"])["lastUsedAt"] == "2023-11-14T22:13:21.000Z"


class TestSpendingCap:
    def test_what_it_does_not_cover_is_402_and_charges_nothing(self, customer: OpenedAccount) -> None:
        made_key = made(customer, spendingCap={"capCents": 2, "per": "day"})
        key = made_key["key"]
        assert [order(key)[0] for _ in range(3)] == [200, 200, 402]
        _, answer = order(key)
        assert (answer["code"], answer["error"]["code"]) == (402, "spending_cap_reached")
        assert {
            name: answer["error"][name] for name in ("capCents", "spentCents", "requiredCents", "resetsAt")
        } == {
            "capCents": 2,
            "spentCents": 2,
            "requiredCents": 1,
            "resetsAt": "2023-11-15T00:00:00.000Z",
        }
        assert balance_cents(customer) == 98
        assert shown(customer, made_key["id"])["spendingCap"]["spentCents"] == 2
        # Others of the account go on.
        assert order(customer.api_key)[0] == 200

    def test_it_starts_anew_with_the_day(self, customer: OpenedAccount, clock: ManualClock) -> None:
        key = made(customer, spendingCap={"capCents": 1, "per": "day"})["key"]
        assert [order(key)[0] for _ in range(2)] == [200, 402]
        clock.advance_ms(2 * HOUR_MS)
        assert [order(key)[0] for _ in range(2)] == [200, 402]

    def test_a_failed_task_gives_it_back(self, customer: OpenedAccount, clock: ManualClock) -> None:
        key = made(customer, spendingCap={"capCents": 1, "per": "month"})["key"]
        _, answer = order(key, input={"prompt": "[[reject]]", "size": "1:1"})
        assert order(key)[0] == 402
        assert run_to_end(answer["data"]["taskId"], clock).status == "failed"
        assert order(key)[0] == 200

    def test_a_repeat_with_its_idempotency_key_costs_no_cap(self, customer: OpenedAccount) -> None:
        key = made(customer, spendingCap={"capCents": 1, "per": "day"})["key"]
        headers = {"idempotency-key": "k"}
        answers = [call("POST", "/api/v1/generation/create", key, PAID_BODY, headers)[:2] for _ in range(2)]
        assert answers[0] == answers[1]
        assert answers[0][0] == 200

    def test_a_cap_can_be_raised_and_taken_away(self, customer: OpenedAccount, clock: ManualClock) -> None:
        key = made(customer, spendingCap={"capCents": 1, "per": "day"})
        assert [order(key["key"])[0] for _ in range(2)] == [200, 402]
        for cap, statuses in (({"capCents": 2, "per": "day"}, [200, 402]), (None, [200, 200])):
            ok("PATCH", f"{KEYS}/{key['id']}", customer.api_key, {"spendingCap": cap})
            clock.advance_ms(30_000)
            assert [order(key["key"])[0] for _ in range(2)] == statuses
        assert balance_cents(customer) == 100 - 4


class TestOwner:
    def test_the_owner_makes_any_key_by_the_service_itself(self, customer: OpenedAccount) -> None:
        keys = api_parts.api().keys
        made = keys.create(
            customer.account_id, {"name": "mine", "spendingCap": {"capCents": 7, "per": "month"}}, None
        )
        cap = keys.all(customer.account_id)[0]["spendingCap"]
        assert cap is not None
        assert cap["capCents"] == micro_usd_of_cents(7) // 10_000
        assert keys.revoke(customer.account_id, made["id"], None)["revokedAt"] is not None
