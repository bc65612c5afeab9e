"""An Anthropic messages request as an OpenAI chat request (docs/text-protocols.md#messages-to-chat).

A field without an equivalent is omitted if it is a hint, and refused if it would change the response
(`fields.py`).
"""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from tollgate.kit.errors import InvalidInputError
from tollgate.kit.problems import Problem
from tollgate.text.body.fields import MESSAGES, unsent
from tollgate.text.body.inner_fields import hints_of_messages
from tollgate.text.body.json_body import dumps
from tollgate.text.body.request import TextRequest, translated_tools
from tollgate.text.body.web_search import NAME, is_search_tool
from tollgate.text.models import TextProtocol
from tollgate.text.translation.call_state import is_state, states_of, with_states
from tollgate.text.translation.message_state import is_message_state, state_fields
from tollgate.text.translation.thinking import unsealed
from tollgate.text.translation.tool_names import short_name
from tollgate.text.wire.dialect import ChatDialect

MAX_STOPS = 4
ERROR_PREFIX = "Error: "

_TRANSLATED = frozenset(
    {
        *("model", "messages", "max_tokens", "system", "stop_sequences", "stream", "tools", "tool_choice"),
        *("thinking", "output_config", "metadata"),
    }
)
# Of `output_config`, those with an equivalent.
_CONFIG = ("effort", "format")
# Fields of a chat that have another name in messages.
_NAMES = {
    "stop": "stop_sequences",
    "max_completion_tokens": "max_tokens",
    "reasoning_effort": "output_config.effort",
    "response_format": "output_config.format",
}
# The same with fields of Responses, in which OpenAI's models are asked with tools.
_QUOTED = {
    **_NAMES,
    "max_output_tokens": "max_tokens",
    "reasoning.effort": "output_config.effort",
    "text.format": "output_config.format",
}
_IN_QUOTES = re.compile("(?<=')(" + "|".join(map(re.escape, _QUOTED)) + ")(?=')")
_BUDGET_EFFORTS = ((1_024, "low"), (2_048, "medium"))
_CHOICES = {"auto": "auto", "any": "required", "none": "none"}


def chat_request(
    request: TextRequest, dialect: ChatDialect, upstream_id: str, output_limit: int
) -> dict[str, Any]:
    """The body for an OpenAI-compatible provider. Raises `InvalidInputError` for untranslatable fields."""
    fields = request.fields
    if output_limit < 1:
        raise _invalid("/max_tokens", "Must be 1 or more for this model.")
    messages = _system(fields.get("system"), "/system")
    for position, message in enumerate(fields["messages"]):
        messages += _messages(message, f"/messages/{position}", dialect)
    body: dict[str, Any] = {"model": upstream_id, "messages": messages, dialect.limit_field: output_limit}
    body |= _tools(fields)
    stops = fields.get("stop_sequences")
    if isinstance(stops, list) and stops:
        body["stop"] = stops[:MAX_STOPS]
    body |= _effort(fields) | _format(fields)
    if _is_switched_off(fields) and dialect.knows("thinking"):
        body["thinking"] = {"type": "disabled"}
    metadata = fields.get("metadata")
    if isinstance(metadata, dict) and metadata.get("user_id"):
        body["safety_identifier"] = metadata["user_id"]
    if request.stream:
        body["stream"] = True
        if dialect.takes_stream_options:
            body["stream_options"] = {"include_usage": True}
    left, _ = unsent(request.protocol, fields, _takes(dialect))
    gone = _TRANSLATED.union(left)
    return {**{name: value for name, value in fields.items() if name not in gone}, **body}


def ignored_by_chat(request: TextRequest, dialect: ChatDialect) -> list[str]:
    """Return the hints of a messages request that an OpenAI-compatible provider is not sent.

    Raises `InvalidInputError` for fields that it lacks and that are more than a hint.
    """
    _, ignored = unsent(request.protocol, request.fields, _takes(dialect))
    stops = request.fields.get("stop_sequences")
    if isinstance(stops, list) and len(stops) > MAX_STOPS:
        ignored = [*ignored, "stop_sequences"]
    if _is_switched_off(request.fields) and not dialect.knows("thinking"):
        ignored = [*ignored, "thinking"]
    config = request.fields.get("output_config")
    unknown = [name for name in config if name not in _CONFIG] if isinstance(config, dict) else []
    return [*ignored, *(f"output_config.{name}" for name in unknown), *hints_of_messages(request.fields)]


@contextmanager
def own_names(request: TextRequest, dialect: ChatDialect) -> Iterator[None]:
    """Name fields of the translated body in errors by their places in a messages request."""
    try:
        yield
    except InvalidInputError as exc:
        if request.protocol is not TextProtocol.ANTHROPIC:
            raise
        raise exc.renamed(
            lambda problem: replace(problem, path=_own_path(problem.path, request.fields, dialect))
        ) from exc


