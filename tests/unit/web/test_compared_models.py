"""What models take, as the comparison says it, beside their published input."""

from typing import Any

import pytest

from tollgate.catalog.loader import Catalog
from tollgate.catalog.params import descriptors, json_schema
from tollgate.web.comparison import Takes, compared_inputs, taken

CATALOG = Catalog.shipped()


def takes(model_id: str) -> Takes:
    """Return what a model publishes of its input."""
    model = next(one for one in CATALOG.media_models() if one.id == model_id)
    return descriptors(model), json_schema(model)


def said(model_id: str, name: str) -> str:
    """Return what is said of one field of a model."""
    params, schema = takes(model_id)
    return taken(next(one for one in params if one["name"] == name), schema)


class TestTaken:
    @pytest.mark.parametrize(
        ("model_id", "name", "words"),
        [
            ("kling-3.0", "prompt", "up to 2,500 characters"),
            ("kling-3.0", "resolution", "720p, 1080p, 4k"),
            ("kling-3.0", "duration", "3 to 15"),
            ("kling-3.0", "generateAudio", "on or off"),
            ("kling-3.0", "imageUrls", "up to 2 images"),
            ("kling-2.6-motion-control", "imageUrls", "1 image"),
            ("suno-custom-model", "audioUrls", "6 to 24 audio files"),
            ("suno", "sourceTaskIds", "2 texts"),
            ("seedance-2.0", "seed", "0 to 4,294,967,295"),
            ("seedance-2.0", "tools", "up to 1, each with type: web_search"),
            ("kling-4.0", "multiShots", "2 to 6, each with prompt; duration"),
            (
                "seedance-1.0-pro-fast",
                "imageWithRoles",
                "up to 2, each with url; role: first_frame, last_frame",
            ),
        ],
    )
    def test_it_says_the_values(self, model_id: str, name: str, words: str) -> None:
        assert said(model_id, name) == words

    def test_something_is_said_of_every_field_of_every_model(self) -> None:
        for model in CATALOG.media_models():
            params, schema = takes(model.id)
            for param in params:
                words = taken(param, schema)
                assert words not in ("", "several", "yes"), (model.id, param["name"])


class TestComparedInputs:
    def test_what_both_take_comes_first_and_what_one_lacks_is_empty(self) -> None:
        rows = compared_inputs([takes("suno"), takes("kling-3.0")])
        assert rows[0][0] == "Prompt"
        lacking: list[Any] = [row[1].count("") for row in rows]
        assert lacking == sorted(lacking)
        assert dict(rows)["Frames"] == ["", "up to 2 images"]
