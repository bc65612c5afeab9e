"""What a body may ask for that has no price here: an unknown price refuses the request.

Source: docs/architecture.md#money.

Providers charge more for faster or reserved service, and per use for tools that run on their side, whose
results also come back as input that no bound of ours foresees.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from tollgate.kit.errors import Problem

_ORDINARY = {
    "service_tier": ("auto", "default", "standard_only", "standard"),
    "speed": ("standard",),
    "inference_geo": ("global", "not_available"),
}
_SERVER_SIDE = ("web_search_options", "mcp_servers", "container")
_CLIENT_TOOLS = ("function", "custom", "bash_", "text_editor_", "computer_", "memory_", "tool_search_tool_")
"""Types of tools that the client runs itself, or that cost tokens only."""


def unpriced_problems(fields: Mapping[str, Any]) -> list[Problem]:
    """Return what in a body, of either protocol, has no price here."""
    return [*_dearer_service(fields), *_server_tools(fields)]


def _dearer_service(fields: Mapping[str, Any]) -> Iterator[Problem]:
    for name, ordinary in _ORDINARY.items():
        value = fields.get(name)
        if value is not None and value not in ordinary:
            yield Problem(f"/{name}", "Has no price here.", list(ordinary))
    modalities = fields.get("modalities")
    if modalities is not None and modalities != ["text"]:
        yield Problem("/modalities", "Has no price here.", ["text"])


def _server_tools(fields: Mapping[str, Any]) -> Iterator[Problem]:
    for name in _SERVER_SIDE:
        if fields.get(name) is not None:
            yield Problem(f"/{name}", "Tools that run at the provider have no price here.")
    tools = fields.get("tools")
    for position, tool in enumerate(tools if isinstance(tools, list) else []):
        kind = tool.get("type") if isinstance(tool, dict) else None
        if isinstance(kind, str) and not kind.startswith(_CLIENT_TOOLS):
            yield Problem(f"/tools/{position}/type", "Tools that run at the provider have no price here.")
