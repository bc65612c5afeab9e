"""Every reference leads somewhere: to a file of this repository, and to a heading of it."""

import ast
import os
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILT = {"node_modules", "__pycache__"}
"""Beside these, all that begins with a dot is made by tools."""
PATH = re.compile(r"`((?:[\w-]+/)*[\w-]+\.py)`(?:,? `((?![\w.]+\.py`)[\w.]+)`)?")
MEMBER = re.compile(r"`([A-Z]\w+)\.(\w+)`")
MAPPED = re.compile(r"^(\w+(?:\.py|\.yaml|/))  ", re.MULTILINE)
READ = (".md", ".py", ".yaml", ".toml", ".js", ".mjs", ".html", ".css", ".sh", "Makefile")
NAME = re.compile(r"(?<![\w/.*<>{}$-])((?:\.\./|\./)*[\w][\w/.-]*\.md)(?:#([\w-]+))?")
ELSEWHERE = re.compile(r"https?://\S+|\[[^\]\n]*\]\([^)]*\)")
"""What is on another host, and links, whose target is looked at by itself."""
LINK = re.compile(r"\]\(([^)\s]+)\)")
NUMBERED = re.compile(r"^(?!.*\b(?:RFC|ISO|W3C|WHATWG|ITU)\b).*§ ?\d", re.MULTILINE)
"""A section by its number, but where the line names the standard that it is of."""
HEADING = re.compile(r"^#{1,6} +(.*?)\s*$", re.MULTILINE)
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


def written() -> Iterator[Path]:
    """Yield the files of the repository that people write and that may refer to a page."""
    for folder, folders, files in os.walk(ROOT):
        folders[:] = [name for name in folders if name not in BUILT and not name.startswith(".")]
        yield from (Path(folder, name) for name in files if name.endswith(READ))


@cache
def anchors(page: Path) -> frozenset[str]:
    """Return the anchors that GitHub makes of a page's headings."""
    found: list[str] = []
    for title in HEADING.findall(FENCE.sub("", page.read_text())):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title).lower()
        slug = re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
        found.append(slug if slug not in found else f"{slug}-{found.count(slug)}")
    return frozenset(found)


def homes(source: Path, name: str) -> Iterator[Path]:
    """Yield where `name` may be: below the root, beside the page that names it, or, for code, in docs."""
    yield ROOT / name
    yield ROOT / "shared/tollgate/reference" / name
    yield (source.parent if source.suffix == ".md" else ROOT / "docs") / name


def fault(source: Path, name: str, anchor: str | None) -> str | None:
    """Say what is wrong with a reference, or `None`."""
    page = next((home for home in homes(source, name) if home.exists()), None)
    if page is None:
        return f"{name} is not there"
    if anchor and page.suffix == ".md" and anchor not in anchors(page):
        return f"{name} has no heading #{anchor}"
    return None


def references(source: Path, text: str) -> Iterator[tuple[str, str | None]]:
    """Yield the pages that a text names, with their anchors, and in a page all that it links to."""
    text = FENCE.sub("", text) if source.suffix == ".md" else text
    yield from ((m[1], m[2]) for m in NAME.finditer(ELSEWHERE.sub("", text)))
    if source.suffix == ".md":
        for target in LINK.findall(text):
            # Absolute paths are addresses of the service: tests/functional/test_docs.py looks at them.
            if not re.match(r"[a-z]+:|/", target):
                name, _, anchor = target.partition("#")
                yield name or source.name, anchor or None


PAGES_OF_CODE = [
    "README.md",
    "CONTRIBUTING.md",
    *sorted(str(page.relative_to(ROOT)) for page in (ROOT / "docs").glob("*.md")),
    *sorted(str(page.relative_to(ROOT)) for page in (ROOT / "docs/decisions").glob("*.md")),
]
SOURCES = [file for file in written() if file != Path(__file__)]


