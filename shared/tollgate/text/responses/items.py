"""The items of a Responses request as the messages of a chat.

A turn of the assistant is one message in a chat and several items here: its reasoning, its text, each of its
calls. Signed thinking travels in a reasoning item's `encrypted_content`, which clients send back unread.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tollgate.kit.errors import InvalidInputError
from tollgate.kit.problems import one_of
from tollgate.text.body.fields import invalid
from tollgate.text.body.json_body import json_text
from tollgate.text.translation.call_state import is_state, states_of, with_states
from tollgate.text.translation.message_state import is_message_state, state_fields
from tollgate.text.translation.thinking import unsealed

# In one conversation: more than any context holds.
MAX_ITEMS = 2_000
# The one argument of a custom tool, which a chat knows as a function.
CUSTOM_INPUT = "input"

# The client's search for tools, by its type here and its name in a chat.
TOOL_SEARCH = "tool_search"
# A conversation made shorter (`compaction.py`), and the sealed block of its text.
COMPACTION, SUMMARY = "compaction", "summary"
# A search of the web by the provider. A chat has no place for it: its result is in the text after it.
SEARCH_CALL = "web_search_call"
# Before the summary in a chat.
SUMMARY_INTRODUCTION = "Summary of the conversation before this point:"
# Between a namespace and the name of a tool in it.
NAMESPACE_MARK = "__"

COMPLETED = "completed"
_PREFIXES = {
    "reasoning": "rs",
    "function_call": "fc",
    "function_call_output": "fco",
    "custom_tool_call": "ctc",
    "custom_tool_call_output": "ctco",
    "tool_search_call": "tsc",
    "tool_search_output": "tso",
    SEARCH_CALL: "ws",
    COMPACTION: "cmp",
}
_CALLS = ("function_call", "custom_tool_call", "tool_search_call")
_OUTPUTS = ("function_call_output", "custom_tool_call_output", "tool_search_output")
_ROLES = ("user", "assistant", "system", "developer")


@dataclass(frozen=True, slots=True)
class ToolName:
    """A request's name for a tool.

    `is_custom`: it takes a text, which a chat has as its one argument. `is_search`: it is the client's own
    search for tools, a function in a chat.
    """

    name: str
    namespace: str | None = None
    is_custom: bool = False
    is_search: bool = False


Item = Mapping[str, Any]
Message = dict[str, Any]


def chat_name(namespace: object, name: str) -> str:
    """Return the name of a tool in a chat, which has no namespaces."""
    return f"{namespace}{NAMESPACE_MARK}{name}" if namespace else name


def messages_of(items: Sequence[Any], first: int = 0) -> tuple[list[Message], list[int]]:
    """Return the chat messages that items say, and for each the position of the item that began it.

    Positions count from `first`, which is below 0 where items of earlier responses come before the input.
    Raises `InvalidInputError`, naming the item.
    """
    check_count(items)
    chat = _Chat()
    origins: list[int] = []
    for position, item in enumerate(items, first):
        chat.add(item, f"/input/{position}")
        origins += [position] * (len(chat.messages) - len(origins))
    messages = chat.finished()
    return messages, [*origins, *[first + len(items) - 1] * (len(messages) - len(origins))]


def check_count(items: Sequence[Any]) -> None:
    """Raise `InvalidInputError` for more items than a conversation may have."""
    if len(items) > MAX_ITEMS:
        raise invalid("/input", f"Must be at most {MAX_ITEMS} items, including items of earlier responses.")


def is_call(item: Item) -> bool:
    """Return whether an item is a call of one of the client's tools."""
    return item.get("type") in _CALLS


def is_output(item: Item) -> bool:
    """Return whether an item is the result of a call."""
    return item.get("type") in _OUTPUTS


def summary_message(item: Item, path: str) -> Message:
    """Return the message of a compaction. Raises `InvalidInputError` if it is not from this service."""
    for block in unsealed(item.get("encrypted_content")):
        if block.get("type") == SUMMARY and isinstance(block.get("text"), str):
            return {"role": "user", "content": f"{SUMMARY_INTRODUCTION}\n{block['text']}"}
    raise invalid(f"{path}/encrypted_content", "Must be from POST /responses/compact of this service.")


def is_reference(item: object) -> bool:
    """Return whether an item only names a stored one."""
    if not isinstance(item, Mapping):
        return False
    # AI SDK and OpenAI's own types leave the type out.
    return item.get("type") == "item_reference" or (item.get("type") is None and item.keys() == {"id"})


