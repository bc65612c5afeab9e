"""Files of one's own: granted, uploaded by the form, named by a task, private, bounded, and gone again."""

import base64
import json
from typing import Any

import pytest

from tests.conftest import Aws
from tests.functional.conftest import balance_cents
from tests.functional.test_api import call
from tests.functional.test_run_task import task_of
from tests.support.clock import ManualClock
from tests.support.overrides import STORAGE_URL
from tests.unit.artifacts.test_store import png
from tollgate.accounts.service import OpenedAccount
from tollgate.artifacts import deletions, uploads
from tollgate.composition import api as api_parts

PATH = "/api/v1/files"
NEW = {"filename": "start.png", "contentType": "image/png", "bytes": len(png())}


def granted(customer: OpenedAccount, **changes: Any) -> dict[str, Any]:
    status, answer, _ = call("POST", PATH, customer.api_key, {**NEW, **changes})
    assert status == 200, answer
    found: dict[str, Any] = answer["data"]
    return found


def uploaded(aws: Aws, customer: OpenedAccount) -> str:
    """Return the id of a file whose form was filled, by the key that the form is for."""
    file = granted(customer)
    fill(aws, file)
    return str(file["id"])


def fill(aws: Aws, file: dict[str, Any]) -> None:
    """Upload by a form: S3 writes the object of its key."""
    bucket = aws.stack.refs["MediaBucket"]
    aws.clients.s3.put_object(Bucket=bucket, Key=file["upload"]["fields"]["key"], Body=png())


def objects(aws: Aws, customer: OpenedAccount) -> list[tuple[str, int]]:
    """Return the key and the size of each stored object of an account."""
    prefix = f"inputs/{customer.account_id}/"
    found = aws.clients.s3.list_objects_v2(Bucket=aws.stack.refs["MediaBucket"], Prefix=prefix)
    return [(each["Key"], each["Size"]) for each in found.get("Contents", [])]


def create(customer: OpenedAccount, file: str, path: str = "create") -> tuple[int, Any]:
    body = {"model": "seedream-4.5", "input": {"prompt": "a fox", "urls": [file]}}
    status, answer, _ = call("POST", f"/api/v1/generation/{path}", customer.api_key, body)
    return status, answer