def code_faults(page: str) -> Iterator[str]:
    """Yield what a page says of our code that is not so: a file, or a name that the file has not."""
    for path, name in PATH.findall((ROOT / page).read_text()):
        files = [home for home in (ROOT / path, ROOT / "shared/tollgate" / path) if home.exists()]
        # Where the text before it says in which folder, the name alone will do.
        files = files or [file for file in (*SOURCES, Path(__file__)) if file.as_posix().endswith(f"/{path}")]
        if not files:
            yield f"{path} is not there"
        elif not any(_has(file, name) for file in files):
            yield f"{path} has no {name}"


def _has(file: Path, name: str) -> bool:
    text = file.read_text()
    return all(re.search(rf"\b{part}\b", text) for part in name.split("."))


@cache
def classes() -> dict[str, str]:
    """Return the source of each of our classes, by its name; of several of one name all of it."""
    found: dict[str, str] = {}
    for folder in ("shared", "functions", "local"):
        for file in (ROOT / folder).rglob("*.py"):
            source = file.read_text()
            for name in re.findall(r"^class (\w+)", source, re.MULTILINE):
                found[name] = found.get(name, "") + source
    return found


def member_faults(text: str) -> Iterator[str]:
    """Yield each member of a class of ours that a text names, `Class.member`, and that is not there."""
    for name, member in MEMBER.findall(text):
        if name in classes() and not re.search(rf"\b{member}\b", classes()[name]):
            yield f"{name} has no {member}"


class TestReferences:
    @pytest.mark.parametrize("folder", sorted({file.relative_to(ROOT).parts[0] for file in SOURCES}))
    def test_each_leads_to_a_page_and_a_heading_of_this_repository(self, folder: str) -> None:
        faults = [
            f"{file.relative_to(ROOT)}: {wrong}"
            for file in SOURCES
            if file.relative_to(ROOT).parts[0] == folder
            for name, anchor in references(file, file.read_text())
            if (wrong := fault(file, name, anchor))
        ]
        assert faults == []

    @pytest.mark.parametrize("page", PAGES_OF_CODE)
    def test_the_code_that_a_page_leads_to_is_there(self, page: str) -> None:
        assert list(code_faults(page)) == []

    def test_what_a_page_names_of_a_class_is_there(self) -> None:
        pages = [file for file in SOURCES if file.suffix == ".md" and file.name != "CHANGELOG.md"]
        faults = {file.name: wrong for file in pages if (wrong := list(member_faults(file.read_text())))}
        assert faults == {}

    def test_a_member_that_is_gone_is_found_out(self) -> None:
        assert list(member_faults("`TaskFinalizer.end` and `TaskFinalizer.call_up`, `S3.PutObject`")) == [
            "TaskFinalizer has no call_up"
        ]

    def test_the_map_of_a_package_names_what_is_in_it(self) -> None:
        maps = [
            file for file in SOURCES if file.name in ("__init__.py", "app.py") and "tests" not in file.parts
        ]
        gone = [
            f"{file.relative_to(ROOT)}: {name}"
            for file in maps
            for name in MAPPED.findall(ast.get_docstring(ast.parse(file.read_text())) or "")
            if not (file.parent / name).exists()
        ]
        assert gone == []

    def test_none_is_by_a_number_of_a_section_but_of_a_public_standard(self) -> None:
        assert [str(file) for file in SOURCES if NUMBERED.search(file.read_text())] == []

    def test_a_page_that_is_not_there_is_found_out(self) -> None:
        assert fault(ROOT / "shared/tollgate/x.py", "interface.md", None) == "interface.md is not there"

    def test_a_heading_that_is_not_there_is_found_out(self) -> None:
        wrong = fault(ROOT / "shared/tollgate/x.py", "docs/contract.md", "vid-z")
        assert wrong == "docs/contract.md has no heading #vid-z"

    def test_a_heading_is_found_by_the_anchor_that_github_makes_of_it(self) -> None:
        assert {"vid-l", "decided-here", "midjourney-video"} - anchors(ROOT / "docs/contract.md") == {
            "decided-here"
        }
