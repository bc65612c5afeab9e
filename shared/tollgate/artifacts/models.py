"""A file in our storage, as tasks keep it and customers see it. Pure."""

from dataclasses import dataclass
from typing import Annotated, Literal

from tollgate.kit.rows import Item
from tollgate.kit.shapes import Keywords, Shape, Timestamp

FileType = Literal["image", "video", "audio"]


class FileView(Shape):
    """A result in our storage."""

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
    """A file to be: its id, and where its bytes go."""

    id: str
    """Goes into any media field."""
    url: str
    """The same, as an address; only this account can use it."""
    upload: UploadFormView
    bytes: int
    contentType: str
    expiresAt: Timestamp


class DeletedFileView(Shape):
    """A file that is gone."""

    id: str
    deleted: Literal[True]


THUMBNAIL = ".thumb.webp"


def thumbnail_of(name: str) -> str:
    """Return the key, or URL, of a result's thumbnail, by its own: beside it, so it lives and goes with it.

    It may not be there: yet, of a result that cannot be decoded, and of old ones.
    """
    return name + THUMBNAIL


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A result in our storage. `url` is under the storage URL."""

    url: str
    file_type: FileType
    content_type: str
    size_bytes: int
    sha256: str

    @property
    def thumbnail_url(self) -> str:
        """Return where its thumbnail is, if it has one (`thumbnail_of`)."""
        return thumbnail_of(self.url)

    def view(self) -> FileView:
        """Return the file as the status shows it."""
        return {
            "fileUrl": self.url,
            "fileType": self.file_type,
            "contentType": self.content_type,
            "bytes": self.size_bytes,
            "sha256": self.sha256,
        }

    def to_item(self) -> Item:
        """Return the file as a map of plain values."""
        return {name: getattr(self, name) for name in self.__slots__}
