import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tollgate.text.wire.sse import MAX_EVENT_BYTES, EventTooLargeError, SseEvent, SseSplitter


def split(*pieces: bytes) -> list[SseEvent]:
    splitter = SseSplitter()
    found = [event for piece in pieces for event in splitter.feed(piece)]
    return [*found, *splitter.close()]


def take(pieces: list[bytes], found: list[bytes | None]) -> None:
    splitter = SseSplitter()
    for piece in pieces:
        for event in splitter.feed(piece):
            found.append(event.data)


LINES = st.sampled_from([b"data: a", b"data:b", b"data", b": note", b"event: ping", b"id: 1", b"", b"x: y"])
ENDS = st.sampled_from([b"\n", b"\r\n", b"\r"])
STREAMS = st.lists(st.tuples(LINES, ENDS), max_size=30).map(
    lambda lines: b"".join(line + end for line, end in lines)
)


class TestSseSplitter:
    def test_one_event(self) -> None:
        assert split(b'data: {"a":1}\n\n') == [SseEvent(b'data: {"a":1}\n\n', b'{"a":1}')]

    def test_a_named_event(self) -> None:
        raw = b"event: ping\ndata: {}\n\n"
        assert split(raw) == [SseEvent(raw, b"{}", b"ping")]

    def test_several_data_lines_are_joined_by_line_feeds(self) -> None:
        assert split(b"data: a\ndata:\ndata:  b\n\n")[0].data == b"a\n\n b"

    @pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
    def test_every_line_end(self, end: bytes) -> None:
        raw = b"event: e" + end + b"data: 1" + end + end
        assert split(raw + raw) == [SseEvent(raw, b"1", b"e")] * 2

    def test_a_comment_is_an_event_without_data(self) -> None:
        assert split(b": keep-alive\n\n") == [SseEvent(b": keep-alive\n\n", None)]

    def test_a_carriage_return_inside_the_data_ends_a_line(self) -> None:
        assert split(b"data: a\rdata: b\n\n")[0].data == b"a\nb"

    def test_a_byte_order_mark_is_passed_on_and_not_read(self) -> None:
        raw = b"\xef\xbb\xbfdata: 1\n\n"
        assert split(raw) == [SseEvent(raw, b"1")]

    def test_what_has_no_blank_line_is_no_event(self) -> None:
        assert split(b"data: 1\n") == []

    def test_an_event_is_given_as_soon_as_it_is_complete(self) -> None:
        splitter = SseSplitter()
        assert list(splitter.feed(b"data: 1\n")) == []
        assert [event.data for event in splitter.feed(b"\ndata: 2")] == [b"1"]

    def test_an_event_of_one_megabyte_in_small_pieces(self) -> None:
        raw = b"data: " + b"x" * 1_000_000 + b"\n\n"
        pieces = [raw[at : at + 65_536] for at in range(0, len(raw), 65_536)]
        assert split(*pieces) == [SseEvent(raw, raw[6:-2])]

    @pytest.mark.parametrize("size", [MAX_EVENT_BYTES + 1, 10_000])
    def test_a_longer_event_than_the_bound_is_refused_after_those_before_it(self, size: int) -> None:
        stream = b"data: 1\n\ndata: " + b"x" * MAX_EVENT_BYTES + b"\n\n"
        found: list[bytes | None] = []
        pieces = [stream[at : at + size] for at in range(0, len(stream), size)]
        with pytest.raises(EventTooLargeError):
            take(pieces, found)
        assert found == [b"1"]

    @given(stream=STREAMS, cuts=st.lists(st.integers(0, 400), max_size=12))
    def test_any_cut_gives_the_same_events(self, stream: bytes, cuts: list[int]) -> None:
        ends = sorted({min(cut, len(stream)) for cut in cuts} | {0, len(stream)})
        pieces = [stream[start:end] for start, end in itertools.pairwise(ends)]
        assert split(*pieces) == split(stream)

    @given(stream=STREAMS)
    def test_one_byte_at_a_time_gives_the_same_events(self, stream: bytes) -> None:
        assert split(*(stream[at : at + 1] for at in range(len(stream)))) == split(stream)

    @given(stream=STREAMS)
    def test_the_raw_bytes_of_all_events_are_the_start_of_the_stream(self, stream: bytes) -> None:
        assert stream.startswith(b"".join(event.raw for event in split(stream)))
