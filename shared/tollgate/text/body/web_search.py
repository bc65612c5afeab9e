"""A request's search of the web, which the provider runs: the field that asks for it, and its bound. Pure.

A search has a price beside the tokens, and its results become input. So a request searches at most as often
as its hold covers, and the provider is sent this bound: `max_uses` in messages, `max_tool_calls` in
Responses.

Source: `anthropic.types.WebSearchTool20250305Param` and its later versions,
`openai.types.responses.WebSearchTool`, `openai.types.chat.completion_create_params.WebSearchOptions`, and
OpenRouter's web plugin (https://openrouter.ai/docs/features/web-search).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tollgate.kit.problems import Problem
from tollgate.text.body.request import TextRequest
from tollgate.text.models import TextProtocol
from tollgate.text.money.metering import MAX_SEARCH_STEPS

# The searches of a request that sets no bound, and the highest bound.
DEFAULT_SEARCHES, MAX_SEARCHES = 5, 20
NAME = "web_search"
# The fields of a chat. No provider is sent them: its search is a tool.
CHAT_FIELDS = ("web_search_options", "plugins")
# In a Responses request; the first is what OpenAI is sent.
_OF_RESPONSES = (NAME, "web_search_2025_08_26", "web_search_preview", "web_search_preview_2025_03_11")
# In messages. A later version may have another price.
_OF_MESSAGES = ("web_search_20250305", "web_search_20260209", "web_search_20260318")
# It filters its results by code, in further steps.
_PLAIN = _OF_MESSAGES[0]
_PLUGIN = frozenset({"id", "enabled", "max_results", "engine", "include_domains", "exclude_domains"})
_ENGINES = ("auto", "native")
# OpenRouter's plugin for files: https://openrouter.ai/docs/guides/overview/multimodal/pdfs
PARSER = "file-parser"
_PARSER_FIELDS = frozenset({"id", "enabled", "pdf"})
_ALLOWED, _BLOCKED = "allowed_domains", "blocked_domains"


@dataclass(frozen=True, slots=True)
class WebSearch:
    """The search in a request.

    `path` is the JSON pointer of the field, `most` the most searches, and `steps` the steps of a search that
    takes more steps than it has searches. `is_optional`: the request may be sent without it. `is_forced`: the
    model has to search. `kind` is the tool's type, and `tool` its other fields, in the client's own protocol.
    For a chat, these are the fields of Responses.
    """

    path: str
    most: int = DEFAULT_SEARCHES
    steps: int = 0
    is_optional: bool = False
    is_forced: bool = False
    kind: str = NAME
    tool: Mapping[str, Any] = field(default_factory=dict)


def search_of(request: TextRequest) -> WebSearch | None:
    """Return the search in a request; `None` if there is none, or only a malformed one."""
    if request.native is not None and request.sent is not None:
        return _of_response(request.sent)
    if request.protocol is TextProtocol.ANTHROPIC:
        return _of_messages(request.fields)
    return _of_chat(request.fields) if request.protocol is TextProtocol.OPENAI else None


def search_problems(request: TextRequest) -> Iterator[Problem]:
    """Yield the problems of the fields that ask for a search."""
    fields = request.fields
    if request.protocol is TextProtocol.ANTHROPIC:
        found = list(_search_tools(fields))
        for at, tool in found:
            if not _is_bound(tool.get("max_uses")):
                yield Problem(f"/tools/{at}/max_uses", _bounds(), MAX_SEARCHES)
        for at, _ in found[1:]:
            yield Problem(f"/tools/{at}/type", "A request has one search of the web.")
    elif request.native is not None and request.sent is not None:
        if not _is_bound(request.sent.get("max_tool_calls")) and search_of(request) is not None:
            yield Problem("/max_tool_calls", _bounds(), MAX_SEARCHES)
    elif request.protocol is TextProtocol.OPENAI:
        yield from chat_problems(fields)


def is_search_tool(protocol: TextProtocol, tool: Mapping[str, Any]) -> bool:
    """Return whether a tool is a search of the web."""
    return tool.get("type") in (_OF_MESSAGES if protocol is TextProtocol.ANTHROPIC else _OF_RESPONSES)


def tool_of_responses(search: WebSearch) -> dict[str, Any]:
    """Return the search as a tool of Responses, without the parts that it has no place for (`untold`)."""
    if search.kind not in _OF_MESSAGES:
        return {"type": NAME, **search.tool}
    allowed = search.tool.get(_ALLOWED)
    found = {name: search.tool[name] for name in ("user_location",) if search.tool.get(name)}
    return {"type": NAME, **found, **({"filters": {_ALLOWED: allowed}} if allowed else {})}


def tool_of_messages(search: WebSearch) -> dict[str, Any]:
    """Return the search as a tool of messages, with its bound."""
    if search.kind in _OF_MESSAGES:
        return {**search.tool, "type": search.kind, "max_uses": search.most}
    filters = search.tool.get("filters")
    domains = {
        name: filters[name]
        for name in (_ALLOWED, _BLOCKED)
        if isinstance(filters, Mapping) and filters.get(name)
    }
    location = search.tool.get("user_location")
    placed = {"user_location": {"type": "approximate", **location}} if isinstance(location, Mapping) else {}
    return {"type": _PLAIN, "name": NAME, "max_uses": search.most, **domains, **placed}


def untold(search: WebSearch) -> str | None:
    """Return the JSON pointer of a part of the search that Responses has no place for, if there is one."""
    if search.kind in _OF_MESSAGES:
        return f"{search.path}/{_BLOCKED}" if search.tool.get(_BLOCKED) else None
    filters = search.tool.get("filters")
    is_blocking = isinstance(filters, Mapping) and filters.get(_BLOCKED)
    return f"{search.path}/exclude_domains" if is_blocking and search.path.startswith("/plugins") else None


def _of_response(sent: Mapping[str, Any]) -> WebSearch | None:
    tools = sent.get("tools") or []
    for at, tool in enumerate(tools):
        if isinstance(tool, Mapping) and is_search_tool(TextProtocol.OPENAI, tool):
            choice = sent.get("tool_choice")
            named = choice.get("type") in _OF_RESPONSES if isinstance(choice, Mapping) else False
            is_forced = named or (choice == "required" and len(tools) == 1)
            most = min(_most(sent.get("max_tool_calls")), MAX_SEARCHES)
            rest = {name: value for name, value in tool.items() if name != "type"}
            kind = str(tool["type"])
            return WebSearch(f"/tools/{at}", most, 0, not is_forced, is_forced, kind, rest) if most else None
    return None


def _of_messages(fields: Mapping[str, Any]) -> WebSearch | None:
    for at, tool in _search_tools(fields):
        choice, kind = fields.get("tool_choice"), str(tool["type"])
        is_forced = isinstance(choice, Mapping) and choice.get("name") == NAME
        rest = {name: value for name, value in tool.items() if name != "type"}
        steps = 0 if kind == _PLAIN else MAX_SEARCH_STEPS
        return WebSearch(f"/tools/{at}", _most(tool.get("max_uses")), steps, False, is_forced, kind, rest)
    return None


def _of_chat(fields: Mapping[str, Any]) -> WebSearch | None:
    if fields.keys().isdisjoint(CHAT_FIELDS):
        return None
    options = fields.get("web_search_options")
    if isinstance(options, Mapping):
        tool = {name: value for name, value in options.items() if name != "user_location"}
        location = options.get("user_location")
        near = location.get("approximate") if isinstance(location, Mapping) else None
        placed = {"user_location": {"type": "approximate", **near}} if isinstance(near, Mapping) else {}
        return WebSearch("/web_search_options", tool={**tool, **placed})
    plugins = fields.get("plugins")
    for at, plugin in enumerate(plugins if isinstance(plugins, list) else []):
        if isinstance(plugin, Mapping) and plugin.get("id") == "web" and plugin.get("enabled") is not False:
            names = {"include_domains": _ALLOWED, "exclude_domains": _BLOCKED}
            filters = {ours: plugin[name] for name, ours in names.items() if plugin.get(name)}
            return WebSearch(f"/plugins/{at}", tool={"filters": filters} if filters else {})
    return None


def chat_problems(fields: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield the problems of the fields of a chat that ask for a search or name plugins."""
    options, plugins = fields.get("web_search_options"), fields.get("plugins")
    if not isinstance(options, Mapping | None) and options is not False:
        yield Problem("/web_search_options", "Must be an object.")
    if not isinstance(plugins, list | None) and plugins is not False:
        yield Problem("/plugins", "Must be a list.")
    for at, plugin in enumerate(plugins if isinstance(plugins, list) else []):
        if isinstance(plugin, Mapping) and plugin.get("id") == PARSER:
            yield from _parser_problems(f"/plugins/{at}", plugin)
            continue
        if not isinstance(plugin, Mapping) or plugin.get("id") != "web":
            yield Problem(f"/plugins/{at}/id", "Tollgate has no price for other plugins.", ["web", PARSER])
            continue
        if plugin.get("engine") not in (None, *_ENGINES):
            yield Problem(f"/plugins/{at}/engine", "The model's provider searches.", list(_ENGINES))
        for name in plugin.keys() - _PLUGIN:
            yield Problem(f"/plugins/{at}/{name}", "Unknown field.", sorted(_PLUGIN))


