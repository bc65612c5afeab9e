"""How many tokens: an upper bound for the hold, and an estimate if a provider reports nothing.

No tokenizer is run: each vendor has its own, and most are not public. All of them work on UTF-8 bytes or on
pieces of them, so a text has at most one token per byte. On average a token covers about four.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from tollgate.text.body.images import IMAGES
from tollgate.text.body.json_body import JsonBody, json_text
from tollgate.text.body.request import TextRequest
from tollgate.text.models import TextModel

# The most that a model makes of one image (INFERRED: the largest pixel budget of the vision models).
MAX_IMAGE_TOKENS = 16_384
TYPICAL_IMAGE_TOKENS = 1_024
# The results of a search of the web (INFERRED: OpenAI bills 8,000 with its older models).
TYPICAL_SEARCH_TOKENS = 8_000
# Tokens that providers add for tools and formats: up to some 800 (INFERRED).
REQUEST_OVERHEAD_TOKENS = 1_024
# Role marks and separators of the vendors' chat templates, with room to spare.
MESSAGE_OVERHEAD_TOKENS = 16
BYTES_PER_TOKEN = 4
# The depth to which content is read: a message's parts, and the parts of a tool result in it.
MAX_NESTING = 4

# The fields that a model reads. All others control the request: a stream costs as much as the whole response.
# Anthropic's schema is in `output_config`, beside a control.
_CONTENT = ("system", "messages", "tools", "functions", "response_format")
_CONFIG, _SCHEMA = "output_config", "format"

# Parts of content that are wholly in the body, as text: their bytes count.
_PLAIN_PARTS = (
    *("text", "refusal", "tool_use", "tool_result", "thinking", "redacted_thinking", "search_result"),
    *("server_tool_use", "web_search_tool_result", "web_search_result"),
)


@dataclass(slots=True)
class _Media:
    images: int = 0
    inline_bytes: int = 0
    unbounded: bool = False


def input_bound(request: TextRequest, model: TextModel) -> int:
    """Return the most input tokens that the provider can count for `request`.

    It is one per byte of the body and one bound per image, whose own bytes do not count. Other media
    (documents, audio, video) are bounded only by the model's context, because the provider refuses longer
    input.
    """
    return _bound(_media_of(request), request, model)


def _bound(media: _Media, request: TextRequest, model: TextModel) -> int:
    if media.unbounded:
        return model.context_tokens
    text_bytes = request.body.size_bytes - media.inline_bytes
    overhead = REQUEST_OVERHEAD_TOKENS + MESSAGE_OVERHEAD_TOKENS * len(request.fields["messages"])
    return min(text_bytes + media.images * MAX_IMAGE_TOKENS + overhead, model.context_tokens)


def input_estimate(request: TextRequest, model: TextModel) -> int:
    """Return about how many input tokens `request` has, for a provider that reports none. Never 0.

    Only what the model reads counts, so the estimate is the same with and without streaming.
    """
    media = _media_of(request)
    text_tokens = tokens_of_bytes(_content_bytes(request.body) - media.inline_bytes)
    bound = _bound(media, request, model)
    return max(1, min(text_tokens + media.images * TYPICAL_IMAGE_TOKENS, bound))


def tokens_of_bytes(byte_count: int) -> int:
    """Return about how many tokens a text of `byte_count` UTF-8 bytes has; 0 only for an empty one."""
    return -(-byte_count // BYTES_PER_TOKEN)


def utf8_length(text: str) -> int:
    """Return the length of `text` in UTF-8 bytes; an unpaired surrogate counts as three."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def _content_bytes(body: JsonBody) -> int:
    """Return the size of the fields that a model reads: as they were sent, or as compact JSON."""
    config = body.fields.get(_CONFIG)
    schema = config.get(_SCHEMA) if isinstance(config, dict) else None
    sent = (name for name in _CONTENT if body.fields.get(name))
    sizes = (len(body.texts[name]) if name in body.texts else _size_of(body.fields[name]) for name in sent)
    return sum(sizes) + (_size_of(schema) if schema else 0)


def _size_of(value: Any) -> int:
    return utf8_length(json_text(value))


def _media_of(request: TextRequest) -> _Media:
    media = _Media()
    for message in request.fields["messages"]:
        _look_into(message.get("content"), media, MAX_NESTING)
        _look_into(message.get(IMAGES), media, MAX_NESTING)
    return media


def _look_into(content: Any, media: _Media, depth: int) -> None:
    if not isinstance(content, list):
        return
    # Deeper than any client nests. Content below is not read, so its bound is the model's context.
    if depth == 0:
        media.unbounded = True
        return
    for part in _objects(content):
        kind = part.get("type")
        if kind in ("image_url", "image"):
            media.images += 1
            media.inline_bytes += _inline_bytes(part)
        elif kind in _PLAIN_PARTS:
            _look_into(part.get("content"), media, depth - 1)
        else:
            # A kind that we do not know may cost any number of tokens.
            media.unbounded = True


def _objects(content: Iterable[Any]) -> Iterator[dict[str, Any]]:
    return (part for part in content if isinstance(part, dict))


def _inline_bytes(part: dict[str, Any]) -> int:
    holder = part.get("image_url") if part.get("type") == "image_url" else part.get("source")
    if isinstance(holder, str):
        return _ascii_length(holder)
    if not isinstance(holder, dict):
        return 0
    return _ascii_length(holder.get("url")) + _ascii_length(holder.get("data"))


def _ascii_length(value: Any) -> int:
    # base64 and URLs are ASCII. Other characters have another length in the body, so they count as text.
    return len(value) if isinstance(value, str) and value.isascii() else 0
