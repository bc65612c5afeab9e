"""Numbers as requests have them: in JSON, and in text. Pure.

Apart from `http/json_body.py`, so that code that reads no body does not import its parser.
"""

from typing import Any


def whole_number(value: Any) -> int | None:
    """Return a number that is whole, as 5.0 is; `None` for all else, so for `true` and `"5"`.

    Source: site/conventions.md#values.
    """
    is_whole = type(value) is int or (type(value) is float and value.is_integer())
    return int(value) if is_whole else None


def digits(text: Any, least: int, most: int) -> int | None:
    """Return the whole number from `least` to `most` that `text` writes in ASCII digits; `None` for all else.

    Every number in a query, a path, a header or a form is read by this function. `int` takes more: spaces,
    signs, underscores, and digits of other scripts. It also raises an error above 4,300 digits.
    """
    if not isinstance(text, str) or len(text) > len(str(most)) or not (text.isascii() and text.isdigit()):
        return None
    number = int(text)
    return number if least <= number <= most else None
