"""The contract's inputs taken apart: each field of each profile with each value and bound that it names.

A facet is one value of one field that the contract promises. The rest of an input that makes it valid is
looked for among `BESIDE`, what each profile's fields need beside them.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tollgate.catalog.kinds import Choice, Flag, Ignored, Kind, Many, Number, Text, Url, Whole, item_of
from tollgate.catalog.profiles.base import Profile

Input = dict[str, Any]

A, V, S = "https://a.test/a.png", "https://a.test/a.mp4", "https://a.test/a.mp3"
P: Input = {"prompt": "a fox"}
TRACK: Input = {"parentTaskId": "task_1", "audioId": "1"}
REFERENCE = {"url": A, "role": "reference_image"}
SHOWN: Input = {"imageUrls": [A]}
FIRST, LAST = {"url": A, "role": "first_frame"}, {"url": A, "role": "last_frame"}


ROLES: list[tuple[str, Any]] = [("first_frame", [FIRST]), ("last_frame", [FIRST, LAST])]
OBJECTS: Mapping[tuple[str, int], list[tuple[str, Any]]] = {
    ("imageWithRoles", 2): ROLES,
    ("imageWithRoles", 30): [*ROLES, ("reference_image", [REFERENCE]), ("30 items", [REFERENCE] * 30)],
    ("imageWithRoles", 10): [*ROLES, ("no role", [{"url": A}]), ("10 items", [REFERENCE] * 10)],
    ("tools", 1): [("web_search", [{"type": "web_search"}])],
    ("elements", 7): [
        ("images", [SHOWN]),
        ("type image", [{**SHOWN, "type": "image"}]),
        ("type video", [{"type": "video", "videoUrl": V}]),
        ("description", [{**SHOWN, "description": "a fox"}]),
        ("4 images", [{"imageUrls": [A] * 4}]),
        ("7 items, 3 of them videos", [SHOWN] * 4 + [{"videoUrl": V}] * 3),
    ],
    ("multiShots", 6): [
        ("2 scenes, 3 s", [{"prompt": "x", "duration": 1}, {"prompt": "x", "duration": 2}]),
        ("6 scenes, 30 s", [{"prompt": "x", "duration": 5}] * 6),
    ],
}
"""The values of arrays of objects, by the field and how many it takes."""
BOUNDS_OF_OURS = {
    ("VID-N", "seed", "at most 4294967295"): "the contract gives the seed no bound; PixVerse's is lower",
    (
        "VID-M",
        "duration",
        "at least 1",
    ): "fal, MiniMax, kie and PoYo start at 4 or 5 s; looked up on 2026-11-26",
    ("Music", "mv", "custom"): "an engine of one's own has no name among the contract's fields",
    ("Music", "audioUrls", "24 items"): "6-24 tracks are the custom model's, which is a profile of its own",
}
"""What the profiles accept and no model has to take, with the reason."""


@dataclass(frozen=True)
class Facet:
    """One value of one field; `name` says which in words."""

    field: str
    name: str
    value: Any


def facets(profile: type[Profile]) -> Iterator[Facet]:
    """Return every value and bound of every field that the contract names for a profile."""
    for name, info in profile.published().items():
        kind = profile.kinds()[name]
        if isinstance(kind, Ignored):
            continue
        if isinstance(kind, Many):
            yield from _array(name, kind, info)
        else:
            yield from (Facet(name, said, value) for said, value in _values(name, kind))


def _array(name: str, kind: Many, info: Any) -> Iterator[Facet]:
    leaf = item_of(info)
    if leaf is None:
        yield from (Facet(name, said, value) for said, value in OBJECTS[name, kind.max_items])
        return
    if isinstance(leaf, Choice):
        yield from (Facet(name, f"an item {value}", [value]) for value in leaf.values)
    for count in _counts(kind):
        yield Facet(name, f"{count} items", [_item(name, leaf, at) for at in range(count)])


def _counts(kind: Many) -> list[int]:
    return sorted({max(1, kind.min_items), kind.max_items})


def _item(name: str, leaf: Kind | None, at: int) -> Any:
    assert leaf is not None
    value = next(value for _, value in _values(name, leaf))
    return value.replace("/a.", f"/{at}.") if isinstance(leaf, Url) else value


def _values(name: str, kind: Kind) -> list[tuple[str, Any]]:
    match kind:
        case Choice(values=values):
            return [(str(value), value) for value in values]
        case Flag():
            return [("true", True), ("false", False)]
        case Whole(minimum=low, maximum=high) | Number(minimum=low, maximum=high):
            return [(f"at least {low}", low), (f"at most {high}", high)]
        case Url():
            found = V if "video" in name.lower() else S if "audio" in name.lower() else A
            return [("a URL", found)]
        case Text(max_length=most):
            return [
                ("a text", _text(name)),
                (f"{most} characters", _text(name) + "x" * (most - len(_text(name)))),
            ]
        case _:
            return [("a value", _text(name))]


def _text(name: str) -> str:
    known = {"key": "C minor", "backgroundColors": "#1a2b3c", "audioId": "1", "audioIds": "1", "size": "1:1"}
    return known.get(name, "x")


BESIDE: Mapping[str, list[Input]] = {
    "IMG-B": [{**P, "resolution": "2k"}, {**P, "outputFormat": "webp"}],
    "IMG-F": [{**P, "size": "1:1"}],
    "IMG-G": [{**P, "width": 1024, "height": 1024}],
    "VID-C": [{**P, "urls": [A]}],
    "VID-D": [{**P, "imageUrls": [A]}],
    "VID-E": [{**P, "size": "adaptive"}, {**P, "size": "adaptive", "videoUrls": [V]}],
    "VID-L": [
        {**P, "videoMode": "elements", "imageUrls": [A] * 10},
        {**P, "videoMode": "elements", "elements": [{"imageUrls": [A]}]},
        {**P, "videoMode": "start_end_frame", "startFrameUrl": A},
        {**P, "videoMode": "start_end_frame", "startFrameUrl": A, "endFrameUrl": A},
        {**P, "videoMode": "transform", "videoUrl": V},
        {**P, "videoMode": "video_reference", "videoUrl": V, "imageUrls": [A]},
    ],
    "VID-N": [{**P, "imageUrls": [A]}, {**P, "firstFrameImage": A, "lastFrameImage": A}],
    "VID-O": [{**P, "imageUrls": [A]}, {**P, "referenceImageUrls": [A]}, {**P, "editVideoUrl": V}],
    "VID-P": [{**P, "imageUrls": [A]}, {**P, "videoUrls": [V]}],
    "Music": [
        {"action": "voice", "voiceAudioUrl": S},
        {"action": "voice", "voiceAudioUrl": S, "verificationAudioUrl": S, "phraseId": "1"},
        {"action": "music-video", **TRACK},
        {"action": "stems", **TRACK},
    ],
    "Midjourney-video": [{"imageUrls": [A], **P}, {"parentTaskId": "task_1", "index": 0}],
}
"""What fields of a profile need beside them, where the sentences of its table have no such input."""
