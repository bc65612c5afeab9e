"""Files in the protocols of OpenAI and Anthropic: uploaded in the request, listed, read, deleted."""

from typing import Any

import pytest

from tests.conftest import Aws
from tests.functional.test_api import call
from tests.functional.test_files import create
from tests.functional.test_gateway_forms import post_form
from tests.support.clock import ManualClock
from tests.unit.artifacts.test_store import png
from tollgate.accounts.service import OpenedAccount
from tollgate.artifacts import uploaded, uploads
from tollgate.composition import api as api_parts

PATH = "/api/v1/files"
ANTHROPIC = {"anthropic-version": "2023-06-01"}
DAY_S = 24 * 60 * 60


def upload(customer: OpenedAccount, name: str = "start.png", **fields: str) -> dict[str, Any]:
    status, file = post_form(customer.api_key, PATH, fields, {"file": (name, png(), "image/png")})
    assert status == 200, file
    return dict(file)


def ids(customer: OpenedAccount, query: str = "") -> list[str]:
    _, page, _ = call("GET", f"{PATH}{query}", customer.api_key)
    return [one["id"] for one in page["data"]]


def test_an_upload_is_openais_file_with_its_bytes(
    aws: Aws, customer: OpenedAccount, clock: ManualClock
) -> None:
    now_s = clock.now_ms() // 1000
    file = upload(customer, "../Zürich/Übersicht.png", purpose="vision")
    assert file == {
        "id": file["id"],
        "object": "file",
        "bytes": len(png()),
        "created_at": now_s,
        "expires_at": now_s + DAY_S,
        "filename": "Übersicht.png",
        "purpose": "vision",
        "status": "processed",
        "status_details": None,
    }
    assert call("GET", f"{PATH}/{file['id']}", customer.api_key)[1] == file
    assert create(customer, file["id"])[0] == 200


def test_anthropics_sdk_gets_anthropics_shapes(aws: Aws, customer: OpenedAccount, clock: ManualClock) -> None:
    file_id = upload(customer)["id"]
    _, file, _ = call("GET", f"{PATH}/{file_id}?beta=true", customer.api_key, headers=ANTHROPIC)
    assert (file["type"], file["mime_type"], file["size_bytes"]) == ("file", "image/png", len(png()))
    assert (file["filename"], file["created_at"][-1]) == ("start.png", "Z")
    clock.advance_ms(1_000)
    second = upload(customer)["id"]
    _, page, _ = call("GET", f"{PATH}?limit=1", customer.api_key, headers=ANTHROPIC)
    assert [one["id"] for one in page["data"]] == [second]
    _, page, _ = call("GET", f"{PATH}?page={page['next_page']}", customer.api_key, headers=ANTHROPIC)
    assert ([one["id"] for one in page["data"]], page["next_page"]) == ([file_id], None)
    _, deleted, _ = call("DELETE", f"{PATH}/{file_id}", customer.api_key, headers=ANTHROPIC)
    assert deleted == {"id": file_id, "type": "file_deleted"}


def test_a_list_has_the_usable_files_page_by_page(
    aws: Aws, customer: OpenedAccount, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploaded, "MAX_PAGE", 2)
    old = upload(customer)["id"]
    clock.advance_ms(1_000)
    call("POST", PATH, customer.api_key, {"contentType": "image/png", "bytes": 5})
    newer = []
    for purpose in ("user_data", "vision", "user_data"):
        clock.advance_ms(1_000)
        newer.append(upload(customer, purpose=purpose)["id"])
    assert ids(customer, "?limit=10000") == newer[:0:-1]
    assert ids(customer, f"?after={newer[1]}") == [newer[0], old]
    assert ids(customer, "?order=asc&limit=1") == [old]
    assert ids(customer, "?purpose=vision") == [newer[1]]
    clock.advance_ms(DAY_S * 1_000 - 3_000)
    assert ids(customer, "?order=asc") == newer[:2]
    assert call("GET", f"{PATH}/{old}", customer.api_key)[0] == 404


def test_another_account_sees_nothing(aws: Aws, customer: OpenedAccount) -> None:
    file_id = upload(customer)["id"]
    other = api_parts.api().accounts.open(1_000_000)
    assert ids(other) == []
    for method, path in (("GET", ""), ("GET", "/content"), ("DELETE", "")):
        assert call(method, f"{PATH}/{file_id}{path}", other.api_key)[0] == 404
    assert ids(customer) == [file_id]


@pytest.mark.parametrize(
    ("fields", "files", "path"),
    [
        ({"purpose": "fine-tune"}, {"file": ("a.png", png())}, "/purpose"),
        ({"expires_after[seconds]": "3600"}, {"file": ("a.png", png())}, "/expires_after/seconds"),
        ({"expires_in_seconds": "7776000"}, {"file": ("a.png", png())}, "/expires_in_seconds"),
        ({"name": "a"}, {"file": ("a.png", png())}, "/name"),
        ({"purpose": "vision"}, {"other": ("a.png", png())}, "/file"),
        ({}, {"file": ("a.png", b"<html>", "image/png")}, "/file"),
        ({}, {"file": ("a.html", b"<html>", "text/html")}, "/file"),
        ({}, {"file": ("a.pdf", b"", "application/pdf")}, "/file"),
    ],
)
def test_what_cannot_be_is_refused_by_name(
    customer: OpenedAccount, fields: dict[str, str], files: Any, path: str
) -> None:
    status, answer = post_form(customer.api_key, PATH, fields, files)
    assert (status, [one["path"] for one in answer["error"]["details"]]) == (400, [path])
    assert ids(customer) == []


@pytest.mark.parametrize(
    ("file", "said"),
    [
        ((None, png()), "filename"),
        (("a.png", b"", "image/png"), "empty"),
        (("a.pdf", b"", "application/pdf"), "empty"),
    ],
)
def test_a_file_without_a_name_or_bytes_is_called_so(customer: OpenedAccount, file: Any, said: str) -> None:
    status, answer = post_form(customer.api_key, PATH, {"purpose": "vision"}, {"file": file})
    assert (status, [one["path"] for one in answer["error"]["details"]]) == (400, ["/file"])
    assert said in answer["error"]["details"][0]["message"]


def test_the_room_of_an_account_is_bounded(customer: OpenedAccount, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "MAX_STORED_BYTES", len(png()))
    upload(customer)
    assert post_form(customer.api_key, PATH, {}, {"file": ("a.png", png())})[0] == 400
    monkeypatch.setattr(uploads, "MAX_STORED_BYTES", 10**9)
    assert post_form(customer.api_key, PATH, {}, {"file": ("a.png", bytes(5_000_000))})[0] == 413
