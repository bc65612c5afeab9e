"""The soak's own judgement: what grows is told from what only moves."""

import os
import socket
from pathlib import Path

import pytest

from tests.bench.soak.gauges import Bound, LogVolume, Sample, files_in, lines, process

BOUNDS = {"memory": Bound(share=0.05, more=10.0)}


def run(values: list[float]) -> list[Sample]:
    return [Sample(100 * number, {"memory": value}) for number, value in enumerate(values)]


class TestLines:
    def test_a_leak_is_found_by_its_slope_and_its_end(self) -> None:
        (line,) = lines(run([200.0 + number for number in range(60)]), BOUNDS)
        # The first ten are warm-up; then thirds of 16, 18 and 16 samples.
        assert (line.start, line.middle, line.end) == (217.5, 234.5, 251.5)
        assert line.slope == pytest.approx(10.0)
        assert not line.is_flat

    def test_what_moves_and_comes_back_is_flat(self) -> None:
        (line,) = lines(run([200.0 + number % 7 for number in range(60)]), BOUNDS)
        assert line.is_flat

    def test_the_warm_up_does_not_count(self) -> None:
        (line,) = lines(run([20.0] * 10 + [200.0] * 50), BOUNDS)
        assert (line.start, line.slope) == (200.0, 0.0)
        assert line.is_flat

    @pytest.mark.parametrize(("end", "flat"), [(220.0, True), (220.5, False)])
    def test_the_bound_is_the_share_and_what_is_more(self, end: float, flat: bool) -> None:
        (line,) = lines(run([200.0] * 30 + [end] * 30), BOUNDS)
        assert line.is_flat is flat

    def test_what_has_no_bound_is_only_shown(self) -> None:
        (line,) = lines(run([float(number) for number in range(60)]), {})
        assert line.is_flat

    def test_too_few_samples_say_nothing(self) -> None:
        with pytest.raises(ValueError, match="too few"):
            lines(run([1.0] * 10), BOUNDS)


class TestReading:
    def test_an_open_socket_and_an_open_file_are_counted(self) -> None:
        before = process(os.getpid())
        with socket.socket(), Path(__file__).open():
            now = process(os.getpid())
        assert (now.sockets - before.sockets, now.files - before.files) == (1, 1)
        assert now.rss_mb > 10

    def test_files_are_counted_in_folders_too(self, tmp_path: Path) -> None:
        (tmp_path / "in").mkdir()
        (tmp_path / "in/one").touch()
        (tmp_path / "two").touch()
        assert files_in(tmp_path) == 2

    def test_log_volume_is_that_of_the_requests_since(self) -> None:
        size = [0]
        volume = LogVolume(lambda: size[0])
        size[0] = 500
        assert volume.since_last(5) == 100
        size[0] = 800
        assert volume.since_last(6) == 300
