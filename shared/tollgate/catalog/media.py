"""Rules for the media behind an input's URLs, and measures of it: length, size, type (docs/catalog.md). Pure.

A profile names its rules (`Profile.media`); `probing` finds the facts; `checking.check_media` joins the two.
A file is probed only if a rule or a price needs it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Literal, Protocol

from tollgate.catalog.rules import at
from tollgate.kit.problems import Problem

MediaKind = Literal["image", "video", "audio", "document"]
BYTES_PER_MB = 1024 * 1024  # as the providers count it


class MediaFacts(Protocol):
    """The facts of the file behind a URL; `duration_s` is None if it has no length."""

    @property
    def kind(self) -> str:
        """Return `image`, `video`, `audio` or `document`."""

    @property
    def container(self) -> str:
        """Return the file type, e.g. `mp4` or `jpeg`."""

    @property
    def duration_s(self) -> Decimal | None:
        """Return the length in seconds."""

    @property
    def width(self) -> int | None:
        """Return the width in pixels."""

    @property
    def height(self) -> int | None:
        """Return the height in pixels."""

    @property
    def bytes(self) -> int | None:
        """Return the size of the file."""

    @property
    def pages(self) -> int | None:
        """Return the page count that a document reports."""


@dataclass(frozen=True, slots=True)
class ProbeRequest:
    """A URL to be probed.

    `path` is its place in the body (a JSON pointer), for the error if the file is not of its `kind`.
    """

    url: str
    path: str
    kind: MediaKind


@dataclass(frozen=True, slots=True)
class Length:
    """A range of seconds; `open` takes its ends out."""

    low: Decimal = Decimal(0)
    high: Decimal = Decimal("Infinity")
    open: bool = False

    def holds(self, seconds: Decimal) -> bool:
        """Return whether `seconds` is in the range."""
        return self.low < seconds < self.high if self.open else self.low <= seconds <= self.high

    def __str__(self) -> str:
        """Return the range in words."""
        if self.open:
            return f"more than {self.low} s and less than {self.high} s"
        return f"at most {self.high} s" if self.low == 0 else f"{self.low} to {self.high} s"


def always(values: Mapping[str, Any]) -> bool:
    """Say that a rule holds for every input."""
    del values
    return True


@dataclass(frozen=True, slots=True)
class MediaRule:
    """A rule for the files of one `field`, for the inputs that it `applies` to.

    `each` and `total` bound the length, `input_and_output` the total together with the result's length.
    `is_source`: the job works on these files, so their length is the request's source seconds.
    """

    field: str
    kind: MediaKind
    applies: Callable[[Mapping[str, Any]], bool] = always
    each: Length | None = None
    total: Length | None = None
    input_and_output: Length | None = None
    containers: tuple[str, ...] = ()
    max_bytes: int | None = None
    min_short_side: int | None = None
    max_pages: int | None = None
    is_source: bool = False

    def requests(self, values: Mapping[str, Any]) -> Iterator[ProbeRequest]:
        """Return the files to probe for an input's `values`."""
        found = values.get(self.field)
        # Files without a rule are not probed, because each probe is a request to a host of the customer's
        # choice.
        if found is None or not self.applies(values):
            return
        if isinstance(found, str):
            yield ProbeRequest(found, at(self.field), self.kind)
        else:
            for index, url in enumerate(found):
                yield ProbeRequest(url, at(self.field, index), self.kind)

    def problems(
        self, requests: Sequence[ProbeRequest], facts: Mapping[str, MediaFacts], output_s: Decimal
    ) -> Iterator[Problem]:
        """Return the problems of the files of `requests`; `output_s` is the length of the result."""
        for request in requests:
            yield from self._file_problems(request.path, facts[request.url])
        total_s = length_of(requests, facts)
        if self.total is not None and not self.total.holds(total_s):
            yield Problem(at(self.field), f"Must be {self.total} in total, is {total_s} s.", str(self.total))
        both = self.input_and_output
        if both is not None and not both.holds(total_s + output_s):
            yield Problem(at(self.field), f"Input and output must be {both}, are {total_s + output_s} s.")

    def _file_problems(self, path: str, facts: MediaFacts) -> Iterator[Problem]:
        if facts.kind != self.kind:
            yield Problem(
                path, f"Must be {with_article(self.kind)}, is {with_article(facts.kind)}.", self.kind
            )
            return
        if self.containers and facts.container not in self.containers:
            yield Problem(
                path, f"Must be {_or(self.containers)}, is {facts.container}.", list(self.containers)
            )
        # A host that reports no size could send any size, so we refuse the file before the charge.
        if self.max_bytes is not None and (facts.bytes is None or facts.bytes > self.max_bytes):
            yield Problem(path, f"Must have at most {self.max_bytes // BYTES_PER_MB} MB.")
        # An office file may lack a page count. Such a file is left to the provider.
        if self.max_pages is not None and (facts.pages or 0) > self.max_pages:
            yield Problem(path, f"Must have at most {self.max_pages} pages, has {facts.pages}.")
        # A file without a known length is refused, because the length may decide the charge.
        if self.each is not None and not (facts.duration_s is not None and self.each.holds(facts.duration_s)):
            yield Problem(path, f"Must be {self.each} long, is {facts.duration_s} s.", str(self.each))
        short_side = min(facts.width or 0, facts.height or 0)
        if self.min_short_side is not None and short_side < self.min_short_side:
            yield Problem(
                path, f"Its short side must have at least {self.min_short_side} pixels, has {short_side}."
            )


@dataclass(frozen=True, slots=True)
class Size:
    """A size of the result that is measured on the file of `field` and decides the price.

    `of` returns the size for an input's values and the facts of the file; `words` names it in an error. The
    prices of a model have the sizes up to which each of them counts.
    """

    field: str
    words: str
    of: Callable[[Mapping[str, Any], MediaFacts], int]


@dataclass(frozen=True, slots=True)
class Measured:
    """Measures of a job's files that decide its price: the `seconds` of its sources, its result's `sizes`."""

    seconds: Decimal = Decimal(0)
    sizes: Mapping[str, int] = field(default_factory=dict)


def length_of(requests: Sequence[ProbeRequest], facts: Mapping[str, MediaFacts]) -> Decimal:
    """Return the length of all files of `requests` together, in seconds."""
    lengths = [facts[request.url].duration_s for request in requests]
    return sum((length for length in lengths if length is not None), Decimal(0))


def with_article(kind: str) -> str:
    """Return a kind of media with its article."""
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"


def _or(names: tuple[str, ...]) -> str:
    return " or ".join(names)
