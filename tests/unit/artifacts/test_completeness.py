"""Whether a file is whole: files of every kind, cut anywhere, in any pieces."""

import struct
from collections.abc import Callable, Mapping, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from local.simulator.media.glb import Glb
from tests.support.encoded import picture, sound, video
from tests.support.laws import examples
from tollgate.artifacts.completeness import Completeness
from tollgate.artifacts.sniff import HEAD_BYTES, media_type

MAKERS: Mapping[str, Callable[[], bytes]] = {
    "png": lambda: picture("PNG"),
    "animated png": lambda: picture("PNG", 3),
    "jpeg": lambda: picture("JPEG"),
    "progressive jpeg": lambda: picture("JPEG", is_progressive=True),
    "jpeg with restarts and a thumbnail": lambda: picture("JPEG", has_restarts=True),
    "gif": lambda: picture("GIF"),
    "animated gif": lambda: picture("GIF", 3),
    "webp": lambda: picture("WEBP"),
    "animated webp": lambda: picture("WEBP", 3),
    "avif": lambda: picture("AVIF"),
    "mp4": lambda: video("mp4"),
    "mp4 with its index in front": lambda: video("mp4", (("movflags", "faststart"),)),
    "mp4 in fragments": lambda: video("mp4", (("movflags", "frag_keyframe+empty_moov"),)),
    "mov": lambda: video("mov"),
    "webm": lambda: sound("webm", "libopus", "s16"),
    "webm as it is streamed": lambda: sound("webm", "libopus", "s16", (("live", "1"),)),
    "mp3": lambda: sound("mp3", "libmp3lame", "s16p"),
    "mp3 without tags": lambda: sound(
        "mp3", "libmp3lame", "s16p", (("id3v2_version", "0"), ("write_xing", "0"))
    ),
    "m4a": lambda: sound("ipod", "aac", "fltp"),
    "wav": lambda: sound("wav", "pcm_s16le", "s16"),
    "flac": lambda: sound("flac", "flac", "s16"),
    "ogg": lambda: sound("ogg", "flac", "s16"),
    "glb": lambda: Glb("a cube", "a test", 1).render(),
}
BORDERS = {"mp4 in fragments": 3, "webm as it is streamed": 9, "mp3 without tags": 20, "flac": 3}
"""Formats that do not say how much will come: a cut exactly between two of their pieces cannot be seen."""

each_file = pytest.mark.parametrize("name", MAKERS)


def is_complete(chunks: Sequence[bytes], whole: bytes) -> bool:
    kind = media_type(whole[:HEAD_BYTES])
    assert kind is not None
    file = Completeness(kind)
    for chunk in chunks:
        file.feed(chunk)
    return file.is_complete()


@pytest.mark.parametrize("scene", [b"{}", b"[]", b"cube", b"[" * 10_000])
def test_a_glb_without_a_scene_is_not(scene: bytes) -> None:
    scene += b" " * (-len(scene) % 4)
    file = struct.pack("<4sIII4s", b"glTF", 2, 20 + len(scene), len(scene), b"JSON") + scene
    assert not is_complete([file], file)


@each_file
def test_a_whole_file_is(name: str) -> None:
    assert is_complete([MAKERS[name]()], MAKERS[name]())


@each_file
def test_a_file_that_is_cut_anywhere_is_not(name: str) -> None:
    whole = MAKERS[name]()
    cuts = {*range(HEAD_BYTES, len(whole), max(1, len(whole) // 400)), *range(len(whole) - 20, len(whole))}
    passed = sorted(at for at in cuts if is_complete([whole[:at]], whole))
    assert len(passed) <= BORDERS.get(name, 0), passed


@each_file
@settings(max_examples=examples(20))
@given(data=st.data())
def test_the_pieces_that_it_comes_in_do_not_matter(name: str, data: st.DataObject) -> None:
    whole = MAKERS[name]()
    end = data.draw(st.sampled_from([len(whole), len(whole) - 1, len(whole) // 2 + 1]))
    cuts = sorted(data.draw(st.lists(st.integers(0, end), max_size=30)))
    pieces = [whole[a:b] for a, b in zip([0, *cuts], [*cuts, end], strict=True)]
    assert is_complete(pieces, whole) is (end == len(whole))


@each_file
def test_byte_by_byte(name: str) -> None:
    whole = MAKERS[name]()
    assert is_complete([whole[at : at + 1] for at in range(len(whole))], whole)


@pytest.mark.parametrize("name", ["png", "jpeg", "gif", "webp", "wav", "mp3"])
def test_what_stands_after_the_end_is_no_reason_to_refuse_it(name: str) -> None:
    # Cameras and editors append a second image, tags, a signature.
    assert is_complete([MAKERS[name](), b"TAG" + bytes(125)], MAKERS[name]())


@each_file
@settings(max_examples=examples(30))
@given(rest=st.binary(max_size=3_000))
def test_whatever_follows_a_head_there_is_an_answer(name: str, rest: bytes) -> None:
    head = MAKERS[name]()[:HEAD_BYTES]
    assert is_complete([head, rest], MAKERS[name]()) in (True, False)
