"""Directions for responses, in addition to `local.simulator.directions`, e.g. `hello [[think]] [[delay 20]]`.

| direction | effect |
|---|---|
| `[[tokens 200]]` | the response has 200 tokens |
| `[[think]]` | the response starts with thinking |
| `[[tool]]`, `[[tools 2]]` | the response calls the first tool of the request, or the first two |
| `weather(3)` | the response calls that tool of the request; its integer is 3 |
| `[[search]]`, `[[search 3]]` | the response searches the web once, or so often, if the request offers it |
| `[[cached 30]]`, `[[cache-write 20]]` | this many input tokens are read from, or written to, the cache |
| `[[delay 20]]` | 20 ms between chunks |
| `[[silent 30]]` | headers, then nothing for 30 s |
| `[[stream-cut 10]]` | the connection breaks after 10 chunks (or in the middle of a complete response) |
| `[[error-in-stream]]` | an error event in the middle of a stream |
| `[[garbage]]`, `[[garbage 3]]` | an unreadable response, or an unreadable chunk after 3 good chunks |
| `[[no-usage]]` | no usage is reported |
| `[[usage-negative]]`, `[[usage-absurd]]` | the counts are negative; a million times too large |
| `[[usage-in-choices]]` | usage is in the chunk of the last content, not in a separate chunk |
| `[[vendor deepseek]]` | usage has that vendor's format |
| `[[images 2]]` | the response has two images instead of one, if it has any |
| `[[large-images]]` | images have nearly as many bytes as Tollgate takes in a response |
| `[[no-details]]` | the usage does not count the tokens of images |
| `[[blocked]]`, `[[unsafe]]` | Google blocks the prompt; it refuses the image |
| `[[default-tier]]` | the response is from the ordinary service tier, whichever was requested |
| `[[other-model]]` | the response names another model, as after the end of one |
| `[[cost 0.5]]` | vendors that state their charge state this, in USD |
| `[[host-price 9]]` | OpenRouter's hosts ask this for 1M input tokens, so a lower `max_price` gets 404 |
| `[[too-long]]` | HTTP 400 in the vendor's words for an input that is longer than the context |
| `[[reject]]`, `[[fail]]` | HTTP 400 for the content, HTTP 500 |
| `[[status 429]]`, `[[status 500 2]]` | requests of this prompt, or only the first 2, return this status |
| `[[hang 20]]`, `[[lost]]` | 20 s before the headers; no response |
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from local.simulator.directions import MAX_DIRECTIONS, MAX_SECONDS, MS_PER_S

MAX_TOKENS = 20_000
MAX_TOOLS = 10
IMPLAUSIBLE_FACTOR = 1_000_000
COSTLIER_TIERS = ("flex", "priority")
OTHER_MODEL = "successor-9"

_DIRECTION = re.compile(
    r"\[\[\s*(?:([a-z0-9-]{1,40})\s*:)?\s*([a-z-]{1,40})(?:\s+([a-z0-9.]{1,20}))?\s*\]\]", re.I
)


@dataclass(frozen=True, slots=True)
class TextDirections:
    """The directions for one response. Each field is the direction of the same name. Times are in ms."""

    tokens: int | None = None
    think: bool = False
    searches: int = 0
    tools: int = 0
    cached: int = 0
    cache_write: int = 0
    delay_ms: int = 0
    silent_ms: int = 0
    stream_cut: int | None = None
    error_in_stream: bool = False
    no_usage: bool = False
    usage_factor: int = 1
    usage_in_choices: bool = False
    vendor: str | None = None
    other_model: bool = False
    images: int = 1
    large_images: bool = False
    no_details: bool = False
    too_long: bool = False
    blocked: bool = False
    unsafe: bool = False
    default_tier: bool = False
    cost_usd: float | None = None
    host_price_usd: float | None = None

    def tier(self, asked: Any) -> str:
        """Return the service tier that the response names; `asked` is the requested one."""
        return asked if asked in COSTLIER_TIERS and not self.default_tier else "default"

    def named(self, model: str) -> str:
        """Return the model that the response names."""
        return OTHER_MODEL if self.other_model else model


def parse_text(prompt: str, provider: str) -> TextDirections:
    """Return the directions in `prompt` for `provider`. At most the first `MAX_DIRECTIONS` are read."""
    directions = TextDirections()
    for match in islice(_DIRECTION.finditer(prompt), MAX_DIRECTIONS):
        addressee, name, argument = match.groups()
        reader = _READERS.get(name.lower())
        if reader is None or (addressee is not None and addressee.lower() != provider):
            continue
        field, read = reader
        value = read(argument)
        directions = directions if value is None else replace(directions, **{field: value})
    return directions


def _flag(argument: str | None) -> bool | None:
    return True if argument is None else None


def _one(argument: str | None) -> int | None:
    return 1 if argument is None else None


def _search(argument: str | None) -> int | None:
    return 1 if argument is None else _number(MAX_TOOLS)(argument)


def _always(value: int) -> Callable[[str | None], int | None]:
    return lambda argument: value if argument is None else None


def _number(most: int, scale: int = 1) -> Callable[[str | None], int | None]:
    def read(argument: str | None) -> int | None:
        is_number = argument is not None and argument.isdigit() and int(argument) <= most
        return int(argument) * scale if is_number and argument is not None else None

    return read


def _usd(argument: str | None) -> float | None:
    is_amount = argument is not None and re.fullmatch(r"\d{1,6}(\.\d{1,9})?", argument)
    return float(argument) if is_amount and argument is not None else None


def _name(argument: str | None) -> str | None:
    return argument.lower() if argument else None


_READERS: dict[str, tuple[str, Callable[[str | None], Any]]] = {
    "tokens": ("tokens", _number(MAX_TOKENS)),
    "think": ("think", _flag),
    "search": ("searches", _search),
    "tool": ("tools", _one),
    "tools": ("tools", _number(MAX_TOOLS)),
    "cached": ("cached", _number(MAX_TOKENS)),
    "cache-write": ("cache_write", _number(MAX_TOKENS)),
    "delay": ("delay_ms", _number(MAX_SECONDS * MS_PER_S)),
    "silent": ("silent_ms", _number(MAX_SECONDS, MS_PER_S)),
    "stream-cut": ("stream_cut", _number(MAX_TOKENS)),
    "error-in-stream": ("error_in_stream", _flag),
    "no-usage": ("no_usage", _flag),
    "usage-negative": ("usage_factor", _always(-1)),
    "usage-absurd": ("usage_factor", _always(IMPLAUSIBLE_FACTOR)),
    "usage-in-choices": ("usage_in_choices", _flag),
    "vendor": ("vendor", _name),
    "other-model": ("other_model", _flag),
    "images": ("images", _number(MAX_TOOLS)),
    "large-images": ("large_images", _flag),
    "no-details": ("no_details", _flag),
    "too-long": ("too_long", _flag),
    "blocked": ("blocked", _flag),
    "unsafe": ("unsafe", _flag),
    "default-tier": ("default_tier", _flag),
    "cost": ("cost_usd", _usd),
    "host-price": ("host_price_usd", _usd),
}
