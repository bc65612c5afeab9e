"""Customers' uploaded files for prompts, read without an SDK. See `text/body/prompt_files.py`."""

from dataclasses import dataclass

from tollgate.artifacts.deletions import declared_bytes
from tollgate.artifacts.uploads import EXTENSIONS, ID_PREFIX, prefix_of, usable_until_ms
from tollgate.kit.aws.s3_objects import S3Objects
from tollgate.kit.clock import Clock
from tollgate.kit.ids import is_id
from tollgate.ledger.callers import Caller
from tollgate.text.body.prompt_files import PromptFile

_TYPES = {extension: content_type for content_type, extension in reversed(EXTENSIONS.items())}


@dataclass(frozen=True, slots=True)
class UploadedPromptFiles:
    """Implements `PromptFiles` for the uploads in a bucket."""

    objects: S3Objects
    clock: Clock

    async def read(self, caller: Caller, file_id: str, most_bytes: int) -> PromptFile | None:
        """Return a caller's file; `None` if there is none, or if it is larger than `most_bytes`.

        Raises `ObjectStoreError`.
        """
        if not is_id(ID_PREFIX, file_id) or usable_until_ms(file_id) <= self.clock.now_ms():
            return None
        key = await self.objects.first_name(prefix_of(caller, file_id))
        if key is None or declared_bytes(key) > most_bytes:
            return None
        data = await self.objects.get(key)
        extension = key.rpartition(".")[2]
        # An object is empty before its upload, and so is a tombstone.
        return PromptFile(f"{file_id}.{extension}", _TYPES[extension], data) if data else None
