"""OpenAI's image requests as creates: sizes, options, the form of the answer."""

from typing import Any

import pytest

from tollgate.catalog.loader import Catalog
from tollgate.kit.errors import InvalidInputError
from tollgate.tasks.openai_images import read_image_request

CATALOG = Catalog.shipped()


def size_of(model: str, **body: Any) -> Any:
    """Return the size that a request asks the model for."""
    read = read_image_request({"model": model, "prompt": "a fox", **body}, CATALOG)
    return read.create["input"].get("size")


class TestSize:
    @pytest.mark.parametrize(
        ("asked", "expected"),
        [
            ("1024x1024", "1:1"),
            ("1536x1024", "3:2"),
            ("576x1024", "9:16"),
            ("16:9", "16:9"),
            ("auto", "1:1"),
            (None, "1:1"),
            # Shapes that the model does not have are refused by create, which lists those that it has.
            ("1000x999", "1000x999"),
            ("10x0", "10x0"),
            (7, 7),
        ],
    )
    def test_pixels_become_the_model_s_word(self, asked: Any, expected: Any) -> None:
        assert size_of("test-image", size=asked) == expected

    def test_none_is_a_square_where_none_is_named(self) -> None:
        assert size_of("test-image") == "1:1"

    @pytest.mark.parametrize(
        ("model", "sent", "expected"),
        [
            ("gpt-image-2", {"size": "1536x1024"}, ("3:2", "1k")),
            ("gpt-image-2", {"size": "2560x1440"}, ("16:9", "2k")),
            ("gpt-image-2", {"size": "3840x2160"}, ("16:9", "4k")),
            ("gpt-image-2", {"size": "3840x2160", "resolution": "1k"}, ("16:9", "1k")),
            ("gpt-image-2", {"size": "16:9"}, ("16:9", None)),
            ("gpt-image-2", {"size": "auto"}, ("auto", None)),
            ("nano-banana-2.1", {"size": "2048x2048"}, ("1:1", "2K")),
            # Create refuses this size: the model has no resolution with so many pixels.
            ("gpt-image-2", {"size": "9000x9000"}, ("9000x9000", None)),
        ],
    )
    def test_pixels_choose_the_resolution(
        self, model: str, sent: dict[str, Any], expected: tuple[str, str | None]
    ) -> None:
        given = read_image_request({"model": model, "prompt": "a", **sent}, CATALOG).create["input"]
        assert (given["size"], given.get("resolution")) == expected

    def test_a_model_without_sizes_gets_none(self) -> None:
        assert size_of("nothing") is None


class TestFields:
    def test_what_is_not_openai_s_is_the_model_s(self) -> None:
        own = {"user": "ada", "safety_identifier": "ada", "quality": None, "n": 1}
        body = {"model": "test-image", "prompt": "a fox", "seed": 7, **own}
        read = read_image_request(body, CATALOG)
        assert read.create == {"model": "test-image", "input": {"prompt": "a fox", "seed": 7, "size": "1:1"}}
        assert not read.wants_bytes

    def test_a_number_may_have_a_fraction_of_nothing(self) -> None:
        body = {"model": "test-image", "prompt": "a fox", "stream": True, "n": 2.0, "partial_images": 0.0}
        read = read_image_request(body, CATALOG)
        assert (read.images, type(read.images)) == (2, int)

    def test_an_edit_keeps_its_images_if_another_name_of_the_model_is_sent(self) -> None:
        body = {"model": "GPT-Image-2", "prompt": "a fox", "image": ["https://media.example/fox.png"]}
        read = read_image_request(body, CATALOG, is_edit=True)
        assert read.create["input"]["imageUrls"] == ["https://media.example/fox.png"]

    def test_an_edit_takes_openais_list_of_images(self) -> None:
        images = [{"image_url": "https://media.example/fox.png"}, {"file_id": "file_1"}]
        body = {"model": "gpt-image-2", "prompt": "a fox", "images": images}
        read = read_image_request(body, CATALOG, is_edit=True)
        assert read.create["input"]["imageUrls"] == ["https://media.example/fox.png", "file_1"]
        with pytest.raises(InvalidInputError, match="/image: Must be a file"):
            read_image_request({**body, "images": [{"id": "file_1"}]}, CATALOG, is_edit=True)

    def test_a_video_model_is_refused_under_another_name(self) -> None:
        with pytest.raises(InvalidInputError) as raised:
            read_image_request({"model": "Kling-3.0", "prompt": "a fox"}, CATALOG)
        assert [one.path for one in raised.value.problems] == ["/model"]

    def test_all_that_is_wrong_is_said_at_once(self) -> None:
        with pytest.raises(InvalidInputError) as raised:
            read_image_request({"model": "kling-3.0", "n": 11, "stream": "x", "response_format": 1}, CATALOG)
        assert [one.path for one in raised.value.problems] == ["/n", "/stream", "/response_format", "/model"]


