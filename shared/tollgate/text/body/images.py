"""Images in the responses of chats: the fields that ask for them, and their size. Pure.

The fields are OpenRouter's (https://openrouter.ai/docs/guides/overview/multimodal/image-generation). A
response has its images in `images` of a message or a delta, beside the text.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from tollgate.kit.problems import Problem
from tollgate.text.models import ChatImages

# The fields that ask for images, and the field of a message that has them.
MODALITIES, CONFIG, IMAGES = "modalities", "image_config", "images"
RATIO, SIZE = "aspect_ratio", "image_size"
DEFAULT_SIZE = "1K"
IMAGE, TEXT = "image", "text"

_NO_IMAGES = (
    "This model answers with text. Models with `image` in their `output_modalities` answer with images."
)
NO_PRICE = "This value is not supported, because Tollgate has no price for it."
_ALWAYS = "This model answers with images, and with text if you like."
_CHATS_ONLY = "This model answers with images, so it needs chat completions: POST /api/v1/chat/completions."


def proper_type(media_type: str) -> str:
    """Return the registered name of an image's media type. Clients often write `image/jpg`."""
    written = media_type.lower()
    return "image/jpeg" if written == "image/jpg" else written


def image_problems(
    fields: Mapping[str, Any], images: ChatImages | None, *, is_chat: bool = True
) -> Iterator[Problem]:
    """Yield the problems of the fields that ask for images, with a model that has `images` or none.

    `is_chat` is false for a request of another protocol that was translated to a chat. It has no place for
    images.
    """
    modalities = fields.get(MODALITIES)
    if images is None:
        if modalities is not None and modalities != [TEXT]:
            has_images = isinstance(modalities, list) and IMAGE in modalities
            yield Problem(f"/{MODALITIES}", _NO_IMAGES if has_images else NO_PRICE, [TEXT])
        return
    if not is_chat:
        yield Problem("/model", _CHATS_ONLY)
    if modalities is not None and modalities not in ([IMAGE], [IMAGE, TEXT], [TEXT, IMAGE]):
        yield Problem(f"/{MODALITIES}", _ALWAYS, [[IMAGE, TEXT], [IMAGE]])
    yield from _config_problems(fields.get(CONFIG), images)
    yield from _limit_problems(fields, tokens_of_image(fields, images))


def tokens_of_image(fields: Mapping[str, Any], images: ChatImages | None) -> int:
    """Return the tokens of an image of the size in a request; 0 for a model without images."""
    if images is None:
        return 0
    config = fields.get(CONFIG)
    size = config.get(SIZE) if isinstance(config, Mapping) else None
    return images.sizes.get(size if isinstance(size, str) else DEFAULT_SIZE, images.sizes[DEFAULT_SIZE])


def _config_problems(config: Any, images: ChatImages) -> Iterator[Problem]:
    if config is None:
        return
    if not isinstance(config, Mapping):
        yield Problem(f"/{CONFIG}", "Must be an object.")
        return
    known = {RATIO: list(images.ratios), SIZE: list(images.sizes)}
    for name, value in config.items():
        if name not in known:
            yield Problem(f"/{CONFIG}/{name}", "Unknown field.", list(known))
        elif value is not None and value not in known[name]:
            yield Problem(f"/{CONFIG}/{name}", "This model does not have this value.", known[name])


def _limit_problems(fields: Mapping[str, Any], least: int) -> Iterator[Problem]:
    for name in ("max_tokens", "max_completion_tokens"):
        limit = fields.get(name)
        if isinstance(limit, int) and limit < least:
            yield Problem(f"/{name}", f"An image of this size has {least:,} tokens. Allow at least as many.")
