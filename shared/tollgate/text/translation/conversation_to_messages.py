"""The messages of an OpenAI chat as Anthropic's system prompt and turns.

Source: docs/text-protocols.md#chat-to-messages.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

from tollgate.text.body.fields import invalid
from tollgate.text.body.images import proper_type
from tollgate.text.translation.thinking import is_sealed

# The shortest turn: Anthropic accepts neither empty texts nor a conversation without a user.
FILLER_TEXT = "."
_DATA_URL = re.compile(r"data:([\w.+-]+/[\w.+-]+);base64,(.*)", re.DOTALL)
_BAD_ID_CHARACTER = re.compile(r"[^a-zA-Z0-9_-]")


def conversation(messages: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the system prompt's blocks and the turns. Raises `InvalidInputError`."""
    system: list[dict[str, Any]] = []
    turns: list[dict[str, Any]] = []
    ids: dict[str, str] = {}
    for position, message in enumerate(messages):
        path = f"/messages/{position}"
        role = message.get("role")
        if role in ("system", "developer"):
            texts = _texts(message.get("content"), path)
            # Only leading instructions can be separate. Later instructions keep their place in the
            # conversation.
            if turns:
                _add_turn(turns, "user", texts)
            else:
                system += texts
        elif role == "user":
            _add_turn(turns, "user", _user_blocks(message.get("content"), path))
        elif role == "assistant":
            _add_turn(turns, "assistant", _assistant_blocks(message, path, ids))
        elif role == "tool":
            _add_turn(turns, "user", [_tool_result(message, path, ids)])
        else:
            raise invalid(f"{path}/role", "Must be system, developer, user, assistant or tool.")
    return system, _finished(turns)


def _add_turn(turns: list[dict[str, Any]], role: str, blocks: list[dict[str, Any]]) -> None:
    if turns and turns[-1]["role"] == role:
        turns[-1]["content"] += blocks
    else:
        turns.append({"role": role, "content": list(blocks)})


def _finished(turns: list[dict[str, Any]]) -> list[dict[str, Any]]:
    if not turns or turns[0]["role"] != "user":
        turns.insert(0, {"role": "user", "content": []})
    for turn in turns:
        turn["content"].sort(key=lambda block: block["type"] != "tool_result")
        if not turn["content"]:
            turn["content"].append({"type": "text", "text": FILLER_TEXT})
    last = turns[-1]["content"][-1]
    if turns[-1]["role"] == "assistant" and last["type"] == "text":
        # Anthropic refuses an answer to continue that ends with a space.
        last["text"] = last["text"].rstrip()
    return turns


def _texts(content: Any, path: str) -> list[dict[str, Any]]:
    """Return the text blocks of a content that allows no other parts, without blank blocks.

    Anthropic refuses blank blocks.
    """
    if content is None or isinstance(content, str):
        return [{"type": "text", "text": content}] if content and content.strip() else []
    if not isinstance(content, list):
        raise invalid(f"{path}/content", "Must be a string or a list of parts.")
    found = [_text_block(part, f"{path}/content/{at}") for at, part in enumerate(content)]
    return [block for block in found if block["text"].strip()]


def _text_block(part: Any, path: str) -> dict[str, Any]:
    text = part.get("text", part.get("refusal")) if isinstance(part, dict) else None
    if not isinstance(text, str):
        raise invalid(path, "Must be a text part, or of another type that this model takes.")
    return {"type": "text", "text": text, **cache_control(part)}


def _user_blocks(content: Any, path: str) -> list[dict[str, Any]]:
    if not isinstance(content, list):
        return _texts(content, path)
    blocks = []
    for position, part in enumerate(content):
        where = f"{path}/content/{position}"
        kind = part.get("type") if isinstance(part, dict) else None
        if kind == "image_url":
            blocks.append({"type": "image", "source": _image_source(part, where), **cache_control(part)})
        elif kind == "file":
            blocks.append({**_document(part, where), **cache_control(part)})
        elif (block := _text_block(part, where))["text"].strip():
            blocks.append(block)
    return blocks


def cache_control(part: Mapping[str, Any]) -> dict[str, Any]:
    """Return the mark of a part up to which Anthropic caches a prompt."""
    return {"cache_control": part["cache_control"]} if part.get("cache_control") else {}


def _image_source(part: Mapping[str, Any], path: str) -> dict[str, Any]:
    holder = part.get("image_url")
    url = holder.get("url") if isinstance(holder, dict) else holder
    if isinstance(url, str):
        if data := _DATA_URL.fullmatch(url):
            return {"type": "base64", "media_type": proper_type(data[1]), "data": data[2]}
        if url.startswith(("http://", "https://")):
            return {"type": "url", "url": url}
    raise invalid(f"{path}/image_url", "Must be an http(s) URL or a base64 data URL.")


def _document(part: Mapping[str, Any], path: str) -> dict[str, Any]:
    holder = part.get("file")
    file = holder if isinstance(holder, dict) else {}
    data = _DATA_URL.fullmatch(str(file.get("file_data")))
    if data is None:
        raise invalid(f"{path}/file", "Must have file_data, a base64 data URL.")
    source = {"type": "base64", "media_type": data[1], "data": data[2]}
    title = {"title": file["filename"]} if file.get("filename") else {}
    return {"type": "document", "source": source, **title}


def _assistant_blocks(message: Mapping[str, Any], path: str, ids: dict[str, str]) -> list[dict[str, Any]]:
    thinking = message.get("thinking_blocks")
    blocks = [block for block in thinking or [] if _is_signed(block)] if isinstance(thinking, list) else []
    blocks += _texts(message.get("content"), path) or _texts(message.get("refusal"), path)
    calls = message.get("tool_calls") or []
    if not isinstance(calls, list) or message.get("function_call"):
        raise invalid(f"{path}/tool_calls", "Must be a list of function calls.")
    for position, call in enumerate(calls):
        function = call.get("function") if isinstance(call, dict) else None
        if not isinstance(function, dict):
            raise invalid(f"{path}/tool_calls/{position}", "Must be a function call.")
        arguments = _arguments(function.get("arguments"))
        named = {"id": _tool_id(call.get("id"), ids), "name": function.get("name"), "input": arguments}
        blocks.append({"type": "tool_use", **named})
    return blocks


def _is_signed(block: Any) -> bool:
    # Anthropic refuses thinking that it has not signed.
    kind = block.get("type") if isinstance(block, dict) else None
    if kind == "redacted_thinking":
        return True
    return kind == "thinking" and bool(block.get("signature")) and not is_sealed(block["signature"])


def _arguments(text: Any) -> dict[str, Any]:
    if not text:
        return {}
    try:
        value = json.loads(text) if isinstance(text, str) else text
    except (ValueError, RecursionError):
        value = None
    return value if isinstance(value, dict) else {"_raw": text}


def _tool_id(given: Any, ids: dict[str, str]) -> str:
    name = str(given)
    if name not in ids:
        clean = _BAD_ID_CHARACTER.sub("_", name) or "call"
        ids[name] = f"{clean}_{len(ids)}" if clean in ids.values() else clean
    return ids[name]


def _tool_result(message: Mapping[str, Any], path: str, ids: dict[str, str]) -> dict[str, Any]:
    blocks = _user_blocks(message.get("content"), path)
    is_text = all(block["type"] == "text" for block in blocks)
    content: Any = "".join(block["text"] for block in blocks) if is_text else blocks
    tool_use_id = _tool_id(message.get("tool_call_id"), ids)
    return {"type": "tool_result", "tool_use_id": tool_use_id, "content": content}
