"""The result of a finished music job at PoYo. Its fields depend on the model.

Source: PoYo's API manual, "Query music detail".
"""

import json
from collections.abc import Sequence
from typing import Any

from local.simulator.jobs import Job

_WORDS: dict[str, dict[str, str]] = {
    "generate-lyrics": {"title": "A song", "text": "[Verse]\nA line of it"},
    "boost-music-style": {"style": "warm, slow, with strings"},
    "get-timestamped-lyrics": {"timestampe_lyrics": '[{"word": "A", "start_s": 0.5, "end_s": 0.75}]'},
}
_STEMS = {"separate-vocals": "separate_vocals", "stem-split": "stem_split"}
_FILES = {"convert-to-wav": "wav_url", "create-music-video": "video_url"}


def entries(job: Job, urls: Sequence[str]) -> list[dict[str, Any]]:
    """Return the `files` of a finished job with files at `urls`."""
    if job.model in _WORDS:
        return [dict(_WORDS[job.model])]
    if job.model in _STEMS:
        stems = {f"stem_{number}_url": url for number, url in enumerate(urls, 1)}
        return [{_STEMS[job.model]: json.dumps(stems)}]
    if job.model == "generate-music-cover":
        return [{"generate_cover": json.dumps([{"file_url": url, "file_type": "image"} for url in urls])}]
    field = _FILES.get(job.model, "audio_url")
    return [
        {"audio_id": audio_id(job.id, number), field: url, "title": "A song", "prompt": job.prompt}
        for number, url in enumerate(urls)
    ]


def audio_id(job_id: str, number: int) -> str:
    """Return the id of a job's track."""
    return f"{job_id}-{number}"


def job_of(track: str) -> str:
    """Return the id of the job that created a track."""
    return track.rpartition("-")[0]