def response_id_of(item_id: str) -> str:
    """Return the id of the response that has an item. Every item id that we issue contains it."""
    _, _, rest = item_id.partition("_")
    return f"resp_{rest.partition('_')[0]}"


def with_ids(items: Sequence[Any], response_id: str) -> list[Any]:
    """Return items of an input, each with an id: its own, or one derived from the response."""
    core = response_id.removeprefix("resp_")
    return [
        item if item.get("id") else {**item, "id": f"{prefix_of(item)}_{core}_in{position}"}
        for position, item in enumerate(items)
    ]


def numbered(items: Sequence[Any], core: str) -> list[Any]:
    """Return items with new ids in a conversation; `core` is the part of an id without its prefix."""
    return [{**item, "id": f"{prefix_of(item)}_{core}_in{at}"} for at, item in enumerate(items)]


def listed(items: Sequence[Any]) -> list[Any]:
    """Return stored items as OpenAI lists them: messages with a type and parts, calls with a status."""
    return [
        _listed_message(item) if item.get("type") in (None, "message") else _listed(item) for item in items
    ]


def _listed(item: Item) -> Item:
    return {"status": COMPLETED, **item} if is_call(item) or is_output(item) else item


def _listed_message(item: Item) -> dict[str, Any]:
    content, is_said = item.get("content"), item.get("role") == "assistant"
    kind = "output_text" if is_said else "input_text"
    parts = [{"type": kind, "text": content}] if isinstance(content, str) else content
    if is_said and isinstance(parts, list):
        # A client may leave these out.
        parts = [{"annotations": [], "logprobs": [], **part} if _is_said(part) else part for part in parts]
    return {"status": COMPLETED, **item, "type": "message", "content": parts}


def _is_said(part: object) -> bool:
    return isinstance(part, Mapping) and part.get("type") == "output_text"


def prefix_of(item: Item) -> str:
    """Return the beginning of an item's id."""
    return _PREFIXES.get(str(item.get("type")), "msg")


class _Chat:
    """The messages so far. Images among tool outputs wait until all outputs of the turn are there."""

    def __init__(self) -> None:
        self.messages: list[Message] = []
        # The texts of the assistant's current turn; joined once, at its end.
        self._said: list[str] = []
        self._thought: list[str] = []
        self._images: list[dict[str, Any]] = []
        self._states: dict[str, Any] = {}

    def add(self, item: Any, path: str) -> None:
        if not isinstance(item, dict):
            raise invalid(path, "Must be an item object.")
        kind = item.get("type") or ("message" if "role" in item else None)
        if kind in _OUTPUTS:
            self._add_output(item, path)
            return
        self._flush_images()
        if kind == "message":
            self._add_message(item, path)
        elif kind == "reasoning":
            self._add_reasoning(item)
        elif kind in _CALLS:
            self._add_call(item, path)
        elif kind == COMPACTION:
            self._append(summary_message(item, path))
        # The tools of such an item are already among the request's tools.
        elif kind not in ("additional_tools", SEARCH_CALL):
            unknown = f"This service does not support items of type {kind!r}."
            raise invalid(f"{path}/type", "Required." if kind is None else unknown, _KINDS)

    def finished(self) -> list[Message]:
        self._flush_images()
        self._end_turn()
        return self.messages

    def _add_message(self, item: Item, path: str) -> None:
        role = item.get("role")
        if role not in _ROLES:
            raise InvalidInputError([one_of(f"{path}/role", _ROLES)])
        if role != "assistant":
            self._append({"role": role, "content": _parts(item.get("content"), f"{path}/content")})
            return
        self._turn()
        self._said.append(_plain_text(item.get("content"), f"{path}/content"))

    def _add_reasoning(self, item: Item) -> None:
        turn = self._turn()
        self._thought += [*_texts(item.get("content")), *_texts(item.get("summary"))]
        blocks = unsealed(item.get("encrypted_content"))
        self._states |= states_of(blocks)
        turn |= state_fields(blocks)
        if thoughts := [block for block in blocks if not (is_state(block) or is_message_state(block))]:
            turn.setdefault("thinking_blocks", []).extend(thoughts)

    def _add_call(self, item: Item, path: str) -> None:
        arguments = item.get("arguments")
        if item["type"] == "custom_tool_call":
            arguments = json_text({CUSTOM_INPUT: item.get("input")})
        elif item["type"] == "tool_search_call":
            item = {**item, "name": TOOL_SEARCH}
            arguments = json_text(arguments or {})
        if not isinstance(item.get("call_id"), str) or not isinstance(item.get("name"), str):
            raise invalid(path, "Must have call_id and name.")
        name = chat_name(item.get("namespace"), item["name"])
        function = {"name": name, "arguments": arguments if isinstance(arguments, str) else "{}"}
        call = {"id": item["call_id"], "type": "function", "function": function}
        self._turn().setdefault("tool_calls", []).extend(with_states([call], self._states))

    def _add_output(self, item: Item, path: str) -> None:
        if not isinstance(item.get("call_id"), str):
            raise invalid(f"{path}/call_id", "Required.")
        output = item.get("output")
        if item["type"] == "tool_search_output":
            # The tools themselves are already among the request's tools.
            found = [tool.get("name") for tool in item.get("tools") or [] if isinstance(tool, dict)]
            output = json_text({"tools": found})
        parts = _parts(output, f"{path}/output") if isinstance(output, list) else output
        if isinstance(parts, list):
            # A chat's tool message is text only, so other content follows in a user message.
            self._images += [part for part in parts if part["type"] != "text"]
            parts = "".join(part["text"] for part in parts if part["type"] == "text")
        text = parts if isinstance(parts, str) else json_text(parts)
        self._append({"role": "tool", "tool_call_id": item["call_id"], "content": text})

    def _append(self, message: Message) -> None:
        self._end_turn()
        self.messages.append(message)

    def _end_turn(self) -> None:
        if self._said:
            self.messages[-1]["content"] = "".join(self._said)
        if self._thought:
            self.messages[-1]["reasoning_content"] = "".join(self._thought)
        self._said, self._thought = [], []

    def _turn(self) -> Message:
        """Return the assistant's message that is under way, or begin one."""
        if not self.messages or self.messages[-1]["role"] != "assistant":
            self.messages.append({"role": "assistant", "content": None})
        return self.messages[-1]

    def _flush_images(self) -> None:
        if self._images:
            self._append({"role": "user", "content": self._images})
            self._images = []


