"""The worker is woken by requests, and polls rarely without them."""

import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route
from starlette.testclient import TestClient

from local.machine import wake
from local.machine.wake import Waker, WakesWorker

PATIENCE_S = 20.0
"""Longer than any machine takes; a test that waits for it fails."""


@pytest.fixture
def path(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    # Not tmp_path, which can be longer than the name of a socket may be.
    with TemporaryDirectory() as folder:
        found = Path(folder) / "worker"
        monkeypatch.setenv(wake.VARIABLE, str(found))
        yield found


def client() -> TestClient:
    app = Starlette(routes=[Route("/", lambda _: Response(), methods=["GET", "POST"])])
    app.add_middleware(WakesWorker)
    return TestClient(app)


def woken(waker: Waker) -> threading.Event:
    """Return an event that is set when a pause of the waker ends."""
    ended = threading.Event()

    def run() -> None:
        waker.pause(threading.Event())
        ended.set()

    threading.Thread(target=run, daemon=True).start()
    return ended


def fill(path: Path) -> None:
    """Send to a socket until it takes no more, each time from a new one as a request does."""
    for _ in range(100_000):
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
            sender.setblocking(False)
            sender.sendto(b"", str(path))


def listening(path: Path) -> Waker:
    """Return a waker whose thread has its socket: started later, it would not find the folder of the test."""
    path.unlink(missing_ok=True)
    waker = Waker()
    assert any(path.exists() or threading.Event().wait(0.01) for _ in range(int(PATIENCE_S / 0.01)))
    return waker


class TestARequest:
    def test_one_that_may_write_wakes_the_worker(self, path: Path) -> None:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as worker:
            worker.settimeout(PATIENCE_S)
            worker.bind(str(path))
            client().post("/")
            assert worker.recv(1) == b""

    def test_one_that_reads_does_not(self, path: Path) -> None:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as worker:
            worker.setblocking(False)
            worker.bind(str(path))
            client().get("/")
            with pytest.raises(BlockingIOError):
                worker.recv(1)

    def test_it_succeeds_without_a_worker(self, path: Path) -> None:
        assert not path.exists()
        assert client().post("/").status_code == 200

    def test_it_succeeds_if_the_worker_has_stopped_reading(self, path: Path) -> None:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as worker:
            worker.bind(str(path))
            with pytest.raises(BlockingIOError):
                fill(path)
            assert client().post("/").status_code == 200


class TestTheWorker:
    @pytest.fixture(autouse=True)
    def _slow(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(wake, "SLOW_POLL_S", 4 * PATIENCE_S)

    def test_a_request_ends_its_pause(self, path: Path) -> None:
        waker = Waker()
        ended = woken(waker)
        asking = client()
        # The first datagrams can come before the worker listens.
        assert any(asking.post("/") and ended.wait(0.1) for _ in range(200))

    def test_a_pause_lasts_until_then(self, path: Path) -> None:
        assert not woken(listening(path)).wait(4 * wake.FAST_POLL_S)

    def test_its_own_work_ends_its_pause(self, path: Path) -> None:
        waker = listening(path)
        ended = woken(waker)
        waker.wake()
        assert ended.wait(PATIENCE_S)

    def test_it_takes_over_the_socket_of_a_worker_that_was_killed(self, path: Path) -> None:
        killed = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        killed.bind(str(path))
        killed.close()
        self.test_a_request_ends_its_pause(path)

    def test_it_always_polls_fast_without_a_socket(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv(wake.VARIABLE, raising=False)
        assert woken(Waker()).wait(PATIENCE_S)
