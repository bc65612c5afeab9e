"""The tools of a request as tools of a chat: functions, custom tools and namespaces. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tollgate.kit.errors import InvalidInputError
from tollgate.text.body.fields import invalid
from tollgate.text.body.web_search import is_search_tool
from tollgate.text.models import TextProtocol
from tollgate.text.responses.items import CUSTOM_INPUT, TOOL_SEARCH, ToolName, chat_name

# Tools that run at the provider, and that clients such as Codex add to each request. No route sells them.
_EXTRAS = ("web_search", "image_generation")
# Tools of OpenAI's models only. The client runs them.
_AT_CLIENT = ("apply_patch", "local_shell", "computer", "computer_use_preview")
# A choice among some of the tools: a chat gets only these.
_ALLOWED = "allowed_tools"
# Items whose tools are tools of the request.
_WITH_TOOLS = ("additional_tools", "tool_search_output")


@dataclass(frozen=True, slots=True)
class Tool:
    """A function or custom tool with its path."""

    fields: Mapping[str, Any]
    path: str
    namespace: str | None = None


def is_extra(tool: Mapping[str, Any]) -> bool:
    """Return whether a tool is left out, unless the request demands its use."""
    kind = tool.get("type")
    is_hosted_search = kind == TOOL_SEARCH and tool.get("execution") != "client"
    return is_hosted_search or (isinstance(kind, str) and kind.startswith(_EXTRAS))


def all_tools(fields: Mapping[str, Any], items: Sequence[Any]) -> Iterator[Tool]:
    """Return the tools of a request and of its items, with namespaces expanded."""
    yield from _unfolded(fields.get("tools"), "/tools")
    for item in items:
        if isinstance(item, dict) and item.get("type") in _WITH_TOOLS:
            yield from _unfolded(item.get("tools"), "/input/tools")


def _unfolded(tools: Any, path: str, namespace: str | None = None) -> Iterator[Tool]:
    for position, tool in enumerate(tools if isinstance(tools, list) else []):
        place = f"{path}/{position}"
        if not isinstance(tool, dict):
            raise invalid(place, "Must be a tool.")
        if tool.get("type") == "namespace" and namespace is None and isinstance(tool.get("name"), str):
            yield from _unfolded(tool.get("tools"), f"{place}/tools", tool["name"])
        else:
            yield Tool(tool, place, namespace)


def own_names(tools: Sequence[Tool]) -> dict[str, ToolName]:
    """Return the request's own names of its tools, by their names in the chat."""
    return {_chat_tool_name(tool): _own_name(tool) for tool in tools}


def _chat_tool_name(tool: Tool) -> str:
    return chat_name(tool.namespace, _own_name(tool).name)


def _own_name(tool: Tool) -> ToolName:
    kind = tool.fields.get("type")
    if kind == TOOL_SEARCH:
        return ToolName(TOOL_SEARCH, is_search=True)
    return ToolName(str(tool.fields.get("name")), tool.namespace, kind == "custom")


def chat_tools(fields: Mapping[str, Any], tools: Sequence[Tool]) -> dict[str, Any]:
    """Return the fields of a chat for its tools and the choice among them. Raises `InvalidInputError`."""
    if not tools:
        return {}
    choice = fields.get("tool_choice")
    is_search = isinstance(choice, dict) and is_search_tool(TextProtocol.OPENAI, choice)
    chosen = {} if choice is None or is_search else {"tool_choice": _tool_choice(choice)}
    # A search may find a tool that the request already has, and providers refuse a name twice.
    by_name = {_chat_tool_name(tool): tool for tool in reversed(tools) if not is_extra(tool.fields)}
    if isinstance(choice, dict) and choice.get("type") == _ALLOWED:
        allowed = {each.get("name") for each in choice.get("tools") or [] if isinstance(each, dict)}
        by_name = {name: tool for name, tool in by_name.items() if _own_name(tool).name in allowed}
    if by_name:
        shown = [_tool(tool.fields, tool.path, name) for name, tool in reversed(by_name.items())]
        return {"tools": shown, **chosen}
    if choice == "required" and not any(is_search_tool(TextProtocol.OPENAI, tool.fields) for tool in tools):
        raise _without_price(tools[0].path)
    return {}


def _runs_at_client(tool: Mapping[str, Any]) -> bool:
    place = tool.get("environment")
    kind = place.get("type", "local") if isinstance(place, dict) else "local"
    return tool.get("type") in _AT_CLIENT or (tool.get("type") == "shell" and kind == "local")


def _at_client(path: str) -> InvalidInputError:
    return invalid(f"{path}/type", "This service does not support this kind of tool.", ["function", "custom"])


def _without_price(path: str) -> InvalidInputError:
    # Tools that run at the provider are charged per use, and their results become input.
    return invalid(
        f"{path}/type", "Tools that run at the provider have no price here.", ["function", "custom"]
    )


def _tool(tool: Mapping[str, Any], path: str, name_in_chat: str) -> dict[str, Any]:
    kind, name = tool.get("type"), tool.get("name")
    if kind not in ("function", "custom", TOOL_SEARCH):
        raise _at_client(path) if _runs_at_client(tool) else _without_price(path)
    if not isinstance(name, str) and kind != TOOL_SEARCH:
        raise invalid(f"{path}/name", "Required.")
    function: dict[str, Any] = {"name": name_in_chat}
    if tool.get("description"):
        function["description"] = tool["description"]
    if kind == "custom":
        # As a function with one text: every provider has those.
        parameters = {
            "type": "object",
            "properties": {CUSTOM_INPUT: {"type": "string", **_grammar(tool.get("format"))}},
            "required": [CUSTOM_INPUT],
            "additionalProperties": False,
        }
        return {"type": "function", "function": {**function, "parameters": parameters}}
    function["parameters"] = tool.get("parameters") or {"type": "object", "properties": {}}
    if tool.get("strict") is not None:
        function["strict"] = tool["strict"]
    return {"type": "function", "function": function}


def _grammar(shape: Any) -> dict[str, str]:
    """Return a custom tool's grammar as words, because a chat has no other place for it."""
    if not isinstance(shape, dict) or shape.get("type") != "grammar":
        return {}
    return {"description": f"Must follow this {shape.get('syntax')} grammar:\n{shape.get('definition')}"}


def _tool_choice(choice: Any) -> Any:
    if choice in ("auto", "none", "required"):
        return choice
    if isinstance(choice, dict) and choice.get("type") in ("function", "custom"):
        if not choice.get("name"):
            raise invalid("/tool_choice/name", "Required.")
        return {"type": "function", "function": {"name": choice.get("name")}}
    if isinstance(choice, dict) and choice.get("type") == _ALLOWED:
        return "required" if choice.get("mode") == "required" else "auto"
    raise invalid("/tool_choice", "Must be auto, none, required, or a function or custom tool by its name.")
