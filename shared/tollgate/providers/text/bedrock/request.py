"""An Anthropic messages body as a Converse request (docs/providers/bedrock.md).

Unsupported hints are left out. Unsupported fields that would change the response are refused, so that another
route may run the request.
"""

from collections.abc import Mapping
from typing import Any

from tollgate.kit.errors import InvalidInputError
from tollgate.kit.problems import Problem
from tollgate.providers.text.bedrock.facts import DOCUMENT_FORMATS, IMAGE_FORMATS
from tollgate.text.body.fields import MESSAGES, Rule
from tollgate.text.body.inner_fields import hints_of_converse
from tollgate.text.body.json_body import dumps
from tollgate.text.models import Refuses
from tollgate.text.translation.tool_names import short_name

# Fields that Converse does not have, but forwards to the model.
_CLAUDE_FIELDS = ("thinking", "top_k")
_SAMPLING = {"max_tokens": "maxTokens", "temperature": "temperature", "top_p": "topP"}
_TRANSLATED = frozenset(
    {"model", "messages", "stream", "system", "stop_sequences", "tools", "tool_choice", "output_config"}
)
# Converse has system texts only at the start; later system texts become user messages at the same position.
_ROLES = {"user": "user", "assistant": "assistant", "system": "user"}
_TAKEN = _TRANSLATED | _SAMPLING.keys() | frozenset(_CLAUDE_FIELDS)
_HINTS = frozenset({"metadata", *(name for name, field in MESSAGES.items() if field.rule is Rule.HINT)})
_KNOWN = _TAKEN | _HINTS


def converse_request(body: Mapping[str, Any], refuses: frozenset[Refuses] = frozenset()) -> dict[str, Any]:
    """Return the JSON body of Converse and ConverseStream; media stay base64, which both use.

    `refuses` are the features that the model refuses here, though not at Anthropic.

    Raises `InvalidInputError` for fields that Converse does not support.
    """
    if unknown := [name for name, value in body.items() if name not in _KNOWN and value is not None]:
        raise _invalid(f"/{unknown[0]}", "This model does not support this field.")
    request: dict[str, Any] = {"messages": _turns(body["messages"]), "inferenceConfig": _inference(body)}
    if system := body.get("system"):
        request["system"] = _blocks(system, "/system")
    extra = {name: body[name] for name in _CLAUDE_FIELDS if body.get(name) is not None}
    tools, choice = body.get("tools"), body.get("tool_choice")
    if isinstance(tools, list) and tools:
        request["toolConfig"] = {"tools": _tools(tools, takes_strict=Refuses.STRICT_TOOLS not in refuses)}
        _choose(request["toolConfig"], extra, choice if isinstance(choice, dict) else {})
    if output := _output(body.get("output_config"), refuses):
        request["outputConfig"] = output
    if extra:
        request["additionalModelRequestFields"] = extra
    return request


def ignored_by_converse(fields: Mapping[str, Any]) -> list[str]:
    """Return the hints of a messages request that Converse does not have."""
    hints = [name for name in fields if name in _HINTS - _TAKEN]
    named = [name for name in hints if MESSAGES[name].has_effect(fields[name])]
    return [*named, *hints_of_converse(fields)]


def _invalid(path: str, message: str) -> InvalidInputError:
    return InvalidInputError([Problem(path, message)])


def _inference(body: Mapping[str, Any]) -> dict[str, Any]:
    found = {name: body[field] for field, name in _SAMPLING.items() if body.get(field) is not None}
    return {**found, "stopSequences": body["stop_sequences"]} if body.get("stop_sequences") else found


def _turns(messages: list[Any]) -> list[dict[str, Any]]:
    """Return the conversation in turns: messages with the same role are joined, which Converse requires."""
    turns: list[dict[str, Any]] = []
    for position, message in enumerate(messages):
        role = _ROLES.get(str(message.get("role")))
        if role is None:
            raise _invalid(f"/messages/{position}/role", "Must be user, assistant or system.")
        blocks = _blocks(message.get("content"), f"/messages/{position}/content")
        if turns and turns[-1]["role"] == role:
            turns[-1]["content"] += blocks
        else:
            turns.append({"role": role, "content": blocks})
    return turns