def in_own_words(message: str) -> str:
    """Return a provider's message with the names that quoted fields have in a messages request."""
    return _IN_QUOTES.sub(lambda found: _QUOTED[found[0]], message)


def _own_path(path: str, fields: Mapping[str, Any], dialect: ChatDialect) -> str:
    """Return the JSON pointer in a messages request for one in the chat. Of a message, it is its content."""
    name, *inner = path.removeprefix("/").split("/")
    if name != "messages" or not inner:
        return "/".join(("", *_NAMES.get(name, name).split("."), *inner))
    left = int(inner[0]) - len(_system(fields.get("system"), "/system"))
    for position, message in enumerate(fields["messages"]):
        left -= len(_messages(message, "", dialect))
        if left < 0:
            return f"/messages/{position}/content"
    return "/messages"


def _is_switched_off(fields: Mapping[str, Any]) -> bool:
    thinking = fields.get("thinking")
    return isinstance(thinking, dict) and thinking.get("type") == "disabled"


def _takes(dialect: ChatDialect) -> Callable[[str], bool]:
    def takes(name: str) -> bool:
        if name in _TRANSLATED:
            return True
        # Of the other names, Anthropic's own have no equivalent, whatever a vendor means by them.
        return not (name in MESSAGES and MESSAGES[name].own) and dialect.knows(name)

    return takes


def _invalid(path: str, message: str) -> InvalidInputError:
    return InvalidInputError([Problem(path, message)])


def _blocks(content: Any, path: str) -> list[dict[str, Any]]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    if not isinstance(content, list) or not all(isinstance(block, dict) for block in content):
        raise _invalid(path, "Must be a string or a list of blocks.")
    return content


def _joined(blocks: list[dict[str, Any]], separator: str, path: str) -> str:
    texts = [block.get("text") for block in blocks]
    if not all(isinstance(text, str) for text in texts):
        raise _invalid(path, "Must have text blocks only.")
    return separator.join(map(str, texts))


def _system(content: Any, path: str) -> list[dict[str, Any]]:
    if not content:
        return []
    return [{"role": "system", "content": _joined(_blocks(content, path), "\n\n", path)}]


def _messages(message: Mapping[str, Any], path: str, dialect: ChatDialect) -> list[dict[str, Any]]:
    role = message.get("role")
    where = f"{path}/content"
    blocks = _blocks(message.get("content"), where)
    if role == "system":
        return _system(blocks, where)
    if role == "assistant":
        return [_assistant(blocks, where, dialect)]
    if role == "user":
        return _user(blocks, where)
    raise _invalid(f"{path}/role", "Must be user, assistant or system.")


def _assistant(blocks: list[dict[str, Any]], path: str, dialect: ChatDialect) -> dict[str, Any]:
    texts, calls, thoughts = [], [], []
    kept: list[dict[str, Any]] = []
    for position, block in enumerate(blocks):
        kind = block.get("type")
        if kind == "text":
            texts.append(block)
        elif kind == "tool_use":
            function = {"name": short_name(block.get("name")), "arguments": dumps(block.get("input") or {})}
            calls.append({"id": block.get("id"), "type": "function", "function": function})
        elif kind == "thinking":
            thoughts.append(str(block.get("thinking", "")))
            kept += unsealed(block.get("signature"))
        elif kind != "redacted_thinking":
            raise _invalid(f"{path}/{position}", f"This model does not take a {kind} block here.")
    # OpenAI takes no content only beside calls.
    content = _joined(texts, "", path) if texts else None if calls else ""
    message: dict[str, Any] = {"role": "assistant", "content": content, **state_fields(kept)}
    if calls:
        message["tool_calls"] = with_states(calls, states_of(kept))
    if blocks := [block for block in kept if not (is_state(block) or is_message_state(block))]:
        message["thinking_blocks"] = blocks
    if thoughts and dialect.echoes_reasoning:
        message["reasoning_content"] = "".join(thoughts)
    return message


def _user(blocks: list[dict[str, Any]], path: str) -> list[dict[str, Any]]:
    results: list[dict[str, Any]] = []
    parts: list[dict[str, Any]] = []
    for position, block in enumerate(blocks):
        where = f"{path}/{position}"
        if block.get("type") == "tool_result":
            result, images = _tool_result(block, where)
            results.append(result)
            parts += images
        else:
            parts += _parts(block, where)
    if not parts:
        return results
    is_text = all(part["type"] == "text" for part in parts)
    content: Any = "".join(part["text"] for part in parts) if is_text and len(parts) == 1 else parts
    return [*results, {"role": "user", "content": content}]


