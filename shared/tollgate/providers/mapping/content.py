"""Prompt and media in one array, each with its role, in the format of some vendors. Pure.

An adapter's tables first name the parts by role (`MEDIA`); then `content` or `taken_out` build the array.
"""

from collections.abc import Collection

from tollgate.providers.mapping.fields import Body, FieldMap

# Tollgate's fields (from `frames.by_role`), and the role of their content.
MEDIA: FieldMap = {
    "firstFrame": "first_frame",
    "lastFrame": "last_frame",
    "imageUrls": "reference_image",
    "videoUrls": "reference_video",
    "audioUrls": "reference_audio",
}
CONTENT: FieldMap = {"prompt": "text", **MEDIA}

_TYPES = {
    "first_frame": "image_url",
    "last_frame": "image_url",
    "reference_image": "image_url",
    "reference_video": "video_url",
    "reference_audio": "audio_url",
}


def taken_out(body: Body, roles: Collection[str]) -> tuple[list[tuple[str, str]], Body]:
    """Return the media of a body as pairs of role and URL, sorted like `roles`; and the rest of the body."""
    media: list[tuple[str, str]] = []
    for role in roles:
        found = body.get(role, [])
        media += [(role, url) for url in ([found] if isinstance(found, str) else found)]
    return media, {name: value for name, value in body.items() if name not in roles}


def content(body: Body) -> Body:
    """Return a body, which has the names of `CONTENT`, with its prompt and media in `content`.

    `{"content": [{"type": "text", "text"}, {"type": "image_url", "image_url": {"url"}, "role"}, …]}`
    (docs/providers/ark.md and docs/providers/minimax.md).
    """
    media, rest = taken_out(body, _TYPES)
    texts, rest = taken_out(rest, ("text",))
    items = [
        *({"type": "text", "text": text} for _, text in texts),
        *({"type": _TYPES[role], _TYPES[role]: {"url": url}, "role": role} for role, url in media),
    ]
    return {"content": items, **rest}