_KINDS = [
    "message",
    "reasoning",
    "function_call",
    "function_call_output",
    "custom_tool_call",
    "custom_tool_call_output",
    "tool_search_call",
    "tool_search_output",
    "additional_tools",
    SEARCH_CALL,
    COMPACTION,
    "item_reference",
]


def _parts(content: Any, path: str) -> str | list[dict[str, Any]]:
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        raise invalid(path, "Must be a string or a list of parts.")
    return [_part(part, f"{path}/{position}") for position, part in enumerate(content)]


def _part(part: Any, path: str) -> dict[str, Any]:
    kind = part.get("type") if isinstance(part, dict) else None
    if kind in ("input_image", "input_file") and part.get("file_id") is not None:
        raise invalid(
            f"{path}/file_id", "This service knows only its own files. Upload it with POST /api/v1/files."
        )
    if kind in ("input_text", "output_text", "text") and isinstance(part.get("text"), str):
        return {"type": "text", "text": part["text"]}
    if kind == "input_image" and isinstance(part.get("image_url"), str):
        detail = {"detail": part["detail"]} if part.get("detail") in ("auto", "low", "high") else {}
        return {"type": "image_url", "image_url": {"url": part["image_url"], **detail}}
    if kind == "input_file" and isinstance(part.get("file_data"), str):
        return {
            "type": "file",
            "file": {"filename": part.get("filename") or "file.pdf", "file_data": part["file_data"]},
        }
    if kind in ("input_image", "input_file"):
        raise invalid(path, "Must carry the data itself: image_url (a URL or a data URL), or file_data.")
    raise invalid(path, "Must be a part of a known type.", ["input_text", "input_image", "input_file"])


def _plain_text(content: Any, path: str) -> str:
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        raise invalid(path, "Must be a string or a list of parts.")
    return "".join(_texts(content))


def _texts(parts: Any) -> Iterable[str]:
    """Return the texts of parts; a refusal is a text of the assistant."""
    for part in parts if isinstance(parts, list) else []:
        text = part.get("text", part.get("refusal")) if isinstance(part, dict) else None
        if isinstance(text, str):
            yield text