def _blocks(content: Any, path: str) -> list[dict[str, Any]]:
    if isinstance(content, str):
        return [{"text": content}]
    if not isinstance(content, list):
        raise _invalid(path, "Must be a string or a list of blocks.")
    found = []
    for position, block in enumerate(content):
        if not isinstance(block, dict):
            raise _invalid(f"{path}/{position}", "Must be a block.")
        found += [_block(block, f"{path}/{position}"), *_cache_point(block)]
    return found


def _cache_point(marked: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the cache point after a block or a tool that ends a cached prefix; else nothing."""
    mark = marked.get("cache_control")
    if not isinstance(mark, dict):
        return []
    return [{"cachePoint": {"type": "default", **({"ttl": mark["ttl"]} if mark.get("ttl") else {})}}]


def _block(block: Mapping[str, Any], path: str) -> dict[str, Any]:
    kind = block.get("type")
    if kind == "text":
        return {"text": block.get("text")}
    if kind in ("image", "document"):
        return _media(str(kind), block, path)
    if kind == "tool_use":
        named = {"toolUseId": block.get("id"), "name": short_name(block.get("name"))}
        return {"toolUse": {**named, "input": block.get("input") or {}}}
    if kind == "tool_result":
        status = "error" if block.get("is_error") else "success"
        content = _blocks(block.get("content") or "", f"{path}/content")
        return {"toolResult": {"toolUseId": block.get("tool_use_id"), "content": content, "status": status}}
    if kind == "thinking":
        said = {"text": block.get("thinking"), "signature": block.get("signature")}
        return {"reasoningContent": {"reasoningText": said}}
    if kind == "redacted_thinking":
        return {"reasoningContent": {"redactedContent": block.get("data")}}
    raise _invalid(path, f"This model's route does not take a {kind} block.")


def _media(kind: str, block: Mapping[str, Any], path: str) -> dict[str, Any]:
    source = block.get("source")
    given = source if isinstance(source, dict) else {}
    formats = IMAGE_FORMATS if kind == "image" else DOCUMENT_FORMATS
    media_format = formats.get(str(given.get("media_type")))
    if given.get("type") != "base64" or media_format is None:
        raise _invalid(f"{path}/source", f"Must be base64 of {', '.join(formats)}.")
    # A document needs a unique name with few allowed characters, so its path is used.
    name = {"name": path.strip("/").replace("/", "-")} if kind == "document" else {}
    if kind == "document" and block.get("context"):
        name["context"] = block["context"]
    return {kind: {"format": media_format, **name, "source": {"bytes": given.get("data")}}}


def _tools(tools: list[Any], *, takes_strict: bool) -> list[dict[str, Any]]:
    found = []
    for position, tool in enumerate(tools):
        if not isinstance(tool, dict) or tool.get("type") not in (None, "custom"):
            raise _invalid(f"/tools/{position}", "This model's route takes custom tools only.")
        described = {"description": tool["description"]} if tool.get("description") else {}
        strict = {"strict": True} if takes_strict and tool.get("strict") is True else {}
        schema = {"inputSchema": {"json": tool.get("input_schema") or {"type": "object"}}}
        found += [
            {"toolSpec": {"name": short_name(tool.get("name")), **described, **schema, **strict}},
            *_cache_point(tool),
        ]
    return found


def _choose(tool_config: dict[str, Any], extra: dict[str, Any], choice: Mapping[str, Any]) -> None:
    kind = choice.get("type")
    if kind == "none" or choice.get("disable_parallel_tool_use"):
        # Converse supports neither, so the model's own field is forwarded (INFERRED).
        extra["tool_choice"] = dict(choice)
    elif kind in ("auto", "any"):
        tool_config["toolChoice"] = {str(kind): {}}
    elif kind == "tool":
        tool_config["toolChoice"] = {"tool": {"name": short_name(choice.get("name"))}}


def _output(config: Any, refuses: frozenset[Refuses]) -> dict[str, Any]:
    given = config if isinstance(config, dict) else {}
    found = {"effort": given["effort"]} if given.get("effort") else {}
    if found.get("effort") == "max" and Refuses.MOST_EFFORT in refuses:
        found["effort"] = "xhigh"
    wanted = given.get("format")
    if isinstance(wanted, dict) and wanted.get("type") == "json_schema":
        if Refuses.SCHEMAS in refuses:
            raise _invalid("/output_config/format", "This model's route takes no schema.")
        schema = {"name": "answer", "schema": dumps(wanted.get("schema"))}
        found["textFormat"] = {"type": "json_schema", "structure": {"jsonSchema": schema}}
    return found
