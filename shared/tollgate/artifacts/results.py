"""The stored results of tasks: their bytes, for answers that carry them, and their end."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types_boto3_s3 import S3Client
    from types_boto3_s3.type_defs import ObjectIdentifierTypeDef

# Base64 makes 5.6 MB of them, and Lambda answers with 6 MB at most.
MAX_BYTES = 4 * 1024 * 1024
# Pages of S3's list, each of 1 000 files: many times what the copies of one task can leave.
MAX_PAGES = 10


class ResultsNotDeletedError(Exception):
    """Storage kept some of a task's files; a repeat may take them."""


@dataclass(frozen=True, slots=True)
class Results:
    """The media bucket, and the address that its files are served under."""

    s3: "S3Client"
    bucket: str
    storage_url: str

    def read(self, url: str) -> bytes | None:
        """Return the file that is served under `url`; None where it is larger than an answer may be."""
        found = self.s3.get_object(Bucket=self.bucket, Key=url.removeprefix(f"{self.storage_url}/"))
        with found["Body"] as body:
            return None if found["ContentLength"] > MAX_BYTES else body.read(MAX_BYTES)

    def delete(self, task_id: str) -> None:
        """Delete all files of a task, those of copies that broke off too. Raises `ResultsNotDeletedError`."""
        for _ in range(MAX_PAGES):
            page = self.s3.list_objects_v2(Bucket=self.bucket, Prefix=folder_of_results(task_id))
            keys: list[ObjectIdentifierTypeDef] = [{"Key": one["Key"]} for one in page.get("Contents", [])]
            if not keys:
                return
            done = self.s3.delete_objects(Bucket=self.bucket, Delete={"Objects": keys, "Quiet": True})
            # What S3 kept it says in an answer of 200.
            if done.get("Errors"):
                raise ResultsNotDeletedError(f"{task_id}: {done['Errors'][0].get('Code')}")
        raise ResultsNotDeletedError(f"{task_id}: more than {MAX_PAGES} pages")


def folder_of_results(task_id: str) -> str:
    """Return where all results of a task lie."""
    return f"media/{task_id}/"
