"""The language of a page, and its texts from gettext catalogs.

The visitor's choice comes first, then `Accept-Language`, then English. English is the language of the
sources and has no catalog. A catalog is read when a page first needs it. The reasons are in
docs/decisions/0109-languages-of-the-pages.md.
"""

import gettext as catalogs
import re
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import Any

from starlette.requests import Request

from dashboard.security import path_of
from tollgate.catalog.views import Card
from tollgate.kit.words import Words
from tollgate.web.languages import ENGLISH, LANGUAGES, language_of

CATALOGS = Path(__file__).parent / "locale"
# The visitor's choice, in a cookie that app.js sets. It is no secret.
COOKIE = "tollgate_language"
# In the address of a page: the language for visitors without a choice, such as search engines.
PARAMETER = "lang"
# A cached page has a copy for each value of these headers (RFC 9110, 12.5.5).
# The pages without translations.
IN_ENGLISH = "/docs"
VARY = "Accept-Language, Cookie"

# A number of a composed text, with its currency or size.
NUMBER = re.compile(r"\$?\d(?:[\d,.]*\d)?[KM]?\b")
_current: ContextVar[str] = ContextVar("language", default=ENGLISH)


def wanted(request: Request) -> str:
    """Return the language for a request: of its address, its cookie, or its `Accept-Language`.

    The docs are in English.
    """
    if path_of(request).startswith(IN_ENGLISH):
        return ENGLISH
    for choice in (request.query_params.get(PARAMETER), request.cookies.get(COOKIE)):
        if choice in LANGUAGES:
            return choice
    return language_of(request.headers.get("accept-language", ""), LANGUAGES)


def speak(language: str) -> None:
    """Use a language for the rest of this request."""
    _current.set(language)


def current() -> str:
    """Return the language of this request."""
    return _current.get()


def gettext(text: str) -> str:
    """Return a text in the language of this request."""
    # The empty text is the key of a catalog's header.
    return _catalog(current()).gettext(text) if text else text


def worded(words: Words) -> str:
    """Return a sentence with its values in the language of this request."""
    return gettext(words.text).format(**words.values)


def ngettext(one: str, many: str, count: int) -> str:
    """Return a text in the language of this request, in the form for `count`."""
    return _catalog(current()).ngettext(one, many, count)


def described(dto: Card) -> dict[str, Any]:
    """Return a model with its description in the language of this request, if the catalog has it."""
    text = dto["descriptionLocales"].get(current(), "")
    return {**dto, "description": text or dto["description"], "language": current() if text else ENGLISH}


def spoken(text: str) -> str:
    """Return a text of parts between commas, each with its numbers: `for 5 s, 720p`.

    A catalog has such a part with `{n}` for each number. A part that it does not have is a name.
    """
    return gettext(", ").join(_part(part) for part in text.split(", "))


def _part(text: str) -> str:
    numbers = iter(NUMBER.findall(text))
    key = NUMBER.sub("{n}", text)
    found = gettext(key)
    return text if found == key else re.sub(r"\{n\}", lambda _: next(numbers), found)


@cache
def _catalog(language: str) -> catalogs.NullTranslations:
    if language == ENGLISH:
        return catalogs.NullTranslations()
    return catalogs.translation("messages", CATALOGS, [language])
