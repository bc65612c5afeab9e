"""What must hold for the files behind URLs, on both sides of each bound (docs/contract.md#input-schemas)."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pytest

from tests.unit.catalog.cases import CATALOG
from tollgate.catalog.checking import check, check_media
from tollgate.catalog.media import Measured, ProbeRequest
from tollgate.catalog.profiles import profile_named
from tollgate.kit.errors import InvalidInputError

IMAGE = "https://media.example/cat.jpg"
MB = 1024 * 1024


@dataclass(frozen=True)
class File:
    """The facts of a file, as a probe gives them."""

    duration_s: Decimal | None = None
    kind: str = "video"
    container: str = "mp4"
    width: int | None = 1280
    height: int | None = 720
    bytes: int = 1_000_000
    pages: int | None = None


def video(seconds: str, **more: Any) -> File:
    return File(Decimal(seconds), **more)


def audio(seconds: str, container: str = "mp3") -> File:
    return File(Decimal(seconds), "audio", container, None, None)


def urls(*files: File) -> dict[str, File]:
    return {f"https://media.example/{number}": file for number, file in enumerate(files)}


def found(profile: str, source: dict[str, Any], facts: dict[str, File]) -> list[str] | Decimal:
    """Return the pointers of the problems, or the source seconds."""
    kind = profile_named(profile)
    checked = check(kind, {"prompt": "x", **source})
    assert {request.url for request in kind.probes(checked.values)} <= facts.keys()
    try:
        return check_media(kind, checked, facts).seconds
    except InvalidInputError as error:
        return [problem.path for problem in error.problems]


def with_videos(profile: str, *files: File, **more: Any) -> list[str] | Decimal:
    facts = urls(*files)
    return found(profile, {"videoUrls": list(facts), **more}, facts)


class TestVidD:
    @pytest.mark.parametrize(
        ("lengths", "verdict"),
        [
            (["1.801"], Decimal("1.801")),
            (["1.8"], ["/input/videoUrls"]),
            (["0.9", "0.901"], Decimal("1.801")),
            (["5", "5", "5.199"], Decimal("15.199")),
            (["5", "5", "5.2"], ["/input/videoUrls"]),
        ],
    )
    def test_total_more_than_1_8_and_less_than_15_2(self, lengths: list[str], verdict: Any) -> None:
        assert with_videos("VID-D", *map(video, lengths)) == verdict

    @pytest.mark.parametrize(("length", "verdict"), [("15", Decimal(0)), ("15.001", ["/input/audioUrls"])])
    def test_audio_15_s_total(self, length: str, verdict: Any) -> None:
        facts = urls(audio(length))
        assert found("VID-D", {"imageUrls": [IMAGE], "audioUrls": list(facts)}, facts) == verdict

    def test_images_are_not_probed(self) -> None:
        assert found("VID-D", {"imageUrls": [IMAGE]}, {}) == 0

    def test_another_kind_of_file_is_refused_by_its_place(self) -> None:
        assert with_videos("VID-D", video("5"), audio("5")) == ["/input/videoUrls/1"]


class TestVidE:
    @pytest.mark.parametrize(
        ("lengths", "verdict"),
        [
            (["2"], Decimal(2)),
            (["1.999"], ["/input/videoUrls/0"]),
            (["30"], Decimal(30)),
            (["30.001"], ["/input/videoUrls/0", "/input/videoUrls"]),
            (["20", "10"], Decimal(30)),
            (["20", "10.001"], ["/input/videoUrls"]),
        ],
    )
    def test_2_to_30_s_each_30_s_total(self, lengths: list[str], verdict: Any) -> None:
        assert with_videos("VID-E", *map(video, lengths)) == verdict

    @pytest.mark.parametrize(("length", "verdict"), [("30", Decimal(0)), ("30.001", ["/input/audioUrls"])])
    def test_audio_30_s_total(self, length: str, verdict: Any) -> None:
        facts = urls(audio(length))
        assert found("VID-E", {"audioUrls": list(facts)}, facts) == verdict


@pytest.mark.parametrize(
    ("length", "verdict"),
    [
        ("3", Decimal(3)),
        ("10", Decimal(10)),
        ("2.999", ["/input/referenceVideoUrls/0"]),
        ("10.001", ["/input/referenceVideoUrls/0"]),
    ],
)
def test_vid_h_a_source_video_of_3_to_10_s(length: str, verdict: Any) -> None:
    facts = urls(video(length))
    assert found("VID-H", {"referenceVideoUrls": list(facts)}, facts) == verdict


@pytest.mark.parametrize(("container", "verdict"), [("mp4", Decimal(5)), ("mov", ["/input/videoUrl"])])
def test_vid_i_mp4_to_continue(container: str, verdict: Any) -> None:
    facts = urls(video("5", container=container))
    assert found("VID-I", {"videoUrl": next(iter(facts))}, facts) == verdict


class TestVidK:
    def verdict(self, image: File, motion: File) -> list[str] | Decimal:
        facts = urls(image, motion)
        first, second = facts
        source = {"imageUrls": [first], "videoUrls": [second], "characterOrientation": "image"}
        return found("VID-K", source, facts)

    @pytest.mark.parametrize(
        ("container", "size", "good"),
        [("jpeg", 10 * MB, True), ("png", 1, True), ("jpeg", 10 * MB + 1, False), ("webp", 1, False)],
    )
    def test_image_jpg_or_png_at_most_10_mb(self, container: str, size: int, good: bool) -> None:
        image = File(None, "image", container, bytes=size)
        assert self.verdict(image, video("7.5")) == (Decimal("7.5") if good else ["/input/imageUrls/0"])

    @pytest.mark.parametrize(
        ("container", "size", "good"),
        [("mp4", 100 * MB, True), ("mov", 1, True), ("mov", 100 * MB + 1, False), ("webm", 1, False)],
    )
    def test_video_mp4_or_mov_at_most_100_mb(self, container: str, size: int, good: bool) -> None:
        image = File(None, "image", "png")
        motion = video("7.5", container=container, bytes=size)
        assert self.verdict(image, motion) == (Decimal("7.5") if good else ["/input/videoUrls/0"])


class TestVidL:
    def verdict(self, mode: str, file: File) -> list[str] | Decimal:
        facts = urls(file)
        return found("VID-L", {"videoMode": mode, "videoUrl": next(iter(facts))}, facts)

    @pytest.mark.parametrize(
        ("length", "good"), [("3", True), ("10", True), ("2.999", False), ("10.001", False)]
    )
    def test_transform_3_to_10_s(self, length: str, good: bool) -> None:
        assert self.verdict("transform", video(length)) == (Decimal(length) if good else ["/input/videoUrl"])

    @pytest.mark.parametrize(
        ("width", "height", "good"), [(1244, 700, True), (700, 1244, True), (1280, 699, False)]
    )
    def test_transform_short_side_at_least_700_px(self, width: int, height: int, good: bool) -> None:
        file = video("5", width=width, height=height)
        assert self.verdict("transform", file) == (Decimal(5) if good else ["/input/videoUrl"])

    @pytest.mark.parametrize(
        ("length", "good"), [("3", True), ("30", True), ("2.999", False), ("30.001", False)]
    )
    def test_video_reference_3_to_30_s(self, length: str, good: bool) -> None:
        file = video(length, height=480)
        verdict = self.verdict("video_reference", file)
        assert verdict == (Decimal(length) if good else ["/input/videoUrl"])

    @pytest.mark.parametrize(("length", "good"), [("3", True), ("8", True), ("2.9", False), ("8.1", False)])
    def test_an_elements_video_is_3_to_8_s_and_billed(self, length: str, good: bool) -> None:
        facts = urls(video(length), video("4"))
        elements = [{"imageUrls": ["https://media.example/a"]}, *({"videoUrl": url} for url in facts)]
        verdict = found("VID-L", {"videoMode": "elements", "elements": elements}, facts)
        assert verdict == (Decimal(length) + 4 if good else ["/input/elements/1/videoUrl"])


class TestVidO:
    @pytest.mark.parametrize(
        ("length", "verdict"),
        [
            ("2", Decimal(0)),
            ("10", Decimal(0)),
            ("1.999", ["/input/continueVideoUrl"]),
            ("10.001", ["/input/continueVideoUrl"]),
        ],
    )
    def test_continue_2_to_10_s(self, length: str, verdict: Any) -> None:
        facts = urls(video(length))
        assert found("VID-O", {"continueVideoUrl": next(iter(facts))}, facts) == verdict

    @pytest.mark.parametrize(
        ("length", "verdict"), [("7.04", Decimal("7.04")), ("10.001", ["/input/editVideoUrl"])]
    )
    def test_an_edit_that_keeps_its_length(self, length: str, verdict: Any) -> None:
        facts = urls(video(length))
        assert found("VID-O", {"editVideoUrl": next(iter(facts)), "duration": 0}, facts) == verdict

    def test_an_edit_of_a_set_length_is_not_probed(self) -> None:
        assert found("VID-O", {"editVideoUrl": IMAGE, "duration": 5}, {}) == 0


class TestVidP:
    @pytest.mark.parametrize(
        ("lengths", "duration", "verdict"),
        [
            (["1"], 5, Decimal(1)),
            (["0.999"], 5, ["/input/videoUrls/0"]),
            (["15"], 15, Decimal(15)),
            (["15.001"], 5, ["/input/videoUrls/0", "/input/videoUrls"]),
            (["10", "5.001"], 5, ["/input/videoUrls"]),
            (["15"], 16, ["/input/videoUrls"]),
            (["10"], 20, Decimal(10)),
            (["10.001"], 20, ["/input/videoUrls"]),
        ],
    )
    def test_1_to_15_s_each_15_s_total_30_s_with_the_output(
        self, lengths: list[str], duration: int, verdict: Any
    ) -> None:
        assert with_videos("VID-P", *map(video, lengths), duration=duration) == verdict


@pytest.mark.parametrize(
    ("container", "verdict"),
    [("mp3", Decimal(0)), ("wav", Decimal(0)), ("m4a", Decimal(0)), ("ogg", ["/input/audioUrls/0"])],
)
def test_custom_model_mp3_wav_m4a(container: str, verdict: Any) -> None:
    facts = urls(audio("60", container), *[audio("60")] * 5)
    source = {"name": "mine", "audioUrls": list(facts)}
    kind = profile_named("Custom-model")
    checked = check(kind, source)
    if verdict == 0:
        assert check_media(kind, checked, facts) == Measured()
        return
    with pytest.raises(InvalidInputError) as raised:
        check_media(kind, checked, facts)
    assert [problem.path for problem in raised.value.problems] == verdict


class TestProbes:
    def test_say_where_a_url_stands_and_what_it_must_be(self) -> None:
        kind = profile_named("VID-L")
        values = check(kind, {"prompt": "x", "videoMode": "transform", "videoUrl": IMAGE}).values
        assert kind.probes(values) == [ProbeRequest(IMAGE, "/input/videoUrl", "video")]
        kind = profile_named("VID-D")
        values = check(kind, {"videoUrls": ["http://a.b/1"], "audioUrls": ["http://a.b/2"]}).values
        assert kind.probes(values) == [
            ProbeRequest("http://a.b/1", "/input/videoUrls/0", "video"),
            ProbeRequest("http://a.b/2", "/input/audioUrls/0", "audio"),
        ]

    def test_a_model_hands_them_on(self) -> None:
        model = CATALOG.media_model("kling-4.0")
        checked = model.check({"prompt": "x", "videoMode": "transform", "videoUrl": IMAGE})
        assert [request.url for request in model.probes(checked)] == [IMAGE]
        assert model.check_media(checked, {IMAGE: video("4")}).seconds == 4

    def test_a_file_that_was_not_probed_is_a_fault_of_ours(self) -> None:
        kind = profile_named("VID-D")
        with pytest.raises(KeyError):
            check_media(kind, check(kind, {"videoUrls": [IMAGE]}), {})

    def test_most_profiles_need_none(self) -> None:
        kind = profile_named("VID-F")
        assert kind.probes(check(kind, {"imageUrls": [IMAGE]}).values) == []


class TestDocuments:
    """VID-P: a document of at most 100 MB and 50 pages."""

    @pytest.mark.parametrize(
        ("file", "message"),
        [
            (File(kind="document", container="pdf", pages=50), None),
            (File(kind="document", container="pdf", pages=51), "Must have at most 50 pages, has 51."),
            (File(kind="document", container="docx", pages=None), None),
            (File(kind="document", container="xlsx", bytes=100 * 2**20, pages=1), None),
            (File(kind="document", container="xlsx", bytes=100 * 2**20 + 1), "Must have at most 100 MB."),
            (File(kind="video"), "Must be a document, is a video."),
        ],
    )
    def test_size_and_pages(self, file: File, message: str | None) -> None:
        profile = profile_named("VID-P")
        checked = check(profile, {"fileUrl": "https://a.test/a.pdf"})
        (request,) = profile.probes(checked.values)
        assert request.kind == "document"
        if message is None:
            check_media(profile, checked, {request.url: file})
            return
        with pytest.raises(InvalidInputError) as refused:
            check_media(profile, checked, {request.url: file})
        found = [(one.path, one.message) for one in refused.value.problems]
        assert found == [("/input/fileUrl", message)]
