"""The vendors' batch APIs: bodies, lists and results as in their documents and SDKs."""

import asyncio
import json
import time
from typing import Any

import pytest
from anthropic import Anthropic
from openai import OpenAI

from tests.support.simulator import running_simulator
from tests.unit.batches.samples import parcel
from tollgate.batches import vendor_calls
from tollgate.batches.finding import Finding, UndecidedError
from tollgate.batches.models import Batch
from tollgate.batches.parcels import CLOCK_S, MAX_PAGES, MAX_RESULT_PAGES, Stage
from tollgate.batches.vendor_calls import UnsureError, VendorCalls
from tollgate.kit.http.response import HttpError
from tollgate.providers.text.batches.anthropic import AnthropicBatches
from tollgate.providers.text.batches.google import GoogleBatches
from tollgate.providers.text.batches.known import KNOWN
from tollgate.providers.text.batches.mistral import MistralBatches
from tollgate.providers.text.batches.openai import OpenAiBatches
from tollgate.providers.text.batches.xai import XaiBatches
from tollgate.providers.text.openai_compatible.facts import VENDORS
from tollgate.text.upstream.exchange import HttpCall
from tollgate.text.upstream.vendor_batches import Order, UnreadableBatchError, VendorBatch

NOW_S = 1_780_000_000
URL = "https://vendor.test/v1"
BATCH = Batch({"batch_id": "batch_1"})
PARCEL = parcel(
    stage=Stage.RESERVED,
    provider="anthropic",
    endpoint="/v1/messages 2023-06-01",
    made_at_s=NOW_S,
    lines=2,
)


def sent(call: HttpCall) -> Any:
    return json.loads(call.body)


def test_each_vendor_that_says_it_has_batches_has_a_declaration() -> None:
    assert {name for name, vendor in VENDORS.items() if vendor.has_batches} == KNOWN.keys()


class TestAnthropic:
    api = AnthropicBatches("https://api.test", "key")

    def test_lines_with_other_headers_are_in_another_batch(self) -> None:
        headers = {"x-api-key": "key", "anthropic-version": "2026-10-21", "anthropic-beta": "effort-1,pdfs-2"}
        call = HttpCall("POST", "https://api.test/v1/messages", headers, b"{}")
        endpoint = self.api.endpoint(call)
        assert endpoint == "/v1/messages 2026-10-21 effort-1,pdfs-2"
        line = self.api.line("batch_1-0-7", endpoint, b'{"model":\n"m"}')
        created = self.api.create(Order("batch_1/0", endpoint, "m", lines=[line, line]))
        one = {"custom_id": "batch_1-0-7", "params": {"model": "m"}}
        assert sent(created) == {"requests": [one, one]}
        assert created.headers["anthropic-version"] == "2026-10-21"
        assert created.headers["anthropic-beta"] == "effort-1,pdfs-2"
        assert "anthropic-beta" not in self.api.create(Order("l", "/v1/messages 2023-06-01", "m")).headers

    @pytest.mark.parametrize(
        "fields", [{}, {"id": "b"}, {"id": "b", "processing_status": "ended", "type": "message"}]
    )
    def test_an_answer_that_is_no_batch(self, fields: dict[str, Any]) -> None:
        with pytest.raises(UnreadableBatchError):
            self.api.read(json.dumps(fields).encode())


def test_google_has_its_own_paths_above_openais_and_other_names_of_counts() -> None:
    api = GoogleBatches("https://vendor.test/v1beta/openai", "key")
    upload = api.upload("n", [b"1", b"2"])
    assert upload.url == "https://vendor.test/upload/v1beta/files?uploadType=multipart"
    assert b"\r\n\r\n1\n2\r\n--" in upload.body
    assert upload.headers["x-goog-api-key"] == "key"
    created = api.create(Order("batch_1/0", "/v1/chat/completions", "gemini-x", "files/abc"))
    assert created.url == "https://vendor.test/v1beta/models/gemini-x:batchGenerateContent"
    assert sent(created) == {"batch": {"displayName": "batch_1/0", "inputConfig": {"fileName": "files/abc"}}}
    assert api.cancel("batches/x").url == "https://vendor.test/v1beta/batches/x:cancel"
    content = api.content("files/batch-x").url
    assert content == "https://vendor.test/download/v1beta/files/batch-x:download?alt=media"
    usage = {"promptTokens": 1, "completionTokens": 2, "totalTokens": 5}
    line = {"custom_id": "line-0", "response": {"status_code": 200, "body": {"usage": usage}}}
    ((name, body),) = api.answers(json.dumps(line).encode())
    assert (name, json.loads(body)["usage"]) == (
        "line-0",
        {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 5},
    )


