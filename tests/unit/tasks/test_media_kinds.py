"""Files of our storage in a field for another kind of media."""

from typing import Any

import pytest

from tollgate.catalog.loader import Catalog
from tollgate.tasks.media_kinds import kind_problems

CATALOG = Catalog.shipped()
KINDS = {f"{kind}.file": kind for kind in ("image", "video", "audio", "3d")}


@pytest.mark.parametrize(
    ("model", "sent", "path", "message"),
    [
        ("z-image", {"urls": ["audio.file"]}, "/input/urls/0", "Must be an image, is an audio."),
        ("z-image", {"imageUrls": ["video.file"]}, "/input/imageUrls/0", "Must be an image, is a video."),
        ("z-image", {"urls": ["3d.file"]}, "/input/urls/0", "Must be an image, is a 3d."),
        (
            "wan-2.7-edit-video",
            {"prompt": "image.file", "editVideoUrl": "image.file"},
            "/input/editVideoUrl",
            "Must be a video, is an image.",
        ),
        (
            "seedance-1.5-pro",
            {"imageWithRoles": [{"url": "audio.file", "role": "first_frame"}]},
            "/input/imageWithRoles/0/url",
            "Must be an image, is an audio.",
        ),
    ],
)
def test_a_file_of_another_kind_is_named(model: str, sent: dict[str, Any], path: str, message: str) -> None:
    (problem,) = kind_problems(sent, CATALOG.media_model(model), KINDS.get)
    assert (problem.path, problem.message) == (path, message)


@pytest.mark.parametrize(
    ("model", "sent"),
    [
        ("z-image", {"prompt": "audio.file", "urls": ["image.file"]}),
        ("z-image", {"urls": ["https://example.com/a.mp3"]}),
        # A container of videos can have only sound.
        ("wan-2.7-text-to-video", {"audioUrl": "video.file"}),
    ],
)
def test_others_are_accepted(model: str, sent: dict[str, Any]) -> None:
    assert list(kind_problems(sent, CATALOG.media_model(model), KINDS.get)) == []
