import io

import av
import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from local.simulator.files import byte_range
from tests.unit.simulator.support import HandClock

AUTH = {"authorization": "Bearer key"}


class TestByteRange:
    @pytest.mark.parametrize(
        ("header", "expected"),
        [
            (None, None),
            ("bytes=0-3", range(4)),
            ("bytes=2-", range(2, 10)),
            ("bytes=-3", range(7, 10)),
            ("bytes=-30", range(10)),
            ("bytes=8-99", range(8, 10)),
            ("bytes=10-", range(10, 10)),
            ("bytes=-0", range(10, 10)),
            ("bytes=5-2", None),
            ("bytes=-", None),
            ("bytes=0-1,4-5", None),
            ("lines=0-1", None),
        ],
    )
    def test_of_ten_bytes(self, header: str | None, expected: range | None) -> None:
        assert byte_range(header, 10) == expected

    @given(st.text(alphabet="bytes=-0123456789, ", max_size=30), st.integers(0, 100))
    def test_it_never_leaves_the_file(self, header: str, length: int) -> None:
        wanted = byte_range(header, length)
        assert wanted is None or not wanted or (wanted.start >= 0 and wanted.stop <= length)


def file_url(http: httpx.Client, clock: HandClock, prompt: str, model: str = "z-image") -> str:
    """Make a job, let it end, give the URL of its first file."""
    order = {"model": model, "input": {"prompt": prompt, "size": "16:9"}}
    submitted = http.post("/poyo/api/generate/submit", json=order, headers=AUTH)
    task_id = submitted.json()["data"]["task_id"]
    clock.advance_s(2)
    status = http.get(f"/poyo/api/generate/status/{task_id}", headers=AUTH)
    url = status.json()["data"]["files"][0]["file_url"]
    assert isinstance(url, str)
    return url


class TestFiles:
    def test_a_file_comes_with_its_type_and_length(self, http: httpx.Client, hand_clock: HandClock) -> None:
        answer = http.get(file_url(http, hand_clock, "a fox"))
        assert answer.headers["content-type"] == "image/png"
        assert int(answer.headers["content-length"]) == len(answer.content)
        assert Image.open(io.BytesIO(answer.content)).size == (1024, 576)

    def test_head_has_the_headers_alone(self, http: httpx.Client, hand_clock: HandClock) -> None:
        url = file_url(http, hand_clock, "a fox")
        answer = http.head(url)
        assert answer.content == b""
        assert int(answer.headers["content-length"]) == len(http.get(url).content)

    def test_a_part_of_a_file(self, http: httpx.Client, hand_clock: HandClock) -> None:
        url = file_url(http, hand_clock, "a fox")
        answer = http.get(url, headers={"range": "bytes=1-3"})
        size = len(http.get(url).content)
        assert (answer.status_code, answer.content) == (206, b"PNG")
        assert answer.headers["content-range"] == f"bytes 1-3/{size}"

    def test_a_part_beyond_the_end(self, http: httpx.Client, hand_clock: HandClock) -> None:
        answer = http.get(file_url(http, hand_clock, "a fox"), headers={"range": "bytes=99999999-"})
        assert answer.status_code == 416

    def test_a_vanished_file(self, http: httpx.Client, hand_clock: HandClock) -> None:
        assert http.get(file_url(http, hand_clock, "a fox [[vanish]]")).status_code == 404

    def test_a_file_that_breaks_off(self, http: httpx.Client, hand_clock: HandClock) -> None:
        url = file_url(http, hand_clock, "a fox [[truncate]]")
        received = 0
        with pytest.raises(httpx.RemoteProtocolError), http.stream("GET", url) as answer:  # noqa: PT012
            promised = int(answer.headers["content-length"])
            for chunk in answer.iter_raw():
                received += len(chunk)
        assert received == promised // 2

    def test_a_file_that_is_not_what_it_says(self, http: httpx.Client, hand_clock: HandClock) -> None:
        answer = http.get(file_url(http, hand_clock, "a fox [[lie]]"))
        assert answer.headers["content-type"] == "image/png"
        assert answer.text.startswith("<!doctype html>")

    @pytest.mark.parametrize("path", ["/files/none/image-1.png", "/files/none/none"])
    def test_an_unknown_file(self, http: httpx.Client, path: str) -> None:
        assert http.get(path).status_code == 404

    def test_a_file_does_not_exist_before_its_job_has_ended(
        self, http: httpx.Client, hand_clock: HandClock
    ) -> None:
        tune = {"prompt": "a tune", "mv": "V5", "custom_mode": False, "instrumental": False}
        order = {"model": "generate-music", "input": tune}
        submitted = http.post("/poyo/api/generate/submit", json=order, headers=AUTH).json()
        url = f"/files/{submitted['data']['task_id']}/audio-1.mp3"
        assert http.get(url).status_code == 404
        hand_clock.advance_s(2)
        answer = http.get(url)
        assert answer.headers["content-type"] == "audio/mpeg"
        with av.open(io.BytesIO(answer.content)) as container:
            assert container.streams.audio[0].codec_context.sample_rate == 16_000