def test_mistrals_list_has_numbered_pages() -> None:
    api = MistralBatches(URL, "key")
    job = {"id": "j", "status": "SUCCESS", "created_at": 5, "output_file": "o", "error_file": None}
    job |= {"metadata": {"tollgate_parcel": "batch_1/0"}}
    page = json.dumps({"data": [job], "total": 250}).encode()
    expected = VendorBatch("j", 5, "batch_1/0", True, ("o",), "SUCCESS")
    assert api.listed(page, None) == ([expected], "1")
    assert api.listed(page, "2") == ([expected], None)
    assert api.page("2").url.endswith("/batch/jobs?page=2&page_size=100&order_by=-created")
    assert sent(api.create(Order("batch_1/0", "/v1/chat/completions", "m", "file"))) == {
        "input_files": ["file"],
        "endpoint": "/v1/chat/completions",
        "model": "m",
        "metadata": {"tollgate_parcel": "batch_1/0"},
        "timeout_hours": 24,
    }


class TestXai:
    api = XaiBatches(URL, "key")

    def batch(self, total: int, pending: int, **fields: Any) -> VendorBatch:
        state = {"num_requests": total, "num_pending": pending}
        shown = {"batch_id": "b", "name": "l", "create_time": "2026-11-27", "state": state, **fields}
        return self.api.read(json.dumps(shown).encode())

    @pytest.mark.parametrize(
        ("total", "pending", "cancelled", "has_ended"),
        [(0, 0, None, False), (2, 1, None, False), (2, 0, None, True), (0, 0, "2026-11-27", True)],
        ids=["its file is read", "it runs", "all have ended", "its file was wrong"],
    )
    def test_the_counts_are_the_state(
        self, total: int, pending: int, cancelled: str | None, has_ended: bool
    ) -> None:
        assert self.batch(total, pending, cancel_time=cancelled).has_ended is has_ended

    def test_a_day_is_its_last_second(self) -> None:
        day_s = 1_795_737_600  # 2026-11-27T00:00:00Z
        assert self.batch(1, 0).created_s == day_s + 24 * 3600 - 1
        assert self.batch(1, 0, create_time="2026-11-27T00:00:01Z").created_s == day_s + 1

    def test_results_come_in_pages_with_the_body_below_its_endpoint(self) -> None:
        good = {"batch_request_id": "a", "batch_result": {"response": {"chat_get_completion": {"id": "c"}}}}
        bad = {"batch_request_id": "b", "batch_result": {"error": {"code": 3, "message": "no"}}}
        page = json.dumps({"results": [good, bad], "pagination_token": "t/2"}).encode()
        assert list(self.api.answers(page)) == [("a", b'{"id":"c"}')]
        following = self.api.next_file("b", page)
        assert following is not None
        url = self.api.content(following).url
        assert url == f"{URL}/batches/b/results?limit=1000&pagination_token=t%2F2"
        assert self.api.next_file("b", json.dumps({"results": []}).encode()) is None


