"""The process that parses: what it may do, and how it ends."""

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.unit.probing.media_files import busy_mp4, mp4, mp4_that_claims, rewrapped
from tollgate.probing import tracks
from tollgate.probing.facts import ProbeCode, ProbeError
from tollgate.probing.tracks import ParserFaultError, Tracks, UnreadableMediaError, read_tracks

TIMEOUT_S = 20
FILM = Tracks("video", 3000, 320, 180)


class Memory:
    """A file in memory; `before` is called before each read."""

    def __init__(self, data: bytes, before: Callable[[int], object] = lambda _: None) -> None:
        self.size = len(data)
        self._data = data
        self._before = before

    def read_at(self, offset: int, length: int) -> bytes:
        self._before(offset)
        return self._data[offset : offset + length]


def child_folder() -> Path:
    """Return the folder in /proc of the child that was started last."""
    children = Path(f"/proc/self/task/{threading.get_native_id()}/children").read_text().split()
    return Path(f"/proc/{children[-1]}")


class TestReadTracks:
    @pytest.mark.parametrize("data", [mp4(), rewrapped("mp4")])
    def test_a_film(self, data: bytes) -> None:
        assert read_tracks("mp4", Memory(data), TIMEOUT_S) == FILM

    def test_a_file_without_tracks(self) -> None:
        with pytest.raises(UnreadableMediaError):
            read_tracks("mp4", Memory(b"\0\0\0\x08ftyp"), TIMEOUT_S)

    def test_a_failure_of_the_source_comes_out_as_it_is(self) -> None:
        def fail_later(offset: int) -> None:
            if offset > 0:
                raise ProbeError(ProbeCode.NO_RANGES, "The server serves no ranges.")

        with pytest.raises(ProbeError) as raised:
            read_tracks("mov", Memory(rewrapped("mov"), fail_later), TIMEOUT_S)
        assert raised.value.code is ProbeCode.NO_RANGES


class TestBounds:
    def test_a_header_that_keeps_ffmpeg_busy_is_given_up(self) -> None:
        with pytest.raises(ProbeError) as raised:
            read_tracks("mp4", Memory(busy_mp4()), timeout_s=0.5)
        assert raised.value.code is ProbeCode.TOO_SLOW
        assert raised.value.message == "The file's header could not be parsed in time."

    def test_one_that_is_over_before_it_begins(self) -> None:
        with pytest.raises(ProbeError) as raised:
            read_tracks("mp4", Memory(mp4()), timeout_s=-1)
        assert raised.value.code is ProbeCode.TOO_SLOW

    def test_time_that_runs_out_while_the_source_is_asked(self) -> None:
        with pytest.raises(ProbeError) as raised:
            read_tracks("mp4", Memory(mp4(), lambda _: threading.Event().wait(0.6)), timeout_s=0.5)
        assert raised.value.code is ProbeCode.TOO_SLOW

    def test_80_million_samples_in_2_kb_fit_into_the_little_memory(self) -> None:
        # An index of them would be 1.9 GB, and the process may take 256 MB (`TestConfinement`).
        found = read_tracks("mp4", Memory(mp4_that_claims(80_000_000)), TIMEOUT_S)
        assert found.duration_ms == 80_000_000


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="looks into /proc")
class TestConfinement:
    def test_it_is_gone_afterwards(self) -> None:
        seen: list[Path] = []
        read_tracks("mp4", Memory(mp4(), lambda _: seen.append(child_folder())), TIMEOUT_S)
        assert not seen[0].exists()

    def test_it_gets_no_credentials(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "very-secret")
        seen: list[str] = []
        read_tracks(
            "mp4", Memory(mp4(), lambda _: seen.append((child_folder() / "environ").read_text())), TIMEOUT_S
        )
        assert "PYTHONPATH=" in seen[0]
        assert "AWS" not in seen[0]

    def test_it_can_open_nothing_and_has_little_memory(self) -> None:
        seen: list[str] = []
        read_tracks(
            "mp4", Memory(mp4(), lambda _: seen.append((child_folder() / "limits").read_text())), TIMEOUT_S
        )
        limits = {line[:26].strip(): line[26:].split()[:2] for line in seen[0].splitlines()}
        assert limits["Max open files"] == ["0", "0"]
        assert limits["Max data size"] == ["268435456", "268435456"]
        assert limits["Max cpu time"] == ["15", "15"]


class TestFaults:
    def test_a_process_that_does_not_start_is_a_fault_of_ours(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(tracks, "_DEMUXER", "tollgate.probing.nothing")
        with pytest.raises(ParserFaultError, match="ended with 1"):
            read_tracks("mp4", Memory(mp4()), TIMEOUT_S)
