"""OpenAI's video requests as creates, forms as bodies, tasks as OpenAI's videos."""

from dataclasses import replace
from typing import Any

import pytest

from tollgate.artifacts.models import StoredFile
from tollgate.catalog.loader import Catalog
from tollgate.kit.errors import InvalidInputError
from tollgate.kit.http.addresses import AddressGuard
from tollgate.tasks.models import Task, TaskStatus
from tollgate.tasks.openai_images import read_image_request
from tollgate.tasks.openai_media import Upload, form_body
from tollgate.tasks.openai_videos import read_remix, read_video_query, read_video_request, video
from tollgate.tasks.request import parse_request

CATALOG = Catalog.shipped()
PIXEL = Upload("image/png", b"\x89PNG")
URI = "data:image/png;base64,iVBORw=="
TASK_ID = "task_01M7Y320TY6K5J1TP5KNRBNYR5"
TASK = Task(
    TASK_ID,
    "acc_1",
    "sora-2",
    {},
    charge_micro_usd=100_000,
    price_version="1",
    created_at_ms=5_000,
    deadline_at_ms=9_000,
    files=(
        StoredFile(f"https://storage.example/media/{TASK_ID}/a-0.mp4", "video", "video/mp4", 9, "0" * 64),
    ),
)


@pytest.mark.parametrize(
    ("sent", "is_form", "expected"),
    [
        ({"only": ["fal"]}, False, {"only": ["fal"]}),
        ('{"only": ["fal"]}', True, {"only": ["fal"]}),
        # Not read, so create refuses it by name.
        ("fal", True, "fal"),
    ],
)
def test_routing_wishes_are_no_input(sent: Any, is_form: bool, expected: Any) -> None:
    asked = {"prompt": "waves", "provider": sent}
    video_create = read_video_request({"model": "test-video", **asked}, CATALOG, is_form=is_form)
    image = read_image_request({"model": "test-image", **asked}, CATALOG, is_form=is_form).create
    assert (video_create["provider"], image["provider"]) == (expected, expected)
    assert "provider" not in {**video_create["input"], **image["input"]}


def input_of(model: str, *, is_form: bool = False, **body: Any) -> Any:
    """Return the input of the create that a request comes to."""
    return read_video_request({"model": model, "prompt": "waves", **body}, CATALOG, is_form=is_form)["input"]


def wrong_with(model: str, **body: Any) -> list[str]:
    with pytest.raises(InvalidInputError) as raised:
        input_of(model, **body)
    return [one.path for one in raised.value.problems]


class TestForm:
    def test_files_are_data_uris_and_what_comes_again_is_a_list(self) -> None:
        assert form_body([("model", "m"), ("image", PIXEL)]) == {"model": "m", "image": URI}
        assert form_body([("image[]", PIXEL)]) == {"image": [URI]}
        assert form_body([("image", "a"), ("image", "b"), ("image", "c")]) == {"image": ["a", "b", "c"]}

    def test_its_texts_are_what_the_model_s_fields_are(self) -> None:
        given = input_of("kling-3.0", is_form=True, generateAudio="true", duration="5", prompt="7")
        assert given == {"generateAudio": True, "duration": 5, "prompt": "7"}

    def test_json_is_left_as_it_is(self) -> None:
        assert input_of("kling-3.0", duration="5") == {"prompt": "waves", "duration": "5"}


