"""Serves result files: complete, in part (RFC 9110, section 14), or broken as the prompt directs."""

import asyncio
import re

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from local.simulator.jobs import JobState, JobStore
from local.simulator.media import rendered
from local.simulator.transport import BrokenOff
from tollgate.kit.clock import Clock

LIE = b"<!doctype html><title>Gone</title><script>alert('not what it says')</script>"

_RANGE = re.compile(r"bytes=(\d{0,15})-(\d{0,15})")


def router(store: JobStore, clock: Clock) -> APIRouter:
    """Return the route `GET`/`HEAD /files/{job}/{name}`."""
    routes = APIRouter()

    @routes.api_route("/files/{job_id}/{name}", methods=["GET", "HEAD"])
    async def file(job_id: str, name: str, request: Request) -> Response:
        job = store.find(job_id)
        artifact = None if job is None else job.artifact(name)
        if job is None or artifact is None or job.directions.vanish:
            return Response(status_code=404)
        if job.state(clock.now_ms()) is not JobState.SUCCEEDED:
            return Response(status_code=404)
        content = LIE if job.directions.lie else await asyncio.to_thread(rendered, artifact)
        if job.directions.truncate and request.method == "GET":
            return BrokenOff(content, media_type=artifact.content_type)
        return _answer(content, artifact.content_type, request.headers.get("range"))

    return routes


def byte_range(header: str | None, length: int) -> range | None:
    """Return the bytes that a `Range` header requests out of `length`; empty if none of them exist.

    `None` means the complete file: there is no header, or a server may ignore its form.
    """
    match = _RANGE.fullmatch(header or "")
    if match is None or match.groups() == ("", ""):
        return None
    first, last = match.groups()
    if first == "":
        return range(max(0, length - int(last)), length)
    if last != "" and int(last) < int(first):
        return None
    return range(min(int(first), length), min(int(last) + 1, length) if last else length)


def _answer(content: bytes, content_type: str, range_header: str | None) -> Response:
    wanted = byte_range(range_header, len(content))
    if wanted is None:
        return Response(content, media_type=content_type, headers={"accept-ranges": "bytes"})
    if not wanted:
        return Response(status_code=416, headers={"content-range": f"bytes */{len(content)}"})
    shown = f"bytes {wanted.start}-{wanted.stop - 1}/{len(content)}"
    headers = {"accept-ranges": "bytes", "content-range": shown}
    return Response(content[wanted.start : wanted.stop], 206, headers, content_type)
