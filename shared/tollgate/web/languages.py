"""The languages of pages and of descriptions, and the choice for a browser. Pure."""

from collections.abc import Collection

ENGLISH = "en"
# The languages of the catalog's descriptions, each with its own name.
LANGUAGES = {
    "de": "Deutsch",
    ENGLISH: "English",
    "es": "Español",
    "fr": "Français",
    "ja": "日本語",
    "zh": "中文",
}
TRANSLATED = tuple(language for language in LANGUAGES if language != ENGLISH)
# At most this many languages of a header are read. A browser sends a few.
MAX_WEIGHED = 20


def phrase(text: str) -> str:
    """Return the text. `make languages` finds it by this name; the page that shows it translates it."""
    return text


def language_of(header: str, known: Collection[str]) -> str:
    """Return the language of `known` that `Accept-Language` prefers, or English (RFC 9110, 12.5.4)."""
    offered = {ENGLISH, *known}
    weighed = [_weighed(part) for part in header.split(",")[:MAX_WEIGHED]]
    liked = [(weight, language) for weight, language in weighed if weight > 0 and language in offered]
    return max(liked, key=lambda one: one[0], default=(0, ENGLISH))[1]


def _weighed(part: str) -> tuple[float, str]:
    tag, _, parameter = part.partition(";")
    text = parameter.strip().removeprefix("q=")
    try:
        weight = float(text) if text else 1.0
    except ValueError:
        weight = 0.0
    return weight, tag.strip().lower().partition("-")[0]
