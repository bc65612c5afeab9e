"""The metadata of stored objects, in OpenAI's bounds. Pure."""

from typing import Any

from tollgate.text.body.fields import invalid

MAX_PAIRS, MAX_NAME, MAX_VALUE = 16, 64, 512


def metadata_of(given: Any) -> dict[str, str]:
    """Return the metadata of a body, in OpenAI's bounds. Raises `InvalidInputError`."""
    if given is None:
        return {}
    if not isinstance(given, dict) or len(given) > MAX_PAIRS:
        raise invalid("/metadata", f"Must be an object of at most {MAX_PAIRS} pairs.")
    for name, value in given.items():
        if len(name) > MAX_NAME:
            raise invalid("/metadata", f"A name has at most {MAX_NAME} characters.")
        if not isinstance(value, str) or len(value) > MAX_VALUE:
            raise invalid(f"/metadata/{name}", f"Must be a string of at most {MAX_VALUE} characters.")
    return given
