"""The inputs of Google's models, extracted from the bodies of the three APIs (docs/providers/google.md)."""

from typing import Annotated, Any, Literal

from pydantic import AliasChoices, BaseModel, ConfigDict, Field

from local.simulator.providers.inputs import Url, images, needed, one, videos


class FileData(BaseModel):
    """An image of `generateContent`, by URL. The vendor's client sends the names with an underscore."""

    model_config = ConfigDict(extra="forbid")

    fileUri: Url = Field(validation_alias=AliasChoices("fileUri", "file_uri"))
    mimeType: Literal["image/png", "image/jpeg", "image/webp"] = Field(
        validation_alias=AliasChoices("mimeType", "mime_type")
    )


class Part(BaseModel):
    """An image of an interaction's input, by URL. Google takes videos only as bytes or from its Files API."""

    model_config = ConfigDict(extra="forbid")

    type: Literal["image"]
    uri: Url
    mime_type: str


_RATIOS = one(
    "1:1", "2:3", "3:2", "3:4", "4:3", "4:5", "5:4", "9:16", "16:9", "21:9", "1:4", "1:8", "4:1", "8:1"
)
_IMAGE: dict[str, Any] = {
    "aspect_ratio": needed(_RATIOS),
    "image_size": one("512", "1K", "2K", "4K"),
    "references": list[FileData],
}
CONTENT = {name: images(**_IMAGE) for name in ("gemini-3.1-flash-image", "gemini-3-pro-image")}
INTERACTIONS = {
    name: videos(
        task=needed(one("text_to_video", "image_to_video", "reference_to_video", "edit")),
        aspect_ratio=one("16:9", "9:16"),
        resolution=one("360p", "720p", "1080p", "4k"),
        duration=one(*(f"{seconds}s" for seconds in range(3, longest + 1))),
        media=Annotated[list[Part], Field(max_length=7)],
    )
    for name, longest in (("gemini-omni-1.1-flash", 10), ("gemini-omni-1.2-flash", 15))
}
_VEO: dict[str, Any] = {
    "aspect_ratio": one("16:9", "9:16"),
    "resolution": one("720p", "1080p", "4k"),
    "duration": one(4, 6, 8),
    "samples": one(1),
}
OPERATIONS = {
    name: videos(**_VEO)
    for name in ("veo-3.1-generate-001", "veo-3.1-fast-generate-001", "veo-3.1-lite-generate-001")
}


def of_content(body: dict[str, Any]) -> dict[str, Any]:
    """Return the input in the body of `generateContent`. A misplaced value counts as missing."""
    parts = _objects(_first(body.get("contents")).get("parts"))
    config = _object(_object(body.get("generationConfig")).get("imageConfig"))
    references = [part["fileData"] for part in parts if "fileData" in part]
    said = {
        "prompt": next((part["text"] for part in parts if "text" in part), None),
        "aspect_ratio": config.get("aspectRatio"),
        "image_size": config.get("imageSize"),
        "references": references or None,
    }
    return _given(said)


def of_interaction(body: dict[str, Any]) -> dict[str, Any]:
    """Return the input in the body of an interaction, which must run in the background."""
    steps = _objects(body.get("input"))
    # The vendor's client wraps a list of parts in a step, so the API never receives such a list.
    asked = [step for step in steps if step.get("type") == "user_input"]
    parts = _objects(asked[0].get("content")) if len(asked) == len(steps) == 1 else []
    response = dict(_object(body.get("response_format")))
    asks_for_video = (response.pop("type", None), response.pop("delivery", None)) == ("video", "uri")
    if not asks_for_video or body.get("background") is not True:
        return {}
    said = {
        "prompt": next((part.get("text") for part in parts if part.get("type") == "text"), None),
        "task": _object(_object(body.get("generation_config")).get("video_config")).get("task"),
        "media": [part for part in parts if part.get("type") != "text"] or None,
        **response,
    }
    return _given(said)


def of_operation(body: dict[str, Any]) -> dict[str, Any]:
    """Return the input in the body of `predictLongRunning`."""
    parameters = _object(body.get("parameters"))
    said = {
        "prompt": _first(body.get("instances")).get("prompt"),
        "aspect_ratio": parameters.get("aspectRatio"),
        "resolution": parameters.get("resolution"),
        "duration": parameters.get("durationSeconds"),
        "samples": parameters.get("sampleCount"),
    }
    return _given(said)


def _given(said: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in said.items() if value is not None}


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _objects(value: Any) -> list[dict[str, Any]]:
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


def _first(value: Any) -> dict[str, Any]:
    return next(iter(_objects(value)), {})
