"""A visit, through its handler: a page, a streamed chat, an image; what fails at each try rings."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from local.machine.events import Context
from local.template import ROOT, Template
from tests.conftest import Aws
from tests.support.http_server import Raw, Received, Reply, http_server
from tollgate.composition import visit_service as visit_parts
from tollgate.kit.aws import sdk
from tollgate.visits.visitor import LONGEST_VISIT_S, MAX_READS, MAX_REQUESTS, TRIES
from visit_service.app import handler

EVENT: dict[str, Any] = json.loads((ROOT / "events/visit_service.json").read_text())
KEY, PARAMETER, TASK = "tg_live_visitor", "/tollgate-dev/visitor", "task_1"
FILE_PATH = "/storage/file.png"


@dataclass
class PublicAddress:
    """A service that is well, until a test changes an answer: one for each time, the last for all others."""

    url: str = ""
    asked: list[Received] = field(default_factory=list)
    changed: dict[str, list[Reply | Raw | int]] = field(default_factory=dict)

    def answer(self, request: Received) -> Reply | Raw | int:
        self.asked.append(request)
        path = request.path.partition("?")[0]
        changed = self.changed.get(f"{request.method} {path}")
        if changed:
            return changed.pop(0) if len(changed) > 1 else changed[0]
        return self.well(request, path)

    def well(self, request: Received, path: str) -> Reply | int:
        if path == FILE_PATH:
            # The file is for everybody; a key that went there would be at another host
            return Reply(400) if "authorization" in request.headers else Reply(200, b"\x89PNG and so on")
        if path == "/":
            return Reply(200, b"<!doctype html><html>")
        if request.headers.get("authorization") != f"Bearer {KEY}":
            return Reply(401)
        answers: dict[str, Reply] = {
            "POST /api/v1/chat/completions": Reply(200, stream("You ", "wrote: ", "visit")),
            "POST /api/v1/generation/create": data(taskId=TASK, status="not_started"),
            "GET /api/v1/task/status/task_1": data(
                status="finished", files=[{"fileUrl": self.url + FILE_PATH}]
            ),
            "DELETE /api/v1/task/files/task_1": data(),
        }
        return answers.get(f"{request.method} {path}", 404)

    def requests(self, method: str, path: str) -> list[Received]:
        return [each for each in self.asked if (each.method, each.path.partition("?")[0]) == (method, path)]


def data(**fields: Any) -> Reply:
    return Reply(200, json.dumps({"code": 200, "data": fields}).encode())


def stream(*words: str, end: str = "data: [DONE]\n\n") -> bytes:
    events = [{"choices": [{"delta": {"role": "assistant"}}]}]
    events += [{"choices": [{"delta": {"content": word}}]} for word in words]
    events += [{"choices": []}]
    return ("".join(f"data: {json.dumps(each)}\n\n" for each in events) + end).encode()


@pytest.fixture
def public(aws: Aws, monkeypatch: pytest.MonkeyPatch) -> Iterator[PublicAddress]:
    """Return the address that is visited; the key is where `tollgate visits on` puts it."""
    found = PublicAddress()
    sdk.ssm().put_parameter(Name=PARAMETER, Value=KEY, Type="SecureString")
    monkeypatch.setattr("time.sleep", lambda _: None)
    with http_server(found.answer) as url:
        found.url = url.removesuffix("/hook")
        monkeypatch.setenv("PUBLIC_URL", found.url)
        monkeypatch.setenv("VISITOR_PARAMETER", PARAMETER)
        visit_parts.visitor.cache_clear()
        visit_parts.visit_recorder.cache_clear()
        yield found
    visit_parts.visitor.cache_clear()
    visit_parts.visit_recorder.cache_clear()


def visit(capsys: pytest.CaptureFixture[str]) -> tuple[list[str], list[float]]:
    """Visit once; return what failed, and the figures that were written."""
    capsys.readouterr()
    failed = handler(EVENT, Context("VisitServiceFunction"))["failed"]
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    figures = [value for line in lines for value in line.get("VisitsFailed", [])]
    return failed, figures


class TestAVisit:
    def test_a_service_that_is_well(self, public: PublicAddress, capsys: pytest.CaptureFixture[str]) -> None:
        assert visit(capsys) == ([], [0.0])
        created = json.loads(public.requests("POST", "/api/v1/generation/create")[0].body)
        assert created["model"] == "test-image"
        chatted = json.loads(public.requests("POST", "/api/v1/chat/completions")[0].body)
        assert (chatted["model"], chatted["stream"]) == ("test-chat", True)
        assert chatted["messages"] == [{"role": "user", "content": "visit"}]
        # Nothing of it stays but the rows
        assert len(public.requests("DELETE", "/api/v1/task/files/task_1")) == 1
        assert len(public.asked) == 6

    def test_each_visit_makes_an_image_of_its_own(
        self, public: PublicAddress, capsys: pytest.CaptureFixture[str]
    ) -> None:
        visit(capsys)
        visit(capsys)
        keys = {
            each.headers["idempotency-key"] for each in public.requests("POST", "/api/v1/generation/create")
        }
        assert len(keys) == 2

    @pytest.mark.parametrize(
        ("request_line", "bad", "step"),
        [
            ("GET /", Reply(503), "page"),
            ("GET /", Reply(200, b"{}"), "page"),
            ("GET /", Raw((b"",)), "page"),
            ("POST /api/v1/chat/completions", Reply(500), "chat"),
            ("POST /api/v1/chat/completions", Reply(200, stream("Something else")), "chat"),
            ("POST /api/v1/chat/completions", Reply(200, stream("You wrote: visit", end="")), "chat"),
            ("POST /api/v1/chat/completions", Reply(200, b"data: {\n\n"), "chat"),
            ("POST /api/v1/chat/completions", Reply(200, b": waits\n" * 1000), "chat"),
            ("POST /api/v1/generation/create", Reply(402), "image"),
            ("POST /api/v1/generation/create", data(), "image"),
            ("GET /api/v1/task/status/task_1", data(status="running"), "image"),
            ("GET /api/v1/task/status/task_1", data(status="failed"), "image"),
            ("GET /api/v1/task/status/task_1", data(status="finished", files=[]), "image"),
            ("GET /api/v1/task/status/task_1", Reply(200, b"["), "image"),
            (f"GET {FILE_PATH}", Reply(403), "image"),
            (f"GET {FILE_PATH}", Reply(200, b"<Error>"), "image"),
            ("DELETE /api/v1/task/files/task_1", Reply(500), "image"),
        ],
    )
    def test_what_fails_twice_rings_and_stops_no_other_step(
        self,
        public: PublicAddress,
        capsys: pytest.CaptureFixture[str],
        request_line: str,
        bad: Reply | Raw,
        step: str,
    ) -> None:
        public.changed[request_line] = [bad]
        assert visit(capsys) == ([step], [1.0])
        assert public.requests("POST", "/api/v1/chat/completions")
        assert public.requests("POST", "/api/v1/generation/create")

    @pytest.mark.parametrize(
        "request_line", ["GET /", "POST /api/v1/chat/completions", "POST /api/v1/generation/create"]
    )
    def test_what_fails_once_does_not(
        self, public: PublicAddress, capsys: pytest.CaptureFixture[str], request_line: str
    ) -> None:
        method, path = request_line.split()
        well = public.well(Received(method, path, {"authorization": f"Bearer {KEY}"}, b""), path)
        public.changed[request_line] = [Raw((b"",)), well]
        assert visit(capsys) == ([], [0.0])
        assert len(public.requests(method, path)) == TRIES

    def test_a_key_that_is_not_there_rings_and_asks_nothing(
        self, public: PublicAddress, capsys: pytest.CaptureFixture[str]
    ) -> None:
        sdk.ssm().delete_parameter(Name=PARAMETER)
        assert visit(capsys) == (["key"], [1.0])
        assert public.asked == []

    def test_a_key_that_was_changed_counts_at_the_next_visit(
        self, public: PublicAddress, capsys: pytest.CaptureFixture[str]
    ) -> None:
        sdk.ssm().put_parameter(Name=PARAMETER, Value="old", Type="SecureString", Overwrite=True)
        assert visit(capsys)[0] == ["chat", "image"]
        sdk.ssm().put_parameter(Name=PARAMETER, Value=KEY, Type="SecureString", Overwrite=True)
        assert visit(capsys)[0] == []

    def test_no_key_and_no_address_are_in_the_log(
        self, public: PublicAddress, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
    ) -> None:
        public.changed["GET /"] = [Raw((b"",))]
        public.changed["POST /api/v1/chat/completions"] = [Reply(500)]
        handler(EVENT, Context("VisitServiceFunction"))
        said = [vars(record) for record in caplog.records if record.message == "visit.failed"]
        assert [(each["step"], each["reason"]) for each in said] == [
            ("page", "RemoteProtocolError"),
            ("chat", "chat is answered 500"),
        ]
        assert KEY not in capsys.readouterr().out


class TestBounds:
    def test_the_longest_visit_ends_before_the_function_does_and_before_the_next(
        self, template: Template
    ) -> None:
        timeout_s = template.functions()["VisitServiceFunction"]["Timeout"]
        assert LONGEST_VISIT_S < timeout_s < 15 * 60

    def test_a_visit_makes_no_more_requests_than_it_is_reckoned_with(
        self, public: PublicAddress, capsys: pytest.CaptureFixture[str]
    ) -> None:
        # The last request of the longest way fails, after every look
        looks: list[Reply | Raw | int] = [data(status="running")] * (MAX_READS - 1)
        finished = data(status="finished", files=[{"fileUrl": public.url + FILE_PATH}])
        public.changed["GET /api/v1/task/status/task_1"] = [*looks, finished, *looks, finished]
        public.changed["DELETE /api/v1/task/files/task_1"] = [Reply(500)]
        public.changed["POST /api/v1/chat/completions"] = [Reply(500)]
        public.changed["GET /"] = [Reply(500)]
        assert visit(capsys)[0] == list(MAX_REQUESTS)
        assert len(public.asked) == TRIES * sum(MAX_REQUESTS.values())
