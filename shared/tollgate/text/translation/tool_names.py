"""Shorter names of tools, for providers with a lower limit than Anthropic.

Anthropic takes 128 characters (`anthropic.types.ToolParam`, anthropic 2.14.0), and programs with MCP servers
use them. OpenAI takes 64 (`FunctionDefinition`, openai 3.57.0), and so does Converse (`ToolName` of
botocore's model).
"""

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

MAX_NAME_CHARACTERS = 64
_HASH_CHARACTERS = 10


def short_name(name: Any) -> Any:
    """Return a name of at most 64 characters, which is always the same for the same name."""
    if not isinstance(name, str) or len(name) <= MAX_NAME_CHARACTERS:
        return name
    end = sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:_HASH_CHARACTERS]
    return f"{name[: MAX_NAME_CHARACTERS - 1 - _HASH_CHARACTERS]}_{end}"


def names_by_short(fields: Mapping[str, Any]) -> dict[str, str]:
    """Return the client's own name of each tool of a messages request whose name was shortened."""
    names = [str(tool.get("name")) for tool in fields.get("tools") or [] if isinstance(tool, Mapping)]
    return {short_name(name): name for name in names if len(name) > MAX_NAME_CHARACTERS}
