"""Reads the records of kie's music jobs (docs/providers/kie.md)."""

from collections.abc import Iterator
from typing import Any

from tollgate.providers.mapping.outputs import storable
from tollgate.providers.mapping.reading import objects, texts
from tollgate.providers.media.kie import facts
from tollgate.providers.runtime import outcomes
from tollgate.providers.runtime.answers import provider_error, rejected
from tollgate.providers.runtime.outcomes import RejectionKind, ResultFile
from tollgate.providers.runtime.reply import Reply

_TRACK_WORDS = {"title": "title", "duration": "durationS", "prompt": "lyrics", "tags": "styles"}
_LYRICS_WORDS = {"title": "title", "text": "lyrics"}
_ADDRESS = "Url"
_SOURCE = "originUrl"


def outcome(task_id: str, reply: Reply) -> outcomes.PollOutcome:
    """Return the outcome in a job's record; in a tool's record, the status is called `successFlag`."""
    status = reply.string("data", "status") or reply.string("data", "successFlag")
    message = reply.string("data", "errorMessage")
    if status in facts.MUSIC_WAITING:
        return outcomes.Pending()
    done = _made(reply.get("data", "response"), task_id)
    if status == facts.MUSIC_SUCCESS or (status == facts.CALLBACK_FAILED and done.files):
        return done
    if status == facts.MUSIC_REJECTED:
        return rejected(RejectionKind.CONTENT, message)
    if status in facts.MUSIC_FAILED:
        return provider_error(reply, message)
    return outcomes.Unknown(reply.detail())


def voice(task_id: str, reply: Reply) -> outcomes.PollOutcome:
    """Return the outcome of a phrase, whose id is the task's, or of a voice."""
    status, message = reply.string("data", "status"), reply.string("data", "errorMessage")
    phrase, voice_id = reply.string("data", "validateInfo"), reply.string("data", "voiceId")
    if status == facts.PHRASE_READY and phrase:
        return outcomes.Succeeded(output=storable({"phraseId": task_id, "phrase": phrase}))
    if status == facts.VOICE_SUCCESS and voice_id:
        return outcomes.Succeeded(output=storable({"voiceId": voice_id}))
    if status in facts.VOICE_WAITING:
        return outcomes.Pending()
    if status == facts.VOICE_REJECTED:
        return rejected(RejectionKind.INPUT, message)
    return (
        provider_error(reply, message) if status == facts.VOICE_FAILED else outcomes.Unknown(reply.detail())
    )


def _made(response: Any, task_id: str) -> outcomes.Succeeded:
    """Return a job's tracks, a tool's files, or lyrics."""
    found = response if isinstance(response, dict) else {}
    tracks = [entry for entry in objects(found.get("sunoData")) if texts(entry.get("audioUrl"))]
    if tracks:
        files = tuple(ResultFile(entry["audioUrl"]) for entry in tracks)
        told = [{**_renamed(entry, {"id": "audioId"}), **_renamed(entry, _TRACK_WORDS)} for entry in tracks]
        return outcomes.Succeeded(files, storable({"tracks": told}), task_id)
    files = tuple(ResultFile(url) for url in _urls(found))
    variants = [_renamed(one, _LYRICS_WORDS) for one in objects(found.get("data"))]
    words = {**variants[0], "variants": variants} if variants else {}
    return outcomes.Succeeded(files, None if files else storable(words), task_id)


def _urls(response: dict[str, Any]) -> Iterator[str]:
    for name, value in response.items():
        if name.endswith(_ADDRESS) and name != _SOURCE:
            yield from texts(value)


def _renamed(entry: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
    return {ours: entry[theirs] for theirs, ours in names.items() if entry.get(theirs)}
