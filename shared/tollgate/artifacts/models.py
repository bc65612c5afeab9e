"""A file in our storage, as tasks keep it and customers see it. Pure."""

from dataclasses import dataclass
from typing import Any

from tollgate.kit.rows import Item


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A result in our storage. `file_type` is `image`, `video` or `audio`; `url` is under the storage URL."""

    url: str
    file_type: str
    content_type: str
    size_bytes: int
    sha256: str

    def view(self) -> dict[str, Any]:
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
