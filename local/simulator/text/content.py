"""The content of responses, which depends only on the prompt. A token is one piece and one chunk."""

import json
import random
import re
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from local.simulator.text.directions import TextDirections
from local.simulator.text.samples import sample

DEFAULT_TOKENS = 12
THINKING_TOKENS = 8
CALL_TOKENS = 6
PIECE_CHARS = 5
BYTES_PER_TOKEN = 4
# Of each result, which the model reads as input.
PAGE_TOKENS = 7_000

_WORDS = (
    *("amber", "breeze", "cloud", "drift", "ember", "fjord", "glimmer", "harbour", "island", "juniper"),
    *("kestrel", "lantern", "meadow", "nebula", "orchard", "prairie", "quartz", "river", "süß", "晴れ"),
)


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool of the request: its name and the schema of its arguments."""

    name: str
    schema: Any


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call of a tool, with its arguments as pieces of JSON text."""

    id: str
    name: str
    pieces: tuple[str, ...]

    @property
    def arguments(self) -> Any:
        """Return the arguments."""
        return json.loads("".join(self.pieces))


@dataclass(frozen=True, slots=True)
class Page:
    """The one result of a search of the web."""

    query: str
    url: str
    title: str


@dataclass(frozen=True, slots=True)
class Ask:
    """A request, independent of its protocol.

    `is_reply` is true if it ends with a tool's result, so no further tool is called. `forced_tools` are calls
    that the request requires. `schema` is the schema of a structured response. `most_searches` are the
    searches of the web that it permits, and `must_search`: it requires one.
    """

    prompt: str
    input_tokens: int
    limit: int | None
    tools: tuple[Tool, ...] = ()
    is_reply: bool = False
    forced_tools: tuple[Tool, ...] = ()
    schema: Any = None
    most_searches: int = 0
    must_search: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """The content of a response in pieces, with its numbers of tokens.

    `is_cut` is true at the request's limit.
    """

    id: str
    thinking: tuple[str, ...]
    text: tuple[str, ...]
    calls: tuple[ToolCall, ...]
    is_cut: bool
    input_tokens: int
    cached_tokens: int
    written_tokens: int
    searches: tuple[Page, ...] = ()

    @property
    def reasoning_tokens(self) -> int:
        """Return the number of output tokens that are thinking."""
        return len(self.thinking)

    @property
    def visible_tokens(self) -> int:
        """Return the number of output tokens that are not thinking."""
        return len(self.text) + CALL_TOKENS * len(self.calls)


def count_tokens(*values: object) -> int:
    """Return the number of tokens of `values` (any JSON), at least 1."""
    said = sum(len(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")) for value in values)
    return max(1, said // BYTES_PER_TOKEN)


def answer(ask: Ask, directions: TextDirections) -> Answer:
    """Return the response to `ask`."""
    digest = sha256(ask.prompt.encode("utf-8", "replace")).hexdigest()
    thinking = _pieces(f"{digest}/thinking", THINKING_TOKENS if directions.think else 0)
    called = tuple(tool for tool in ask.tools if f"{tool.name}(" in ask.prompt)
    wanted = () if ask.is_reply else ask.forced_tools or ask.tools[: directions.tools] or called
    calls = tuple(_call(tool, ask.prompt, digest, number) for number, tool in enumerate(wanted))
    text = () if calls else _text(ask, directions, digest)
    room = None if ask.limit is None else max(0, ask.limit - len(thinking))
    fits = room is None or len(text) + CALL_TOKENS * len(calls) <= room
    cached = min(directions.cached, ask.input_tokens)
    searches = min(directions.searches or int(ask.must_search), ask.most_searches)
    # After each search, the model reads everything again.
    read = sum(ask.input_tokens + PAGE_TOKENS * done for done in range(1, searches + 1))
    return Answer(
        id=digest[:24],
        thinking=thinking if ask.limit is None else thinking[: ask.limit],
        text=text if fits else text[:room],
        calls=calls if fits else (),
        is_cut=not fits,
        input_tokens=ask.input_tokens + read,
        cached_tokens=cached,
        written_tokens=min(directions.cache_write, ask.input_tokens - cached),
        searches=tuple(_page(number) for number in range(1, searches + 1)),
    )


def _page(number: int) -> Page:
    return Page(f"simulated query {number}", f"https://pages.test/{number}", f"Page {number}")


def pieces_of(text: str) -> tuple[str, ...]:
    """Return `text` in pieces of `PIECE_CHARS`."""
    return tuple(text[at : at + PIECE_CHARS] for at in range(0, len(text), PIECE_CHARS))


def _text(ask: Ask, directions: TextDirections, digest: str) -> tuple[str, ...]:
    if ask.schema is not None:
        return pieces_of(json.dumps(sample(ask.schema)))
    return _pieces(digest, DEFAULT_TOKENS if directions.tokens is None else directions.tokens)


def _pieces(seed: str, count: int) -> tuple[str, ...]:
    choose = random.Random(seed)  # noqa: S311 - the same words for the same prompt
    words = [choose.choice(_WORDS) for _ in range(count)]
    return tuple(f"{' ' if at else ''}{word}" for at, word in enumerate(words))


def _call(tool: Tool, prompt: str, digest: str, number: int) -> ToolCall:
    """Return a call of `tool` that matches its schema. If the prompt has `name(3)`, its number is 3."""
    arguments = sample(tool.schema)
    said = re.search(rf"{re.escape(tool.name)}\((-?\d{{1,9}})\)", prompt, re.ASCII)
    if said is not None and isinstance(arguments, dict):
        arguments = {name: int(said[1]) if value == 1 else value for name, value in arguments.items()}
    return ToolCall(f"{digest[:16]}{number}", tool.name, pieces_of(json.dumps(arguments)))
