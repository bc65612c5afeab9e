"""Files of Tollgate's storage in a field for another kind of media. Pure."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tollgate.catalog.kinds import media_of
from tollgate.catalog.media import with_article
from tollgate.catalog.models import Model
from tollgate.catalog.profiles.base import IMAGES
from tollgate.kit.problems import Problem

# Video containers can have only sound.
_CAN_BE_AUDIO = "video"


def kind_problems(
    sent: Mapping[str, Any], model: Model, kind_of: Callable[[str], str | None]
) -> Iterator[Problem]:
    """Yield a problem for each file whose kind its field does not take.

    `sent` is an accepted input with the customer's names of fields. `kind_of` returns the kind of the file at
    a URL, or `None` if it is unknown, as for a foreign URL.
    """
    fields, alias = model.input_class.published(), model.input_class.aliased_field()
    for name, value in sent.items():
        field = fields.get(alias if alias is not None and name == IMAGES else name)
        wanted = set() if field is None else media_of(field)
        if not wanted:
            continue
        for path, text in texts_in(value, f"/input/{name}"):
            found = kind_of(text)
            if found in (None, *wanted) or (found == _CAN_BE_AUDIO and "audio" in wanted):
                continue
            allowed = " or ".join(with_article(one) for one in sorted(wanted))
            yield Problem(path, f"Must be {allowed}, is {with_article(str(found))}.", allowed)


def texts_in(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield each text in a value of an accepted input, which is not deep, with its path."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, Mapping | list):
        for name, one in value.items() if isinstance(value, Mapping) else enumerate(value):
            yield from texts_in(one, f"{path}/{name}")