class TestVideo:
    def test_another_name_of_the_model_means_the_same_input(self) -> None:
        sent: Any = {"size": "720x1280", "input_reference": "https://media.example/fox.png"}
        assert input_of("Sora-2", **sent) == {
            "prompt": "waves",
            "aspectRatio": "9:16",
            "imageUrls": ["https://media.example/fox.png"],
        }

    @pytest.mark.parametrize(
        ("model", "size", "expected"),
        [
            ("sora-2", "720x1280", {"aspectRatio": "9:16"}),
            ("sora-2", "1792x1024", {"aspectRatio": "16:9"}),
            ("kling-3.0", "1280x720", {"aspectRatio": "16:9", "resolution": "720p"}),
            ("kling-3.0", "1080x1080", {"aspectRatio": "1:1", "resolution": "1080p"}),
            # Otherwise the customer would get the default, which can be the smallest.
            ("kling-3.0", "1792x1024", {"aspectRatio": "16:9", "resolution": "1080p"}),
            ("kling-3.0", "3840x2160", {"aspectRatio": "16:9", "resolution": "4k"}),
            ("kling-3.0", "1920x1088", {"aspectRatio": "16:9", "resolution": "1080p"}),
            ("kling-3.0", "480x480", {"aspectRatio": "1:1", "resolution": "720p"}),
            ("minimax-h3", "1440x2560", {"aspectRatio": "9:16", "resolution": "2k"}),
            ("wan-3.0", "16:9", {"size": "16:9"}),
            # What no model has is refused by create.
            ("sora-2", "1000x1000", {"aspectRatio": "1000x1000"}),
            ("sora-2", "0x0", {"aspectRatio": "0x0"}),
        ],
    )
    def test_a_size_is_a_shape_and_a_resolution(self, model: str, size: str, expected: Any) -> None:
        assert input_of(model, size=size) == {"prompt": "waves", **expected}

    def test_what_the_model_calls_otherwise_wins(self) -> None:
        given = input_of("kling-3.0", size="1280x720", resolution="4k", seconds="5")
        assert (given["resolution"], given["duration"]) == ("4k", 5)

    @pytest.mark.parametrize("sent", [URI, {"image_url": URI}, {"file_id": URI}, [URI]])
    def test_a_picture_goes_where_the_model_takes_it(self, sent: Any) -> None:
        assert input_of("sora-2", input_reference=sent)["imageUrls"] == [URI]
        assert input_of("kling-3.0", input_reference=sent)["imageUrls"] == [URI]

    @pytest.mark.parametrize(
        ("model", "body", "path"),
        [
            ("veo-3.1-lite", {"input_reference": URI}, "/input_reference"),
            ("sora-2", {"input_reference": {}}, "/input_reference"),
            ("sora-2", {"input_reference": 7}, "/input_reference"),
            ("test-image", {}, "/model"),
            ("grok-imagine-video", {"size": "1792x1024"}, "/size"),
        ],
    )
    def test_what_cannot_be_is_named(self, model: str, body: dict[str, Any], path: str) -> None:
        assert wrong_with(model, **body) == [path]

    @pytest.mark.parametrize(
        ("values", "expected"),
        [
            ({"duration": 8, "aspectRatio": "16:9", "resolution": "720p"}, ("8", "1280x720")),
            ({"duration": 4, "size": "9:16", "resolution": "4k"}, ("4", "2160x3840")),
            ({"aspectRatio": "16:9"}, (None, None)),
            ({"duration": 0, "aspectRatio": "auto", "resolution": "720p"}, (None, None)),
        ],
    )
    def test_a_task_in_openai_s_words(self, values: dict[str, Any], expected: Any) -> None:
        shown = video(replace(TASK, status=TaskStatus.RUNNING, progress=40, values=values))
        assert (shown["status"], shown["progress"], shown["created_at"]) == ("in_progress", 40, 5)
        assert (shown["seconds"], shown["size"]) == expected
        assert (shown["prompt"], shown["completed_at"], shown["remixed_from_video_id"]) == ("", None, None)


class TestRemix:
    @pytest.mark.parametrize(
        "model",
        [
            "kling-4.0",
            "seedance-2.0",
            "seedance-2.5",
            "gemini-omni-1.1-flash",
            "wan-2.7-edit-video",
            "wan-3.0",
        ],
    )
    def test_its_create_is_valid_and_names_the_source(self, model: str) -> None:
        source = replace(TASK, status=TaskStatus.FINISHED, values={"resolution": "720p", "duration": 5})
        create = read_remix({"prompt": "at night", "model": model}, source, CATALOG)
        parsed = parse_request(create, CATALOG, AddressGuard())
        made = replace(TASK, values=dict(parsed.checked.values))
        assert (video(made)["remixed_from_video_id"], video(made)["prompt"]) == (TASK.task_id, "at night")

    @pytest.mark.parametrize("model", ["sora-2", "flux-3-video", "kling-3.0"])
    def test_a_model_that_changes_no_video_is_refused_with_those_that_do(self, model: str) -> None:
        with pytest.raises(InvalidInputError) as raised:
            read_remix({"prompt": "at night"}, replace(TASK, model=model), CATALOG)
        (problem,) = raised.value.problems
        assert problem.path == "/model"
        assert {"kling-4.0", "gemini-omni-1.1-flash"} <= set(problem.allowed)
        assert model not in problem.allowed


class TestList:
    @pytest.mark.parametrize(
        ("query", "path"),
        [({"limit": "0"}, "/limit"), ({"after": "x"}, "/after"), ({"order": "up"}, "/order")],
    )
    def test_a_wrong_query_is_named(self, query: dict[str, str], path: str) -> None:
        with pytest.raises(InvalidInputError) as raised:
            read_video_query(query)
        assert [one.path for one in raised.value.problems] == [path]


class TestEdit:
    def edit(self, **body: Any) -> Any:
        sent = {"model": "test-image", "prompt": "at night", **body}
        return read_image_request(sent, CATALOG, is_edit=True, is_form=True).create["input"]

    def test_one_image_or_several(self) -> None:
        assert self.edit(image=URI)["imageUrls"] == [URI]
        assert self.edit(image=[URI, "https://example.com/a.png"], n="1")["imageUrls"][1].endswith("a.png")

    def test_a_mask_where_the_model_takes_one(self) -> None:
        assert self.edit(model="midjourney", image=URI, mask=URI)["maskUrl"] == URI

    @pytest.mark.parametrize(
        ("body", "path"),
        [
            ({}, "/image"),
            ({"image": [""]}, "/image"),
            ({"image": URI, "mask": URI}, "/mask"),
            ({"image": URI, "model": "flux-3-klein"}, "/image"),
        ],
    )
    def test_what_cannot_be_is_named(self, body: dict[str, Any], path: str) -> None:
        with pytest.raises(InvalidInputError) as raised:
            self.edit(**body)
        assert [one.path for one in raised.value.problems] == [path]
