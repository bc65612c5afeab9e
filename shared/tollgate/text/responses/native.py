"""A Responses request at a provider that has the protocol itself: its body there. Pure.

Clients get reasoning sealed, with the item's own id inside. OpenAI binds encrypted content to this id
(https://github.com/openclaw/openclaw/issues/70654), and Tollgate gives items its own ids. The seal also
marks the provider: a provider refuses reasoning that another one encrypted, so it does not get it.

Source: `openai.types.responses`; docs/providers/openai_compatible.md#responses.
"""

from collections.abc import Collection, Iterator, Mapping
from hashlib import sha256
from typing import Any

from tollgate.text.body.json_body import dumps
from tollgate.text.body.request import NativeRequest
from tollgate.text.translation.thinking import is_sealed, sealed, unsealed

ENCRYPTED = "reasoning.encrypted_content"
REASONING = "reasoning"
_MARK_CHARS = 8


def mark_of(provider: str) -> str:
    """Return the mark of a provider in sealed reasoning, which does not name it."""
    return sha256(provider.encode()).hexdigest()[:_MARK_CHARS]


def own_thoughts(blocks: Any, mark: str) -> Iterator[dict[str, Any]]:
    """Yield the reasoning items among thinking blocks that the provider with this mark encrypted."""
    for block in blocks if isinstance(blocks, list) else ():
        # Blocks from before the mark existed were all from OpenAI.
        is_own = isinstance(block, dict) and block.get("type") == REASONING and block.get("by", mark) == mark
        if is_own:
            yield {"summary": [], **{name: value for name, value in block.items() if name != "by"}}


def sealed_item(item: Mapping[str, Any], mark: str) -> dict[str, Any]:
    """Return an output item for its client, with encrypted reasoning sealed."""
    if item.get("type") != REASONING:
        return dict(item)
    blocks = []
    if encrypted := item.get("encrypted_content"):
        blocks = [{"type": REASONING, "id": item.get("id"), "encrypted_content": encrypted, "by": mark}]
    return {**item, "encrypted_content": sealed(blocks)}


def native_body(
    native: NativeRequest, changes: Mapping[str, Any], dropped: Collection[str], mark: str
) -> bytes:
    """Return the body for a provider, with some fields changed or dropped."""
    fields = {name: value for name, value in native.fields.items() if name not in dropped} | dict(changes)
    items = ",".join(text for item in native.items for text in _texts(item, mark))
    return f'{dumps(fields).removesuffix("}")},"input":[{items}]}}'.encode()


def _texts(item: Mapping[str, Any], mark: str) -> Iterator[str]:
    """Yield an item without our id. Yield reasoning only if this provider encrypted it."""
    if item.get("type") != REASONING:
        yield dumps({name: value for name, value in item.items() if name != "id"})
        return
    encrypted, summary = item.get("encrypted_content"), item.get("summary") or []
    if blocks := unsealed(encrypted):
        for thought in own_thoughts(blocks, mark):
            yield dumps({**thought, "summary": thought["summary"] or summary})
            summary = []
    elif encrypted and not is_sealed(encrypted):
        # From a client that got it from the provider itself, which decides about it.
        yield dumps(item)
