"""Whether an object is stored.

This lists one key instead of sending a HEAD. A role can be allowed to list under a prefix. But for a missing
object, S3 answers a HEAD with 404 only if the role may list the whole bucket; otherwise the answer is 403,
like a missing permission.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types_boto3_s3 import S3Client


def is_stored(s3: "S3Client", bucket: str, key: str) -> bool:
    """Return whether a bucket has an object with this key. Raises the SDK's errors."""
    found = s3.list_objects_v2(Bucket=bucket, Prefix=key, MaxKeys=1)
    # The list is sorted by bytes, so the key itself comes before all longer keys with this prefix.
    return any(one["Key"] == key for one in found.get("Contents", []))
