"""The pages of the docs that people write: their order, their links, and the advice of the errors page. Pure.

The files in `site/` are also read on GitHub. They link to each other by relative paths, to the dashboard by
absolute paths, and name endpoints as `GET /api/v1/…`. The functions here turn all three into links that work.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from posixpath import dirname, join, normpath, relpath

from tollgate.catalog.loader import read_yaml

SITE = Path(__file__).parent / "site"
INDEX = "index"
MARKDOWN = ".md"
_FENCE = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)
_ENDPOINT = re.compile(r"(?<!\[)`([A-Z]+ /[^`\s?]+)[^`\s]*`")
_ABSOLUTE = re.compile(r"\]\((/[^)\s]*)\)")
_ERROR = re.compile(r"^\| `([a-z_]+)` \| \d+ \|[^|\n]*\|([^|\n]*)\|$", re.MULTILINE)
_LINKED = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_WORD = re.compile(r"[a-z\d][\w-]+")


@dataclass(frozen=True, slots=True)
class Doc:
    """A page: its path below `/docs`, and its texts in the navigation and the search."""

    path: str
    title: str
    about: str
    section: str
    group: str = ""
    words: str = ""


@cache
def guides() -> tuple[Doc, ...]:
    """Return the written pages in the order of the navigation, each with the words that the search finds."""
    return tuple(
        Doc(path, title, about, section, words=_words(path))
        for section, pages in read_yaml(SITE / "contents.yaml").items()
        for path, (title, about) in pages.items()
    )


@cache
def advice() -> Mapping[str, str]:
    """Return the last cell of the errors page for each error code: what to do, without links."""
    rows = _ERROR.findall(source_of("errors"))
    return {code: _LINKED.sub(r"\1", text).strip() for code, text in rows}


def source_of(path: str) -> str:
    """Return the template of a written page."""
    return (SITE / f"{path or INDEX}{MARKDOWN}").read_text()


def linked(markdown: str, path: str, base_url: str, endpoints: Mapping[str, str]) -> str:
    """Return a written page in which absolute paths and the names of endpoints are links.

    `endpoints` has the path of a page by method and path, such as `GET /api/v1/models`.
    """

    def endpoint(found: re.Match[str]) -> str:
        page = endpoints.get(found[1])
        return f"[{found[0]}]({relpath(page, dirname(path) or '.')}{MARKDOWN})" if page else found[0]

    def links(text: str) -> str:
        return _ENDPOINT.sub(endpoint, _ABSOLUTE.sub(rf"]({base_url}\1)", text))

    return outside_of_fences(markdown, links)


def address(target: str, path: str, docs: str) -> str:
    """Return the address to which a link on the page at `path` leads; `docs` is the address of `/docs`."""
    name, mark, anchor = target.partition("#")
    if ":" in name or name.startswith("/") or not name.endswith(MARKDOWN):
        return target
    page = normpath(join(dirname(path), name)).removesuffix(MARKDOWN)
    return f"{docs}{'' if page == INDEX else '/' + page}{mark}{anchor}"


def outside_of_fences(markdown: str, change: Callable[[str], str]) -> str:
    """Return a page whose text is changed, and whose programs are not."""
    pieces = _FENCE.split(markdown)
    return "".join(piece if piece.startswith("```") else change(piece) for piece in pieces)


def _words(path: str) -> str:
    found: Iterator[str] = iter(_WORD.findall(_FENCE.sub("", source_of(path)).lower()))
    return " ".join(sorted(set(found)))
