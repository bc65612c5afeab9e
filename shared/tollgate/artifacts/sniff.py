"""The type of a file, only from its first bytes. Pure.

Sources: the WHATWG MIME Sniffing standard for images, audio and video; ISO/IEC 14496-12 for `ftyp`; the
Khronos Group's glTF 2.0, 4.4 (ISO/IEC 12113), for GLB.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from tollgate.artifacts.models import FileType

# Enough bytes of a file for `media_type`.
HEAD_BYTES = 64


@dataclass(frozen=True, slots=True)
class MediaType:
    """A type of file that Tollgate stores.

    Files are served with `content_type`, whatever the provider declared.
    """

    file_type: FileType
    content_type: str
    extension: str


PNG = MediaType("image", "image/png", "png")
JPEG = MediaType("image", "image/jpeg", "jpg")
GIF = MediaType("image", "image/gif", "gif")
WEBP = MediaType("image", "image/webp", "webp")
AVIF = MediaType("image", "image/avif", "avif")
MP4 = MediaType("video", "video/mp4", "mp4")
MOV = MediaType("video", "video/quicktime", "mov")
WEBM = MediaType("video", "video/webm", "webm")
MP3 = MediaType("audio", "audio/mpeg", "mp3")
M4A = MediaType("audio", "audio/mp4", "m4a")
WAV = MediaType("audio", "audio/wav", "wav")
FLAC = MediaType("audio", "audio/flac", "flac")
OGG = MediaType("audio", "audio/ogg", "ogg")
GLB = MediaType("3d", "model/gltf-binary", "glb")

_TYPES = (PNG, JPEG, GIF, WEBP, AVIF, MP4, MOV, WEBM, MP3, M4A, WAV, FLAC, OGG, GLB)
FILE_TYPES: Mapping[str, FileType] = {one.extension: one.file_type for one in _TYPES}
"""The file types by extension of the files that Tollgate stores."""

_BY_START = (
    (b"\x89PNG\r\n\x1a\n", PNG),
    (b"\xff\xd8\xff", JPEG),
    (b"GIF87a", GIF),
    (b"GIF89a", GIF),
    (b"\x1a\x45\xdf\xa3", WEBM),
    (b"ID3", MP3),
    (b"fLaC", FLAC),
    (b"OggS", OGG),
    (b"glTF\x02\x00\x00\x00", GLB),
)
_BY_RIFF_FORM = {b"WEBP": WEBP, b"WAVE": WAV}
_BY_BRAND = {b"qt  ": MOV, b"M4A ": M4A, b"avif": AVIF, b"avis": AVIF}
# The prefixes of MP4 brands (mp4ra.org). HEIC, JPEG 2000 and other images start with the same box.
_MP4_BRANDS = (b"iso", b"mp4", b"avc1", b"M4V", b"dash", b"cmf", b"MSNV", b"f4v ")
_MPEG_SYNC = 0xFF
_MPEG_SYNC_LOW = 0xE0
_LAYER_MASK = 0x06
_LAYER_3 = 0x02


def media_type(head: bytes) -> MediaType | None:
    """Return the type of a file that starts with `head` (`HEAD_BYTES` of it), or `None` for other files."""
    for start, found in _BY_START:
        if head.startswith(start):
            return found
    if head[:4] == b"RIFF":
        return _BY_RIFF_FORM.get(head[8:12])
    if head[4:8] == b"ftyp":
        brand = head[8:12]
        return MP4 if brand.startswith(_MP4_BRANDS) else _BY_BRAND.get(brand)
    return MP3 if _is_mpeg_layer_3(head) else None


def _is_mpeg_layer_3(head: bytes) -> bool:
    """Return whether this is an MP3 without tags: eleven bits of frame sync, then layer 3."""
    return (
        len(head) > 1
        and head[0] == _MPEG_SYNC
        and head[1] & _MPEG_SYNC_LOW == _MPEG_SYNC_LOW
        and head[1] & _LAYER_MASK == _LAYER_3
    )
