"""The text in the repository's files that `local/upkeep/prose.py` counts: without code, markup and names."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
GROUPS = {"pages": 0.04, "texts": 0.04, "comments": 0.05}
"""The highest rate of awkward sentences by group.

Pages are Markdown, templates and the reference. Texts are strings in code, such as mails, errors and help.
Comments include docstrings.
"""
_CODE = ("shared", "functions", "clients", "local")
_SKIPPED = {"node_modules", "__pycache__", "inputs.py"}
"""`inputs.py` is generated from profiles, which are counted."""
_PAGES = ("*.md", "docs/**/*.md", "clients/**/*.md", "shared/tollgate/reference/**/*.md", ".github/**/*.md")
_TEMPLATES = ("functions/*/templates/*.html",)
_REFERENCE = ("shared/tollgate/reference/*.yaml", "shared/tollgate/reference/llms.txt")

_FENCE = re.compile(r"^ *```.*?^ *```", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^ *#.*$|^\|[-| :]+\|$", re.MULTILINE)
_CELL = re.compile(r"(?<!\\)\|")
_TARGET = re.compile(r"\]\([^)\s]*\)")
_QUOTED = re.compile(r"`[^`\n]*`")
_UNSEEN = re.compile(
    r"<(script|style|svg|pre)\b.*?</\1>|\{#.*?#\}|\{%.*?%\}|<!--.*?-->", re.DOTALL | re.IGNORECASE
)
_INLINE = re.compile(r"</?(?:a|abbr|b|code|em|i|kbd|small|span|strong|time)\b[^>]*>", re.IGNORECASE)
_TAG = re.compile(r"<[^>]*>")
_VALUE = re.compile(r"\{\{.*?\}\}", re.DOTALL)
_COMMENT = re.compile(r"(?:^|  )# (.*)$")
_INDENT = re.compile(r"^[ \t]+", re.MULTILINE)


def paths(root: Path = ROOT) -> Iterator[Path]:
    """Yield every file whose text is counted, in a stable order."""
    patterns = (*_PAGES, *_TEMPLATES, *_REFERENCE, *(f"{folder}/**/*.py" for folder in _CODE))
    found = {path for pattern in patterns for path in root.glob(pattern)}
    yield from sorted(path for path in found if not _SKIPPED & set(path.parts))


def prose(path: Path) -> dict[str, str]:
    """Return the text of a file by group."""
    source = path.read_text()
    match path.suffix:
        case ".py":
            strings, docstrings = python(source)
            return {"texts": strings, "comments": docstrings}
        case ".html":
            return {"pages": html(source)}
        case ".yaml":
            return {
                "pages": "\n\n".join(markdown(text) for text in _leaves(yaml.load(source, yaml.CSafeLoader)))
            }
    return {"pages": markdown(source)}


def markdown(source: str) -> str:
    """Return the text of Markdown: paragraphs, list items and table cells."""
    text = _HEADING.sub("\n", _FENCE.sub("\n\n", source))
    text = _QUOTED.sub("`…`", _TARGET.sub("]", text))
    lines = (_CELL.sub("\n\n", line) if line.startswith("|") else line for line in text.splitlines())
    return "\n".join(lines)


def html(source: str) -> str:
    """Return the text of a template. A value that is filled in counts as a word."""
    text = _VALUE.sub("…", _UNSEEN.sub(" ", source))
    return _TAG.sub("\n\n", _INLINE.sub("", text))


def python(source: str) -> tuple[str, str]:
    """Return the strings of a module, and its docstrings with its comments."""
    strings: list[str] = []
    docstrings: list[str] = []
    _collect(ast.parse(source), strings, docstrings)
    return _joined(strings), _joined([*docstrings, *_comments(source)])


def _joined(texts: list[str]) -> str:
    return "\n\n".join(markdown(_INDENT.sub("", text)) for text in texts if text.count(" ") > 1)


def _collect(tree: ast.AST, strings: list[str], docstrings: list[str]) -> None:
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        match node:
            case ast.Expr(value=ast.Constant(value=str(text))):
                docstrings.append(text)
            case ast.Constant(value=str(text)):
                strings.append(text)
            case ast.JoinedStr(values=parts):
                strings.append("".join(str(p.value) if isinstance(p, ast.Constant) else "…" for p in parts))
                waiting.extend(p for p in reversed(parts) if not isinstance(p, ast.Constant))
            case _:
                waiting.extend(reversed(list(ast.iter_child_nodes(node))))


def _comments(source: str) -> Iterator[str]:
    """Yield the comments of a module. Consecutive lines are one comment."""
    block: list[str] = []
    for line in source.splitlines():
        found = _COMMENT.search(line.lstrip()) if "#" in line else None
        if found:
            block.append(found[1])
        elif block:
            yield " ".join(block)
            block = []
    if block:
        yield " ".join(block)


def _leaves(value: Any) -> Iterator[str]:
    """Yield every string in parsed YAML."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from _leaves(one)
    elif isinstance(value, list):
        for one in value:
            yield from _leaves(one)