def _parser_problems(path: str, plugin: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield the problems of the plugin for files. Models read files themselves, without it."""
    options = plugin.get("pdf")
    if not isinstance(options, Mapping | None):
        yield Problem(f"{path}/pdf", "Must be an object.")
    elif options is not None and options.get("engine") not in (None, "native"):
        message = "Models read files themselves. Tollgate has no price for other engines."
        yield Problem(f"{path}/pdf/engine", message, ["native"])
    for name in plugin.keys() - _PARSER_FIELDS:
        yield Problem(f"{path}/{name}", "Unknown field.", sorted(_PARSER_FIELDS))


def only_reads_files(fields: Mapping[str, Any]) -> bool:
    """Return whether the plugins of a chat are those for files only."""
    plugins = fields.get("plugins")
    return isinstance(plugins, list) and all(
        isinstance(plugin, Mapping) and plugin.get("id") == PARSER for plugin in plugins
    )


def _search_tools(fields: Mapping[str, Any]) -> Iterator[tuple[int, Mapping[str, Any]]]:
    tools = fields.get("tools")
    for at, tool in enumerate(tools if isinstance(tools, list) else []):
        if isinstance(tool, Mapping) and is_search_tool(TextProtocol.ANTHROPIC, tool):
            yield at, tool


def _is_bound(value: Any) -> bool:
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    return value is None or (is_whole and 0 < value <= MAX_SEARCHES)


def _most(value: Any) -> int:
    return DEFAULT_SEARCHES if value is None or not isinstance(value, int) else value


def _bounds() -> str:
    return f"Must be a whole number from 1 to {MAX_SEARCHES}."
