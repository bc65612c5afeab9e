"""Reference images as frames."""

import pytest

from tollgate.providers.mapping.images import CannotMapError, frames


def role(name: str, url: str) -> dict[str, str]:
    return {"role": name, "url": url}


class TestFrames:
    @pytest.mark.parametrize(
        ("values", "found"),
        [
            ({}, (None, None)),
            ({"imageUrls": []}, (None, None)),
            ({"imageUrls": ["a"]}, ("a", None)),
            ({"imageUrls": ["a", "b"]}, ("a", "b")),
            ({"imageWithRoles": [role("first_frame", "a")]}, ("a", None)),
            ({"imageWithRoles": [role("last_frame", "b"), role("first_frame", "a")]}, ("a", "b")),
        ],
    )
    def test_the_first_and_the_last_by_role_or_by_order(
        self, values: dict[str, list[object]], found: tuple[str | None, str | None]
    ) -> None:
        assert frames(values) == found

    def test_more_than_two_are_no_frames(self) -> None:
        with pytest.raises(CannotMapError, match="3 images"):
            frames({"imageUrls": ["a", "b", "c"]})
