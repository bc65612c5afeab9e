"""Reads the header of one customer's file and returns its facts. Runs only in `probe_media`."""

import time
from collections.abc import Mapping
from dataclasses import dataclass

from tollgate.artifacts import sniff
from tollgate.artifacts.sniff import HEAD_BYTES, MediaType
from tollgate.kit.http.outbound import Outbound
from tollgate.probing.declared_size import declared_bytes
from tollgate.probing.documents import CONTAINERS as DOCUMENTS
from tollgate.probing.documents import document_container, read_document
from tollgate.probing.facts import ProbeCode, ProbedMedia, ProbeError, ProbeResult, seconds
from tollgate.probing.images import NoImageError, is_implausible, pixel_size
from tollgate.probing.remote import RemoteFile, remote_file
from tollgate.probing.tracks import UnreadableMediaError, read_tracks

# For everything: the name, the connections, the redirects, all bytes.
TIMEOUT_S = 10.0

_CONTAINERS = {
    sniff.PNG: "png",
    sniff.JPEG: "jpeg",
    sniff.WEBP: "webp",
    sniff.GIF: "gif",
    sniff.MP4: "mp4",
    sniff.MOV: "mov",
    sniff.WEBM: "webm",
    sniff.MP3: "mp3",
    sniff.WAV: "wav",
    sniff.M4A: "m4a",
}
_IMAGES = ("png", "jpeg", "webp", "gif")
# Recordings to transcribe. Providers of media do not take the last two.
_RECORDINGS = {found: name for found, name in _CONTAINERS.items() if name not in _IMAGES}
_RECORDINGS |= {sniff.FLAC: "flac", sniff.OGG: "ogg"}
# The content decides between MP4 and M4A, not the brand.
_BY_CONTENT = {("audio", "mp4"): "m4a", ("video", "m4a"): "mp4"}
_WEBM_DOCTYPE = b"webm"
_HTML = (b"<!doctype html", b"<html")


@dataclass(frozen=True, slots=True)
class MediaReader:
    """Probes media through the guarded client, for at most `timeout_s` seconds a file."""

    outbound: Outbound
    timeout_s: float = TIMEOUT_S

    def probe(self, url: str, *, is_recording: bool = False) -> ProbeResult:
        """Return the facts of the file at `url`, or the reason why it cannot be probed.

        `is_recording`: it is for a transcription, which takes other types.
        """
        deadline = time.monotonic() + self.timeout_s
        try:
            with remote_file(self.outbound, url, self.timeout_s) as file:
                return _facts(file, deadline, _RECORDINGS if is_recording else _CONTAINERS)
        except ProbeError as exc:
            return exc


def _facts(file: RemoteFile, deadline: float, containers: Mapping[MediaType, str]) -> ProbedMedia:
    head = file.read_at(0, HEAD_BYTES)
    if containers is _CONTAINERS and (document := document_container(head)) is not None:
        return read_document(document, file, deadline - time.monotonic())
    container = _container(head, containers)
    declared = declared_bytes(container, file.read_at)
    if declared is not None and declared > file.size:
        message = f"The file is cut off: it has {file.size} bytes instead of at least {declared}."
        raise ProbeError(ProbeCode.TRUNCATED, message)
    if container in _IMAGES:
        return _image(container, file)
    return _recording(container, file, deadline)


def _container(head: bytes, containers: Mapping[MediaType, str]) -> str:
    """Return the container from the file's first bytes, never from its name or content type."""
    found = sniff.media_type(head)
    container = None if found is None else containers.get(found)
    if container is None or (container == "webm" and _WEBM_DOCTYPE not in head):
        raise ProbeError(ProbeCode.UNSUPPORTED, _unsupported(head, found, containers))
    return container


def _unsupported(head: bytes, found: MediaType | None, containers: Mapping[MediaType, str]) -> str:
    what = "of an unsupported type" if found else "not media"
    if head.lstrip().lower().startswith(_HTML):
        what = "a web page"
    taken = ", ".join((*containers.values(), *(DOCUMENTS if containers is _CONTAINERS else ())))
    return f"The file is {what}. It must be {taken}; its name does not matter."


def _image(container: str, file: RemoteFile) -> ProbedMedia:
    try:
        width, height = pixel_size(container, file.read_at)
    except NoImageError as exc:
        raise _unreadable(container) from exc
    if is_implausible(width, height):
        message = f"The image has {width} × {height} pixels, which is too large."
        raise ProbeError(ProbeCode.TOO_MANY_PIXELS, message)
    return ProbedMedia("image", container, None, width, height, file.size)


def _recording(container: str, file: RemoteFile, deadline: float) -> ProbedMedia:
    try:
        tracks = read_tracks(container, file, deadline - time.monotonic())
    except UnreadableMediaError as exc:
        raise _unreadable(container) from exc
    if not tracks.duration_ms:
        message = f"The {tracks.kind} file does not contain its duration."
        raise ProbeError(ProbeCode.NO_DURATION, message)
    container = _BY_CONTENT.get((tracks.kind, container), container)
    duration_s = seconds(tracks.duration_ms)
    return ProbedMedia(tracks.kind, container, duration_s, tracks.width, tracks.height, file.size)


def _unreadable(container: str) -> ProbeError:
    return ProbeError(ProbeCode.UNREADABLE, f"The file looks like a {container} file but cannot be read.")
