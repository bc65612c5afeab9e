"""The bytes of a stored result, for answers that carry them."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types_boto3_s3 import S3Client

# Base64 makes 5.6 MB of them, and Lambda answers with 6 MB at most.
MAX_BYTES = 4 * 1024 * 1024


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