class Pages(VendorCalls):
    """Calls whose list has these pages of times, with a batch of two lines each."""

    pages: list[list[VendorBatch]]
    names: dict[str, str]
    read = 0

    def __init__(
        self, *pages: list[VendorBatch], names: dict[str, str] | None = None, api: Any = None
    ) -> None:
        object.__setattr__(self, "pages", list(pages))
        object.__setattr__(self, "names", names or {})
        super().__init__(None, "anthropic", api or AnthropicBatches("https://api.test", "key"))  # type: ignore[arg-type]

    async def _read(self, call: HttpCall, reader: Any, *rest: Any) -> Any:
        del reader, rest
        if call.url.endswith("/results"):
            return self.names[call.url.split("/")[-2]]
        Pages.read += 1
        at = int(call.url.partition("after_id=")[2] or 0)
        return self.pages[at], str(at + 1) if at + 1 < len(self.pages) else None


def at(*times: int) -> list[VendorBatch]:
    return [VendorBatch(f"b{time_s}", time_s, lines=2) for time_s in times]


@pytest.mark.parametrize(
    ("pages", "found", "reads"),
    [
        ([at(NOW_S + 2, NOW_S), at(NOW_S - CLOCK_S, NOW_S - 9_999), at(5)], 3, 2),
        # The oldest come first: all are read.
        ([at(1, 2), at(3, NOW_S), at(NOW_S + 1)], 2, 3),
        # One time shows no order.
        ([at(5, 5), at(NOW_S)], 1, 2),
        # A page may end at the last second of the other clock.
        ([at(NOW_S, NOW_S - CLOCK_S), at(NOW_S - CLOCK_S)], 3, 2),
        ([at(NOW_S, NOW_S - CLOCK_S - 1), at(5)], 1, 1),
        ([[], at(NOW_S)], 1, 2),
        ([at(NOW_S)] * MAX_PAGES, MAX_PAGES, MAX_PAGES),
    ],
    ids=["newest first", "oldest first", "no order", "other clock", "older", "empty page", "many pages"],
)
def test_the_list_is_read_to_the_time_of_the_parcel(
    pages: list[list[VendorBatch]], found: int, reads: int
) -> None:
    Pages.read = 0
    listed = asyncio.run(Pages(*pages).since(NOW_S))
    assert (len(listed), Pages.read) == (found, reads)
    assert [one.created_s for one in listed] == sorted(one.created_s for one in listed)


def test_a_list_that_is_longer_is_unsure() -> None:
    with pytest.raises(UnsureError):
        asyncio.run(Pages(*[at(NOW_S)] * (MAX_PAGES + 1)).since(NOW_S))


class Results:
    """A vendor whose results have these pages."""

    def __init__(self, *pages: bytes) -> None:
        self.left = list(pages)

    async def request(self, *_: Any, **__: Any) -> "Results":
        return self

    status = 200

    async def read(self, most: int) -> bytes:
        page = self.left.pop(0)
        if len(page) > most:
            raise HttpError("the answer is too long")
        return page

    def answers(self) -> list[tuple[str, bytes]]:
        http: Any = self
        return asyncio.run(VendorCalls(http, "xai", XaiBatches(URL, "key")).answers("b"))


def page_of(name: str, token: str | None = None) -> bytes:
    result = {"batch_request_id": name, "batch_result": {"response": {"chat_get_completion": {}}}}
    return json.dumps({"results": [result], "pagination_token": token}).encode()


def test_results_have_a_largest_number_of_pages() -> None:
    pages = [page_of("a", "next")] * (MAX_RESULT_PAGES - 1)
    assert Results(*pages, page_of("b")).answers() == [("a", b"{}")] * len(pages) + [("b", b"{}")]
    with pytest.raises(UnsureError):
        Results(*pages, page_of("b", "next"), page_of("c")).answers()


def test_results_have_a_largest_size_of_all_pages_together(monkeypatch: pytest.MonkeyPatch) -> None:
    pages = [page_of("a", "next"), page_of("b")]
    size = sum(map(len, pages))
    monkeypatch.setattr(vendor_calls, "MAX_FILE_BYTES", size)
    assert [name for name, _ in Results(*pages).answers()] == ["a", "b"]
    monkeypatch.setattr(vendor_calls, "MAX_FILE_BYTES", size - 1)
    with pytest.raises(UnsureError):
        Results(*pages).answers()