def _tool_result(block: Mapping[str, Any], path: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    # A tool message is text only: images of the result follow in the user's own message.
    inner = _blocks(block.get("content") or "", path)
    parts = [part for each in inner for part in _parts(each, path)]
    text = "".join(part["text"] for part in parts if part["type"] == "text")
    shown = f"{ERROR_PREFIX}{text}" if block.get("is_error") else text
    message = {"role": "tool", "tool_call_id": block.get("tool_use_id"), "content": shown}
    return message, [part for part in parts if part["type"] != "text"]


def _parts(block: Mapping[str, Any], path: str) -> list[dict[str, Any]]:
    kind, source = block.get("type"), block.get("source")
    if kind == "tool_reference":
        # All tools are loaded anyway.
        return [{"type": "text", "text": f"The tool {block.get('tool_name')} is available."}]
    if kind == "search_result":
        texts = [_part(each, path) for each in _blocks(block.get("content"), path)]
        return [{"type": "text", "text": f"{block.get('title')}\n{source}"}, *texts]
    if kind == "document" and isinstance(source, dict) and source.get("type") == "content":
        said = [text for text in (block.get("title"), block.get("context")) if text]
        texts = [{"type": "text", "text": text} for text in said]
        return [*texts, *(_part(each, path) for each in _blocks(source.get("content"), path))]
    part = _part(block, path)
    # The context of a text document is in its own text.
    context = block.get("context") if part["type"] == "file" else None
    return [{"type": "text", "text": context}, part] if context else [part]


def _part(block: Mapping[str, Any], path: str) -> dict[str, Any]:
    kind = block.get("type")
    source = block.get("source")
    if kind == "text" and isinstance(block.get("text"), str):
        return {"type": "text", "text": block["text"]}
    if kind == "image" and isinstance(source, dict) and source.get("type") in ("base64", "url"):
        is_url = source["type"] == "url"
        url = source.get("url") if is_url else _data_url(source)
        return {"type": "image_url", "image_url": {"url": url}}
    if kind == "document" and isinstance(source, dict):
        if source.get("type") == "text":
            # Anthropic's models read its title and context too.
            said = (block.get("title"), block.get("context"), source.get("data", ""))
            return {"type": "text", "text": "\n\n".join(str(text) for text in said if text)}
        if source.get("type") == "base64":
            name = block.get("title") or "document.pdf"
            return {"type": "file", "file": {"filename": name, "file_data": _data_url(source)}}
    raise _invalid(path, f"This model does not take a {kind} block like this.")


def _data_url(source: Mapping[str, Any]) -> str:
    return f"data:{source.get('media_type')};base64,{source.get('data')}"


def _tools(fields: Mapping[str, Any]) -> dict[str, Any]:
    tools, choice = fields.get("tools"), fields.get("tool_choice")
    if isinstance(tools, list):
        # A search of the web is no function: the adapter adds it.
        fields = {**fields, "tools": [tool for tool in tools if not _is_search(tool)]}
    if not (found := translated_tools(fields, _tool)):
        return {}
    if not isinstance(choice, dict) or choice.get("name") == NAME:
        return found
    if choice.get("type") == "tool":
        found["tool_choice"] = {"type": "function", "function": {"name": short_name(choice.get("name"))}}
    elif choice.get("type") in tuple(_CHOICES):
        found["tool_choice"] = _CHOICES[choice["type"]]
    else:
        raise _invalid("/tool_choice/type", "Must be auto, any, none or tool.")
    if choice.get("disable_parallel_tool_use"):
        found["parallel_tool_calls"] = False
    return found


def _is_search(tool: Any) -> bool:
    return isinstance(tool, dict) and is_search_tool(TextProtocol.ANTHROPIC, tool)


def _tool(tool: Any, path: str) -> dict[str, Any]:
    if not isinstance(tool, dict) or tool.get("type") not in (None, "custom"):
        raise _invalid(path, "This model takes custom tools only.")
    function = {
        "name": short_name(tool.get("name")),
        "parameters": tool.get("input_schema") or {"type": "object"},
    }
    if tool.get("description"):
        function["description"] = tool["description"]
    if tool.get("strict") is True:
        function["strict"] = True
    return {"type": "function", "function": function}


def _effort(fields: Mapping[str, Any]) -> dict[str, Any]:
    config = fields.get("output_config")
    if isinstance(config, dict) and config.get("effort"):
        return {"reasoning_effort": config["effort"]}
    thinking = fields.get("thinking")
    budget = thinking.get("budget_tokens") if isinstance(thinking, dict) else None
    if not isinstance(budget, int) or thinking is None or thinking.get("type") != "enabled":
        return {}
    fitting = [effort for most, effort in _BUDGET_EFFORTS if budget <= most]
    return {"reasoning_effort": fitting[0] if fitting else "high"}


def _format(fields: Mapping[str, Any]) -> dict[str, Any]:
    config = fields.get("output_config")
    wanted = config.get("format") if isinstance(config, dict) else None
    if not isinstance(wanted, dict) or wanted.get("type") != "json_schema":
        return {}
    named = {"name": "answer", "schema": wanted.get("schema"), "strict": True}
    return {"response_format": {"type": "json_schema", "json_schema": named}}
