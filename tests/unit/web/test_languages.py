"""The language that a browser asks for."""

import pytest

from tollgate.web.languages import language_of

KNOWN = ("de", "es", "fr", "ja", "zh")


@pytest.mark.parametrize(
    ("header", "language"),
    [
        ("", "en"),
        ("de", "de"),
        ("de-AT,de;q=0.9,en;q=0.8", "de"),
        ("en-GB,en;q=0.9,fr;q=0.8", "en"),
        ("pt-BR,pt;q=0.9,es;q=0.7,en;q=0.5", "es"),
        ("pt", "en"),
        ("zh-Hans-CN", "zh"),
        ("fr;q=0, ja;q=0.1", "ja"),
        ("fr;q=x", "en"),
        ("fr;q=nan", "en"),
        (",;,=;q=", "en"),
        ("*", "en"),
    ],
)
def test_the_one_it_likes_best_of_those_there_are(header: str, language: str) -> None:
    assert language_of(header, KNOWN) == language