@pytest.mark.parametrize(
    "page",
    [b"", b"<html>", b"\xff", b"[]", b"{}", b'{"results": 5}', b"[" * 100_000],
    ids=["empty", "a page for people", "no text", "a list", "no results", "a number", "deep"],
)
def test_a_page_that_is_no_page_is_unsure(page: bytes) -> None:
    with pytest.raises(UnsureError):
        Results(page_of("a", "next"), page).answers()


class Kept:
    """The notes of whose a batch is."""

    def __init__(self, **owners: str) -> None:
        self.owners = owners

    async def owner(self, provider: str, vendor_id: str) -> str | None:
        return self.owners.get(vendor_id)

    async def know(self, provider: str, vendor_id: str, owner: str) -> None:
        self.owners[vendor_id] = owner


def batch(name: str, *, has_ended: bool = False, lines: int = 2) -> VendorBatch:
    return VendorBatch(name, NOW_S, None, has_ended, (name,) if has_ended else (), "", lines)


@pytest.mark.parametrize(
    ("listed", "found"),
    [
        ([], []),
        ([batch("noted")], ["noted"]),
        ([batch("another")], []),
        ([batch("new")], None),
        ([batch("new", lines=3)], []),
        ([batch("ours", has_ended=True)], ["ours"]),
        ([batch("theirs", has_ended=True)], []),
        ([batch("theirs", has_ended=True), batch("new")], None),
        ([batch("new"), batch("ours", has_ended=True)], ["ours"]),
    ],
)
def test_whose_a_batch_without_a_label_is(listed: list[VendorBatch], found: list[str] | None) -> None:
    kept: Any = Kept(noted="batch_1-0", another="batch_2-0")
    names = {"ours": "batch_1-0-1", "theirs": "request-1"}
    created = Finding(kept, Pages(listed, names=names)).created(BATCH, PARCEL)
    if found is None:
        with pytest.raises(UndecidedError):
            asyncio.run(created)
    else:
        assert [one.id for one in asyncio.run(created)] == found
        # Each batch that was read is known from then on.
        assert {one.id for one in listed if one.has_ended and one.lines == PARCEL.lines} <= kept.owners.keys()


class TestSdks:
    """The vendors' SDKs call the simulator. `google-genai` and `mistralai` are not in uv.lock."""

    def test_anthropic(self) -> None:
        params: Any = {"model": "claude-haiku-5-5", "max_tokens": 9, "messages": []}
        params["messages"] = [{"role": "user", "content": "hello"}]
        with running_simulator() as url, Anthropic(api_key="key", base_url=f"{url}/anthropic") as client:
            batches = client.messages.batches
            made = batches.create(requests=[{"custom_id": f"r-{n}", "params": params} for n in range(2)])
            assert made.request_counts.processing == 2
            for _ in range(100):
                if (found := batches.retrieve(made.id)).processing_status == "ended":
                    break
                time.sleep(0.05)
            results = {one.custom_id: one.result for one in batches.results(made.id)}
            assert {name: result.type for name, result in results.items()} == dict.fromkeys(
                ("r-0", "r-1"), "succeeded"
            )
            assert found.request_counts.succeeded == 2
            assert [one.id for one in batches.list()] == [made.id]

    def test_openai(self) -> None:
        body = {"model": "gpt-5.4-mini", "messages": [{"role": "user", "content": "hello"}]}
        line = OpenAiBatches("", "").line("a", "/v1/chat/completions", json.dumps(body).encode())
        with running_simulator() as url, OpenAI(api_key="key", base_url=f"{url}/openai/v1") as client:
            file = client.files.create(file=("a.jsonl", line), purpose="batch")
            made = client.batches.create(
                input_file_id=file.id, endpoint="/v1/chat/completions", completion_window="24h"
            )
            for _ in range(100):
                if (found := client.batches.retrieve(made.id)).status == "completed":
                    break
                time.sleep(0.05)
            assert found.output_file_id is not None
            (result,) = client.files.content(found.output_file_id).text.splitlines()
            assert json.loads(result)["custom_id"] == "a"
