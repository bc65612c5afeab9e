"""Projects through the handler of `functions/api`: keys, budgets and statistics."""

from typing import Any

import pytest

from tests.conftest import Aws
from tests.functional.test_api import call, details
from tests.functional.test_budgets import BUDGETS, create, ok
from tests.functional.test_record_usage import counted_records, record
from tests.functional.test_run_tokens import token
from tollgate.accounts.models import ApiKey
from tollgate.accounts.repository import ApiKeyRepository
from tollgate.accounts.service import OpenedAccount
from tollgate.composition import api as api_parts

PROJECTS, KEYS = "/api/v1/projects", "/api/v1/keys"


@pytest.fixture
def project_id(customer: OpenedAccount) -> str:
    """Create a project."""
    return str(ok(customer, "POST", PROJECTS, {"name": "Website"})["id"])


def key_of(customer: OpenedAccount, project_id: str | None, *scopes: str) -> Any:
    """Create a key of a project."""
    body = {"name": "web", "projectId": project_id, "scopes": ["media", *scopes]}
    return ok(customer, "POST", KEYS, body)


def refusal(key: str, method: str, path: str, body: Any = None) -> tuple[int, str]:
    status, answer, _ = call(method, path, key, body)
    return status, answer["error"]["code"]


class TestSpending:
    def test_a_budget_counts_all_keys_of_a_project_and_their_tokens(
        self, customer: OpenedAccount, project_id: str
    ) -> None:
        budget = {"name": "site", "scope": "project", "value": project_id, "limitCents": 3, "per": "day"}
        ok(customer, "POST", BUDGETS, budget)
        first, second = (key_of(customer, project_id, "account")["key"] for _ in range(2))
        run = token(customer, second)["token"]
        assert [create(customer, key=key)[0] for key in (first, second, run, first)] == [200, 200, 200, 402]
        error = create(customer, key=run)[1]
        assert (error["scope"], error["value"]) == ("project", project_id)
        assert create(customer)[0] == 200

    def test_statistics_and_the_ledger(self, aws: Aws, customer: OpenedAccount, project_id: str) -> None:
        key = key_of(customer, project_id)["key"]
        create(customer, key=key)
        create(customer)
        record(counted_records(aws))
        groups = ok(customer, "GET", "/api/v1/stats?range=7d&groupBy=project")["groups"]
        assert [(one["value"], one["spentCents"]) for one in groups] == [(project_id, 1)]
        entries = ok(customer, "GET", "/api/v1/ledger")["entries"]
        assert [one.get("projectId") for one in entries if one["kind"] == "charge"] == [None, project_id]


class TestKeys:
    def test_join_and_leave(self, customer: OpenedAccount, project_id: str) -> None:
        key = key_of(customer, project_id)
        assert key["projectId"] == project_id
        assert ok(customer, "GET", f"{PROJECTS}/{project_id}")["keyIds"] == [key["id"]]
        assert refusal(customer.api_key, "DELETE", f"{PROJECTS}/{project_id}") == (409, "project_in_use")
        assert ok(customer, "PATCH", f"{KEYS}/{key['id']}", {"projectId": None})["projectId"] is None
        assert ok(customer, "DELETE", f"{PROJECTS}/{project_id}") == {"id": project_id, "deleted": True}
        assert ok(customer, "GET", PROJECTS) == {"projects": []}

    def test_a_key_that_joins_while_its_project_is_deleted_keeps_it(
        self, customer: OpenedAccount, project_id: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        joins = iter([True, False])

        def listed(*_: str) -> list[ApiKey]:
            # The list of keys is behind; and during the first look, another request creates a key.
            if next(joins, False):
                api_parts.api().keys.create(
                    customer.account_id, {"name": "web", "projectId": project_id}, None
                )
            return []

        monkeypatch.setattr(ApiKeyRepository, "listed", listed)
        for _ in range(2):
            answer = refusal(customer.api_key, "DELETE", f"{PROJECTS}/{project_id}")
            assert answer == (409, "project_in_use")

    @pytest.mark.parametrize("project_id", ["prj_01ARZ3NDEKTSV4RRFFQ69G5FAV", "x", 5])
    def test_an_unknown_project_is_refused(self, customer: OpenedAccount, project_id: Any) -> None:
        status, answer, _ = call("POST", KEYS, customer.api_key, {"name": "web", "projectId": project_id})
        assert (status, set(details(answer))) == (400, {"/projectId"})

    def test_a_key_cannot_leave_its_project(self, customer: OpenedAccount, project_id: str) -> None:
        key, outside = key_of(customer, project_id, "account"), key_of(customer, None)
        budget = {"name": "site", "scope": "project", "limitCents": 3, "per": "day"}
        budget_id = ok(customer, "POST", BUDGETS, budget)["id"]
        for method, path, body in (
            ("POST", KEYS, {"name": "free", "scopes": ["media"]}),
            ("PATCH", f"{KEYS}/{key['id']}", {"projectId": None}),
            ("POST", f"{KEYS}/{outside['id']}/rotate", {}),
            ("DELETE", f"{BUDGETS}/{budget_id}", None),
            ("POST", PROJECTS, {"name": "another"}),
            ("PATCH", f"{PROJECTS}/{project_id}", {"name": "another"}),
            ("DELETE", f"{PROJECTS}/{project_id}", None),
        ):
            assert refusal(key["key"], method, path, body) == (403, "forbidden"), path
        assert (
            call("POST", KEYS, key["key"], {"name": "b", "scopes": ["media"], "projectId": project_id})[0]
            == 200
        )


class TestProjects:
    def test_rename(self, customer: OpenedAccount, project_id: str) -> None:
        renamed = ok(customer, "PATCH", f"{PROJECTS}/{project_id}", {"name": "Site"})
        assert ok(customer, "GET", PROJECTS)["projects"] == [renamed]
        events = [row.action for row in api_parts.api().audit.page(customer.account_id).rows]
        assert events[:2] == ["project.changed", "project.created"]

    @pytest.mark.parametrize(
        ("body", "path"), [({}, "/name"), ({"name": ""}, "/name"), ({"name": "x", "y": 1}, "/y")]
    )
    def test_a_wrong_body_is_named(self, customer: OpenedAccount, body: Any, path: str) -> None:
        status, answer, _ = call("POST", PROJECTS, customer.api_key, body)
        assert (status, set(details(answer))) == (400, {path})

    def test_there_is_an_end_to_them(self, customer: OpenedAccount, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("tollgate.projects.service.MAX_PROJECTS", 1)
        ok(customer, "POST", PROJECTS, {"name": "one"})
        assert refusal(customer.api_key, "POST", PROJECTS, {"name": "two"}) == (409, "project_limit_reached")

    def test_a_stranger_finds_none(self, aws: Aws, customer: OpenedAccount, project_id: str) -> None:
        stranger = api_parts.api().accounts.open(10_000).api_key
        for method, body in (("GET", None), ("PATCH", {"name": "x"}), ("DELETE", None)):
            assert refusal(stranger, method, f"{PROJECTS}/{project_id}", body) == (404, "project_not_found")
