"""Reads the results of APIMart's finished jobs: files, text and data, in a format for each section.

Sources: APIMart's documentation, "Get Task Status", Midjourney "Get task", Suno "Overview". Names that appear
only in public clients are INFERRED. Any value may be missing or have another type.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tollgate.providers.mapping.outputs import storable
from tollgate.providers.mapping.reading import objects, texts
from tollgate.providers.media.apimart import facts
from tollgate.providers.runtime import outcomes
from tollgate.providers.runtime.outcomes import ResultFile

Data = dict[str, Any]
_LISTS = ("videos", "images")
_LAST_FRAME = "last_frame_url"
_TRACK_LISTS = ("music", "stems")
_TRACK_WORDS = {"title": "title", "duration": "durationS", "lyrics": "lyrics", "tags": "styles"}
# The results of actions with one file, outside of the lists.
_SINGLE_FILES = ("video_url", "videoUrl", "wavUrl", "zip_url", "audio_url")
# The results of actions without files, and Tollgate's names for them.
_DATA = {
    "text": "lyrics",
    "title": "title",
    "upsampled_tags": "styles",
    "alignment": "timestampedLyrics",
    "aligned_lyrics": "timestampedLyrics",
    "avg_bpm": "bpm",
    "min_bpm": "minBpm",
    "max_bpm": "maxBpm",
    "state": "state",
    "instruments": "instruments",
    "voice_id": "voiceId",
    "model_id": "modelId",
    "vox_audio_id": "voxAudioId",
    "vocal_start_s": "startS",
    "vocal_end_s": "endS",
    "name": "name",
}
# Names that describe a result, but are not a result.
_ABOUT = {"title", "name", "state"}


def of_a_task(data: Data) -> outcomes.Succeeded | None:
    """Return the images and videos of a unified task; `None` if its result is missing (so far)."""
    result = data.get("result")
    if not isinstance(result, dict):
        return None
    entries = [entry for name in _LISTS for entry in objects(result.get(name))]
    urls = [url for entry in entries for url in texts(entry.get("url"))]
    frames = [url for one in (result, *entries) for url in texts(one.get(_LAST_FRAME))]
    return outcomes.Succeeded(_files([*urls, *frames]))


def of_midjourney(data: Data) -> outcomes.Succeeded | None:
    """Return the images or videos of a Midjourney task, with the buttons of its follow-ups; or its text."""
    named = ("video_urls", "video_url", "image_urls", "grid_image_url")
    urls = next((found for name in named if (found := texts(data.get(name)))), [])
    shown = [
        {"customId": button["customId"], "label": button.get("label")}
        for button in objects(data.get("buttons"))
        if texts(button.get("customId"))
    ]
    if urls:
        return outcomes.Succeeded(_files(urls), storable({"buttons": shown}) if shown else None)
    # Only the description of an image is a result without files.
    is_described = data.get("action") == facts.DESCRIBE
    words = texts(data.get("description")) or (texts(data.get("prompt")) if is_described else [])
    return outcomes.Succeeded(output={"description": words[0]} if words else None)


def of_music(data: Data) -> outcomes.Succeeded | None:
    """Return the tracks of a music task, with numbers for follow-ups; or its one file; or its data."""
    result = data.get("result")
    if not isinstance(result, dict):
        return None
    entries = [entry for name in _TRACK_LISTS for entry in objects(result.get(name))]
    tracks = [
        (url, {"audioId": str(number), **_renamed(entry, _TRACK_WORDS)})
        for number, entry in enumerate(entries[: facts.MAX_TRACKS], 1)
        for url in _first(entry, "audio_url", "video_url")
    ]
    if tracks:
        output = storable({"tracks": [told for _, told in tracks]})
        return outcomes.Succeeded(_files([url for url, _ in tracks]), output)
    urls = list(_single_files(result))
    return outcomes.Succeeded(_files(urls), None if urls else storable(_told(result)))


# The reader of each section's results.
READERS: Mapping[str, Callable[[Data], outcomes.Succeeded | None]] = {
    facts.IMAGES: of_a_task,
    facts.VIDEOS: of_a_task,
    facts.MIDJOURNEY: of_midjourney,
    facts.MUSIC: of_music,
}


def _single_files(result: Data) -> Iterator[str]:
    files = [url for file in objects(result.get("files")) for url in texts(file.get("url"))]
    yield from files or _first(result, *_SINGLE_FILES)
    for video in objects(result.get("videos")):
        yield from texts(video.get("url"))


def _told(result: Data) -> Data:
    """Return data with Tollgate's names; of several lyrics, the first are the result, and all are listed."""
    lyrics = result.get("lyrics")
    variants = [_renamed(one, {"title": "title", "text": "lyrics"}) for one in objects(lyrics)]
    output = {**_renamed(result, _DATA), **({"lyrics": lyrics} if isinstance(lyrics, str) else {})}
    if variants:
        output |= {**variants[0], "variants": variants}
    return output if output.keys() - _ABOUT else {}


def _renamed(entry: Data, names: Mapping[str, str]) -> Data:
    nothing: tuple[Any, ...] = (None, "", [], {})
    return {ours: entry[theirs] for theirs, ours in names.items() if entry.get(theirs) not in nothing}


def _first(entry: Data, *names: str) -> list[str]:
    return next((found[:1] for name in names if (found := texts(entry.get(name)))), [])


def _files(urls: list[str]) -> tuple[ResultFile, ...]:
    return tuple(ResultFile(url) for url in urls)
