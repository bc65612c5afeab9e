"""Result files inside a response, in base64: complete, or broken as the prompt directs."""

import asyncio
from base64 import b64encode

from local.simulator.files import LIE
from local.simulator.jobs import Job
from local.simulator.media import rendered


async def inline_files(job: Job) -> list[str]:
    """Return each of the job's files in base64."""
    contents = [await asyncio.to_thread(rendered, artifact) for artifact in job.artifacts]
    if job.directions.lie:
        contents = [LIE for _ in contents]
    if job.directions.truncate:
        contents = [content[: len(content) // 2] for content in contents]
    return [b64encode(content).decode() for content in contents]
