"""A stored file, for tasks and for customers. Pure."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Literal

from tollgate.kit.dynamodb.rows import Item
from tollgate.kit.response_shapes import Keywords, Shape, Timestamp

# Returns the address to read a stored file by its URL, which is signed for a private file.
Address = Callable[[str], str]
FileType = Literal["image", "video", "audio", "3d"]


class FileView(Shape):
    """A result in Tollgate's storage."""

    fileUrl: Annotated[str, Keywords(format="uri")]
    fileType: FileType
    contentType: str
    bytes: int
    sha256: Annotated[str, Keywords(pattern="^[0-9a-f]{64}$")]


class UploadFormView(Shape):
    """A form of multipart/form-data: its fields, then the file as the last field `file`."""

    method: Literal["POST"]
    url: str
    fields: dict[str, str]


class UploadedFileView(Shape):
    """A file before its upload: its id, and the form for its bytes."""

    id: str
    """The value for any media field."""
    url: str
    """The same file as a URL, which only this account can use."""
    upload: UploadFormView
    bytes: int
    contentType: str
    expiresAt: Timestamp


class DeletedFileView(Shape):
    """A deleted file."""

    id: str
    deleted: Literal[True]


THUMBNAIL = ".thumb.webp"


def thumbnail_of(name: str) -> str:
    """Return the key (or URL) of the thumbnail of a result's key (or URL). It has the same lifetime.

    The object may be missing: not drawn yet, not decodable, or from before thumbnails existed.
    """
    return name + THUMBNAIL


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A result in Tollgate's storage. `url` is under the storage URL."""

    url: str
    file_type: FileType
    content_type: str
    size_bytes: int
    sha256: str

    @property
    def thumbnail_url(self) -> str:
        """Return the URL of the thumbnail, which may be missing (`thumbnail_of`)."""
        return thumbnail_of(self.url)

    def view(self, address: Address = str) -> FileView:
        """Return the file for the status of a task, with the address of its URL."""
        return {
            "fileUrl": address(self.url),
            "fileType": self.file_type,
            "contentType": self.content_type,
            "bytes": self.size_bytes,
            "sha256": self.sha256,
        }

    def to_item(self) -> Item:
        """Return the file as a map of plain values."""
        return {name: getattr(self, name) for name in self.__slots__}
