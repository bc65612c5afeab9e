"""The limits of Grok Imagine Video at all providers (docs/providers/xai.md). Pure."""

from tollgate.providers.mapping.fields import Values
from tollgate.providers.mapping.images import CannotMapError

MAX_PROMPT_BYTES = 4_096
# With two images or more.
MAX_REFERENCES_S = 10


def within_grok_bounds(values: Values) -> Values:
    """Return `values` unchanged. Raises `CannotMapError` for an input that the vendor refuses."""
    if len(values.get("prompt", "").encode()) > MAX_PROMPT_BYTES:
        raise CannotMapError(f"prompt is more than {MAX_PROMPT_BYTES} bytes")
    if len(values.get("urls") or ()) > 1 and values.get("duration", 0) > MAX_REFERENCES_S:
        raise CannotMapError(f"duration is more than {MAX_REFERENCES_S} with two images")
    return values
