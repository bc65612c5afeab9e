"""The stored results of tasks: reads their bytes for responses, and deletes them."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types_boto3_s3 import S3Client
    from types_boto3_s3.type_defs import ObjectIdentifierTypeDef

# Pages of S3's list, each of 1 000 files: many times the files that the copies of one task can leave.
MAX_PAGES = 10
# The folders of results. Everyone who knows the address of a public one can read it.
PUBLIC, PRIVATE = "media/", "private/"
# The lifetime of the address of a private result.
ADDRESS_S = 60 * 60


class ResultsNotDeletedError(Exception):
    """S3 did not delete some files of a task; a repeat may delete them."""


@dataclass(frozen=True, slots=True)
class Results:
    """The media bucket, and the base URL of its files."""

    s3: "S3Client"
    bucket: str
    storage_url: str

    def read(self, url: str, most_bytes: int) -> bytes | None:
        """Return the file at `url`; `None` if it is larger than `most_bytes`."""
        found = self.s3.get_object(Bucket=self.bucket, Key=url.removeprefix(f"{self.storage_url}/"))
        with found["Body"] as body:
            return None if found["ContentLength"] > most_bytes else body.read(most_bytes)

    def address(self, url: str) -> str:
        """Return the address to read a result (or its thumbnail): signed for `ADDRESS_S` if it is private."""
        prefix = f"{self.storage_url}/"
        if not url.startswith(f"{prefix}{PRIVATE}"):
            return url
        where = {"Bucket": self.bucket, "Key": url.removeprefix(prefix)}
        return self.s3.generate_presigned_url("get_object", Params=where, ExpiresIn=ADDRESS_S)

    def delete(self, task_id: str) -> None:
        """Delete all files of a task, also of unfinished copies. Raises `ResultsNotDeletedError`."""
        for is_private in (False, True):
            self._delete(task_id, folder_of_results(task_id, is_private=is_private))

    def _delete(self, task_id: str, folder: str) -> None:
        for _ in range(MAX_PAGES):
            page = self.s3.list_objects_v2(Bucket=self.bucket, Prefix=folder)
            keys: list[ObjectIdentifierTypeDef] = [{"Key": one["Key"]} for one in page.get("Contents", [])]
            if not keys:
                return
            done = self.s3.delete_objects(Bucket=self.bucket, Delete={"Objects": keys, "Quiet": True})
            # S3 lists the files that it did not delete in a response with status 200.
            if done.get("Errors"):
                raise ResultsNotDeletedError(f"{task_id}: {done['Errors'][0].get('Code')}")
        raise ResultsNotDeletedError(f"{task_id}: more than {MAX_PAGES} pages")


def folder_of_results(task_id: str, *, is_private: bool = False) -> str:
    """Return the prefix of the keys of a task's results."""
    return f"{PRIVATE if is_private else PUBLIC}{task_id}/"


def key_of_result(url: str) -> str:
    """Return the key of a result, also by a URL from before a change of the storage's base URL."""
    for folder in (PUBLIC, PRIVATE):
        if f"/{folder}" in url:
            return f"{folder}{url.partition(f'/{folder}')[2]}"
    return PUBLIC
