"""An Anthropic messages body as a Converse request (providers.md §16 "Converse")."""

import binascii
from base64 import b64decode
from collections.abc import Mapping
from typing import Any

from tollgate.kit.errors import InvalidInputError, Problem
from tollgate.providers.bedrock.facts import DOCUMENT_FORMATS, IMAGE_FORMATS

_CLAUDE_FIELDS = ("thinking", "output_config", "top_k")
"""What Converse has no name for and hands to the model as it is."""
_SAMPLING = {"max_tokens": "maxTokens", "temperature": "temperature", "top_p": "topP"}


def converse_request(body: Mapping[str, Any]) -> dict[str, Any]:
    """Give the arguments of Converse and ConverseStream but for `modelId`; media are raw bytes.

    Raises `InvalidInputError` for what Converse cannot take.
    """
    messages = [_message(message, at) for at, message in enumerate(body["messages"])]
    request: dict[str, Any] = {"messages": messages, "inferenceConfig": _inference(body)}
    if system := body.get("system"):
        request["system"] = _blocks(system, "/system")
    extra = {name: body[name] for name in _CLAUDE_FIELDS if body.get(name) is not None}
    tools, choice = body.get("tools"), body.get("tool_choice")
    if isinstance(tools, list) and tools:
        request["toolConfig"] = {"tools": [_tool(tool, at) for at, tool in enumerate(tools)]}
        _choose(request["toolConfig"], extra, choice if isinstance(choice, dict) else {})
    if extra:
        request["additionalModelRequestFields"] = extra
    return request


def _invalid(path: str, message: str) -> InvalidInputError:
    return InvalidInputError([Problem(path, message)])


def _inference(body: Mapping[str, Any]) -> dict[str, Any]:
    found = {name: body[field] for field, name in _SAMPLING.items() if body.get(field) is not None}
    return {**found, "stopSequences": body["stop_sequences"]} if body.get("stop_sequences") else found


def _message(message: Any, position: int) -> dict[str, Any]:
    path = f"/messages/{position}"
    role = message.get("role") if isinstance(message, dict) else None
    if role not in ("user", "assistant"):
        raise _invalid(f"{path}/role", "Must be user or assistant.")
    return {"role": role, "content": _blocks(message.get("content"), f"{path}/content")}


def _blocks(content: Any, path: str) -> list[dict[str, Any]]:
    if isinstance(content, str):
        return [{"text": content}]
    if not isinstance(content, list):
        raise _invalid(path, "Must be a text or a list of blocks.")
    found = []
    for position, block in enumerate(content):
        if not isinstance(block, dict):
            raise _invalid(f"{path}/{position}", "Must be a block.")
        found.append(_block(block, f"{path}/{position}"))
        if mark := block.get("cache_control"):
            lifetime = mark.get("ttl") if isinstance(mark, dict) else None
            found.append({"cachePoint": {"type": "default", **({"ttl": lifetime} if lifetime else {})}})
    return found


def _block(block: Mapping[str, Any], path: str) -> dict[str, Any]:
    kind = block.get("type")
    if kind == "text":
        return {"text": block.get("text")}
    if kind in ("image", "document"):
        return _media(str(kind), block, path)
    if kind == "tool_use":
        named = {"toolUseId": block.get("id"), "name": block.get("name")}
        return {"toolUse": {**named, "input": block.get("input") or {}}}
    if kind == "tool_result":
        status = "error" if block.get("is_error") else "success"
        content = _blocks(block.get("content") or "", f"{path}/content")
        return {"toolResult": {"toolUseId": block.get("tool_use_id"), "content": content, "status": status}}
    if kind == "thinking":
        said = {"text": block.get("thinking"), "signature": block.get("signature")}
        return {"reasoningContent": {"reasoningText": said}}
    if kind == "redacted_thinking":
        return {"reasoningContent": {"redactedContent": _bytes(block.get("data"), path)}}
    raise _invalid(path, f"This model's route does not take a {kind} block.")


def _media(kind: str, block: Mapping[str, Any], path: str) -> dict[str, Any]:
    source = block.get("source")
    given = source if isinstance(source, dict) else {}
    formats = IMAGE_FORMATS if kind == "image" else DOCUMENT_FORMATS
    media_format = formats.get(str(given.get("media_type")))
    if given.get("type") != "base64" or media_format is None:
        raise _invalid(f"{path}/source", f"Must be base64 of {', '.join(formats)}.")
    name = {"name": str(block.get("title") or "document")} if kind == "document" else {}
    return {kind: {"format": media_format, **name, "source": {"bytes": _bytes(given.get("data"), path)}}}


def _bytes(data: Any, path: str) -> bytes:
    try:
        return b64decode(data if isinstance(data, str) else "", validate=True)
    except (binascii.Error, ValueError) as exc:
        raise _invalid(path, "Must be base64.") from exc


def _tool(tool: Any, position: int) -> dict[str, Any]:
    if not isinstance(tool, dict) or tool.get("type") not in (None, "custom"):
        raise _invalid(f"/tools/{position}", "This model's route takes custom tools only.")
    described = {"description": tool["description"]} if tool.get("description") else {}
    strict = {"strict": True} if tool.get("strict") is True else {}
    schema = {"inputSchema": {"json": tool.get("input_schema") or {"type": "object"}}}
    return {"toolSpec": {"name": tool.get("name"), **described, **schema, **strict}}


def _choose(tool_config: dict[str, Any], extra: dict[str, Any], choice: Mapping[str, Any]) -> None:
    kind = choice.get("type")
    if kind == "none" or choice.get("disable_parallel_tool_use"):
        # Converse has no word for either; the model's own field is handed through (INFERRED).
        extra["tool_choice"] = dict(choice)
    elif kind in ("auto", "any"):
        tool_config["toolChoice"] = {str(kind): {}}
    elif kind == "tool":
        tool_config["toolChoice"] = {"tool": {"name": choice.get("name")}}
