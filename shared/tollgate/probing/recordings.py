"""Reads the length of an uploaded recording, before money is held for its transcription.

This is the text function's side, without the SDK. The file is stored nowhere, so its bytes are in the call of
`probe_media`.
"""

from base64 import b64encode
from dataclasses import dataclass

from tollgate.kit.aws.async_invoke import AsyncFunction
from tollgate.kit.errors import InvalidInputError
from tollgate.kit.problems import Problem
from tollgate.probing.facts import ProbedMedia, ProbeResult, read_answer
from tollgate.text.body.request import TextRequest
from tollgate.text.kinds.transcription import probed, recording_of

TIMEOUT_S = 20.0
"""More than the function's own bound of a probe, and its start."""


@dataclass(frozen=True, slots=True)
class RecordingProber:
    """Calls the function that reads files."""

    function: AsyncFunction

    async def measured(self, request: TextRequest) -> TextRequest:
        """Return a request with the facts of its recording.

        Raises `InvalidInputError` for a file without sound, `NotInvokedError`, and `ProbeFaultError` for a
        fault of Tollgate.
        """
        data = recording_of(request.fields).data
        event = {"url": f"data:;base64,{b64encode(data).decode()}", "isRecording": True}
        body, is_error = await self.function.ask(event, TIMEOUT_S)
        return with_facts(request, read_answer(body, is_error=is_error))


def with_facts(request: TextRequest, found: ProbeResult) -> TextRequest:
    """Return a request with the facts of its recording. Raises `InvalidInputError` without one."""
    if not isinstance(found, ProbedMedia):
        raise InvalidInputError([Problem("/file", found.message)])
    if found.duration_s is None:
        raise InvalidInputError(
            [Problem("/file", f"Must be a recording. The file is of the type {found.kind}.")]
        )
    return probed(request, found.container, found.duration_s)
