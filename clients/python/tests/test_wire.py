"""The retries of a request, and the meaning of its response. httpx's mock transport is the service."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest
import tollgate_client
from tollgate_client import media, wire

Answers = Callable[[httpx.Request], httpx.Response]


@pytest.fixture(autouse=True)
def no_sleep(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    slept: list[float] = []
    monkeypatch.setattr("time.sleep", slept.append)
    return slept


def client(answer: Answers) -> tollgate_client.Client:
    return tollgate_client.Client("tg_live_x", "https://tollgate.test", transport=httpx.MockTransport(answer))


def in_turn(*answers: httpx.Response | Exception) -> tuple[Answers, list[httpx.Request]]:
    """Return a service that returns these responses in turn, and the requests that it receives."""
    seen: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        given = answers[len(seen) - 1]
        if isinstance(given, Exception):
            raise given
        return given

    return answer, seen


def created(task_id: str = "task_1") -> httpx.Response:
    return httpx.Response(200, json={"code": 200, "data": {"taskId": task_id, "status": "not_started"}})


def failed(status: int, code: str = "x", **headers: str) -> httpx.Response:
    return httpx.Response(
        status, json={"code": status, "error": {"message": "no", "code": code}}, headers=headers
    )


class TestRetries:
    @pytest.mark.parametrize("status", sorted(wire.RETRIED))
    def test_a_create_is_sent_again_with_the_same_key(self, status: int) -> None:
        answer, seen = in_turn(failed(status), created())
        assert client(answer).submit("m", {"prompt": "x"}).id == "task_1"
        keys = {request.headers["idempotency-key"] for request in seen}
        assert len(seen) == 2
        assert len(keys) == 1

    def test_two_creates_have_two_keys(self) -> None:
        answer, seen = in_turn(created(), created())
        service = client(answer)
        service.submit("m", {})
        service.submit("m", {})
        assert seen[0].headers["idempotency-key"] != seen[1].headers["idempotency-key"]

    def test_a_lost_answer_to_a_create_is_asked_for_again(self) -> None:
        answer, seen = in_turn(httpx.ReadTimeout("slow"), created())
        client(answer).submit("m", {}, idempotency_key="mine")
        assert [request.headers["idempotency-key"] for request in seen] == ["mine", "mine"]

    def test_a_chat_without_an_answer_is_not_sent_again(self) -> None:
        answer, seen = in_turn(httpx.ReadTimeout("slow"), created())
        with pytest.raises(tollgate_client.UnreachableError):
            client(answer).chat("m", "hello")
        assert len(seen) == 1

    def test_a_chat_that_was_limited_is_sent_again(self) -> None:
        whole = httpx.Response(200, json={"choices": [{"message": {"content": "hi"}}], "usage": {}})
        answer, seen = in_turn(failed(429), whole)
        assert client(answer).chat("m", "hello").text == "hi"
        assert len(seen) == 2

    def test_retry_after_is_waited_for(self, no_sleep: list[float]) -> None:
        answer, _ = in_turn(failed(429, **{"retry-after": "7"}), created())
        client(answer).submit("m", {})
        assert no_sleep == [7.0]

    def test_an_absurd_retry_after_is_bounded(self, no_sleep: list[float]) -> None:
        answer, _ = in_turn(failed(429, **{"retry-after": "99999"}), created())
        client(answer).submit("m", {})
        assert no_sleep == [wire.MAX_WAIT_S]

    def test_attempts_are_bounded(self) -> None:
        answer, seen = in_turn(*[failed(503)] * wire.MAX_ATTEMPTS)
        with pytest.raises(tollgate_client.ServiceError) as raised:
            client(answer).submit("m", {})
        assert raised.value.status == 503
        assert len(seen) == wire.MAX_ATTEMPTS

    def test_a_conflict_of_one_key_is_waited_out_and_another_is_told(self) -> None:
        answer, _ = in_turn(failed(409, "idempotency_conflict"), created())
        assert client(answer).submit("m", {}).id == "task_1"
        answer, seen = in_turn(failed(409, "key_limit_reached"))
        with pytest.raises(tollgate_client.ConflictError):
            client(answer).submit("m", {})
        assert len(seen) == 1


class TestCreateOptions:
    def test_each_has_its_name_on_the_wire(self) -> None:
        answer, seen = in_turn(created())
        client(answer).submit(
            "m",
            {"prompt": "x"},
            idempotency_key="mine",
            webhook="https://x.test/",
            metadata={"order": 7},
            max_cost_cents=5,
            price_version="v1",
            finish_by_s=300,
            expires_in_s=3600,
            webhook_progress=True,
            private=True,
        )
        assert seen[0].headers["idempotency-key"] == "mine"
        assert json.loads(seen[0].content) == {
            "model": "m",
            "input": {"prompt": "x"},
            "webhook": "https://x.test/",
            "metadata": {"order": 7},
            "maxCostCents": 5,
            "priceVersion": "v1",
            "finishByS": 300,
            "expiresInS": 3600,
            "webhookProgress": True,
            "private": True,
        }

    def test_one_that_there_is_not_is_said_before_anything_is_sent(self) -> None:
        answer, seen = in_turn()
        with pytest.raises(TypeError, match=r"max_cost$"):
            client(answer).submit("m", {}, max_cost=5)  # type: ignore[call-arg]
        assert seen == []

    def test_prices_that_changed_say_what_it_costs_now(self) -> None:
        said = {"message": "no", "code": "price_changed", "costCents": 3, "priceVersion": "v2"}
        answer, _ = in_turn(httpx.Response(409, json={"code": 409, "error": said}))
        with pytest.raises(tollgate_client.PriceChangedError) as raised:
            client(answer).submit("m", {}, price_version="v1")
        assert raised.value.cost_cents == 3


class TestFiles:
    FILE = tollgate_client.RemoteFile("https://files.test/media/a.png", "image")

    def test_one_that_breaks_off_leaves_nothing(self, tmp_path: Path) -> None:
        def half() -> Iterator[bytes]:
            yield b"half"
            raise httpx.ReadError("gone")

        answer, _ = in_turn(httpx.Response(200, content=half()))
        with pytest.raises(tollgate_client.UnreachableError):
            client(answer).save(self.FILE, tmp_path)
        assert list(tmp_path.iterdir()) == []

    def test_one_that_is_gone_is_said(self) -> None:
        answer, _ = in_turn(httpx.Response(404))
        with pytest.raises(tollgate_client.TollgateError, match=r"a\.png: HTTP 404"):
            client(answer).download(self.FILE)

    def test_those_of_a_task_are_deleted(self) -> None:
        gone = {"taskId": "task_1", "status": "finished", "filesDeletedAt": "2026-11-22T10:00:00Z"}
        answer, seen = in_turn(created(), httpx.Response(200, json={"code": 200, "data": gone}))
        task = client(answer).submit("m", {})
        assert task.delete_files().files == ()
        assert (seen[1].method, seen[1].url.path) == ("DELETE", "/api/v1/task/files/task_1")

    @pytest.mark.parametrize(
        ("content", "name", "kind"),
        [
            (b"\x89PNG\r\n", "file", "image/png"),
            (b"\xff\xd8\xff\xe0", "file", "image/jpeg"),
            (b"RIFF0000WEBPVP8", "file", "image/webp"),
            (b"RIFF0000WAVEfmt", "file", "audio/wav"),
            (b"\0\0\0\x18ftypisom", "file", "video/mp4"),
            (b"\0\0\0\x18ftypqt  ", "file", "video/quicktime"),
            (b"ID3\x03", "song.png", "audio/mpeg"),
            (b"PK\x03\x04", "plan.DOCX", media.type_of(b"", "a.docx")),
            (b"hello", "notes.txt", media.UNKNOWN_TYPE),
        ],
    )
    def test_their_bytes_say_their_type(self, content: bytes, name: str, kind: str) -> None:
        assert media.type_of(content, name) == kind


class TestErrors:
    @pytest.mark.parametrize(
        ("status", "kind"),
        [
            (400, tollgate_client.InvalidInputError),
            (401, tollgate_client.AuthenticationError),
            (402, tollgate_client.InsufficientBalanceError),
            (403, tollgate_client.PermissionDeniedError),
            (404, tollgate_client.NotFoundError),
            (413, tollgate_client.PayloadTooLargeError),
            (418, tollgate_client.APIError),
            (422, tollgate_client.ConflictError),
        ],
    )
    def test_each_status_has_its_class(self, status: int, kind: type[tollgate_client.APIError]) -> None:
        answer, seen = in_turn(failed(status, "a_code", **{"x-request-id": "req_1"}))
        with pytest.raises(kind) as raised:
            client(answer).submit("m", {})
        assert (raised.value.status, raised.value.code, raised.value.request_id) == (
            status,
            "a_code",
            "req_1",
        )
        assert len(seen) == 1

    def test_an_invalid_input_names_every_problem(self) -> None:
        problems = [{"path": "/input/size", "message": "Required."}]
        error = {"message": "no", "code": "invalid_input", "details": problems, "docsUrl": "https://x.test"}
        body = {"code": 400, "error": error}
        answer, _ = in_turn(httpx.Response(400, json=body))
        with pytest.raises(tollgate_client.InvalidInputError) as raised:
            client(answer).submit("m", {})
        assert raised.value.problems == problems
        assert raised.value.docs_url == "https://x.test"

    def test_an_answer_that_is_no_json_is_an_error_with_its_status(self) -> None:
        answer, _ = in_turn(httpx.Response(404, text="<html>"))
        with pytest.raises(tollgate_client.NotFoundError) as raised:
            client(answer).submit("m", {})
        assert raised.value.docs_url is None

    def test_no_key_and_no_address_are_said_at_once(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("TOLLGATE_API_KEY", raising=False)
        monkeypatch.delenv("TOLLGATE_URL", raising=False)
        with pytest.raises(tollgate_client.ConfigurationError, match="TOLLGATE_API_KEY"):
            tollgate_client.Client(base_url="https://x.test")
        with pytest.raises(tollgate_client.ConfigurationError, match="TOLLGATE_URL"):
            tollgate_client.Client("tg_live_x")

    def test_no_response_names_the_address_and_the_reason(self) -> None:
        def refused(request: httpx.Request) -> httpx.Response:
            raise httpx.ConnectError("Connection refused", request=request)

        with pytest.raises(tollgate_client.UnreachableError) as raised:
            client(refused).model("m")
        assert str(raised.value) == (
            "No response to GET https://tollgate.test/api/v1/catalog/m: Connection refused"
        )


class TestLocalFiles:
    def answers(self, request: httpx.Request) -> httpx.Response:
        """Respond like the service: a model with one media field, a form for an upload, a new task."""
        self.seen.append(request)
        if request.url.path == "/api/v1/catalog/m":
            params = [{"name": "prompt"}, {"name": "imageUrls", "isMedia": True}]
            return httpx.Response(200, json={"id": "m", "params": params})
        if request.url.path == "/api/v1/files":
            number = sum(one.url.path == "/api/v1/files" for one in self.seen)
            form = {"url": "https://bucket.test/", "fields": {"key": "k"}}
            return httpx.Response(200, json={"code": 200, "data": {"id": f"file_{number}", "upload": form}})
        return httpx.Response(204) if request.url.host == "bucket.test" else created()

    @pytest.fixture(autouse=True)
    def _seen(self) -> None:
        self.seen: list[httpx.Request] = []

    def body(self) -> dict[str, object]:
        found: dict[str, object] = json.loads(self.seen[-1].content)["input"]
        return found

    def test_paths_bytes_and_names_are_uploaded_each_once(self, tmp_path: Path) -> None:
        image = tmp_path / "start.png"
        image.write_bytes(b"\x89PNG...")
        values = {
            "prompt": "see start.png",
            "imageUrls": [image, str(image), b"other", "https://x.test/a.png"],
        }
        client(self.answers).submit("m", values)
        assert self.body() == {
            "prompt": "see start.png",
            "imageUrls": ["file_1", "file_1", "file_2", "https://x.test/a.png"],
        }
        forms = [one.content for one in self.seen if one.url.host == "bucket.test"]
        assert [b"PNG..." in forms[0], b"other" in forms[1], len(forms)] == [True, True, 2]
        assert b'filename="start.png"' in forms[0]
        assert b"image/png" in forms[0]

    def test_our_key_goes_to_the_service_alone(self, tmp_path: Path) -> None:
        client(self.answers).submit("m", {"imageUrls": [b"x"]})
        [form] = [one for one in self.seen if one.url.host == "bucket.test"]
        assert "authorization" not in form.headers

    def test_a_file_that_is_not_there_is_said_before_anything_is_sent(self) -> None:
        with pytest.raises(FileNotFoundError, match=r"nowhere\.png"):
            client(self.answers).submit("m", {"imageUrls": ["./nowhere.png"]})
        assert {one.url.path for one in self.seen} == {"/api/v1/catalog/m"}

    def test_an_input_without_files_asks_for_nothing_more(self) -> None:
        client(self.answers).submit("m", {"prompt": "a/b.png", "imageUrls": ["https://x.test/a.png"]})
        assert [one.url.path for one in self.seen] == ["/api/v1/generation/create"]


class TestWaiting:
    def statuses(self, *found: dict[str, object]) -> Answers:
        answer, _ = in_turn(
            created(),
            *(httpx.Response(200, json={"code": 200, "data": {"taskId": "task_1", **one}}) for one in found),
        )
        return answer

    def test_progress_is_told_and_the_files_come(self) -> None:
        file = {"fileUrl": "https://x.test/media/a.png?x=1", "fileType": "image"}
        answer = self.statuses({"status": "running", "progress": 40}, {"status": "finished", "files": [file]})
        told: list[tuple[str, int | None]] = []
        task = client(answer).run("m", {}, on_progress=lambda p: told.append((p.task.status, p.percent)))
        assert told == [("not_started", None), ("running", 40), ("finished", None)]
        assert [one.name for one in task.files] == ["a.png"]

    @pytest.mark.parametrize(
        ("status", "kind"),
        [("failed", tollgate_client.TaskFailedError), ("expired", tollgate_client.TaskExpiredError)],
    )
    def test_what_makes_nothing_raises(
        self, status: str, kind: type[tollgate_client.TaskFailedError]
    ) -> None:
        answer = self.statuses({"status": status, "refundedCents": 3, "error": {"message": "why"}})
        with pytest.raises(kind, match="why") as raised:
            client(answer).run("m", {})
        assert raised.value.task.refunded_cents == 3

    def test_the_pace_is_what_the_service_suggests(self, no_sleep: list[float]) -> None:
        answer = self.statuses({"status": "running", "pollAfterS": 4}, {"status": "finished"})
        client(answer).run("m", {}, on_progress=lambda _: None)
        assert no_sleep == [0.5, 4]

    def test_a_task_shows_its_id_and_status(self) -> None:
        assert repr(client(self.statuses()).submit("m", {})) == "Task('task_1', 'not_started')"

    def test_files_of_a_task_that_has_none_are_not_saved_in_silence(self, tmp_path: Path) -> None:
        task = client(self.statuses({"status": "failed", "error": {"message": "why"}})).submit("m", {})
        with pytest.raises(tollgate_client.TollgateError, match=r"Task task_1 is not_started\. Call wait"):
            task.save(tmp_path)
        task.status()
        with pytest.raises(tollgate_client.TaskFailedError, match="why"):
            task.save(tmp_path)

    def test_a_wait_has_an_end(self) -> None:
        with pytest.raises(tollgate_client.WaitTimeoutError) as raised:
            client(self.statuses()).submit("m", {}).wait(timeout=0)
        assert raised.value.task.status == "not_started"


class TestStreams:
    def streamed(self, *lines: str) -> list[str]:
        answer, _ = in_turn(httpx.Response(200, text="\n\n".join(lines) + "\n\n"))
        return list(client(answer).stream_chat("m", "hello"))

    def test_texts_up_to_the_end(self) -> None:
        chunk = 'data: {"choices": [{"delta": {"content": "hi"}}]}'
        assert self.streamed(": keep-alive", chunk, 'data: {"choices": []}', "data: [DONE]") == ["hi"]

    def test_a_stream_that_breaks_off_is_not_whole(self) -> None:
        with pytest.raises(tollgate_client.BrokenStreamError, match="without its last event"):
            self.streamed('data: {"choices": [{"delta": {"content": "hi"}}]}')
        with pytest.raises(tollgate_client.BrokenStreamError, match=r"^gone$"):
            self.streamed('data: {"error": {"message": "gone"}}')

    def test_a_connection_that_breaks_during_a_stream_is_named_so(self) -> None:
        class Breaking(httpx.SyncByteStream):
            def __iter__(self) -> Iterator[bytes]:
                yield b'data: {"choices": [{"delta": {"content": "hi"}}]}\n\n'
                raise httpx.RemoteProtocolError("peer closed connection")

        texts = client(lambda _: httpx.Response(200, stream=Breaking())).stream_chat("m", "hello")
        assert next(texts) == "hi"
        with pytest.raises(tollgate_client.BrokenStreamError, match="peer closed connection"):
            next(texts)
