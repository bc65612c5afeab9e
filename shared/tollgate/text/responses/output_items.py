"""The output items of a response in progress: reasoning, a message, a call of a tool. Pure."""

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from tollgate.text.responses.items import CUSTOM_INPUT, ToolName
from tollgate.text.translation.thinking import sealed

Event = dict[str, Any]

IN_PROGRESS = "in_progress"


class OutputItem(ABC):
    """An output item in progress."""

    def __init__(self, item_id: str, index: int) -> None:
        self.id = item_id
        self.index = index

    @property
    def place(self) -> dict[str, Any]:
        """Return the fields that every event about the item has."""
        return {"item_id": self.id, "output_index": self.index}

    @abstractmethod
    def shown(self, status: str) -> dict[str, Any]:
        """Return the item as it is now."""

    @abstractmethod
    def ended(self) -> list[Event]:
        """Return the events that end its parts."""


class ReasoningItem(OutputItem):
    """Thinking: one part of a summary, and signed thinking in sealed form."""

    def __init__(self, item_id: str, index: int) -> None:
        super().__init__(item_id, index)
        self.texts: list[str] = []
        self.blocks: list[dict[str, Any]] = []

    def delta(self, text: str) -> list[Event]:
        """Return the events of more thinking."""
        place = {**self.place, "summary_index": 0}
        opened = {"type": "response.reasoning_summary_part.added", **place, "part": _summary("")}
        said = {"type": "response.reasoning_summary_text.delta", **place, "delta": text}
        is_first = not self.texts
        self.texts.append(text)
        return [opened, said] if is_first else [said]

    def shown(self, status: str) -> dict[str, Any]:
        """Return the summary, with the signed thinking in sealed form."""
        summary = [_summary("".join(self.texts))] if self.texts else []
        # If nothing is stored, clients drop an item without this field, and its summary is lost.
        return {
            "id": self.id,
            "type": "reasoning",
            "status": status,
            "summary": summary,
            "encrypted_content": sealed(self.blocks),
        }

    def ended(self) -> list[Event]:
        """Return the end of the summary."""
        if not self.texts:
            return []
        place, text = {**self.place, "summary_index": 0}, "".join(self.texts)
        return [
            {"type": "response.reasoning_summary_text.done", **place, "text": text},
            {"type": "response.reasoning_summary_part.done", **place, "part": _summary(text)},
        ]


class MessageItem(OutputItem):
    """The assistant's message: text and refusals, each as a separate part."""

    def __init__(self, item_id: str, index: int) -> None:
        super().__init__(item_id, index)
        self.parts: list[tuple[str, list[str]]] = []
        self.annotations: list[Mapping[str, Any]] = []

    def cited(self, annotations: list[Mapping[str, Any]]) -> list[Event]:
        """Return the events that add citations to the text."""
        if not self.parts or self.parts[-1][0] != "output_text":
            return []
        first = len(self.annotations)
        self.annotations += annotations
        kind = "response.output_text.annotation.added"
        return [
            {"type": kind, **self._part_place(), "annotation_index": at, "annotation": each}
            for at, each in enumerate(annotations, first)
        ]

    def delta(self, kind: str, text: str) -> list[Event]:
        """Return the events of more text; `kind` is `output_text` or `refusal`."""
        events: list[Event] = []
        if not self.parts or self.parts[-1][0] != kind:
            events += self._part_done()
            self.parts.append((kind, []))
            part = _content(kind, "")
            events.append({"type": "response.content_part.added", **self._part_place(), "part": part})
        self.parts[-1][1].append(text)
        logprobs: Event = {"logprobs": []} if kind == "output_text" else {}
        return [*events, {"type": f"response.{kind}.delta", **self._part_place(), "delta": text, **logprobs}]

    def shown(self, status: str) -> dict[str, Any]:
        """Return the message. It has no content while it is in progress."""
        content = [self._content(kind, texts) for kind, texts in self.parts] if status != IN_PROGRESS else []
        return {"id": self.id, "type": "message", "role": "assistant", "status": status, "content": content}

    def ended(self) -> list[Event]:
        """Return the end of the last part."""
        return self._part_done()

    def _part_done(self) -> list[Event]:
        if not self.parts:
            return []
        kind, texts = self.parts[-1]
        text = "".join(texts)
        said = {"text": text, "logprobs": []} if kind == "output_text" else {"refusal": text}
        return [
            {"type": f"response.{kind}.done", **self._part_place(), **said},
            {
                "type": "response.content_part.done",
                **self._part_place(),
                "part": self._content(kind, texts),
            },
        ]

    def _content(self, kind: str, texts: list[str]) -> dict[str, Any]:
        cited = {"annotations": [*self.annotations]} if kind == "output_text" else {}
        return {**_content(kind, "".join(texts)), **cited}

    def _part_place(self) -> dict[str, Any]:
        return {**self.place, "content_index": len(self.parts) - 1}


class CallItem(OutputItem):
    """A call of a function, or of a custom tool, whose one text the chat had as an argument."""

    def __init__(self, item_id: str, index: int, call_id: str, tool: ToolName) -> None:
        super().__init__(item_id, index)
        self.call_id = call_id
        self.name = tool.name
        self.is_custom = tool.is_custom
        self.is_search = tool.is_search
        self.namespace = {"namespace": tool.namespace} if tool.namespace else {}
        self.arguments: list[str] = []

    def delta(self, arguments: str) -> list[Event]:
        """Return the events of more arguments, which are a part of their JSON."""
        if not arguments:
            return []
        self.arguments.append(arguments)
        # A custom tool's text can be read only when its JSON is whole.
        kind = "response.function_call_arguments.delta"
        return [] if self.is_custom or self.is_search else [{"type": kind, **self.place, "delta": arguments}]

    def shown(self, status: str) -> dict[str, Any]:
        """Return the call in the form of its tool."""
        if self.is_search:
            place = {"id": self.id, "call_id": self.call_id, "status": status}
            return {**place, "type": "tool_search_call", "execution": "client", "arguments": self._object()}
        named = {
            "id": self.id,
            "call_id": self.call_id,
            "name": self.name,
            **self.namespace,
            "status": status,
        }
        if self.is_custom:
            return {**named, "type": "custom_tool_call", "input": self._input()}
        return {**named, "type": "function_call", "arguments": "".join(self.arguments)}

    def _object(self) -> dict[str, Any]:
        """Return the arguments as an object: empty until they are whole."""
        try:
            found = json.loads("".join(self.arguments))
        except (ValueError, RecursionError):
            return {}
        return found if isinstance(found, dict) else {}

    def ended(self) -> list[Event]:
        """Return the end of the arguments; for a custom tool also its whole text."""
        if self.is_search:
            return []
        if not self.is_custom:
            done = "response.function_call_arguments.done"
            return [{"type": done, **self.place, "name": self.name, "arguments": "".join(self.arguments)}]
        text = self._input()
        return [
            {"type": "response.custom_tool_call_input.delta", **self.place, "delta": text},
            {"type": "response.custom_tool_call_input.done", **self.place, "input": text},
        ]

    def _input(self) -> str:
        whole = "".join(self.arguments)
        try:
            said = json.loads(whole)
        except (ValueError, RecursionError):
            return whole
        text = said.get(CUSTOM_INPUT) if isinstance(said, dict) else None
        return text if isinstance(text, str) else whole


def _summary(text: str) -> dict[str, str]:
    return {"type": "summary_text", "text": text}


def _content(kind: str, text: str) -> dict[str, Any]:
    if kind == "refusal":
        return {"type": "refusal", "refusal": text}
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}