class TestOptions:
    @pytest.mark.parametrize("model", ["gpt-image-2", "gpt-image-2.5-flare", "z-image", "seedream-5-pro"])
    def test_options_that_change_nothing_are_left_out(self, model: str) -> None:
        options = {"quality": "auto", "background": "auto", "moderation": "auto", "output_compression": 100}
        given = read_image_request({"model": model, "prompt": "a fox", **options}, CATALOG).create["input"]
        has_quality = model.startswith("gpt-image")
        kept = {"quality": "auto", "moderation": "auto"} if has_quality else {}
        assert {name: given[name] for name in given if name not in ("prompt", "size")} == kept

    def test_a_model_with_the_field_gets_the_option(self) -> None:
        read = read_image_request({"model": "seedream-5-pro", "prompt": "a", "output_format": "png"}, CATALOG)
        assert read.create["input"]["outputFormat"] == "png"

    @pytest.mark.parametrize(
        ("options", "wrong"),
        [
            ({"quality": "high", "output_format": "webp", "output_compression": 50, "moderation": "low"}, []),
            ({"output_format": "jpeg", "output_compression": 100}, []),
            ({"output_compression": 50}, ["/input/outputFormat"]),
            ({"output_format": "png", "output_compression": 50}, ["/input/outputFormat"]),
            ({"output_format": "gif"}, ["/input/outputFormat"]),
            ({"quality": True}, ["/input/quality"]),
            ({"output_format": "webp", "output_compression": True}, ["/input/outputCompression"]),
            ({"quality": "high", "urls": ["https://media.example/a.png"]}, ["/input/quality"]),
            ({"quality": "auto", "urls": ["https://media.example/a.png"]}, []),
            ({"output_format": "webp", "size": "auto", "resolution": "2k"}, ["/input/outputFormat"]),
        ],
    )
    def test_gpt_image_has_openais_options(self, options: dict[str, Any], wrong: list[str]) -> None:
        """As OpenAI documents them: compression is for JPEG and WebP."""
        body = {"model": "gpt-image-2", "prompt": "a fox", **options}
        given = read_image_request(body, CATALOG).create["input"]
        model = CATALOG.media_model("gpt-image-2")
        if not wrong:
            assert model.check(given)
            return
        with pytest.raises(InvalidInputError) as raised:
            model.check(given)
        assert [one.path for one in raised.value.problems] == wrong

    @pytest.mark.parametrize(
        ("model", "option", "value"),
        [
            ("z-image", "quality", "high"),
            ("z-image", "quality", True),
            ("z-image", "output_compression", True),
            ("gpt-image-2", "style", "vivid"),
            ("gpt-image-2", "background", "transparent"),
            ("gpt-image-2", "input_fidelity", "high"),
        ],
    )
    def test_others_are_named(self, model: str, option: str, value: Any) -> None:
        with pytest.raises(InvalidInputError) as raised:
            read_image_request({"model": model, "prompt": "a fox", option: value}, CATALOG)
        assert [one.path for one in raised.value.problems] == [f"/{option}"]

    def test_partial_images_are_named_as_ignored(self) -> None:
        body = {"model": "gpt-image-2", "prompt": "a fox", "stream": True}
        assert read_image_request({**body, "partial_images": 2}, CATALOG).ignored == ("partial_images",)
        assert read_image_request({**body, "partial_images": 0}, CATALOG).ignored == ()

    def test_an_edit_by_a_form_has_texts(self) -> None:
        sent = {
            "model": "test-image",
            "prompt": "a",
            "image": "https://a.test/a.png",
            "n": "3",
            "stream": "true",
        }
        read = read_image_request(sent, CATALOG, is_edit=True, is_form=True)
        assert (read.images, read.is_streamed, read.wants_bytes) == (3, True, True)

    def test_a_form_cannot_have_a_word_as_its_number(self) -> None:
        sent = {"model": "test-image", "prompt": "a", "n": "three"}
        with pytest.raises(InvalidInputError) as raised:
            read_image_request(sent, CATALOG, is_form=True)
        assert [one.path for one in raised.value.problems] == ["/n"]


class TestFormsOfTheAnswer:
    @pytest.mark.parametrize(
        ("model", "is_edit", "others", "has_bytes", "has_url"),
        [
            ("gpt-image-2", False, {}, True, True),
            ("GPT-Image-2", False, {}, True, True),
            ("gpt-image-2", False, {"response_format": "url"}, False, True),
            ("gpt-image-2", False, {"stream": True}, True, False),
            ("z-image", False, {}, False, True),
            ("z-image", False, {"response_format": "b64_json"}, True, False),
            # The AI SDK reads the bytes of every edit, and does not ask for them.
            ("z-image", True, {}, True, True),
            ("z-image", True, {"response_format": "url"}, False, True),
        ],
    )
    def test_a_request_without_a_format_gets_what_openais_clients_read(
        self, model: str, is_edit: bool, others: dict[str, Any], has_bytes: bool, has_url: bool
    ) -> None:
        body = {"model": model, "prompt": "a fox", "image": "https://media.example/a.png", **others}
        sent = body if is_edit else {name: body[name] for name in body if name != "image"}
        read = read_image_request(sent, CATALOG, is_edit=is_edit)
        assert (read.wants_bytes, read.wants_url) == (has_bytes, has_url)