class TestGrants:
    def test_the_form_is_for_one_file_of_this_account_type_and_size(
        self, aws: Aws, customer: OpenedAccount, clock: ManualClock
    ) -> None:
        file = granted(customer)
        fields = file["upload"]["fields"]
        own = f"inputs/{customer.account_id}/{file['id']}-form-{len(png())}.png"
        assert fields["key"] == own
        assert fields["Content-Type"] == "image/png"
        assert file["url"] == f"{STORAGE_URL}/{own}"
        policy = _policy(fields["policy"])
        assert ["content-length-range", 1, len(png())] in policy
        assert {"Content-Type": "image/png"} in policy
        assert {"key": own} in policy

    @pytest.mark.parametrize(
        ("change", "path"),
        [
            ({"contentType": "text/html"}, "/contentType"),
            ({"contentType": None}, "/contentType"),
            ({"contentType": {}}, "/contentType"),
            ({"contentType": ["image/png"]}, "/contentType"),
            ({"bytes": 0}, "/bytes"),
            ({"bytes": True}, "/bytes"),
            ({"bytes": "5"}, "/bytes"),
            ({"bytes": uploads.MAX_UPLOAD_BYTES + 1}, "/bytes"),
            ({"filename": ""}, "/filename"),
            ({"filename": "x" * 256}, "/filename"),
            ({"acl": "public-read"}, "/acl"),
        ],
    )
    def test_what_cannot_be_is_refused_by_name(
        self, customer: OpenedAccount, change: dict[str, Any], path: str
    ) -> None:
        status, answer, _ = call("POST", PATH, customer.api_key, {**NEW, **change})
        assert status == 400
        assert [one["path"] for one in answer["error"]["details"]] == [path]

    def test_room_is_taken_before_anything_comes(
        self, customer: OpenedAccount, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(uploads, "MAX_STORED_BYTES", 2 * len(png()))
        granted(customer)
        granted(customer)
        status, _, _ = call("POST", PATH, customer.api_key, NEW)
        assert status == 400
        other = api_parts.api().accounts.open(0)
        assert call("POST", PATH, other.api_key, NEW)[0] == 200

    def test_so_many_files_and_no_more(
        self, customer: OpenedAccount, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(uploads, "MAX_FILES", 1)
        granted(customer)
        assert call("POST", PATH, customer.api_key, NEW)[0] == 400


class TestUse:
    @pytest.mark.parametrize("path", ["create", "estimate"])
    def test_a_media_field_takes_the_id(self, aws: Aws, customer: OpenedAccount, path: str) -> None:
        status, answer = create(customer, uploaded(aws, customer), path)
        assert status == 200, answer

    def test_a_field_for_videos_refuses_an_image_before_any_charge(
        self, aws: Aws, customer: OpenedAccount
    ) -> None:
        data = f"data:image/png;base64,{base64.b64encode(png()).decode()}"
        for image in (uploaded(aws, customer), data):
            body = {"model": "wan-2.7-edit-video", "input": {"prompt": "rain", "editVideoUrl": image}}
            status, answer, _ = call("POST", "/api/v1/generation/create", customer.api_key, body)
            assert (status, answer["error"]["details"][0]["path"]) == (400, "/input/editVideoUrl")
            assert answer["error"]["message"].endswith("Must be a video, is an image.")
        assert balance_cents(customer) == 100

    def test_the_task_has_its_name_and_the_url_does_as_well(self, aws: Aws, customer: OpenedAccount) -> None:
        file_id = uploaded(aws, customer)
        _, answer = create(customer, file_id)
        (name,) = task_of(answer["data"]["taskId"]).values["urls"]
        assert name.startswith(f"{STORAGE_URL}/inputs/{customer.account_id}/{file_id}-")
        assert create(customer, name)[0] == 200

    def test_one_that_never_came_is_refused_before_any_charge(
        self, aws: Aws, customer: OpenedAccount
    ) -> None:
        status, answer = create(customer, granted(customer)["id"])
        assert status == 400
        assert [one["path"] for one in answer["error"]["details"]] == ["/input/urls/0"]

    def test_another_accounts_is_as_if_it_did_not_exist(self, aws: Aws, customer: OpenedAccount) -> None:
        file_id = uploaded(aws, customer)
        other = api_parts.api().accounts.open(1_000_000)
        assert create(other, file_id)[0] == 400
        assert call("DELETE", f"{PATH}/{file_id}", other.api_key)[0] == 404
        assert create(customer, file_id)[0] == 200

    def test_a_name_of_ours_in_any_other_shape_is_refused(self, aws: Aws, customer: OpenedAccount) -> None:
        other = api_parts.api().accounts.open(1_000_000).account_id
        (good,) = task_of(create(customer, uploaded(aws, customer))[1]["data"]["taskId"]).values["urls"]
        own, _, name = good.rpartition("/")
        ways = (
            f"../{other}/{name}",
            f"%2e%2e/{other}/{name}",
            f"/{name}",
            f"./{name}",
            f"../../media/{name}",
        )
        for way in (*ways, "", "..", f"{name}/", f"{name}?x=1", f"{name}#x", f"{name}\n"):
            for path in ("estimate", "create"):
                status, answer = create(customer, f"{own}/{way}", path)
                assert status == 400, way
                assert [one["path"] for one in answer["error"]["details"]] == ["/input/urls/0"]

    def test_the_url_of_what_is_not_there_is_refused_as_its_id_is(
        self, aws: Aws, customer: OpenedAccount, clock: ManualClock
    ) -> None:
        file_id = uploaded(aws, customer)
        (name,) = task_of(create(customer, file_id)[1]["data"]["taskId"]).values["urls"]
        clock.advance_ms(uploads.USABLE_S * 1000)
        assert create(customer, name)[0] == 400
        later = uploaded(aws, customer)
        (name,) = task_of(create(customer, later)[1]["data"]["taskId"]).values["urls"]
        assert call("DELETE", f"{PATH}/{later}", customer.api_key)[0] == 200
        assert create(customer, name)[0] == 400

    def test_after_a_day_no_new_task_takes_it(
        self, aws: Aws, customer: OpenedAccount, clock: ManualClock
    ) -> None:
        file_id = uploaded(aws, customer)
        clock.advance_ms((uploads.USABLE_S - 1) * 1000)
        assert create(customer, file_id)[0] == 200
        clock.advance_ms(1000)
        assert create(customer, file_id)[0] == 400


class TestEnd:
    def test_a_deleted_file_is_gone_and_a_repeat_says_so(self, aws: Aws, customer: OpenedAccount) -> None:
        file_id = uploaded(aws, customer)
        status, answer, _ = call("DELETE", f"{PATH}/{file_id}", customer.api_key)
        assert (status, answer["data"]) == (200, {"id": file_id, "deleted": True})
        assert create(customer, file_id)[0] == 400
        status, answer, _ = call("DELETE", f"{PATH}/{file_id}", customer.api_key)
        assert (status, answer["error"]["code"]) == (404, "file_not_found")

    @pytest.mark.parametrize(
        "odd", ["file_", "x" * 3000, "file_01M7Y2Q4WSP59F26XXE50F2Y6", "..%2F..%2Fmedia"]
    )
    def test_what_is_no_id_is_not_looked_up(self, customer: OpenedAccount, odd: str) -> None:
        assert call("DELETE", f"{PATH}/{odd}", customer.api_key)[0] == 404


class TestFormsOfDeletedFiles:
    """A form stays valid for its hour, because S3 cannot withdraw it."""

    def test_a_form_cannot_bring_its_file_back(self, aws: Aws, customer: OpenedAccount) -> None:
        file = granted(customer)
        fill(aws, file)
        (name,) = task_of(create(customer, file["id"])[1]["data"]["taskId"]).values["urls"]
        assert call("DELETE", f"{PATH}/{file['id']}", customer.api_key)[0] == 200
        fill(aws, file)
        for path in (file["id"], f"{file['id']}/content"):
            assert call("GET", f"{PATH}/{path}", customer.api_key)[0] == 404
        assert call("GET", PATH, customer.api_key)[1]["data"] == []
        assert create(customer, file["id"])[0] == 400
        for url in (name, name.replace("-form-", "-deleted-")):
            assert create(customer, url)[0] == 400

    def test_bytes_that_came_after_the_deletion_are_deleted_by_a_repeat(
        self, aws: Aws, customer: OpenedAccount
    ) -> None:
        file = granted(customer)
        assert call("DELETE", f"{PATH}/{file['id']}", customer.api_key)[0] == 200
        fill(aws, file)
        assert call("DELETE", f"{PATH}/{file['id']}", customer.api_key)[0] == 404
        assert [size for _, size in objects(aws, customer)] == [0]
        assert call("GET", f"{PATH}/{file['id']}", customer.api_key)[0] == 404

    def test_the_next_form_deletes_bytes_that_came_after_the_deletion(
        self, aws: Aws, customer: OpenedAccount
    ) -> None:
        file = granted(customer)
        call("DELETE", f"{PATH}/{file['id']}", customer.api_key)
        fill(aws, file)
        granted(customer)
        assert [size for _, size in objects(aws, customer)] == [0, 0]

    def test_deleted_forms_count_until_no_upload_can_come(
        self, aws: Aws, customer: OpenedAccount, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(uploads, "MAX_STORED_BYTES", 2 * len(png()))
        for _ in range(2):
            assert call("DELETE", f"{PATH}/{granted(customer)['id']}", customer.api_key)[0] == 200
        assert call("POST", PATH, customer.api_key, NEW)[0] == 400
        clock.advance_ms(deletions.TOMBSTONE_S * 1000 - 1)
        assert call("POST", PATH, customer.api_key, NEW)[0] == 400
        clock.advance_ms(1)
        left = sorted(granted(customer)["id"] for _ in range(2))
        assert [key.split("/")[-1].partition("-")[0] for key, _ in objects(aws, customer)] == left

    def test_deleted_forms_count_as_files_too(
        self, customer: OpenedAccount, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(uploads, "MAX_FILES", 1)
        call("DELETE", f"{PATH}/{granted(customer)['id']}", customer.api_key)
        assert call("POST", PATH, customer.api_key, NEW)[0] == 400
        clock.advance_ms(deletions.TOMBSTONE_S * 1000)
        granted(customer)

    def test_a_file_that_outlived_its_form_leaves_nothing(
        self, aws: Aws, customer: OpenedAccount, clock: ManualClock
    ) -> None:
        file_id = uploaded(aws, customer)
        clock.advance_ms(deletions.TOMBSTONE_S * 1000)
        assert call("DELETE", f"{PATH}/{file_id}", customer.api_key)[0] == 200
        assert objects(aws, customer) == []

    def test_more_keys_than_a_page_of_the_list_are_too_many(
        self, aws: Aws, customer: OpenedAccount, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        file = granted(customer)
        call("DELETE", f"{PATH}/{file['id']}", customer.api_key)
        fill(aws, file)
        clock.advance_ms(deletions.TOMBSTONE_S * 1000)
        monkeypatch.setattr(uploads, "MAX_FILES", 1)
        assert call("POST", PATH, customer.api_key, NEW)[0] == 400
        # The list ends between the two objects, so its last tombstone stays: a file may follow it.
        assert create(customer, file["id"])[0] == 400
        assert len(objects(aws, customer)) == 2


def _policy(encoded: str) -> list[Any]:
    found: list[Any] = json.loads(base64.b64decode(encoded))["conditions"]
    return found
