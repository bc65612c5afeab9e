"""Reads files and text from PoYo's responses; music has its own fields (PoYo's API manual)."""

from collections.abc import Iterator, Mapping
from typing import Any

from tollgate.providers.mapping.outputs import storable
from tollgate.providers.runtime import outcomes
from tollgate.providers.runtime.outcomes import ResultFile
from tollgate.providers.runtime.reply import json_of

FILE_FIELDS = ("file_url", "audio_url", "wav_url", "video_url")
# JSON text: an object of URLs by stem, or an array of `{file_url}`.
NESTED_FIELDS = ("separate_vocals", "stem_split", "vocal_removal", "generate_cover")
TRACK_FIELDS = {"audio_id": "audioId", "title": "title", "duration": "durationS"}
WORD_FIELDS = {
    "title": "title",
    "text": "lyrics",
    "style": "styles",
    # This is PoYo's spelling.
    "timestampe_lyrics": "timestampedLyrics",
}


def succeeded(entries: Any, reference: str | None = None) -> outcomes.Succeeded:
    """Return the files of a finished job, with its tracks if they have ids; or its text.

    `reference` is the job's id for follow-up actions.
    """
    found = [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []
    files = tuple(ResultFile(url) for entry in found for url in _urls(entry))
    if files:
        return outcomes.Succeeded(files, _tracks(found), reference)
    words = {
        ours: entry[theirs] for entry in found for theirs, ours in WORD_FIELDS.items() if entry.get(theirs)
    }
    return outcomes.Succeeded(output=words or None, reference=reference)


def _tracks(entries: list[dict[str, Any]]) -> Mapping[str, Any] | None:
    """Return the tracks of a job, with the ids for `audioId` of a follow-up."""
    tracks = [
        {ours: entry[theirs] for theirs, ours in TRACK_FIELDS.items() if entry.get(theirs)}
        for entry in entries
        if entry.get("audio_id")
    ]
    return storable({"tracks": tracks}) if tracks else None


def _urls(entry: dict[str, Any]) -> Iterator[str]:
    values = [entry.get(name) for name in FILE_FIELDS]
    for name in NESTED_FIELDS:
        values += _nested(entry.get(name))
    yield from (value for value in values if isinstance(value, str) and value)


def _nested(text: Any) -> list[Any]:
    found = json_of(text) if isinstance(text, str) else text
    if isinstance(found, dict):
        return list(found.values())
    return [one.get("file_url") for one in found if isinstance(one, dict)] if isinstance(found, list) else []
